// Types, operators, and sums over a row or a part of a row, for the kernels of products.
// product.cu lists the macros.

#pragma once
#include "common.cuh"
#include "monoid.cuh"

typedef D_TYPE D;
typedef U_TYPE U;
typedef A_TYPE A;
typedef OFFSET_TYPE Offset;

#define UNROLL 4
#define TILE (4 * BLOCK)  // consecutive rows that a block processes

#define MATRIX_PARAMETERS const Offset *indptr, const int *indices, const A *a_values
#define VECTOR_PARAMETERS const U *u_values, const u8 *u_present
#define DECISION_PARAMETERS const u64 *work, i64 limit
#define PULLING (work == nullptr || *work > (u64)limit)
#define PUSHING (work == nullptr || *work <= (u64)limit)

// Logarithm of a power of two.
__device__ inline int log2_of(int width) { return __ffs(width) - 1; }

__device__ inline Z multiply(D x, D y) { return cast<Z>(MULTIPLY); }

// u ⊗ entry k of A, or with SWAP entry k of A ⊗ u.
__device__ inline Z product(U u, const A *a_values, Offset k) {
    D left = USES_U ? cast<D>(u) : D(1);
    D right = USES_A ? cast<D>(a_values[ISO ? Offset(0) : k]) : D(1);
    return SWAP ? multiply(right, left) : multiply(left, right);
}

// Add this lane's share of the entries first … last − 1: every width-th, from `lane` on. All lanes in the mask `group`
// call it together, and vote to stop early.
__device__ inline void sum_entries(Sum &s, Offset first, Offset last, int lane, int width, unsigned group,
                                   const int *indices, const A *a_values, const U *u_values, const u8 *u_present) {
    for (Offset base = first; base < last; base += UNROLL * width) {
        int j[UNROLL];
        U u[UNROLL];
#pragma unroll
        for (int q = 0; q < UNROLL; q++) {
            Offset k = base + q * width + lane;
            j[q] = k < last ? load_once(indices + k) : -1;
        }
        if (u_present != nullptr) {
#pragma unroll
            for (int q = 0; q < UNROLL; q++)
                if (j[q] >= 0 && !u_present[j[q]]) j[q] = -1;
        }
#pragma unroll
        for (int q = 0; q < UNROLL; q++) u[q] = USES_U && j[q] >= 0 ? u_values[j[q]] : U(0);
#pragma unroll
        for (int q = 0; q < UNROLL; q++)
            if (j[q] >= 0) s.add_value(product(u[q], a_values, base + q * width + lane));
#if STOP
        if (base + UNROLL * width < last && __any_sync(group, s.done())) break;
#endif
    }
}

// Sum of the entries first … last − 1 of a row, with `width` lanes; all lanes of the warp call it.
__device__ inline Sum sum_row(Offset first, Offset last, int width, const int *indices, const A *a_values,
                              const U *u_values, const u8 *u_present) {
    int lane = threadIdx.x & (width - 1);
    unsigned start = (threadIdx.x % WARP) - lane;
    unsigned group = (width == WARP ? ALL_LANES : ((1u << width) - 1)) << start;
    Sum s;
    sum_entries(s, first, last, lane, width, group, indices, a_values, u_values, u_present);
    __syncwarp();
    add_up(s, width);
    return s;
}

// Sum a row and write its entry; all lanes of the warp call it. Row −1 is no row.
__device__ inline void pull_row(int row, Offset first, Offset last, int width, const int *indices, const A *a_values,
                                const U *u_values, const u8 *u_present, Z *t_values, u8 *t_present) {
    Sum s = sum_row(first, last, width, indices, a_values, u_values, u_present);
    if (row >= 0 && !(threadIdx.x & (width - 1))) {
        if (s.has) t_values[row] = s.value;
        if (t_present != nullptr) t_present[row] = s.has;
    }
}

// Sum a chunk of a long row by a block; pull_combine adds up the chunks.
__device__ inline void pull_chunk(i64 chunk, const Offset *indptr, const int *indices, const A *a_values, const U *u_values,
                                  const u8 *u_present, const int *chunk_row, const i64 *chunk_first, i64 chunk_size,
                                  Z *partial, u8 *partial_has, MASK_PARAMETERS) {
    int row = chunk_row[chunk];
    if (!holds(row, MASK)) return;
    Offset first = (Offset)chunk_first[chunk], last = indptr[row + 1];
    if (last - first > chunk_size) last = first + (Offset)chunk_size;
    Sum s;
    int warp = threadIdx.x / WARP, share = (int)((last - first + BLOCK / WARP - 1) / (BLOCK / WARP));
    Offset from = first + warp * share, to = from + share < last ? from + share : last;
    sum_entries(s, from, to, threadIdx.x % WARP, WARP, ALL_LANES, indices, a_values, u_values, u_present);
    __syncwarp();
    add_up_block(s);
    if (threadIdx.x == 0) {
        partial[chunk] = s.value;
        partial_has[chunk] = s.has;
    }
}
