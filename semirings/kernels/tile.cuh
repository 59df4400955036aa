// With a mask: a block to TILE consecutive rows, of which it lists those that are kept, sums them, and writes the tile.
//
// Three memory latencies a tile: mask and offsets (EAGER: of all rows, at the same time), columns, the vector. Sums leave
// as whole sectors where many are kept: a sector written in part is read, too. Values of absent entries mean nothing.
//
// Bytes a row: the mask's, 4 of offsets, 1 of presence, sizeof(Z) of sums; and of a kept row those of its entries.

#pragma once
#include "rows.cuh"

#ifndef TILE_EAGER
#define TILE_EAGER 1
#endif
#ifndef TILE_UNROLL
#define TILE_UNROLL 4
#endif
#ifndef TILE_STAGED
#define TILE_STAGED 1
#endif

struct alignas(4 * sizeof(Z)) FourSums { Z x[4]; };
struct alignas(2 * sizeof(Offset)) TwoOffsets { Offset x[2]; };

// Which of four rows of the tile the mask keeps, and their presence, which is 1 for the time being.
__device__ inline void ask_tile(i64 tile, i64 count, u8 *t_present, int *row, bool *keep, MASK_PARAMETERS) {
    bool words = tile + TILE <= count && mask_present == nullptr && (mask_flags & MASK_BYTES) == 1 &&
                 !(((u64)mask_values | (u64)t_present) & 3);
    if (words) {
        i64 at = tile / 4 + threadIdx.x;
        unsigned word = ((const unsigned *)mask_values)[at], kept = 0;
#pragma unroll
        for (int r = 0; r < 4; r++) {
            row[r] = 4 * threadIdx.x + r;
            keep[r] = bool(word >> 8 * r & 255) != bool(mask_flags & MASK_COMPLEMENT);
            kept |= unsigned(keep[r]) << 8 * r;
        }
        ((unsigned *)t_present)[at] = kept;
        return;
    }
#pragma unroll
    for (int q = 0; q < 4; q++) {
        row[q] = q * BLOCK + threadIdx.x;
        keep[q] = tile + row[q] < count && holds(tile + row[q], MASK);
        if (tile + row[q] < count) t_present[tile + row[q]] = keep[q];
    }
}

// Offsets of the tile's rows, into shared memory.
__device__ inline void load_offsets(i64 tile, i64 count, const Offset *indptr, Offset *offsets) {
    if (tile + TILE <= count && !((u64)indptr & 15)) {
#pragma unroll
        for (int q = 0; q < 2; q++)
            ((TwoOffsets *)offsets)[q * BLOCK + threadIdx.x] = ((const TwoOffsets *)(indptr + tile))[q * BLOCK + threadIdx.x];
    } else {
        for (int k = threadIdx.x; k < TILE && tile + k < count; k += BLOCK) offsets[k] = indptr[tile + k];
    }
    int rows = tile + TILE <= count ? TILE : (int)(count - tile);
    if (threadIdx.x == 0) offsets[rows] = indptr[tile + rows];
}

// Rows 0 … count.
extern "C" __global__ void pull_tile(MATRIX_PARAMETERS, VECTOR_PARAMETERS, i64 count, i64 width, Z *t_values,
                                     u8 *t_present, DECISION_PARAMETERS, MASK_PARAMETERS) {
    if (!PULLING) return;
    __shared__ TwoOffsets pairs[TILE_EAGER ? TILE / 2 + 1 : 1];
    Offset *const offsets = (Offset *)pairs;
    __shared__ FourSums sums[TILE_STAGED ? TILE / 4 : 1];
    __shared__ int kept[TILE];
    __shared__ int n_kept;
    const i64 tile = (i64)blockIdx.x * TILE;
    if (threadIdx.x == 0) n_kept = 0;
    __syncthreads();
    int row[4];
    bool keep[4];
    if (TILE_EAGER) load_offsets(tile, count, indptr, offsets);
    ask_tile(tile, count, t_present, row, keep, MASK);
    append<4>(keep, row, kept, &n_kept);
    __syncthreads();
    const int shift = log2_of((int)width), groups = BLOCK >> shift, lane = threadIdx.x & ((int)width - 1);
    const bool staged = TILE_STAGED && n_kept > TILE / 16 && tile + TILE <= count;
    for (int base = 0; base < n_kept; base += groups) {
        int slot = base + (threadIdx.x >> shift), r = slot < n_kept ? kept[slot] : -1;
        Offset first = 0, last = 0;
        if (r >= 0) {
            first = TILE_EAGER ? offsets[r] : indptr[tile + r];
            last = TILE_EAGER ? offsets[r + 1] : indptr[tile + r + 1];
        }
        Sum s = sum_row<TILE_UNROLL>(first, last, (int)width, indices, a_values, u_values, u_present);
        if (r < 0 || lane) continue;
        if (!s.has) t_present[tile + r] = 0;
        else if (staged) ((Z *)sums)[r] = s.value;
        else t_values[tile + r] = s.value;
    }
    if (!staged) return;
    __syncthreads();
    ((FourSums *)(t_values + tile))[threadIdx.x] = sums[threadIdx.x];
}
