// variants: OFFSET_BITS=32,64 BLOCK=256
// All rounds of approximate degeneracy in one cooperative launch. A round has two parts, each followed by a grid
// barrier: `collect` takes the vertices left with degrees up to the threshold, `remove` takes their edges out of the
// degrees of the rest.
//
// Every warp has its own vertices, in strided groups of 32, and two lists of its own: vertices left, and vertices that
// go in this round: nothing is appended to by all. Rows of 32 vertices that go are walked as one, so that short and
// long ones cost by their length; hubs are left to the warp's block.
//
// degree[v] is the number of neighbors left, and GONE once v has gone. Sums and degrees change by atomic additions
// only, whose result does not depend on their order; who has gone changes in `collect` only and is read in `remove`
// only. The last round removes nothing: no vertex is left.
//
// Bytes that must move: 20 per vertex, a round 8 for each that is left, and 8 per edge of those that go (column,
// degree).
#include "base/device/include/grid.cuh"
#include "base/device/include/neighbors.cuh"

#define WARPS (BLOCK / WARP)
#define DEEP 4     // edges that a thread fetches at once
#ifndef HUB        // tests take smaller ones
#define HUB 2048   // neighbors from which a block walks a row
#define HUBS 256   // that it can list in a round; more are left to warps
#endif
#define GONE (-1)

struct Sums {  // of a round; three in turn, and zeros before it
    u64 gone, lost;  // vertices; degrees of these, and edges that others lose
};

struct Run {
    const offset_t* __restrict__ indptr;
    const int* __restrict__ indices;
    i64 n;
    int* degree;
    int* level;
    int* left;  // this warp's list
    int* gone;
};

struct Hubs {  // of a block, that go in this round
    int count;
    int vertices[HUBS];
};

// What a block's warps have added up, to what all blocks add up; the whole block calls.
static __device__ __forceinline__ void hand_in(u64* of_block, u64* of_all) {
    __syncthreads();
    if (threadIdx.x == 0) {
        if (*of_block) atomicAdd(of_all, *of_block);
        *of_block = 0;
    }
    __syncthreads();
}

// One vertex per lane (v < 0: none) with `degree` neighbors left: to one list or the other.
static __device__ __forceinline__ void sort_out(const Run& g, int v, int degree, int threshold, int step, int& n_left,
                                                int& n_gone, u64& lost) {
    const bool goes = v >= 0 && degree <= threshold, stays = v >= 0 && !goes;
    const unsigned going = __ballot_sync(ALL_LANES, goes), staying = __ballot_sync(ALL_LANES, stays);
    __syncwarp();  // all have read the places of `left` that are written now
    if (goes) {
        store_relaxed(g.degree + v, GONE);
        g.level[v] = step;
        lost += degree;
        g.gone[n_gone + rank_in(going)] = v;
    }
    if (stays) g.left[n_left + rank_in(staying)] = v;
    n_gone += __popc(going);
    n_left += __popc(staying);
}

// The first round: all vertices of this warp, with their degrees in the graph.
static __device__ void collect_first(const Run& g, int threshold, int& n_left, int& n_gone, u64& lost, u64& all) {
    const i64 warps = (i64)gridDim.x * WARPS, warp = blockIdx.x + (i64)gridDim.x * (threadIdx.x / WARP);
    for (i64 group = warp; group * WARP < g.n; group += warps) {
        const i64 v = group * WARP + threadIdx.x % WARP;
        const int degree = v < g.n ? (int)(g.indptr[v + 1] - g.indptr[v]) : 0;
        if (v < g.n && degree > threshold) store_relaxed(g.degree + v, degree);
        const int before = n_left;
        sort_out(g, v < g.n ? (int)v : -1, degree, threshold, 0, n_left, n_gone, lost);
        all += __popc(__ballot_sync(ALL_LANES, v < g.n)) - (n_left - before);
    }
}

static __device__ void collect(const Run& g, int threshold, int step, int& n_left, int& n_gone, u64& lost, u64& all) {
    const int length = n_left;
    n_left = 0;
    for (int first = 0; first < length; first += WARP * DEEP) {
        int v[DEEP], degree[DEEP];
#pragma unroll
        for (int k = 0; k < DEEP; k++) {
            const int i = first + k * WARP + threadIdx.x % WARP;
            v[k] = i < length ? g.left[i] : -1;
        }
#pragma unroll
        for (int k = 0; k < DEEP; k++) degree[k] = v[k] < 0 ? 0 : load_unfenced(g.degree + v[k]);
#pragma unroll
        for (int k = 0; k < DEEP; k++) sort_out(g, v[k], degree[k], threshold, step, n_left, n_gone, lost);
    }
    all += length - n_left;
}

// Neighbors (u < 0: none) of vertices that go: how many of them are left, and lose an edge.
static __device__ __forceinline__ u64 leave(const Run& g, const int (&u)[DEEP]) {
    int degree[DEEP];
    u64 lost = 0;
    read_words(g.degree, u, GONE, degree);
#pragma unroll
    for (int k = 0; k < DEEP; k++) {
        if (degree[k] == GONE) continue;
        atomicSub(g.degree + u[k], 1);
        lost++;
    }
    return lost;
}

// A whole row, by a group.
template <class Group>
static __device__ u64 remove_row(const Run& g, int v) {
    const offset_t end = g.indptr[v + 1];
    u64 lost = 0;
    for (offset_t base = g.indptr[v]; base < end; base += Group::SIZE * DEEP) {
        int u[DEEP];
        read_row<Group>(g.indices, base, end, u);
        lost += leave(g, u);
    }
    return lost;
}

// The rows of the warp's vertices that go, 32 of them as one: entry k is of the first whose `ends` is over k. Hubs are
// listed for the block.
static __device__ u64 remove_rows(const Run& g, int n_gone, Hubs& hubs, int* ends, offset_t* shifts) {
    const int lane = threadIdx.x % WARP;
    u64 lost = 0;
    for (int first = 0; first < n_gone; first += WARP) {
        const int v = first + lane < n_gone ? g.gone[first + lane] : -1;
        const offset_t begin = v < 0 ? 0 : g.indptr[v], length = v < 0 ? 0 : g.indptr[v + 1] - begin;
        const int slot = length < HUB ? -1 : atomicAdd(&hubs.count, 1);
        if (slot >= 0 && slot < HUBS) hubs.vertices[slot] = v;
        for (unsigned rest = __ballot_sync(ALL_LANES, slot >= HUBS); rest; rest &= rest - 1)
            lost += remove_row<Warp>(g, __shfl_sync(ALL_LANES, v, __ffs((int)rest) - 1));
        const int mine = slot < 0 ? (int)length : 0, end = sum_until(mine);
        ends[lane] = end;
        shifts[lane] = begin - (end - mine);
        __syncwarp();
        const int total = ends[WARP - 1];
        for (int base = 0; base < total; base += WARP * DEEP) {
            int u[DEEP];
#pragma unroll
            for (int k = 0; k < DEEP; k++) {
                const int entry = base + k * WARP + lane;
                int row = 0;
                for (int step = WARP / 2; step; step /= 2)
                    if (ends[row + step - 1] <= entry) row += step;
                u[k] = entry < total ? g.indices[shifts[row] + entry] : -1;
            }
            lost += leave(g, u);
        }
        __syncwarp();  // all have read what the next 32 write
    }
    return lost;
}

// The whole block calls, and the list is empty then.
static __device__ u64 remove_hubs(const Run& g, Hubs& hubs) {
    u64 lost = 0;
    __syncthreads();
    const int count = hubs.count < HUBS ? hubs.count : HUBS;
    for (int i = 0; i < count; i++) lost += remove_row<Threads<BLOCK>>(g, hubs.vertices[i]);
    __syncthreads();
    if (threadIdx.x == 0) hubs.count = 0;
    return lost;
}

// level[v]: the round that removes v. factor: the bits of 1 + eps. lists: twice `room` places per warp.
// arrived, sums: zeros. rounds: out.
extern "C" __global__ void __launch_bounds__(BLOCK)
    removal_rounds(const offset_t* indptr, const int* indices, i64 n, i64 m, i64 factor, int* degree, int* level,
                   int* lists, i64 room, int* arrived, Sums* all_sums, int* rounds) {
    __shared__ Hubs hubs;
    __shared__ u64 block_gone, block_lost;
    __shared__ int ends[WARPS][WARP];
    __shared__ offset_t shifts[WARPS][WARP];
    const int warp = threadIdx.x / WARP;
    int* left = lists + 2 * room * (blockIdx.x + (i64)gridDim.x * warp);
    const Run g = {indptr, indices, n, degree, level, left, left + room};
    const double times = __longlong_as_double(factor);
    int goal = 0, step = 0, n_left = 0;
    u64 vertices = n, degrees = m;  // that are left, and the sum of theirs
    if (threadIdx.x == 0) block_gone = block_lost = hubs.count = 0;
    __syncthreads();
    while (vertices) {
        // Separately rounded operations, as on the CPU.
        const double limit = floor(__ddiv_rn(__dmul_rn(times, (double)degrees), (double)vertices));
        const int threshold = limit < 2147483647.0 ? (int)limit : 0x7fffffff;
        Sums* sums = all_sums + step % 3;
        int n_gone = 0;
        u64 lost = 0, gone = 0;
        if (step == 0) collect_first(g, threshold, n_left, n_gone, lost, gone);
        else collect(g, threshold, step, n_left, n_gone, lost, gone);
        if (threadIdx.x % WARP == 0 && gone) atomicAdd(&block_gone, gone);
        add_from_warp(&block_lost, lost);
        hand_in(&block_gone, &sums->gone);
        hand_in(&block_lost, &sums->lost);
        // For the next round; all have read what these sums were two rounds ago.
        if (blockIdx.x == 0 && threadIdx.x == 0) all_sums[(step + 1) % 3] = {0, 0};
        grid_barrier(arrived, goal);
        vertices -= load_relaxed(&sums->gone);
        step++;
        if (vertices == 0) break;
        lost = remove_rows(g, n_gone, hubs, ends[warp], shifts[warp]);
        lost += remove_hubs(g, hubs);
        add_from_warp(&block_lost, lost);
        hand_in(&block_lost, &sums->lost);
        grid_barrier(arrived, goal);
        degrees -= load_relaxed(&sums->lost);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) *rounds = step;
}
