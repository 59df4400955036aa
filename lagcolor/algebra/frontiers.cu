// Jones-Plassmann with one color for a whole frontier, where the frontiers are known: level[v] is the round in which v is
// larger than all that are left. A launch takes the color of the level before, the least that was free beside it, and
// gathers those beside its own. So a vertex is written nothing to: its color is that of its level.
//
// taken[parity of the level] has level + 1 at each color beside it; the stamps make clearing needless, and the other
// half is still being read. `lanes`, a power of two, share a vertex.
//
// Bytes: 4 an entry for its column, a sector for its level, and its color, which there are few of.
// variants: OFFSET_BITS=32,64
#include "../../semirings/kernels/common.cuh"
#include "../device/include/offset.cuh"

// The least color whose stamp is not `stamp`; there is one among the first `colors`. The whole block calls.
__device__ inline int least_free(const int *taken, int stamp, int colors) {
    __shared__ int least;
    if (threadIdx.x == 0) least = colors;
    __syncthreads();
    for (int base = 0;; base += BLOCK) {
        const int c = base + (int)threadIdx.x;
        if (c < colors && taken[c] != stamp) atomicMin(&least, c);
        __syncthreads();
        if (least < base + BLOCK || base + BLOCK >= colors) return least;
    }
}

__device__ inline void take(int *taken, int c, int stamp) {
    if ((int)load_relaxed((const unsigned *)taken + c) != stamp) store_relaxed((unsigned *)taken + c, (unsigned)stamp);
}

// Level k of `vertices`, `count` from `begin` on: colors[k - 1] becomes known, and what is beside level k is stamped.
extern "C" __global__ void frontier(const offset_t *indptr, const int *indices, const int *level, const i64 *vertices,
                                    i64 begin, i64 count, i64 lanes, i64 k, int *colors, int *taken, i64 palette) {
    int *const here = taken + (k & 1) * palette, stamp = (int)k + 1;
    const int before = k == 0 ? 0 : least_free(taken + (~k & 1) * palette, (int)k, (int)palette);
    if (k > 0 && blockIdx.x == 0 && threadIdx.x == 0) colors[k - 1] = before;
    const i64 thread = (i64)blockIdx.x * BLOCK + threadIdx.x, slot = thread / lanes;
    u64 few = 0;  // colors under 64, gathered over a warp before they are stamped
    if (slot < count) {
        const int v = (int)vertices[begin + slot];
        const int *const row = indices + indptr[v];
        const i64 degree = indptr[v + 1] - indptr[v];
        for (i64 i = thread & (lanes - 1); i < degree; i += lanes) {
            const int at = level[row[i]];
            if (at >= k) continue;
            const int c = at == k - 1 ? before : colors[at];
            if (c < 64) few |= u64(1) << c;
            else take(here, c, stamp);
        }
    }
    __syncwarp();
#pragma unroll
    for (int d = WARP / 2; d; d /= 2) few |= shuffle_xor(few, d);
    for (int c = (int)(threadIdx.x % WARP); c < 64; c += WARP)
        if (few >> c & 1) take(here, c, stamp);
}
