// variants: OFFSET_BITS=32,64 STATE_BITS=32 BLOCK=256 BOUNDED=0,1
// First-fit in the order largest_first_spread in one cooperative launch; the host reads nothing. States and colors
// share one array. The state of an uncolored vertex is its turn, `low_turn` of any degree under 2^23; ties by rank. So
// two vertices are compared by their states, and a sorted order is needed only to begin vertices in order.
//
// Each warp has a list of vertices of degree under HUB and begins them in order, 32 at a time. All blocks together list
// the vertices of higher degrees (hubs), and some warps begin these in order before their own lists. Progress: no
// vertices wait in a circle, because the earliest uncolored vertex has a warp: the vertices before it on its list have
// colors, and no vertex waits for one of lower degree. Ranked hubs have bounds in their states
// (first_fit_row.cuh); with BOUNDED=1 the other vertices have them, too (first_fit_bound.cuh).
//
// Bytes that must move: 4 per vertex of offsets, 4 per edge, one state per edge (from L2), 8 per vertex of output.
#ifndef BOUNDED
#define BOUNDED 0
#endif
#define STRIDE WARP
#ifndef NAP
#define NAP 64u
#endif
#define WINDOW 1024
#define LONG_EDGES 8  // with 16, registers would suffice for fewer blocks
#include "base/device/include/grid.cuh"
#include "base/device/include/sort.cuh"
#include "engines/greedy/first_fit_bound.cuh"
#include "engines/greedy/first_fit_row.cuh"
#include "engines/greedy/first_fit_warp.cuh"

#ifndef RESIDENT  // blocks per multiprocessor
#if __CUDA_ARCH__ == 750
#define RESIDENT 4
#else
#define RESIDENT 5
#endif
#endif
#define LISTS (BLOCK / WARP)
#define RANGE 2048  // most vertices of a block
#define SHIFT 11     // bits of the position of a vertex in its block
#define NONE 0xffffffffu

#define HUB 64  // degree from which a warp colors a vertex
#define TURNS 0x7fffffffu

// The position of a vertex in the order, as a number: lower is earlier.
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

// Color a vertex of degree HUB and over by a warp, which owns `row`. The uncolored state of the vertex is `mine`.
static __device__ __forceinline__ void color_hub(u64 place, const Csr& G, Row* row, state_t* state, unsigned mine,
                                                 Bounded bounds) {
    const int v = vertex_of(place);
    const BySpread order = {mine, rank_of(v)};
    const unsigned color = least_of_row(row, G.indptr[v], G.indptr[v + 1], G.indices, state, Never(), order, bounds);
    if (threadIdx.x % WARP == 0) store_relaxed(state + v, color);
}

struct Words {  // in global memory, 0 before the launch, which sets the words of the next launch to 0
    int arrived;
    unsigned listed, drawn, unused;
};

// The order of the vertices of a block with degrees under HUB, as a number, and the inverse.
static __device__ __forceinline__ unsigned key_of(int degree, unsigned group, int at) {
    return (unsigned)(HUB - 1 - degree) << (SHIFT + 5) | group << SHIFT | rank_of(at);
}
static __device__ __forceinline__ int place_in_block(unsigned key) { return (int)rank_of((int)(key & (RANGE - 1))); }
static __device__ __forceinline__ unsigned turn_of_key(unsigned key) {
    return low_turn(HUB - 1 - (int)(key >> (SHIFT + 5)), key >> SHIFT & 31u);
}

// The uncolored state of a ranked vertex of degree HUB and over: its turn, above all vertices of lower degrees, and its
// bound.
#define BOUND_BITS 15
#define BOUNDS ((1u << BOUND_BITS) - 1)
#define HUB_STATE (UNCOLORED | 1u << 30)
#define MOST_RANKED (1u << (30 - BOUND_BITS))
static __device__ __forceinline__ unsigned state_of_rank(unsigned rank) {
    return HUB_STATE | (MOST_RANKED - 1 - rank) << BOUND_BITS;
}

// Sort listed[] to ranked[] and set the states by rank. A warp counts the entries before an entry.
static __device__ __forceinline__ void rank_listed(unsigned count, const u64* listed, u64* ranked, state_t* state) {
    const unsigned warps = gridDim.x * (BLOCK / WARP), lane = threadIdx.x % WARP;
    for (unsigned i = threadIdx.x / WARP * gridDim.x + blockIdx.x; i < count; i += warps) {
        const u64 mine = listed[i];
        int before = 0;
#pragma unroll 4
        for (unsigned j = lane; j < count; j += WARP) before += listed[j] < mine;
        before = reduce_warp<Plus>(before);
        if (lane == 0) {
            ranked[before] = mine;
            store_relaxed(state + vertex_of(mine), state_of_rank((unsigned)before));
        }
    }
}

// The next entry of listed[] after `last` that belongs to this warp (every `warps`-th); ~0 if there is none.
static __device__ __forceinline__ u64 next_listed(unsigned own, unsigned warps, unsigned count, const u64* listed,
                                                  u64 last) {
    u64 next = ~0ull;
    for (unsigned i = own + warps * (threadIdx.x % WARP); i < count; i += warps * WARP) {
        const u64 place = listed[i];
        if (place > last && place < next) next = place;
    }
    return reduce_warp<Least>(next);
}

// Color the listed vertices by the first warps of each block: ranked vertices in the order of all, else the vertices of
// each warp in order.
static __device__ __forceinline__ void color_hubs(unsigned count, bool is_ranked, int hub_warps, const u64* places,
                                                  unsigned* drawn, const Csr& G, Row* row, state_t* state) {
    if ((int)(threadIdx.x / WARP) >= hub_warps) return;
    const unsigned own = threadIdx.x / WARP * gridDim.x + blockIdx.x, warps = hub_warps * gridDim.x;
    clear_row(row);
    for (u64 last = 0;;) {
        u64 place = ~0ull;
        unsigned mine = 0;
        if (is_ranked) {
            unsigned rank = 0;
            if (threadIdx.x % WARP == 0) rank = atomicAdd(drawn, 1u);
            rank = __shfl_sync(ALL_LANES, rank, 0);
            if (rank < count) place = places[rank], mine = state_of_rank(rank);
        } else {
            place = next_listed(own, warps, count, places, last);
            mine = HUB_STATE | turn_of(place);
        }
        if (place == ~0ull) return;
        const Bounded bounds = {state + vertex_of(place), mine, is_ranked ? BOUNDS : 0};
        color_hub(place, G, row, state, mine, bounds);
        last = place;
    }
}

struct Chunk {  // shared memory of color_warp and color_bounded
    Neighbors neighbors;
    int lists[LIST_SIZE][WARP];
};

union WarpMemory {  // shared memory of a warp: first for hubs, then for its lists
    Row row;
    Chunk chunk;
};

static __device__ __forceinline__ unsigned state_of_key(unsigned key) { return UNCOLORED | turn_of_key(key) << BOUND_BITS; }

// Color up to 32 vertices of degree under HUB (v < 0: none) by a warp, in a graph of m entries.
static __device__ __forceinline__ void color_chunk(int v, unsigned mine, unsigned bounds, const Csr& G, offset_t m,
                                                   Chunk& shared, state_t* state) {
    const offset_t row = v < 0 ? 0 : G.indptr[v], end = v < 0 ? 0 : G.indptr[v + 1];
    const int degree = (int)(end - row);
    const bool aligned = reinterpret_cast<u64>(G.indices) % 16 == 0;
    const ByTurn order = {mine | BOUNDS, rank_of(v), BOUNDS};
    Neighbors* warp = &shared.neighbors;
    int* list = &shared.lists[0][threadIdx.x % WARP];
#if BOUNDED
    if (!__any_sync(ALL_LANES, degree > 4))
        color_bounded<FEW, unsigned>(v, row, end, m, aligned, G.indices, warp, list, state, order, mine, bounds);
    else if (!__any_sync(ALL_LANES, degree > 31))
        color_bounded<LONGER, unsigned>(v, row, end, m, aligned, G.indices, warp, list, state, order, mine, bounds);
    else
        color_bounded<LONGER, u64>(v, row, end, m, aligned, G.indices, warp, list, state, order, mine, bounds);
#else
    if (!__any_sync(ALL_LANES, degree > 4))
        color_warp<FEW, unsigned, true>(v, row, end, m, aligned, G.indices, warp, list, state, (int*)nullptr, order);
    else if (!__any_sync(ALL_LANES, degree > SEVERAL))
        color_warp<SEVERAL, unsigned, true>(v, row, end, m, aligned, G.indices, warp, list, state, (int*)nullptr, order);
    else if (!__any_sync(ALL_LANES, degree > 31))
        color_warp<LONGER, unsigned, true>(v, row, end, m, aligned, G.indices, warp, list, state, (int*)nullptr, order);
    else
        color_warp<LONGER, u64, true>(v, row, end, m, aligned, G.indices, warp, list, state, (int*)nullptr, order);
#endif
}

// Sort a list of `each` vertices per lane, up to MOST, in shared memory by a warp.
template <int MOST> static __device__ __forceinline__ void sort_list(unsigned* keys, int each) {
    unsigned x[MOST];
#pragma unroll
    for (int j = 0; j < MOST; j++) x[j] = j < each ? keys[WARP * j + threadIdx.x % WARP] : NONE;
    sort_in_warp(x);
#pragma unroll
    for (int j = 0; j < MOST; j++)
        if (j < each) keys[WARP * j + threadIdx.x % WARP] = x[j];
    __syncwarp();
}

// A block has `lists` lists of 32 · each vertices; each is up to 8, and a list need not be sorted if each is 1.
// hub_warps of a block begin vertices of degree HUB and over; up to rank_up_to such vertices are ranked. `next` has the
// words of the next launch, which this one does not read.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
    color_in_grid(int n, i64 m, int lists, int each, int hub_warps, unsigned rank_up_to, const offset_t* __restrict__ indptr,
                  const int* __restrict__ indices, unsigned seed, Words* words, Words* next, u64* listed,
                  u64* ranked, int* colors) {
    __shared__ WarpMemory memory[LISTS];
    __shared__ unsigned keys[RANGE], drawn;
    const int length = each * WARP, per_block = lists * length, base = blockIdx.x * per_block;
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const Csr G = {indptr, indices};
    state_t* state = (state_t*)colors;
    if (threadIdx.x == 0) drawn = 0;
    if (threadIdx.x == 0 && blockIdx.x == 0) *next = Words{0, 0, 0, 0};
    if (warp < lists) {
        for (int i = warp * length + lane; i < (warp + 1) * length; i += WARP) {
            const int v = base + i;
            const bool mine = v < n;
            int degree = 0;
            const unsigned turn = mine ? turn_of(G, v, seed, degree) : 0;
            const unsigned key = mine && degree < HUB ? key_of(degree, 255 - (turn & 255), i) : NONE;
            if (mine) state[v] = degree < HUB ? state_of_key(key) : HUB_STATE | turn;
            keys[i] = key;
            const unsigned at = append_warp(mine && degree >= HUB, &words->listed);
            if (mine && degree >= HUB) listed[at] = place_of(turn, v);
        }
        __syncwarp();
        if (each == 2) sort_list<2>(keys + warp * length, each);
        else if (each > 4) sort_list<8>(keys + warp * length, each);
        else if (each > 2) sort_list<4>(keys + warp * length, each);
    }
    int goal = 0;
    unsigned bounds = BOUNDS;  // or 0: unranked hubs have no bounds, and then bounds of other vertices do not help
    grid_barrier(&words->arrived, goal);
    if (const unsigned count = load_relaxed(&words->listed)) {
        const bool is_ranked = count <= min(rank_up_to, MOST_RANKED);
        if (!is_ranked) bounds = 0;
        if (is_ranked) {
            rank_listed(count, listed, ranked, state);
            grid_barrier(&words->arrived, goal);
        }
        color_hubs(count, is_ranked, hub_warps, is_ranked ? ranked : listed, &words->drawn, G, &memory[warp].row, state);
        __syncwarp();
    }
    // Warps without a hub take the first lists. There is one list per warp, so no list waits for a list without a warp.
    for (;;) {
        int list = 0;
        if (lane == 0) list = (int)atomicAdd(&drawn, 1u);
        list = __shfl_sync(ALL_LANES, list, 0);
        if (list >= lists) return;
        for (int i = list * length + lane; i < (list + 1) * length; i += WARP) {
            const unsigned key = keys[i];
            if (!__any_sync(ALL_LANES, key != NONE)) continue;
            color_chunk(key != NONE ? base + place_in_block(key) : -1, state_of_key(key), bounds, G, (offset_t)m,
                        memory[warp].chunk, state);
        }
    }
}
