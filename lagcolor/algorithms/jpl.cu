// Rounds of jpl, many in one launch; all blocks must run at the same time. In a round a vertex waits for the first
// neighbor in its row that is uncolored and has a larger value. If there is none, the vertex takes the color of the
// round. Values do not change, so neighbors before that one cannot matter again: searches continue there (`cursor`).
//
// An entry of a work list is a vertex and the neighbor that it waits for. A round first reads the color of this
// neighbor only. If the search must continue, a thread reads ALONE edges and its warp the others; for a hub, the block
// does. Each warp has its own vertices, in strided groups of 32, and its own list of uncolored ones, which it compacts
// in place and in order. A round therefore needs no shared counter, and adjacent lanes take adjacent vertices.
//
// Races: a color changes once, from negative to its final value. A color of the current round counts as none, so the
// result does not depend on which thread is first.
//
// Bytes that must move: 12 per edge over all rounds (column, value, and the color if the value is larger); in a round,
// 8 per listed vertex and 4 for the color of the neighbor that it waits for.
// variants: OFFSET_BITS=32,64 BLOCK=512
#include "base/device/include/common.cuh"

#define WARPS (BLOCK / WARP)
#define AHEAD (OFFSET_BITS == 64 ? 2 : 4)  // groups whose loads are in flight at once: 64 registers per thread
#define DEEP 4             // edges that a thread reads per step of a search by a warp or a block
#ifndef HUB                // tests set smaller values
#define SHORT 32           // a thread alone searches rows of up to this number of edges
#define ALONE 8            // edges of a longer row that a thread searches before its warp does
#define HUB 2048           // the block searches if more edges than these are left
#define HUBS 512           // largest number of hubs that a block searches in a round; warps search the others
#endif
#define NOTHING 0x7fffffff // color of a neighbor that does not matter
#define GONE (~0ull)       // entry of a vertex that has left its list

static __device__ __forceinline__ u64 entry_of(int v, int u) { return (u64)(unsigned)u << 32 | (unsigned)v; }

struct Vertices {
    const offset_t* indptr;
    const int *indices, *p;
    int* colors;
    offset_t* cursor;
};

// True for the color of a vertex that was uncolored when round k began.
static __device__ __forceinline__ bool is_open(int color, int k) { return color < 0 || color == k; }

static __device__ __forceinline__ offset_t search_alone(const Vertices& s, int mine, int k, offset_t e, offset_t end) {
    for (; e < end; e++) {
        const int u = s.indices[e];
        if (s.p[u] >= mine && is_open(load_relaxed(s.colors + u), k)) break;
    }
    return e;
}

// Searches count edges in 64 bits, because a step past the last of almost 2³¹ edges must not wrap.
//
// First of the DEEP · WARP edges from e that leads to a neighbor to wait for, or `end`. All lanes of the warp call it.
static __device__ __forceinline__ i64 search_step(const Vertices& s, int mine, int k, i64 e, i64 end) {
    const int lane = threadIdx.x % WARP;
    int u[DEEP], color[DEEP];
#pragma unroll
    for (int q = 0; q < DEEP; q++) u[q] = e + q * WARP + lane < end ? s.indices[e + q * WARP + lane] : -1;
#pragma unroll
    for (int q = 0; q < DEEP; q++)
        if (u[q] >= 0 && s.p[u[q]] < mine) u[q] = -1;
#pragma unroll
    for (int q = 0; q < DEEP; q++) color[q] = u[q] >= 0 ? load_relaxed(s.colors + u[q]) : NOTHING;
    i64 first = end;
#pragma unroll
    for (int q = DEEP - 1; q >= 0; q--) {
        const unsigned open = __ballot_sync(ALL_LANES, is_open(color[q], k));
        if (open) first = e + q * WARP + __ffs((int)open) - 1;
    }
    return first;
}

static __device__ __forceinline__ i64 search_warp(const Vertices& s, int mine, int k, i64 e, i64 end) {
    for (; e < end; e += DEEP * WARP) {
        const i64 first = search_step(s, mine, k, e, end);
        if (first < end) return first;
    }
    return end;
}

// As search_warp, by all threads of the block.
static __device__ i64 search_block(const Vertices& s, int mine, int k, i64 e, i64 end) {
    __shared__ i64 firsts[WARPS];
    const int warp = threadIdx.x / WARP;
    for (; e < end; e += DEEP * BLOCK) {
        const i64 from = e + warp * DEEP * WARP;
        const i64 here = from < end ? search_step(s, mine, k, from, end) : end;
        if (threadIdx.x % WARP == 0) firsts[warp] = here;
        __syncthreads();
        i64 first = end;
        for (int w = 0; w < WARPS; w++) first = firsts[w] < first ? firsts[w] : first;
        __syncthreads();
        if (first < end) return first;
    }
    return end;
}

// Entries of the hubs that the warps of a block have found in this round.
struct Hubs {
    int count;
    u64* places[HUBS];
};

// Finish a search that ended at e: color v with k if the row is done (true), or store the edge that v waits at.
static __device__ __forceinline__ bool finish(const Vertices& s, int v, int k, offset_t e, offset_t end) {
    if (e == end)
        store_relaxed(s.colors + v, k);
    else
        s.cursor[v] = e;
    return e == end;
}

// Edges that a search of a vertex still has to read, and the value of the vertex.
struct Row {
    offset_t e, end;
    int mine;
    bool searching;
};

// Row of a lane's vertex v (v < 0: none) that waits for a neighbor of color c; `fresh`: the first search of the row.
static __device__ __forceinline__ Row row_of(const Vertices& s, int v, int c, bool fresh, int k) {
    Row row = {0, 0, 0, v >= 0 && (fresh || !is_open(c, k))};
    if (row.searching) {
        row.e = fresh ? s.indptr[v] : s.cursor[v] + 1;
        row.end = s.indptr[v + 1];
        row.mine = s.p[v];
    }
    return row;
}

// Result for a lane's vertex: it is colored and leaves the list, or stays and waits for u. A hub stays too; `slot` is
// its position among the hubs (else -1), and the block continues from its cursor.
struct Outcome {
    bool colored;
    int u, slot;
};

// One round for a lane's vertex v (v < 0: none), which waits for u. All lanes of the warp call it.
static __device__ __forceinline__ Outcome look_at(const Vertices& s, Hubs& hubs, int v, int u, const Row& row, int k) {
    const int lane = threadIdx.x % WARP;
    Outcome o = {false, u, -1};
    offset_t e = row.e;
    const offset_t end = row.end, near = end - e <= SHORT ? end : e + ALONE;
    if (row.searching) e = search_alone(s, row.mine, k, e, near);
    bool far = row.searching && e == near && e < end;
    if (far && end - e > HUB) {
        const int slot = atomicAdd(&hubs.count, 1);
        if (slot < HUBS) {
            o.slot = slot;
            s.cursor[v] = e;
            far = false;
        }
    }
    for (unsigned rest = __ballot_sync(ALL_LANES, far); rest; rest &= rest - 1) {
        const int who = __ffs((int)rest) - 1;
        const offset_t from = __shfl_sync(ALL_LANES, e, who), to = __shfl_sync(ALL_LANES, end, who);
        const offset_t found = search_warp(s, __shfl_sync(ALL_LANES, row.mine, who), k, from, to);
        if (lane == who) e = (offset_t)found;
    }
    if (row.searching && o.slot < 0) {
        o.colored = finish(s, v, k, e, end);
        if (!o.colored) o.u = s.indices[e];
    }
    return o;
}

// Search the rows of the block's hubs, one by one. All threads call it after a barrier; thread 0 returns the number of
// hubs that it colored.
static __device__ __forceinline__ int look_at_hubs(const Vertices& s, const Hubs& hubs, int k) {
    int total = 0;
    const int count = hubs.count < HUBS ? hubs.count : HUBS;
    for (int h = 0; h < count; h++) {
        u64* place = hubs.places[h];
        const int v = (int)*place;
        const offset_t end = s.indptr[v + 1];
        // The range is not empty, so all threads pass a barrier between reading the entry and thread 0 writing it.
        const offset_t e = (offset_t)search_block(s, s.p[v], k, s.cursor[v], end);
        if (threadIdx.x == 0) {
            const bool colored = finish(s, v, k, e, end);
            *place = colored ? GONE : entry_of(v, s.indices[e]);
            total += colored;
        }
    }
    return total;
}

// A grid barrier (grid.cuh) that also returns the sum of `mine` over the threads 0 of all blocks. The word that counts
// arrivals has the sum in its low 40 bits, so a round needs neither another counter nor a second barrier. Writes before
// the barrier are visible after it. words: three, initially 0, used in turn.
static __device__ __forceinline__ i64 barrier_and_sum(u64* words, i64 round, u64 mine) {
    __shared__ i64 total;
    __syncthreads();
    if (threadIdx.x == 0) {
        u64* word = words + round % 3;
        __threadfence();
        atomicAdd(word, (1ull << 40) + mine);
        u64 now;
        while ((now = load_relaxed(word)) >> 40 < gridDim.x) {}
        __threadfence();
        total = (i64)(now & ((1ull << 40) - 1));
        // All blocks have left the word of the previous round, and none uses it in the next barrier.
        if (blockIdx.x == 0) store_relaxed(words + (round + 2) % 3, 0);
    }
    __syncthreads();
    return total;
}

// A warp's list, and the numbers of its groups of 32 vertices: first, first + step, …
struct Share {
    u64* list;
    int length, first, step;
};

// Append the entries of a group that stay to the compacted list.
static __device__ __forceinline__ void keep(const Outcome& o, int v, Hubs& hubs, u64* list, int& size, int& colored) {
    const bool stay = v >= 0 && !o.colored;
    const unsigned stays = __ballot_sync(ALL_LANES, stay);
    u64* place = list + size + rank_in(stays);
    __syncwarp();  // all lanes have read the entries that are now overwritten
    if (stay) *place = entry_of(v, o.u);
    if (o.slot >= 0) hubs.places[o.slot] = place;
    size += __popc(stays);
    colored += __popc(__ballot_sync(ALL_LANES, o.colored));
}

// Process AHEAD groups of 32 vertices; each lane has a vertex v (v < 0: none) of each group, which waits for u of color
// c. Lanes load the data of all groups before they search any, so that chains of three dependent loads overlap.
static __device__ __forceinline__ void look_at_groups(const Vertices& s, Hubs& hubs, const int (&v)[AHEAD],
                                                      const int (&u)[AHEAD], const int (&c)[AHEAD], bool fresh,
                                                      const Share& mine, int& size, int& colored, int k) {
    Row row[AHEAD];
    int first[AHEAD];
#pragma unroll
    for (int a = 0; a < AHEAD; a++) row[a] = row_of(s, v[a], c[a], fresh, k);
#pragma unroll
    for (int a = 0; a < AHEAD; a++) first[a] = row[a].e < row[a].end ? s.indices[row[a].e] : -1;
#pragma unroll
    for (int a = 0; a < AHEAD; a++)
        if (first[a] >= 0 && s.p[first[a]] < row[a].mine) row[a].e++;  // skip a first neighbor of smaller value
#pragma unroll
    for (int a = 0; a < AHEAD; a++) keep(look_at(s, hubs, v[a], u[a], row[a], k), v[a], hubs, mine.list, size, colored);
}

// First round: visit all vertices of this warp; return the number that it colored.
static __device__ int visit_all_vertices(const Vertices& s, Hubs& hubs, Share& mine, i64 n, int k) {
    int size = 0, colored = 0;
    for (i64 group = mine.first; group * WARP < n; group += (i64)AHEAD * mine.step) {
        int v[AHEAD], none[AHEAD];
#pragma unroll
        for (int a = 0; a < AHEAD; a++) {
            const i64 i = (group + (i64)a * mine.step) * WARP + threadIdx.x % WARP;
            v[a] = i < n ? (int)i : -1;
            none[a] = NOTHING;
        }
        look_at_groups(s, hubs, v, none, none, true, mine, size, colored, k);
    }
    mine.length = size;
    return colored;
}

// Later rounds: visit the warp's list and compact it. Writes stay behind reads, so no unread entry is overwritten.
static __device__ int visit_list(const Vertices& s, Hubs& hubs, Share& mine, int k) {
    const int length = mine.length, lane = threadIdx.x % WARP;
    int size = 0, colored = 0;
    for (int base = 0; base < length; base += AHEAD * WARP) {
        int v[AHEAD], u[AHEAD], c[AHEAD];
#pragma unroll
        for (int a = 0; a < AHEAD; a++) {
            const u64 entry = base + a * WARP + lane < length ? mine.list[base + a * WARP + lane] : GONE;
            v[a] = (int)entry;
            u[a] = (int)(entry >> 32);
        }
#pragma unroll
        for (int a = 0; a < AHEAD; a++) c[a] = v[a] < 0 || u[a] == NOTHING ? NOTHING : load_relaxed(s.colors + u[a]);
        look_at_groups(s, hubs, v, u, c, false, mine, size, colored, k);
    }
    mine.length = size;
    return colored;
}

// Up to `rounds` rounds, until all vertices have colors. items: `capacity` entries per warp; lengths: used entries;
// fresh: the launch begins with the first round. state: number of uncolored vertices, and the next color.
extern "C" __global__ void __launch_bounds__(BLOCK, 2)
    jpl_rounds(const offset_t* indptr, const int* indices, const int* p, int* colors, offset_t* cursor, u64* items,
               i64 capacity, int* lengths, u64* arrivals, i64* state, i64 n, i64 fresh, i64 rounds) {
    __shared__ Hubs hubs;
    __shared__ int colored;
    const Vertices s = {indptr, indices, p, colors, cursor};
    const int warp = blockIdx.x + gridDim.x * (threadIdx.x / WARP);
    Share mine = {items + warp * capacity, fresh ? 0 : lengths[warp], warp, (int)gridDim.x * WARPS};
    int left = (int)state[0], k = (int)state[1];
    if (threadIdx.x == 0) hubs.count = colored = 0;
    __syncthreads();
    for (int round = 0; round < rounds && left > 0; round++, k++) {
        const int here = fresh && round == 0 ? visit_all_vertices(s, hubs, mine, n, k) : visit_list(s, hubs, mine, k);
        if (threadIdx.x % WARP == 0) atomicAdd(&colored, here);
        __syncthreads();
        const int by_block = look_at_hubs(s, hubs, k);
        left -= (int)barrier_and_sum(arrivals, round, threadIdx.x == 0 ? (u64)(colored + by_block) : 0);
        if (threadIdx.x == 0) hubs.count = colored = 0;
        __syncthreads();
    }
    if (threadIdx.x % WARP == 0) lengths[warp] = mine.length;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        state[0] = left;
        state[1] = k;
    }
}
