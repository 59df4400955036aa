// variants: OFFSET_BITS=32,64 BLOCK=128
// Of the entries of a colored graph: which are alone in their sums, and where their mirror images are.
//
// A warp takes one row after the other. Whether a color is there twice it sees of up to 32 entries by comparing lanes, of
// more by two bits per color in shared memory, in windows of colors.
#include "device/include/neighbors.cuh"
#include "device/include/palette.cuh"
#include "device/include/search.cuh"

#define WARPS (BLOCK / WARP)
#ifndef WORDS
#define WORDS 32  // of each of two bits: 1024 colors
#endif

typedef Palette<Warp, WORDS> Colors;

// Whether no other lane has this color; lanes without one have different negative ones.
static __device__ __forceinline__ bool is_single(int c) {
    bool single = true;
    for (int step = 1; step < WARP; step++) single &= __shfl_sync(ALL_LANES, c, (threadIdx.x + step) % WARP) != c;
    return single;
}

static __device__ __forceinline__ bool has(Colors colors, unsigned c) {
    return ((volatile unsigned*)colors.words)[c / 32] >> c % 32 & 1;
}

// The entries from begin to end whose colors are in the window.
static __device__ __forceinline__ void alone_in_window(Colors once, Colors twice, unsigned window, i64 begin, i64 end,
                                                       const int* __restrict__ indices, const int* __restrict__ color,
                                                       bool* alone) {
    once.clear();
    twice.clear();
    for (i64 e = begin + Warp::lane(); e < end; e += WARP) {
        const unsigned c = (unsigned)color[indices[e]] - window;
        if (c < Colors::COLORS && atomicOr(once.words + c / 32, 1u << c % 32) >> c % 32 & 1) twice.take(c);
    }
    Warp::sync();
    for (i64 e = begin + Warp::lane(); e < end; e += WARP) {
        const unsigned c = (unsigned)color[indices[e]] - window;
        if (c < Colors::COLORS) alone[e] = !has(twice, c);
    }
    Warp::sync();
}

// alone[e]: whether the color of entry e is there once in its row; it is false at first, and stays so of no color (−1).
extern "C" __global__ void __launch_bounds__(BLOCK)
    find_alone(i64 n, unsigned k, const offset_t* __restrict__ indptr, const int* __restrict__ indices,
               const int* __restrict__ color, bool* alone) {
    __shared__ unsigned words[2][WARPS][WORDS];
    const int warp = threadIdx.x / WARP;
    const Colors once = {words[0][warp]}, twice = {words[1][warp]};
    for (i64 v = (i64)blockIdx.x * WARPS + warp; v < n; v += (i64)gridDim.x * WARPS) {
        const i64 begin = indptr[v], end = indptr[v + 1];
        if (end - begin > WARP) {
            for (unsigned window = 0; window < k; window += Colors::COLORS)
                alone_in_window(once, twice, window, begin, end, indices, color, alone);
            continue;
        }
        const i64 e = begin + Warp::lane();
        const int c = e < end ? color[indices[e]] : -1;
        const bool single = is_single(c < 0 ? -1 - Warp::lane() : c);
        if (c >= 0) alone[e] = single;
    }
}

// place[e]: of entry (v, u), that of (u, v).
extern "C" __global__ void __launch_bounds__(BLOCK)
    find_mirror(i64 n, const offset_t* __restrict__ indptr, const int* __restrict__ indices, offset_t* place) {
    for (i64 v = (i64)blockIdx.x * WARPS + threadIdx.x / WARP; v < n; v += (i64)gridDim.x * WARPS) {
        const offset_t end = indptr[v + 1];
        for (offset_t e = indptr[v] + Warp::lane(); e < end; e += min((offset_t)WARP, (offset_t)(end - e))) {
            const int u = indices[e];
            place[e] = first_from(indices, indptr[u], indptr[u + 1], (int)v);
        }
    }
}
