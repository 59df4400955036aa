// variants: OFFSET_BITS=32,64 STATE_BITS=32 BLOCK=256
// First-fit in the order largest_first_spread in one cooperative launch, with nothing read by the host. The states are
// the colors' own memory.
//
// Each block has a range of ids and sorts its vertices of degree under HUB; its warps begin them in this order, 32 at a
// time. Those of higher degrees are listed by all blocks and begun in their order, too, each by the next warp of some
// that are for them first. Then no vertices wait in a circle, for the earliest one without a color has a warp: those
// before it in its block, or on the list, have theirs, and none waits for one of a lower degree.
//
// Bytes that must move: 4 per vertex of offsets, 4 per edge, one state per edge (from L2), 8 per vertex of output.
#include "device/include/grid.cuh"
#include "engines/greedy/first_fit_mirror.cuh"
#include "engines/greedy/first_fit_spread.cuh"

#ifndef MIRROR
#define MIRROR 1
#endif

#define RESIDENT 4   // blocks per multiprocessor
#define RANGE 2048   // vertices of a block, at most
#define SHIFT 11     // bits of a vertex in its block
#define NONE 0xffffffffu

struct Words {  // in global memory, 0 before the launch and after it
    int arrived;
    unsigned listed, drawn, left;
};

// In a block of degrees under HUB: the order as a number, and back.
static __device__ __forceinline__ unsigned key_of(int degree, unsigned group, int at) {
    return (unsigned)(HUB - 1 - degree) << (SHIFT + 5) | group << SHIFT | rank_of(at);
}
static __device__ __forceinline__ int place_in_block(unsigned key) { return (int)rank_of((int)(key & (RANGE - 1))); }
static __device__ __forceinline__ unsigned turn_of_key(unsigned key) {
    return low_turn(HUB - 1 - (int)(key >> (SHIFT + 5)), key >> SHIFT & 31u);
}

// ranked[] becomes what listed[] has, sorted: a warp counts those before one.
static __device__ __forceinline__ void rank_listed(unsigned count, const u64* listed, u64* ranked) {
    const unsigned warps = gridDim.x * (BLOCK / WARP), lane = threadIdx.x % WARP;
    for (unsigned i = threadIdx.x / WARP * gridDim.x + blockIdx.x; i < count; i += warps) {
        const u64 mine = listed[i];
        int before = 0;
#pragma unroll 4
        for (unsigned j = lane; j < count; j += WARP) before += listed[j] < mine;
        before = reduce_warp<Plus>(before);
        if (lane == 0) ranked[before] = mine;
    }
}

// Of those of listed[] that are this warp's, every `warps`-th, the next after `last`; ~0 where there is none.
static __device__ __forceinline__ u64 next_listed(unsigned own, unsigned warps, unsigned count, const u64* listed,
                                                  u64 last) {
    u64 next = ~0ull;
    for (unsigned i = own + warps * (threadIdx.x % WARP); i < count; i += warps * WARP) {
        const u64 place = listed[i];
        if (place > last && place < next) next = place;
    }
    return reduce_warp<Least>(next);
}

// The listed vertices: in their order where they are ranked, else those of a warp in theirs; by the first warps of each block.
static __device__ __forceinline__ void color_hubs(unsigned count, bool is_ranked, int hub_warps, const u64* places,
                                                  unsigned* drawn, const Csr& G, Scratch* shared, state_t* state) {
    if ((int)(threadIdx.x / WARP) >= hub_warps) return;
    const unsigned own = threadIdx.x / WARP * gridDim.x + blockIdx.x, warps = hub_warps * gridDim.x;
    clear_row(shared->rows + threadIdx.x / WARP);
    for (u64 last = 0;;) {
        u64 place = ~0ull;
        if (is_ranked) {
            unsigned turn = 0;
            if (threadIdx.x % WARP == 0) turn = atomicAdd(drawn, 1u);
            turn = __shfl_sync(ALL_LANES, turn, 0);
            if (turn < count) place = places[turn];
        } else {
            place = next_listed(own, warps, count, places, last);
        }
        if (place == ~0ull) return;
        color_hub(place, G, shared, state, nullptr);
        last = place;
    }
}

// per_block: vertices of a block, a multiple of 32; padded: a power of two, at least that; sorted: whether a block sorts them,
// as it must where it has more than it has threads; hub_warps: of a block, begin vertices of degree HUB and over; these
// are ranked up to rank_up_to of them.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
    color_in_grid(int n, long long m, int per_block, int padded, int sorted, int hub_warps, unsigned rank_up_to,
                  const offset_t* __restrict__ indptr, const int* __restrict__ indices, unsigned seed, Words* words,
                  u64* listed, u64* ranked, int* colors) {
    __shared__ Scratch scratch;
    __shared__ unsigned keys[RANGE], own[RANGE];
    const int base = blockIdx.x * per_block, lane = threadIdx.x % WARP;
    const Csr G = {indptr, indices, (offset_t)m};
    state_t* state = (state_t*)colors;
    for (int i = threadIdx.x; i < padded; i += BLOCK) {
        const int v = base + i;
        const bool mine = i < per_block && v < n;
        int degree = 0;
        const unsigned turn = mine ? turn_of(G, v, seed, degree) : 0;
        if (mine) state[v] = own[i] = UNCOLORED + turn;
        keys[i] = mine && degree < HUB ? key_of(degree, 255 - (turn & 255), i) : NONE;
        const unsigned at = append_warp(mine && degree >= HUB, &words->listed);
        if (mine && degree >= HUB) listed[at] = place_of(turn, v);
    }
    if (threadIdx.x == 0) scratch.drawn = 0;
    if (sorted) sort_in_block<BLOCK>(keys, padded);
    int goal = 0;
    grid_barrier(&words->arrived, goal);
    if (const unsigned count = load_relaxed(&words->listed)) {
        const bool is_ranked = count <= rank_up_to;
        if (is_ranked) {
            rank_listed(count, listed, ranked);
            grid_barrier(&words->arrived, goal);
        }
        color_hubs(count, is_ranked, hub_warps, is_ranked ? ranked : listed, &words->drawn, G, &scratch, state);
    }
#if MIRROR
    const Mirrored states = {state, own, (unsigned)base, (unsigned)min(per_block, n - base), UNCOLORED + (HUB << 8)};
#else
    state_t* states = state;
#endif
    for (;;) {
        int first = 0;
        if (lane == 0) first = (int)atomicAdd(&scratch.drawn, 1u) * WARP;
        first = __shfl_sync(ALL_LANES, first, 0);
        if (first >= per_block) break;
        const unsigned key = keys[first + lane];
        if (!__any_sync(ALL_LANES, key != NONE)) continue;
        color_chunk(key != NONE ? base + place_in_block(key) : -1, turn_of_key(key), G, &scratch, states, nullptr);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(&words->left, 1u) == gridDim.x - 1) *words = Words{0, 0, 0, 0};
    }
}
