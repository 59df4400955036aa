// variants: OFFSET_BITS=32,64 BLOCK=256
// All rounds of approximate degeneracy in one cooperative launch. A round has two parts, each followed by a grid
// barrier. `collect` selects the remaining vertices with degrees up to the threshold. `remove` subtracts their edges
// from the degrees of the others.
//
// Every warp has its own vertices, in strided groups of 32, and two lists: remaining vertices, and vertices that are
// removed in this round. No list is shared. A warp reads the rows of 32 removed vertices as one, so the cost of a row
// is its length; the block reads the rows of hubs.
//
// degree[v] is the number of remaining neighbors, and GONE once v is removed. Sums and degrees only change by atomic
// additions, whose result does not depend on their order. `collect` sets GONE, and only `remove` reads it. The last
// round has no `remove`, because no vertex remains.
//
// Bytes that must move: 20 per vertex; in a round 8 per remaining vertex, and 8 per edge of removed vertices (column,
// degree).
#include "base/device/include/grid.cuh"
#include "base/device/include/neighbors.cuh"

#define WARPS (BLOCK / WARP)
#define DEEP 4     // edges that a thread fetches at once
#ifndef HUB        // tests set smaller values
#define HUB 2048   // least length of a row that a block reads
#define HUBS 256   // largest number of hubs that a block lists in a round; warps read the others
#endif
#define GONE (-1)

struct Sums {  // of a round; three are used in turn, initially zeros
    u64 gone, lost;  // removed vertices; their degrees plus the edges that other vertices lose
};

struct Run {
    const offset_t* __restrict__ indptr;
    const int* __restrict__ indices;
    i64 n;
    int* degree;
    int* level;
    int *left, *gone;  // this warp's lists
};

struct Hubs {  // of a block, removed in this round
    int count;
    int vertices[HUBS];
};

// Add a block's sum to the sum of all blocks, and reset it; all threads of the block call it.
static __device__ __forceinline__ void add_to_total(u64* of_block, u64* of_all) {
    __syncthreads();
    if (threadIdx.x == 0) {
        if (*of_block) atomicAdd(of_all, *of_block);
        *of_block = 0;
    }
    __syncthreads();
}

// Append the lane's vertex v (v < 0: none), with `degree` remaining neighbors, to one of the two lists.
static __device__ __forceinline__ void divide(const Run& g, int v, int degree, int threshold, int step, int& n_left,
                                              int& n_gone, u64& lost) {
    const bool goes = v >= 0 && degree <= threshold, stays = v >= 0 && !goes;
    const unsigned going = __ballot_sync(ALL_LANES, goes), staying = __ballot_sync(ALL_LANES, stays);
    __syncwarp();  // all lanes have read the entries of `left` that are now overwritten
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

// First round: divide all vertices of this warp by their degrees in the graph.
static __device__ void collect_first(const Run& g, int threshold, int& n_left, int& n_gone, u64& lost, u64& all) {
    const i64 warps = (i64)gridDim.x * WARPS, warp = blockIdx.x + (i64)gridDim.x * (threadIdx.x / WARP);
    for (i64 group = warp; group * WARP < g.n; group += warps) {
        const i64 v = group * WARP + threadIdx.x % WARP;
        const int degree = v < g.n ? (int)(g.indptr[v + 1] - g.indptr[v]) : 0;
        if (v < g.n && degree > threshold) store_relaxed(g.degree + v, degree);
        const int before = n_left;
        divide(g, v < g.n ? (int)v : -1, degree, threshold, 0, n_left, n_gone, lost);
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
        for (int k = 0; k < DEEP; k++) divide(g, v[k], degree[k], threshold, step, n_left, n_gone, lost);
    }
    all += length - n_left;
}

// Subtract 1 from the degrees of the remaining ones of the neighbors u (u < 0: none); return their number.
static __device__ __forceinline__ u64 remove_edges(const Run& g, const int (&u)[DEEP]) {
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

// Remove the edges of a whole row by a group; return the number of edges that others lose.
template <class Group>
static __device__ u64 remove_row(const Run& g, int v) {
    const offset_t end = g.indptr[v + 1];
    u64 lost = 0;
    for (offset_t base = g.indptr[v]; base < end; base += Group::SIZE * DEEP) {
        int u[DEEP];
        read_row<Group>(g.indices, base, end, u);
        lost += remove_edges(g, u);
    }
    return lost;
}

// Remove the rows of the warp's vertices, 32 rows as one: entry k belongs to the first row with `ends` over k. List
// hubs for the block.
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
            lost += remove_edges(g, u);
        }
        __syncwarp();  // all lanes have read what the next 32 rows overwrite
    }
    return lost;
}

// Remove the rows of the block's hubs and empty their list; all threads of the block call it.
static __device__ u64 remove_hubs(const Run& g, Hubs& hubs) {
    u64 lost = 0;
    __syncthreads();
    const int count = hubs.count < HUBS ? hubs.count : HUBS;
    for (int i = 0; i < count; i++) lost += remove_row<Threads<BLOCK>>(g, hubs.vertices[i]);
    __syncthreads();
    if (threadIdx.x == 0) hubs.count = 0;
    return lost;
}

// level[v]: the round that removes v. factor: the bits of 1 + eps. lists: 2 · `capacity` entries per warp. arrived and
// all_sums: zeros. rounds: receives the number of rounds.
extern "C" __global__ void __launch_bounds__(BLOCK)
    removal_rounds(const offset_t* indptr, const int* indices, i64 n, i64 m, i64 factor, int* degree, int* level,
                   int* lists, i64 capacity, int* arrived, Sums* all_sums, int* rounds) {
    __shared__ Hubs hubs;
    __shared__ u64 block_gone, block_lost;
    __shared__ int ends[WARPS][WARP];
    __shared__ offset_t shifts[WARPS][WARP];
    const int warp = threadIdx.x / WARP;
    int* left = lists + 2 * capacity * (blockIdx.x + (i64)gridDim.x * warp);
    const Run g = {indptr, indices, n, degree, level, left, left + capacity};
    const double times = __longlong_as_double(factor);
    int goal = 0, step = 0, n_left = 0;
    u64 vertices = n, degrees = m;  // remaining vertices, and the sum of their degrees
    if (threadIdx.x == 0) block_gone = block_lost = hubs.count = 0;
    __syncthreads();
    while (vertices) {
        // Two rounded operations, as on the CPU.
        const double limit = floor(__ddiv_rn(__dmul_rn(times, (double)degrees), (double)vertices));
        const int threshold = limit < 2147483647.0 ? (int)limit : 0x7fffffff;
        Sums* sums = all_sums + step % 3;
        int n_gone = 0;
        u64 lost = 0, gone = 0;
        if (step == 0) collect_first(g, threshold, n_left, n_gone, lost, gone);
        else collect(g, threshold, step, n_left, n_gone, lost, gone);
        if (threadIdx.x % WARP == 0 && gone) atomicAdd(&block_gone, gone);
        add_from_warp(&block_lost, lost);
        add_to_total(&block_gone, &sums->gone);
        add_to_total(&block_lost, &sums->lost);
        // Reset the sums of the next round; all blocks have read their values of two rounds ago.
        if (blockIdx.x == 0 && threadIdx.x == 0) all_sums[(step + 1) % 3] = {0, 0};
        grid_barrier(arrived, goal);
        vertices -= load_relaxed(&sums->gone);
        step++;
        if (vertices == 0) break;
        lost = remove_rows(g, n_gone, hubs, ends[warp], shifts[warp]);
        lost += remove_hubs(g, hubs);
        add_from_warp(&block_lost, lost);
        add_to_total(&block_lost, &sums->lost);
        grid_barrier(arrived, goal);
        degrees -= load_relaxed(&sums->lost);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) *rounds = step;
}
