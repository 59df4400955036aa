// Product with a mask: one block per TILE consecutive rows lists the rows in the mask, sums them, and writes the tile.
//
// The hardware also reads a sector of sums that is written in part. With many rows, unless few of a tile are selected,
// the block therefore writes the whole tile. Values of absent entries are arbitrary. Bytes per row: the mask, 1 of
// presence, sectors of offsets and sums; and for a selected row its entries.
//
// Slower on one H200: reading offsets of all rows with the mask (fd7-200 with 10 % of the rows 0.0489 ms instead of
// 0.0473, with 1 % 0.032 instead of 0.025), and half the lanes with twice the entries in flight (0.0511 to 0.0489).

#pragma once
#include "rows.cuh"

struct alignas(4 * sizeof(Z)) FourSums { Z x[4]; };

// Select the rows in the mask among four rows of the tile per thread, and set their presence (pull_tile may clear it).
__device__ inline void select_rows(i64 tile, i64 count, u8 *t_present, int *row, bool *keep, MASK_PARAMETERS) {
    bool words = tile + TILE <= count && mask_present == nullptr && (mask_flags & MASK_BYTES) == 1 &&
                 !(((u64)mask_values | (u64)t_present) & 3);
    if (words) {
        i64 at = tile / 4 + threadIdx.x;
        unsigned word = ((const unsigned *)mask_values)[at], packed = 0;
#pragma unroll
        for (int r = 0; r < 4; r++) {
            row[r] = 4 * threadIdx.x + r;
            keep[r] = bool(word >> 8 * r & 255) != bool(mask_flags & MASK_COMPLEMENT);
            packed |= unsigned(keep[r]) << 8 * r;
        }
        ((unsigned *)t_present)[at] = packed;
        return;
    }
#pragma unroll
    for (int q = 0; q < 4; q++) {
        row[q] = q * BLOCK + threadIdx.x;
        keep[q] = tile + row[q] < count && holds(tile + row[q], MASK);
        if (tile + row[q] < count) t_present[tile + row[q]] = keep[q];
    }
}

// Rows 0 … count - 1; stages: a block may write all sums of its tile.
extern "C" __global__ void pull_tile(MATRIX_PARAMETERS, VECTOR_PARAMETERS, i64 count, i64 width, i64 stages,
                                     Z *t_values, u8 *t_present, DECISION_PARAMETERS, MASK_PARAMETERS) {
    if (!PULLING) return;
    __shared__ FourSums sums[TILE / 4];
    __shared__ int selected[TILE];
    __shared__ int n_selected;
    const i64 tile = (i64)blockIdx.x * TILE;
    if (threadIdx.x == 0) n_selected = 0;
    __syncthreads();
    int row[4];
    bool keep[4];
    select_rows(tile, count, t_present, row, keep, MASK);
    append<4>(keep, row, selected, &n_selected);
    __syncthreads();
    const int shift = log2_of((int)width), groups = BLOCK >> shift, lane = threadIdx.x & ((int)width - 1);
    const bool staged = stages && n_selected > TILE / 16 && tile + TILE <= count;
    for (int base = 0; base < n_selected; base += groups) {
        const int slot = base + (threadIdx.x >> shift), r = slot < n_selected ? selected[slot] : -1;
        const Offset first = r < 0 ? Offset(0) : indptr[tile + r], last = r < 0 ? Offset(0) : indptr[tile + r + 1];
        const Sum s = sum_row(first, last, (int)width, indices, a_values, u_values, u_present);
        if (r < 0 || lane) continue;
        if (!s.has) t_present[tile + r] = 0;
        else if (staged) ((Z *)sums)[r] = s.value;
        else t_values[tile + r] = s.value;
    }
    if (!staged) return;
    __syncthreads();
    ((FourSums *)(t_values + tile))[threadIdx.x] = sums[threadIdx.x];
}
