// With a mask: one block per TILE consecutive rows. It lists the rows that are kept, sums them, and writes the tile.
//
// A sector of sums that is written in part is read, too: where rows are many and not few are kept, the block writes all
// of its tile. Values of absent entries mean nothing. Bytes per row: the mask's, 1 of presence, sectors of offsets and
// sums; and for a kept row its entries.
//
// What lost on one H200: offsets of all rows read with the mask (fd7-200 with 10 % of the rows 0.0473 ms to 0.0489,
// with 1 % 0.025 to 0.032), and half the lanes with twice the entries in flight (0.0489 to 0.0511).

#pragma once
#include "rows.cuh"

struct alignas(4 * sizeof(Z)) FourSums { Z x[4]; };

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

// Rows 0 … count; `stages`: all of a tile's sums may be written.
extern "C" __global__ void pull_tile(MATRIX_PARAMETERS, VECTOR_PARAMETERS, i64 count, i64 width, i64 stages, Z
*t_values,
                                     u8 *t_present, DECISION_PARAMETERS, MASK_PARAMETERS) {
    if (!PULLING) return;
    __shared__ FourSums sums[TILE / 4];
    __shared__ int kept[TILE];
    __shared__ int n_kept;
    const i64 tile = (i64)blockIdx.x * TILE;
    if (threadIdx.x == 0) n_kept = 0;
    __syncthreads();
    int row[4];
    bool keep[4];
    ask_tile(tile, count, t_present, row, keep, MASK);
    append<4>(keep, row, kept, &n_kept);
    __syncthreads();
    const int shift = log2_of((int)width), groups = BLOCK >> shift, lane = threadIdx.x & ((int)width - 1);
    const bool staged = stages && n_kept > TILE / 16 && tile + TILE <= count;
    for (int base = 0; base < n_kept; base += groups) {
        const int slot = base + (threadIdx.x >> shift), r = slot < n_kept ? kept[slot] : -1;
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
