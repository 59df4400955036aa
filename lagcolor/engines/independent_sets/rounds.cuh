// One round of independent sets, vertex by vertex: a vertex waits for the first neighbour of its row that has no
// color yet and a value over its own (`value`: random priorities or degrees), and takes the round's color once there is
// none. As long as the values stay, so do the neighbours before that one: rows are searched on from there (`cursor`).
//
// An entry of a work list is a vertex and the neighbour that it waits for. A round reads the color of that
// neighbour only; rows are read on by a thread, from ALONE edges on by its warp, and hubs by the block.
//
// Races: a color goes from negative to its final value once, and one of the round at hand counts as none, so that
// the result does not depend on who is first. In the degree phase TIED, for good, comes between.
#pragma once
#include "device/include/common.cuh"

#define WARPS (BLOCK / WARP)
#define DEEP 4             // edges a thread looks at in one step of a search by several
#ifndef HUB                // tests take smaller ones
#define SHORT 32           // rows up to here are one thread's to search
#define ALONE 8            // edges of longer ones that it looks at before it asks the others
#define HUB 2048           // edges left to search from which the block does it
#define HUBS 512           // that a block can take in a round; more are left to warps
#endif
#define TIED -2            // color of a vertex that degree labelling cannot color
#define NOTHING 0x7fffffff // color of a neighbour that does not matter
#define GONE (~0ull)       // entry of a list that is no longer there

static __device__ __forceinline__ u64 entry_of(int v, int u) { return (u64)(unsigned)u << 32 | (unsigned)v; }

struct Vertices {
    const offset_t* indptr;
    const int* indices;
    int* colors;
    offset_t* cursor;
};

// Random labelling: no two neighbours have the same value.
struct ByPriority : Vertices {
    const int* p;
    enum { TIES = 0 };
    __device__ ByPriority(const Vertices& s, const int* p) : Vertices(s), p(p) {}
    __device__ __forceinline__ int value(int v) const { return p[v]; }
};

// Degree labelling: a vertex with a neighbour of its own degree that has no color, or with one that is tied, is tied. In
// lists it waits for itself. p: of random labelling to come, if any.
struct ByDegree : Vertices {
    const int* p;
    enum { TIES = 1 };
    __device__ ByDegree(const Vertices& s, const int* p) : Vertices(s), p(p) {}
    __device__ __forceinline__ int value(int v) const { return (int)(indptr[v + 1] - indptr[v]); }
};

// Of an uncolored vertex, or one that takes its color in this very round k.
static __device__ __forceinline__ bool is_open(int color, int k) { return color < 0 || color == k; }

template <class V>
static __device__ __forceinline__ offset_t search_alone(const V& s, int mine, int k, offset_t e, offset_t end) {
    for (; e < end; e++) {
        const int u = s.indices[e];
        if (s.value(u) >= mine && is_open(load_relaxed(s.colors + u), k)) break;
    }
    return e;
}

// Searches count edges in 64 bits: a step past the last of almost 2³¹ must not wrap.
//
// The first of DEEP · WARP edges from e on that leads to a neighbour to wait for, else `end`. The whole warp calls.
template <class V>
static __device__ __forceinline__ i64 search_step(const V& s, int mine, int k, i64 e, i64 end) {
    const int lane = threadIdx.x % WARP;
    int u[DEEP], color[DEEP];
#pragma unroll
    for (int q = 0; q < DEEP; q++) u[q] = e + q * WARP + lane < end ? s.indices[e + q * WARP + lane] : -1;
#pragma unroll
    for (int q = 0; q < DEEP; q++)
        if (u[q] >= 0 && s.value(u[q]) < mine) u[q] = -1;
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

template <class V>
static __device__ __forceinline__ i64 search_warp(const V& s, int mine, int k, i64 e, i64 end) {
    for (; e < end; e += DEEP * WARP) {
        const i64 first = search_step(s, mine, k, e, end);
        if (first < end) return first;
    }
    return end;
}

// The whole block calls.
template <class V>
static __device__ i64 search_block(const V& s, int mine, int k, i64 e, i64 end) {
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

// What has become of a lane's vertex: it leaves the list (`keep` false), with a color or tied, or stays and waits for
// u, or it is a hub: then it stays, `slot` is its place among the hubs, and the block goes on from its cursor.
struct Outcome {
    bool keep, colored;
    int u, slot;
};

// A search of the whole row ended at e; one thread calls. Whether v stays; `u` is then the one it waits for.
template <class V>
static __device__ __forceinline__ bool settle(const V& s, int v, int mine, int k, offset_t e, offset_t end,
                                              bool& colored, int& u) {
    colored = e == end;
    if (colored) {
        store_relaxed(s.colors + v, k);
        return false;
    }
    u = s.indices[e];
    if (V::TIES && s.value(u) == mine) {
        store_relaxed(s.colors + v, TIED);
        u = v;
        return true;
    }
    s.cursor[v] = e;
    return true;
}

// What a search needs of its vertex: where it goes on, up to where, and the vertex's value.
struct Row {
    offset_t e, end;
    int mine;
    bool searching;
};

// Of a vertex a lane (v < 0: none), whose neighbour has color c, or that has not been looked at (`fresh`).
template <class V>
static __device__ __forceinline__ Row row_of(const V& s, int v, int c, bool fresh, int k) {
    Row row = {0, 0, 0, v >= 0 && (fresh || !is_open(c, k))};
    if (row.searching) {
        row.e = fresh ? s.indptr[v] : s.cursor[v] + 1;
        row.end = s.indptr[v + 1];
        row.mine = s.value(v);
    }
    return row;
}

// Goes past a first neighbour that does not matter. Callers do this for several rows before they search any: three loads
// that each wait for the one before are then under way for all of them.
template <class V>
static __device__ __forceinline__ void first_step(const V& s, Row& row, int u) {
    if (u >= 0 && s.value(u) < row.mine) row.e++;
}

template <class V>
static __device__ __forceinline__ int first_neighbor(const V& s, const Row& row) {
    return row.e < row.end ? s.indices[row.e] : -1;
}

// One round for a vertex a lane (v < 0: none), whose neighbour u has color c. The whole warp calls.
template <class V>
static __device__ __forceinline__ Outcome look_at(const V& s, Hubs& hubs, int v, int u, int c, const Row& row,
                                                  int k) {
    const int lane = threadIdx.x % WARP;
    Outcome o = {v >= 0, false, u, -1};
    const bool searching = row.searching;
    offset_t e = row.e;
    const offset_t end = row.end;
    const int mine = row.mine;
    const offset_t near = end - e <= SHORT ? end : e + ALONE;
    if (searching) e = search_alone(s, mine, k, e, near);
    bool far = searching && e == near && e < end;
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
        const offset_t found = search_warp(s, __shfl_sync(ALL_LANES, mine, who), k, from, to);
        if (lane == who) e = (offset_t)found;
    }
    if (searching && o.slot < 0) o.keep = settle(s, v, mine, k, e, end, o.colored, o.u);
    if (V::TIES && v >= 0 && !searching && c == TIED) {  // waits for one that is never colored
        store_relaxed(s.colors + v, TIED);
        o.u = v;
    }
    return o;
}

// The hubs met by the warps, one by one; the whole block calls, after a barrier. How many took a color: thread 0's.
template <class V>
static __device__ __forceinline__ int look_at_hubs(const V& s, const Hubs& hubs, int k) {
    int total = 0;
    const int count = hubs.count < HUBS ? hubs.count : HUBS;
    for (int h = 0; h < count; h++) {
        u64* place = hubs.places[h];
        const int v = (int)*place, mine = s.value(v);
        const offset_t end = s.indptr[v + 1];
        const offset_t e = (offset_t)search_block(s, mine, k, s.cursor[v], end);  // not empty, so all have read the entry
        if (threadIdx.x == 0) {
            bool colored;
            int u;
            *place = settle(s, v, mine, k, e, end, colored, u) ? entry_of(v, u) : GONE;
            total += colored;
        }
    }
    return total;
}

// A grid barrier (grid.cuh) that adds up `mine` of the threads 0 of all blocks in the word that counts their arrivals: a
// round needs no other counter, and no second barrier to read it. What one wrote before, all see after. words: three, 0 at
// first, one per round in turn; blocks that have arrived are counted in the bits from 40 on.
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
