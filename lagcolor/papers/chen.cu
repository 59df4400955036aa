// variants: OFFSET_BITS=32,64 DATA_DRIVEN=0,1
// Chen et al.'s first-fit: a round is two kernels, one that colors and one that finds conflicts. DATA_DRIVEN: over a
// worklist, which the second kernel fills for the next round; else over all vertices, of which flags pick some.
//
// A block takes 256 vertices: its hubs one after another as a block, then those of middle degree warp by warp, then
// a thread each (Merrill's way, as the paper has it).
//
// words[v]: color, color | FRESH if it is of this round and unchecked, or NONE. Written once a kernel by one group.
// Relaxed: in first_fit a reader sees the color from before or after; what that lets pass, resolve finds, where a
// vertex only goes from FRESH to its color or to NONE, and which of the two it sees changes no decision.
#include "engines/speculative.cuh"

#define FRESH 0x80000000u
#define NONE 0x40000000u
#if __CUDA_ARCH__ >= 800
#define RESIDENT 6  // blocks a multiprocessor has registers for
#else
#define RESIDENT 4
#endif

struct Taken {
    __device__ unsigned look_at(Seen&, int, unsigned w) const { return w & NONE ? NO_COLOR : w & ~FRESH; }
};

// Of two neighbours of one color the one of larger degree keeps it, then that of larger id.
struct Loses {
    const offset_t* indptr;
    int v;
    unsigned own;
    offset_t degree;
    __device__ unsigned look_at(Seen& seen, int u, unsigned w) const {
        if ((w & ~FRESH) == (own & ~FRESH)) {
            const offset_t other = indptr[u + 1] - indptr[u];
            seen.conflict |= other > degree || (other == degree && u > v);
        }
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

#define LOSES(x) Loses{g.indptr, (x).v, (x).own, (x).end - (x).begin}

// New word of a vertex whose neighbourhood has been looked at: COLORS in first_fit, conflicts in resolve.
template <bool COLORS> static __device__ __forceinline__ unsigned outcome(unsigned own, Seen seen, unsigned least) {
    return COLORS ? least | FRESH : seen.conflict ? NONE : own & ~FRESH;
}

template <bool COLORS>
static __device__ __forceinline__ unsigned by_block(const Graph& g, const Vertex& x) {
    Seen seen = {false, false};
    Taken taken;
    Loses loses = LOSES(x);
    const unsigned least = COLORS ? look_as_block(taken, seen, x.begin, x.end, g.indices, g.words)
                                  : look_as_block(loses, seen, x.begin, x.end, g.indices, g.words);
    return outcome<COLORS>(x.own, seen, least);
}

template <bool COLORS>
static __device__ __forceinline__ unsigned by_warp(const Graph& g, const Vertex& x, unsigned* bitmap) {
    Seen seen = {false, false};
    Taken taken;
    Loses loses = LOSES(x);
    const unsigned least = COLORS ? look_as_warp(taken, seen, x.begin, x.end, g.indices, g.words, bitmap)
                                  : look_as_warp(loses, seen, x.begin, x.end, g.indices, g.words, bitmap);
    return outcome<COLORS>(x.own, seen, least);
}

template <bool COLORS> static __device__ __forceinline__ unsigned by_thread(const Graph& g, const Vertex& x) {
    Seen seen = {false, false};
    Taken taken;
    Loses loses = LOSES(x);
    const unsigned mask = COLORS ? look_alone(taken, seen, x.begin, x.end, g.indices, g.words)
                                 : look_alone(loses, seen, x.begin, x.end, g.indices, g.words);
    return outcome<COLORS>(x.own, seen, (unsigned)least_free(mask));
}

static __device__ __forceinline__ offset_t shuffle(offset_t x, int lane) { return __shfl_sync(ALL_LANES, x, lane); }

// The vertices of a tile that are `mine`, one per thread; each thread's answer is the new word of its own.
template <bool COLORS>
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
        const unsigned w = by_block<COLORS>(g, x);
        if (threadIdx.x == 0) store_relaxed(g.words + x.v, w);
        if (mine.v == x.v) word = w;
    }
    const int lane = threadIdx.x % WARP;
    unsigned mids = __ballot_sync(ALL_LANES, active && degree > SMALL_MOST && degree <= WARP_MOST);
    for (; mids; mids &= mids - 1) {
        const int from = __ffs((int)mids) - 1;
        const Vertex x = {__shfl_sync(ALL_LANES, mine.v, from), __shfl_sync(ALL_LANES, mine.own, from),
                          shuffle(mine.begin, from), shuffle(mine.end, from)};
        const unsigned w = by_warp<COLORS>(g, x, bitmap);
        __syncwarp();
        if (lane == from) store_relaxed(g.words + x.v, word = w);
    }
    if (active && degree <= SMALL_MOST) store_relaxed(g.words + mine.v, word = by_thread<COLORS>(g, mine));
    return word;
}

// items: the worklist, or none for all vertices; *count of them. In resolve, those that lose are counted in *n_next
// and, DATA_DRIVEN, listed in `next`.
template <bool COLORS>
static __device__ void visit_all(const Graph& g, const int* items, const int* count, int* next, int* n_next) {
    __shared__ unsigned bitmaps[WARPS][WARP_WORDS];
    const i64 n = *count;
    for (i64 first = (i64)blockIdx.x * BLOCK; first < n; first += (i64)gridDim.x * BLOCK) {
        const i64 i = first + threadIdx.x;
        Vertex mine = {-1, 0, 0, 0};
        bool active = false;
        if (i < n) {
            mine.v = items ? items[i] : (int)i;
            mine.own = load_unfenced(g.words + mine.v);
            active = mine.own & (COLORS ? NONE : FRESH);
        }
        if (active) {
            mine.begin = g.indptr[mine.v];
            mine.end = g.indptr[mine.v + 1];
        }
        const unsigned word = visit_tile<COLORS>(g, mine, active, bitmaps[threadIdx.x / WARP]);
        if (!COLORS) {
            const bool loses = active && word == NONE;
            const int place = append_block(loses, n_next);
            if (DATA_DRIVEN && loses) next[place] = mine.v;
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) first_fit(const offset_t* indptr, const int* indices, unsigned* words, const int* items,
                                     const int* count) {
    visit_all<true>(Graph{indptr, indices, words}, items, count, nullptr, nullptr);
}

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) resolve(const offset_t* indptr, const int* indices, unsigned* words, const int* items,
                                   const int* count, int* next, int* n_next) {
    visit_all<false>(Graph{indptr, indices, words}, items, count, next, n_next);
}
