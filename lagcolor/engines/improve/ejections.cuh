// The moves of ejections: a vertex's wish, whether a neighbor has the same wish, and the move itself. Symbols are
// explained in ejections.py. A group works on a vertex: a warp, or a block of BLOCK threads (defined by the includer).
//
// In `propose` and `loses` a group writes only entries of its own vertex. In `commit` it finds neighbors of its color
// by relaxed loads, and the group whose exchange removes that color lists the neighbor. All groups wait for each other
// between the three functions.
#pragma once
#include "base/device/include/group.cuh"
#include "base/device/include/hash.cuh"

#define WINDOW 256  // colors that a warp weighs at a time; a block weighs this number for each of its warps
#define RANK Group::lane()
#ifndef AT_ONCE
#define AT_ONCE 4  // entries of a row that a thread loads at a time
#endif
#define EJECTS 1    // flags of a listed vertex: its wish ejects neighbors,
#define ADJACENT 2  // a neighbor has no color,
#define LOST 4      // its wish goes to a neighbor

struct Graph {
    const offset_t* indptr;
    const int* indices;
};

struct Weights {
    long long knee, first, gain, heaviest;
};

struct Lists {
    const int* here;
    int *there, *n_there, *n_later;
    int* later;  // null: they are counted only
    unsigned char* flags;
};

// Calls `use` with the vertex of each entry and what `load` reads for it; several loads are in flight at a time.
template <class Group, class Load, class Use>
static __device__ __forceinline__ void for_each(Graph G, offset_t begin, offset_t end, Load load, Use use) {
    for (offset_t e = begin + RANK; e < end; e += AT_ONCE * Group::SIZE) {
        int u[AT_ONCE];
        decltype(load(0)) x[AT_ONCE];
        for (int q = 0; q < AT_ONCE; q++) u[q] = e + q * Group::SIZE < end ? G.indices[e + q * Group::SIZE] : -1;
        for (int q = 0; q < AT_ONCE; q++) x[q] = u[q] < 0 ? 0 : load(u[q]);
        for (int q = 0; q < AT_ONCE; q++)
            if (u[q] >= 0) use(u[q], x[q]);
    }
}

// Chooses a color and the flags for the vertex of this group; returns the entries read.
template <class Group>
static __device__ long long propose(Graph G, const u64* state, int* wish, int v, int k, unsigned noise,
                                    unsigned char* flag, unsigned* cost) {
    const offset_t begin = G.indptr[v], end = G.indptr[v + 1];
    int drop = 0;
    while ((end - begin) >> drop >= 65536) drop++;
    const int start = (int)((u64)mix((unsigned)v, noise) * (u64)k >> 32);
    bool adjacent = false;
    u64 best = ~0ull;  // cost, then distance from `start`
    const int window = WINDOW * (Group::SIZE / WARP);
    for (int base = 0; base < k; base += window) {
        const int width = k - base < window ? k - base : window;
        for (int c = RANK; c < width; c += Group::SIZE) cost[c] = 0;
        Group::sync();
        const auto weigh = [&](int, u64 x) {
            const unsigned c = (unsigned)x - 1 - (unsigned)base;  // huge without a color
            adjacent |= (unsigned)x == 0;
            if (c < (unsigned)width) atomicAdd(cost + c, (unsigned)(x >> 32) >> drop | (drop > 0));
        };
        for_each<Group>(G, begin, end, [&](int u) { return state[u]; }, weigh);
        Group::sync();
        for (int c = RANK; c < width; c += Group::SIZE) {
            const int ahead = base + c - start;
            const u64 key = (u64)cost[c] << 32 | (unsigned)(ahead < 0 ? ahead + k : ahead);
            best = key < best ? key : best;
        }
        Group::sync();
    }
    best = Group::template reduce<Least>(best);
    adjacent = Group::any(adjacent);
    if (RANK == 0) {
        const long long c = start + (long long)(best & 0xffffffffu);
        wish[v] = (int)(c < k ? c : c - k);
        *flag = (best >> 32 != 0 ? EJECTS : 0) | (adjacent ? ADJACENT : 0);
    }
    return end - begin;
}

// Returns whether a neighbor with the same wish has a larger hash.
template <class Group>
static __device__ bool loses(Graph G, const u64* state, const int* wish, int v, unsigned noise) {
    const offset_t begin = G.indptr[v], end = G.indptr[v + 1];
    const unsigned h = mix((unsigned)v, noise);
    bool lost = false;
    const auto compare = [&](int u, unsigned color) {
        lost |= color == 0 && wish[u] == wish[v] && mix((unsigned)u, noise) > h;
    };
    for_each<Group>(G, begin, end, [&](int u) { return (unsigned)state[u]; }, compare);
    return Group::any(lost);
}

// v takes its wish; neighbors that have it lose it and join a list.
template <class Group>
static __device__ void commit(Graph G, u64* state, int* wish, int v, int k, Weights by, bool ejects, Lists lists) {
    int* words = (int*)state;  // color + 1 and weight in turn
    const offset_t begin = G.indptr[v], end = G.indptr[v + 1];
    const int color = wish[v] + 1;
    if (RANK == 0) {
        store_relaxed(words + 2 * (long long)v, color);
        if (ejects) {
            const long long above = end - begin - k + 3 > 0 ? end - begin - k + 3 : 0;
            const long long gained = 1 + (above * (above < by.knee ? above : by.knee) >> by.gain);
            const long long weight = (unsigned)words[2 * (long long)v + 1] + gained;
            words[2 * (long long)v + 1] = (int)(weight < by.heaviest ? weight : by.heaviest);
        }
    }
    if (!ejects) return;
    const auto eject = [&](int u, int code) {
        if (code != color) return;
        const bool easy = G.indptr[u + 1] - G.indptr[u] < k;  // before the exchange, so that both accesses overlap
        if (atomicCAS(words + 2 * (long long)u, color, 0) != color) return;
        wish[u] = -1;
        if (easy) {
            const int at_end = atomicAdd(lists.n_later, 1);
            if (lists.later) lists.later[at_end] = u;
        } else {
            lists.there[atomicAdd(lists.n_there, 1)] = u;
        }
    };
    for_each<Group>(G, begin, end, [&](int u) { return load_relaxed(words + 2 * (long long)u); }, eject);
}

// Initial weight of a vertex, which grows with its degree above k - 3.
static __device__ __forceinline__ int weight_of(long long degree, long long k, Weights by) {
    const long long above = degree > k - 3 ? degree - (k - 3) : 0;
    const long long weight = above * (above < by.knee ? above : by.knee) >> by.first;
    return (int)(weight < 1 ? 1 : weight < by.heaviest ? weight : by.heaviest);
}
