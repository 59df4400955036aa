// variants: OFFSET_BITS=32,64 STATE_BITS=32 SHARED_STATE=1 BLOCK=256
// variants: OFFSET_BITS=32 STATE_BITS=32 SHARED_STATE=1 SHARED_EXCHANGE=1 BLOCK=256
// First-fit in the order largest_first_spread of a small graph by one block: the states are in its shared memory, where a
// vertex learns of another one's color in a fraction of the time that it takes by way of L2. That counts in dense
// graphs, whose chains of vertices that wait for each other are half as long as the graph.
//
// The block sorts all vertices; its warps draw them in this order: one of degree HUB and over, or the next 32.
//
// Bytes that must move: 4 per vertex of offsets, 4 per edge, 4 per vertex of output.
// Lost: 1024 threads (DSJC500.5 293 us for 231), graphs of more vertices, for which the sort takes longer than all blocks
// of a GPU do with all (uk, 4,824 vertices: 93 us for 12).
#include "engines/greedy/first_fit_spread.cuh"

#include "engines/greedy/first_fit_lane.cuh"

#define MOST 1024  // vertices

// A warp colors up to 32 vertices of degree under HUB (v < 0: none).
static __device__ __forceinline__ void color_chunk(int v, unsigned turn, const Csr& G, state_t* state, int* colors) {
    const offset_t begin = v < 0 ? 0 : G.indptr[v];
    const int degree = v < 0 ? 0 : (int)(G.indptr[v + 1] - begin), *row = G.indices + begin;
    const BySpread order = {UNCOLORED + turn, rank_of(v)};
    if (!__any_sync(ALL_LANES, degree > 4)) color_lanes<4, unsigned>(v, row, degree, state, colors, order);
    else if (!__any_sync(ALL_LANES, degree > 31)) color_lanes<8, unsigned>(v, row, degree, state, colors, order);
    else color_lanes<8, u64>(v, row, degree, state, colors, order);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    color_in_block(int n, const offset_t* __restrict__ indptr, const int* __restrict__ indices, unsigned seed,
                   int* colors) {
    __shared__ Row rows[BLOCK / WARP];
    __shared__ u64 places[MOST];
    __shared__ state_t state[MOST];
    __shared__ unsigned drawn;
    const Csr G = {indptr, indices};
    int hubs = 0, padded = WARP;
    while (padded < n) padded *= 2;
    for (int v = threadIdx.x; v < padded; v += BLOCK) {
        places[v] = ~0ull;
        if (v >= n) continue;
        int degree;
        const unsigned turn = turn_of(G, v, seed, degree);
        hubs += degree >= HUB;
        places[v] = place_of(turn, v);
        store_relaxed(state + v, UNCOLORED + turn);
    }
    clear_row(rows + threadIdx.x / WARP);
    if (threadIdx.x == 0) drawn = 0;
    hubs = Threads<BLOCK>::reduce<Plus>(hubs);
    sort_in_block<BLOCK>(places, padded);
    for (;;) {
        int turn = 0;
        if (threadIdx.x % WARP == 0) turn = (int)atomicAdd(&drawn, 1u);
        turn = __shfl_sync(ALL_LANES, turn, 0);
        if (turn < hubs) {
            color_hub(places[turn], G, rows + threadIdx.x / WARP, state, colors, UNCOLORED + turn_of(places[turn]));
            continue;
        }
        const int first = hubs + (turn - hubs) * WARP, at = first + (int)(threadIdx.x % WARP);
        if (first >= n) return;
        const u64 place = at < n ? places[at] : ~0ull;
        color_chunk(at < n ? vertex_of(place) : -1, turn_of(place), G, state, colors);
    }
}
