// A round of speculative first-fit in two passes. In the first, each vertex without a color takes the least color that
// no neighbor has; neighbors may take the same color. In the second, each vertex with a new color gives it up
// if a neighbor has the same color and, by the policy, does not give it up.
//
// A block takes up to 256 vertices: the whole block works on high degrees, one after another, then each warp on middle
// degrees, then each thread on a small one (Merrill's method, and the nested parallelism of IrGL).
//
// words[v]: color; color | FRESH if it is new and unchecked; or NONE. One group writes it, once per pass.
// Relaxed accesses: in the first pass a reader sees the color before or after the write, and the second pass finds all
// conflicts. In the second pass a word changes only from FRESH to its color or to NONE. A reader that sees NONE keeps
// its own color, because the neighbor has lost its color.
#pragma once
#include "engines/rounds/speculative.cuh"

#define FRESH 0x80000000u
#define NONE 0x40000000u
struct Taken {
    __device__ unsigned look_at(Seen&, int, unsigned w) const { return w & NONE ? NO_COLOR : w & ~FRESH; }
};

// Whether a vertex has to give up its color: a neighbor has the same color and, by the policy, wins.
template <class Policy> struct Loses {
    const offset_t* indptr;
    int v;
    unsigned own;
    offset_t degree;
    __device__ unsigned look_at(Seen& seen, int u, unsigned w) const {
        if ((w & ~FRESH) == (own & ~FRESH)) seen.conflict |= Policy::keeps(indptr, u, v, degree);
        return NO_COLOR;
    }
};

struct Vertex {
    int v;
    unsigned own;
    offset_t begin, end;
};

struct Graph {
    const offset_t* indptr;
    const int* __restrict__ indices;
    unsigned* words;
};

// The new word of a vertex: a color in the first pass (COLORS), the outcome of its conflicts in the second.
template <bool COLORS> static __device__ __forceinline__ unsigned outcome(unsigned own, Seen seen, unsigned least) {
    return COLORS ? least | FRESH : seen.conflict ? NONE : own & ~FRESH;
}

template <bool COLORS, class Policy>
static __device__ __forceinline__ unsigned by_block(const Graph& g, const Vertex& x) {
    Seen seen = {false};
    Taken taken;
    Loses<Policy> loses = {g.indptr, x.v, x.own, x.end - x.begin};
    const unsigned least = COLORS ? look_as_block(taken, seen, x.begin, x.end, g.indices, g.words)
                                  : look_as_block(loses, seen, x.begin, x.end, g.indices, g.words);
    return outcome<COLORS>(x.own, seen, least);
}

template <bool COLORS, class Policy>
static __device__ __forceinline__ unsigned by_warp(const Graph& g, const Vertex& x, unsigned* bitmap) {
    Seen seen = {false};
    Taken taken;
    Loses<Policy> loses = {g.indptr, x.v, x.own, x.end - x.begin};
    const unsigned least = COLORS ? look_as_warp(taken, seen, x.begin, x.end, g.indices, g.words, bitmap)
                                  : look_as_warp(loses, seen, x.begin, x.end, g.indices, g.words, bitmap);
    return outcome<COLORS>(x.own, seen, least);
}

template <bool COLORS, class Policy>
static __device__ __forceinline__ unsigned by_thread(const Graph& g, const Vertex& x) {
    Seen seen = {false};
    Taken taken;
    Loses<Policy> loses = {g.indptr, x.v, x.own, x.end - x.begin};
    const unsigned mask = COLORS ? look_alone(taken, seen, x.begin, x.end, g.indices, g.words)
                                 : look_alone(loses, seen, x.begin, x.end, g.indices, g.words);
    return outcome<COLORS>(x.own, seen, (unsigned)least_free(mask));
}

static __device__ __forceinline__ offset_t shuffle(offset_t x, int lane) { return __shfl_sync(ALL_LANES, x, lane); }

// Process the vertices of a tile, one per thread (`mine`); return the new word of the thread's vertex.
template <bool COLORS, class Policy>
static __device__ unsigned visit_tile(const Graph& g, Vertex mine, bool active, unsigned* bitmap) {
    __shared__ Vertex hubs[BLOCK];
    __shared__ int n_hubs;
    const offset_t degree = mine.end - mine.begin;
    unsigned word = mine.own;
    if (threadIdx.x == 0) n_hubs = 0;
    __syncthreads();
    if (active && degree > WARP_MOST) hubs[atomicAdd(&n_hubs, 1)] = mine;
    __syncthreads();
    const int count = n_hubs;
    for (int i = 0; i < count; i++) {
        const Vertex x = hubs[i];
        const unsigned w = by_block<COLORS, Policy>(g, x);
        if (threadIdx.x == 0) store_relaxed(g.words + x.v, w);
        if (mine.v == x.v) word = w;
    }
    const int lane = threadIdx.x % WARP;
    unsigned mids = __ballot_sync(ALL_LANES, active && degree > SMALL_MOST && degree <= WARP_MOST);
    for (; mids; mids &= mids - 1) {
        const int from = __ffs((int)mids) - 1;
        const Vertex x = {__shfl_sync(ALL_LANES, mine.v, from), __shfl_sync(ALL_LANES, mine.own, from),
                          shuffle(mine.begin, from), shuffle(mine.end, from)};
        const unsigned w = by_warp<COLORS, Policy>(g, x, bitmap);
        __syncwarp();
        if (lane == from) store_relaxed(g.words + x.v, word = w);
    }
    if (active && degree <= SMALL_MOST) store_relaxed(g.words + mine.v, word = by_thread<COLORS, Policy>(g, mine));
    return word;
}

// One pass over `count` vertices: `items` or, if null, 0 … count − 1. The second pass counts the vertices that
// lose their color in *n_next and appends them to `next`, if there is one.
template <bool COLORS, class Policy>
static __device__ void visit_all(const Graph& g, const int* items, i64 count, int* next, int* n_next) {
    __shared__ unsigned bitmaps[WARPS][WARP_WORDS];
    const i64 each = (count + gridDim.x - 1) / gridDim.x;  // a short list is distributed over all blocks
    const int tile = each < BLOCK ? (int)each : BLOCK;
    for (i64 first = (i64)blockIdx.x * tile; first < count; first += (i64)gridDim.x * tile) {
        const i64 i = first + threadIdx.x;
        Vertex mine = {-1, 0, 0, 0};
        bool active = false;
        if (i < count && threadIdx.x < tile) {
            mine.v = items ? items[i] : (int)i;
            mine.own = load_unfenced(g.words + mine.v);
            active = mine.own & (COLORS ? NONE : FRESH);
        }
        if (active) {
            mine.begin = g.indptr[mine.v];
            mine.end = g.indptr[mine.v + 1];
        }
        const unsigned word = visit_tile<COLORS, Policy>(g, mine, active, bitmaps[threadIdx.x / WARP]);
        if (!COLORS) {
            const bool loses = active && word == NONE;
            const int place = append_block(loses, n_next);
            if (next && loses) next[place] = mine.v;
        }
    }
}
