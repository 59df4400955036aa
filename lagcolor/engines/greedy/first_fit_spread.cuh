// First-fit in the order largest_first_spread in one launch, with no sorted sequence of all vertices: what the kernels for
// small graphs share (first_fit_block.cu, first_fit_grid.cu).
//
// The state of a vertex without a color is its turn, `low_turn` of any degree under 2^23; equal ones by rank. So two
// vertices compare by their states, and the sequence is needed only to begin vertices in it, where a warp begins another
// one after it has waited for the first.
#pragma once
#ifndef NAP
#define NAP 64u
#endif
#define WINDOW 1024
#define LONG_EDGES 8  // twice as many would not leave registers for as many blocks
#include "device/include/sort.cuh"
#include "engines/greedy/first_fit_row.cuh"

#define HUB 64  // degree from which a warp colors a vertex
#define TURNS 0x7fffffffu

// Where a vertex is in the order, as a number: the lower is colored earlier.
static __device__ __forceinline__ u64 place_of(unsigned turn, int v) { return (u64)(TURNS - turn) << 32 | rank_of(v); }
static __device__ __forceinline__ unsigned turn_of(u64 place) { return TURNS - (unsigned)(place >> 32); }
static __device__ __forceinline__ int vertex_of(u64 place) { return (int)rank_of((int)(unsigned)place); }

struct Csr {
    const offset_t* __restrict__ indptr;
    const int* __restrict__ indices;
};

static __device__ __forceinline__ unsigned turn_of(const Csr& G, int v, unsigned seed, int& degree) {
    degree = (int)(G.indptr[v + 1] - G.indptr[v]);
    return low_turn(degree, tie_group(v, degree, seed));
}

// A warp colors a vertex of degree HUB and over, whose state without a color is `mine`; `row` is its own.
template <class Bounds = Unbound>
static __device__ __forceinline__ void color_hub(u64 place, const Csr& G, Row* row, state_t* state, int* colors,
                                                 unsigned mine, Bounds bounds = Bounds()) {
    const int v = vertex_of(place);
    const BySpread order = {mine, rank_of(v)};
    const unsigned color = least_of_row(row, G.indptr[v], G.indptr[v + 1], G.indices, state, Never(), order, bounds);
    if (threadIdx.x % WARP == 0) {
        store_relaxed(state + v, color);
        if (colors) colors[v] = (int)color;
    }
}
