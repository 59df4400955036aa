// First-fit in the order largest_first_spread in one launch, with no sorted sequence of all vertices: what the kernels for
// small graphs share (first_fit_block.cu, first_fit_grid.cu).
//
// The state of a vertex without a color is its turn, `low_turn` of any degree under 2^23; equal ones by rank. So two
// vertices compare by their states, and the sequence is needed only to begin vertices in it, where a warp begins another
// one after it has waited for the first.
#pragma once
#ifndef WINDOW
#define WINDOW 1024
#endif
#ifndef ONE_BLOCKING
#define ONE_BLOCKING 1
#endif
#include "device/include/sort.cuh"
#include "engines/greedy/first_fit_row.cuh"
#include "engines/greedy/first_fit_warp.cuh"

#define HUB 64  // degree from which a warp colors a vertex
#ifndef NAPS
#define NAPS false  // whether threads that wait for vertices of other warps sleep
#endif
#define TURNS 0x7fffffffu

// Where a vertex is in the order, as a number: the lower is colored earlier.
static __device__ __forceinline__ u64 place_of(unsigned turn, int v) { return (u64)(TURNS - turn) << 32 | rank_of(v); }
static __device__ __forceinline__ unsigned turn_of(u64 place) { return TURNS - (unsigned)(place >> 32); }
static __device__ __forceinline__ int vertex_of(u64 place) { return (int)rank_of((int)(unsigned)place); }

struct Csr {
    const offset_t* __restrict__ indptr;
    const int* __restrict__ indices;
    offset_t m;
};

struct Scratch {  // of a block, in shared memory
    int lists[ROOM][BLOCK];
    Neighbors warps[BLOCK / WARP];
    Row rows[BLOCK / WARP];
    unsigned drawn;
};

static __device__ __forceinline__ unsigned turn_of(const Csr& G, int v, unsigned seed, int& degree) {
    degree = (int)(G.indptr[v + 1] - G.indptr[v]);
    return low_turn(degree, tie_group(v, degree, seed));
}

// A warp colors a vertex of degree HUB and over.
static __device__ __forceinline__ void color_hub(u64 place, const Csr& G, Scratch* shared, state_t* state, int* colors) {
    const int v = vertex_of(place);
    const BySpread order = {UNCOLORED + turn_of(place), rank_of(v)};
    Row* row = shared->rows + threadIdx.x / WARP;
    const unsigned color = least_of_row(row, G.indptr[v], G.indptr[v + 1], G.indices, state, Never(), order);
    if (threadIdx.x % WARP == 0) {
        store_relaxed(state + v, color);
        if (colors) colors[v] = (int)color;
    }
}

// A warp colors up to 32 vertices of lower degrees, a lane each (v < 0: none).
template <class State>
static __device__ __forceinline__ void color_chunk(int v, unsigned turn, const Csr& G, Scratch* shared, State state,
                                                   int* colors) {
    const offset_t row = v < 0 ? 0 : G.indptr[v], end = v < 0 ? 0 : G.indptr[v + 1];
    const int degree = (int)(end - row);
    const bool aligned = reinterpret_cast<u64>(G.indices) % 16 == 0;
    const BySpread order = {UNCOLORED + turn, rank_of(v)};
    Neighbors* warp = shared->warps + threadIdx.x / WARP;
    int* list = &shared->lists[0][threadIdx.x];
    if (!__any_sync(ALL_LANES, degree > 4))
        color_warp<true, unsigned, NAPS>(v, row, end, G.m, aligned, G.indices, warp, list, state, colors, order);
    else if (!__any_sync(ALL_LANES, degree > 31))
        color_warp<false, unsigned, NAPS>(v, row, end, G.m, aligned, G.indices, warp, list, state, colors, order);
    else
        color_warp<false, u64, NAPS>(v, row, end, G.m, aligned, G.indices, warp, list, state, colors, order);
}
