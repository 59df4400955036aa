// Rounds of jpl, many in one launch; all blocks must run at the same time. In a round a vertex waits for the first
// neighbor of its row that has no color and a larger value, and takes the round's color when there is none. The values
// do not change, so the neighbors before that one cannot matter again: rows are searched on from there (`cursor`).
//
// An entry of a work list is a vertex and the neighbor that it waits for. A round reads the color of that neighbor
// only; rows are read on by a thread, from ALONE edges on by its warp, and hubs by the block. Each warp has its own
// vertices, in strided groups of 32, and its own list of the vertices left, which it keeps in order and compacts in
// place. So a round needs no counter that all add to, and neighboring lanes take neighboring vertices.
//
// Races: a color goes from negative to its final value once, and one of the round at hand counts as none, so that the
// result does not depend on who is first.
//
// Bytes that must move: 12 per edge over all rounds (column, value, and the color where the value is larger), and a
// round 8 for each vertex in a list and 4 for the color of the one that it waits for.
// variants: OFFSET_BITS=32,64 BLOCK=512
#include "base/device/include/common.cuh"

#define WARPS (BLOCK / WARP)
#define AHEAD (OFFSET_BITS == 64 ? 2 : 4)  // groups whose loads are under way at once: 64 registers a thread
#define DEEP 4             // edges a thread looks at in one step of a search by several
#ifndef HUB                // tests take smaller ones
#define SHORT 32           // rows up to here are one thread's to search
#define ALONE 8            // edges of longer ones that it looks at before it asks the others
#define HUB 2048           // edges left to search from which the block does it
#define HUBS 512           // that a block can take in a round; more are left to warps
#endif
#define NOTHING 0x7fffffff // color of a neighbor that does not matter
#define GONE (~0ull)       // entry of a list that is no longer there

static __device__ __forceinline__ u64 entry_of(int v, int u) { return (u64)(unsigned)u << 32 | (unsigned)v; }

struct Vertices {
    const offset_t* indptr;
    const int *indices, *p;
    int* colors;
    offset_t* cursor;
};

// Of an uncolored vertex, or one that takes its color in this very round k.
static __device__ __forceinline__ bool is_open(int color, int k) { return color < 0 || color == k; }

static __device__ __forceinline__ offset_t search_alone(const Vertices& s, int mine, int k, offset_t e, offset_t end) {
    for (; e < end; e++) {
        const int u = s.indices[e];
        if (s.p[u] >= mine && is_open(load_relaxed(s.colors + u), k)) break;
    }
    return e;
}

// Searches count edges in 64 bits: a step past the last of almost 2³¹ must not wrap.
//
// The first of DEEP · WARP edges from e on that leads to a neighbor to wait for, else `end`. The whole warp calls.
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

// The whole block calls.
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

// Hubs that the warps of a block have met in this round: where their entries are.
struct Hubs {
    int count;
    u64* places[HUBS];
};

// A search of the whole row ended at e; one thread calls. Whether v takes color k; else it waits for the vertex at e.
static __device__ __forceinline__ bool finish(const Vertices& s, int v, int k, offset_t e, offset_t end) {
    if (e == end)
        store_relaxed(s.colors + v, k);
    else
        s.cursor[v] = e;
    return e == end;
}

// What a search needs of its vertex: where it goes on, up to where, and the vertex's value.
struct Row {
    offset_t e, end;
    int mine;
    bool searching;
};

// Of a vertex a lane (v < 0: none), whose neighbor has color c, or that has not been looked at (`fresh`).
static __device__ __forceinline__ Row row_of(const Vertices& s, int v, int c, bool fresh, int k) {
    Row row = {0, 0, 0, v >= 0 && (fresh || !is_open(c, k))};
    if (row.searching) {
        row.e = fresh ? s.indptr[v] : s.cursor[v] + 1;
        row.end = s.indptr[v + 1];
        row.mine = s.p[v];
    }
    return row;
}

// What has become of a lane's vertex: it leaves the list with a color, or stays and waits for u, or it is a hub: then
// it stays, `slot` is its place among the hubs, and the block goes on from its cursor.
struct Outcome {
    bool colored;
    int u, slot;
};

// One round for a vertex a lane (v < 0: none), which waits for u. The whole warp calls.
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

// The hubs met by the warps, one by one; the whole block calls, after a barrier. How many took a color: thread 0's.
static __device__ __forceinline__ int look_at_hubs(const Vertices& s, const Hubs& hubs, int k) {
    int total = 0;
    const int count = hubs.count < HUBS ? hubs.count : HUBS;
    for (int h = 0; h < count; h++) {
        u64* place = hubs.places[h];
        const int v = (int)*place;
        const offset_t end = s.indptr[v + 1];
        const offset_t e = (offset_t)search_block(s, s.p[v], k, s.cursor[v], end);  // not empty: all have read the entry
        if (threadIdx.x == 0) {
            const bool colored = finish(s, v, k, e, end);
            *place = colored ? GONE : entry_of(v, s.indices[e]);
            total += colored;
        }
    }
    return total;
}

// A grid barrier (grid.cuh) that adds up `mine` of the threads 0 of all blocks in the word that counts their arrivals:
// a round needs no other counter, and no second barrier to read it. What one wrote before, all see after. words: three,
// 0 at first, one per round in turn; blocks that have arrived are counted in the bits from 40 on.
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
        // All have left the word of the round before, and none comes to it before the next barrier but one.
        if (blockIdx.x == 0) store_relaxed(words + (round + 2) % 3, 0);
    }
    __syncthreads();
    return total;
}

// A warp's list, and its groups of 32 vertices: first, first + step …
struct Share {
    u64* list;
    int length, first, step;
};

// Keeps the entries of a group that stay, behind the entries of the groups before.
static __device__ __forceinline__ void keep(const Outcome& o, int v, Hubs& hubs, u64* list, int& kept, int& colored) {
    const bool stay = v >= 0 && !o.colored;
    const unsigned stays = __ballot_sync(ALL_LANES, stay);
    u64* place = list + kept + rank_in(stays);
    __syncwarp();  // all lanes have read what is written over
    if (stay) *place = entry_of(v, o.u);
    if (o.slot >= 0) hubs.places[o.slot] = place;
    kept += __popc(stays);
    colored += __popc(__ballot_sync(ALL_LANES, o.colored));
}

// AHEAD groups of 32 vertices, one a lane in each (v < 0: none), which wait for u of color c. What each lane needs is
// fetched for all groups before any of them is searched: three loads that each wait for the one before are then under
// way for all of them.
static __device__ __forceinline__ void look_at_groups(const Vertices& s, Hubs& hubs, const int (&v)[AHEAD],
                                                      const int (&u)[AHEAD], const int (&c)[AHEAD], bool fresh,
                                                      const Share& mine, int& kept, int& colored, int k) {
    Row row[AHEAD];
    int first[AHEAD];
#pragma unroll
    for (int a = 0; a < AHEAD; a++) row[a] = row_of(s, v[a], c[a], fresh, k);
#pragma unroll
    for (int a = 0; a < AHEAD; a++) first[a] = row[a].e < row[a].end ? s.indices[row[a].e] : -1;
#pragma unroll
    for (int a = 0; a < AHEAD; a++)
        if (first[a] >= 0 && s.p[first[a]] < row[a].mine) row[a].e++;  // past a first neighbor that does not matter
#pragma unroll
    for (int a = 0; a < AHEAD; a++) keep(look_at(s, hubs, v[a], u[a], row[a], k), v[a], hubs, mine.list, kept, colored);
}

// The first round: every vertex. The number colored, by this warp.
static __device__ int enter(const Vertices& s, Hubs& hubs, Share& mine, i64 n, int k) {
    int kept = 0, colored = 0;
    for (i64 group = mine.first; group * WARP < n; group += (i64)AHEAD * mine.step) {
        int v[AHEAD], none[AHEAD];
#pragma unroll
        for (int a = 0; a < AHEAD; a++) {
            const i64 i = (group + (i64)a * mine.step) * WARP + threadIdx.x % WARP;
            v[a] = i < n ? (int)i : -1;
            none[a] = NOTHING;
        }
        look_at_groups(s, hubs, v, none, none, true, mine, kept, colored, k);
    }
    mine.length = kept;
    return colored;
}

// Any other round: the list. Entries that stay are written behind those read: never over one that is still to be read.
static __device__ int go_through(const Vertices& s, Hubs& hubs, Share& mine, int k) {
    const int length = mine.length, lane = threadIdx.x % WARP;
    int kept = 0, colored = 0;
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
        look_at_groups(s, hubs, v, u, c, false, mine, kept, colored, k);
    }
    mine.length = kept;
    return colored;
}

// Up to `rounds` rounds, until all vertices have colors. items: `room` entries per warp, lengths: used ones; fresh: the
// first round is among them. state: vertices without a color, and the next color.
extern "C" __global__ void __launch_bounds__(BLOCK, 2)
    jpl_rounds(const offset_t* indptr, const int* indices, const int* p, int* colors, offset_t* cursor, u64* items,
               i64 room, int* lengths, u64* arrivals, i64* state, i64 n, i64 fresh, i64 rounds) {
    __shared__ Hubs hubs;
    __shared__ int colored;
    const Vertices s = {indptr, indices, p, colors, cursor};
    const int warp = blockIdx.x + gridDim.x * (threadIdx.x / WARP);
    Share mine = {items + warp * room, fresh ? 0 : lengths[warp], warp, (int)gridDim.x * WARPS};
    int left = (int)state[0], k = (int)state[1];
    if (threadIdx.x == 0) hubs.count = colored = 0;
    __syncthreads();
    for (int round = 0; round < rounds && left > 0; round++, k++) {
        const int here = fresh && round == 0 ? enter(s, hubs, mine, n, k) : go_through(s, hubs, mine, k);
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
