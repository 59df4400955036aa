// variants: OFFSET_BITS=32,64
// Edge-based speculative coloring; edge_based.py describes a round and shows that rounds end. A thread processes an
// edge, or the bits of a vertex, so no thread processes the whole neighborhood of a hub.
//
// `begin` sets a color for every vertex to try. `first_clashes` and `first_forbid` visit the stored entries u < v, a
// tile per block, with `first_losers` between them. `color_rounds` runs all other rounds in one cooperative launch.
//
// words[v]: color, ⌈log2 degree⌉ in LEVEL, and LOST while v must choose again; an edge gathers one word per end.
// Shared state: a phase reads what earlier phases wrote. Three values grow within a phase, through relaxed atomics:
// LOST in `clash` (the color in the same word does not change), bits of `low` and `high`, and `rivals`.
//
// Bytes: 4 n + m / 8 for the bits; in each of the two first passes 4 per entry and a gather of 4 per edge (in the
// second also one atomic per edge with one loser, or with two losers of one color); then 24 per live edge and round.
#define THREAD_MOST 32
#define WARP_MOST 2048
#include "base/device/include/palette.cuh"
#include "base/device/include/search.cuh"
#include "engines/rounds/worklists.cuh"

#define TILE (DEEP * BLOCK)  // entries or edges that a block takes at a time
#define LOST 0x80000000u
#define LEVEL 0x7c000000u
#define COLOR 0x03ffffffu    // enough, because color c of first-fit needs c²/2 edges
#define LEVEL_SHIFT 26
#define HOT (6u << LEVEL_SHIFT)  // from this level on a read comes before an atomic, which is often not needed
#define MOST_PASSED 32           // largest number of skipped colors: many rivals of a hub are not adjacent
enum { VERTICES = 0, EDGES = 1, WORDS = 2 };  // columns of a row of counts (u64): vertices that lost, live edges

struct Graph {
    const offset_t* __restrict__ indptr;
    const int* __restrict__ indices;
    const int* __restrict__ p;  // null: larger level first, then larger hash
    int n;
    unsigned seed;
    // Of two adjacent vertices of one color, the vertex that loses it.
    __device__ int loser(int u, unsigned word_u, int v, unsigned word_v) const {
        if (p) return p[u] > p[v] ? v : u;
        const unsigned level_u = word_u & LEVEL, level_v = word_v & LEVEL;
        if (level_u != level_v) return level_u > level_v ? v : u;
        return mix((unsigned)u ^ seed) > mix((unsigned)v ^ seed) ? v : u;
    }
};
struct Marks {
    unsigned* words;
    int* rivals;     // number of preferred neighbors of v's color that also lost; in first_clashes 1: v has lost
    unsigned* low;   // forbidden colors under 32, a word per vertex
    unsigned* high;  // other forbidden colors: degree / 32 words from word indptr[v] / 32 on, without overlap
};
#define GRAPH_PARAMETERS const offset_t *indptr, const int *indices, const int *p, int n, i64 seed
#define MARKS_PARAMETERS unsigned *words, int *rivals, unsigned *low, unsigned *high
#define GRAPH {indptr, indices, p, n, (unsigned)seed}
#define MARKS {words, rivals, low, high}

// ---- updates by edges, and the choice of a vertex -------------------------------------------------------------------

static __device__ __forceinline__ void forbid_low(const Marks& M, int w, unsigned word, unsigned bits) {
    if ((word & LEVEL) >= HOT && !(bits & ~load_unfenced(M.low + w))) return;
    atomicOr(M.low + w, bits);
}

// Forbid vertex w color c.
static __device__ __forceinline__ void forbid(const Graph& G, const Marks& M, int w, unsigned word, unsigned c) {
    if (c < 32) return forbid_low(M, w, word, 1u << c);
    const offset_t start = G.indptr[w];
    if ((i64)c > (i64)(G.indptr[w + 1] - start)) return;  // w never chooses a color over its degree
    unsigned* at = M.high + (start / 32 + c / 32 - 1);
    if (!(load_unfenced(at) >> c % 32 & 1)) atomicOr(at, 1u << c % 32);
}

static __device__ __forceinline__ void add_rival(const Marks& M, int w, unsigned word) {
    if ((word & LEVEL) >= HOT && load_unfenced(M.rivals + w) >= 2 * MOST_PASSED) return;  // more make no difference
    atomicAdd(M.rivals + w, 1);
}

// Update the rivals or the forbidden colors of an edge's ends; true if both ends have lost, so that the edge stays
// live.
static __device__ __forceinline__ bool mark(const Graph& G, const Marks& M, int u, unsigned word_u, int v,
                                            unsigned word_v) {
    if (word_u & word_v & LOST) {
        if (((word_u ^ word_v) & COLOR) == 0) {
            const int w = G.loser(u, word_u, v, word_v);
            add_rival(M, w, w == u ? word_u : word_v);
        }
        return true;
    }
    if (word_u & LOST) forbid(G, M, u, word_u, word_v & COLOR);
    else if (word_v & LOST) forbid(G, M, v, word_v, word_u & COLOR);
    return false;
}

// Color v with the least color that is not forbidden, after skipping rivals / 2 free colors, which rivals may choose.
static __device__ __forceinline__ void choose(const Graph& G, const Marks& M, int v) {
    int skip = min(M.rivals[v] / 2, MOST_PASSED), base = 0;
    unsigned free = ~M.low[v];
    const unsigned* high = M.high;
    // Ends: the forbidden colors and the rivals together are at most as many as the degree.
    for (int count = __popc(free); skip >= count; count = __popc(free)) {
        skip -= count;
        if (base == 0) high += G.indptr[v] / 32;
        free = ~*high++;
        base += 32;
    }
    while (skip-- > 0) free &= free - 1;
    M.words[v] = (M.words[v] & LEVEL) | (unsigned)(base + least_free(~free));
    M.rivals[v] = 0;
}

// ---- first round: over the stored entries ---------------------------------------------------------------------------

extern "C" __global__ void __launch_bounds__(BLOCK)
    begin(GRAPH_PARAMETERS, int spread, int most, unsigned* words, int* rivals, unsigned* low) {
    for (i64 v = (i64)blockIdx.x * BLOCK + threadIdx.x; v < n; v += (i64)gridDim.x * BLOCK) {
        const i64 degree = indptr[v + 1] - indptr[v];
        const unsigned choice = (unsigned)min(degree / spread + 1, (i64)most);
        const unsigned level = degree > 1 ? 32 - __clz((int)(degree - 1)) : 0;
        words[v] = level << LEVEL_SHIFT | (unsigned)((u64)mix((unsigned)v ^ (unsigned)seed) * choice >> 32);
        rivals[v] = 0;
        low[v] = 0;
    }
}

// A thread's DEEP consecutive entries of the block's tile: rows u and neighbors v; v is -1 past the end and if u > v.
struct Entries {
    int u[DEEP], v[DEEP];
    __device__ __forceinline__ Entries(const Graph& G, i64 m) {
        const i64 tile = (i64)blockIdx.x * TILE, last = min(tile + TILE, m);
        const Bounds<int> rows = bounds_of_tile(G.indptr, 0, G.n, tile, last - 1);
        const i64 first = tile + (i64)threadIdx.x * DEEP;
        int row = rows.from - 1;
        i64 end = -1;
#pragma unroll
        for (int q = 0; q < DEEP; q++) v[q] = first + q < last ? G.indices[first + q] : -1;
#pragma unroll
        for (int q = 0; q < DEEP; q++) {
            if (first + q < last && first + q >= end) {
                row = first_over(G.indptr, row + 1, rows.to, first + q) - 1;
                end = G.indptr[row + 1];
            }
            u[q] = row;
            if (v[q] <= row) v[q] = -1;
        }
    }
};

// For each edge with one color on both ends, set `rivals` of the end that loses to 1.
extern "C" __global__ void __launch_bounds__(BLOCK) first_clashes(GRAPH_PARAMETERS, MARKS_PARAMETERS, i64 m) {
    const Graph G = GRAPH;
    const Marks M = MARKS;
    const Entries e(G, m);
    unsigned word[DEEP];
#pragma unroll
    for (int q = 0; q < DEEP; q++) word[q] = e.v[q] >= 0 ? M.words[e.v[q]] : 0;
#pragma unroll
    for (int q = 0; q < DEEP; q++) {
        if (e.v[q] < 0) continue;
        const unsigned own = M.words[e.u[q]];
        if (((own ^ word[q]) & COLOR) == 0) store_relaxed(M.rivals + G.loser(e.u[q], own, e.v[q], word[q]), 1);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    first_losers(int n, unsigned* words, int* rivals, int* losers, u64* rows) {
    const i64 step = (i64)gridDim.x * TILE;
    for (i64 tile = (i64)blockIdx.x * TILE; tile < n; tile += step) {
        int wanted = 0;
        bool loses[DEEP];
#pragma unroll
        for (int q = 0; q < DEEP; q++) {
            const i64 v = tile + q * BLOCK + threadIdx.x;
            loses[q] = v < n && rivals[v];
            wanted += loses[q];
        }
        i64 at = append_several(wanted, rows + VERTICES);
#pragma unroll
        for (int q = 0; q < DEEP; q++) {
            if (!loses[q]) continue;
            const int v = (int)(tile + q * BLOCK + threadIdx.x);
            words[v] |= LOST;
            rivals[v] = 0;
            losers[at++] = v;
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    first_forbid(GRAPH_PARAMETERS, MARKS_PARAMETERS, i64 m, int2* edges, u64* rows) {
    const Graph G = GRAPH;
    const Marks M = MARKS;
    const Entries e(G, m);
    unsigned word[DEEP], mine = 0;  // mine: colors that edges of the current u have forbidden it
    bool stays[DEEP];
    int wanted = 0;
#pragma unroll
    for (int q = 0; q < DEEP; q++) word[q] = e.v[q] >= 0 ? M.words[e.v[q]] : 0;
#pragma unroll
    for (int q = 0; q < DEEP; q++) {
        const unsigned own = e.v[q] >= 0 || mine ? M.words[e.u[q]] : 0;
        stays[q] = false;
        if (e.v[q] >= 0 && (own & ~word[q] & LOST)) mine |= 1u << (word[q] & COLOR);  // first colors are under 32
        else if (e.v[q] >= 0) stays[q] = mark(G, M, e.u[q], own, e.v[q], word[q]);
        wanted += stays[q];
        if (mine && (q == DEEP - 1 || e.u[q + 1] != e.u[q])) {
            forbid_low(M, e.u[q], own, mine);
            mine = 0;
        }
    }
    i64 at = append_several(wanted, rows + EDGES);
#pragma unroll
    for (int q = 0; q < DEEP; q++)
        if (stays[q]) edges[at++] = make_int2(e.u[q], e.v[q]);
}

// ---- the other rounds ---------------------------------------------------------------------------------------------

// Read a thread's DEEP edges of a tile of a list; u = -1 past the end of the list.
static __device__ __forceinline__ void fetch(int2 (&edge)[DEEP], const int2* list, i64 tile, i64 length) {
#pragma unroll
    for (int q = 0; q < DEEP; q++) {
        const i64 i = tile + q * BLOCK + threadIdx.x;
        edge[q] = i < length ? list[i] : make_int2(-1, -1);
    }
}

// Append the vertices that lose their color because of the tile's edges to `next`, each once.
static __device__ __forceinline__ void clash(const Graph& G, const Marks& M, const int2 (&edge)[DEEP], int* next,
                                             u64* length) {
    unsigned word_u[DEEP], word_v[DEEP];
    int who[DEEP], wanted = 0;
#pragma unroll
    for (int q = 0; q < DEEP; q++) {
        word_u[q] = edge[q].x < 0 ? 0 : load_unfenced(M.words + edge[q].x);
        word_v[q] = edge[q].x < 0 ? 1 : load_unfenced(M.words + edge[q].y);
    }
#pragma unroll
    for (int q = 0; q < DEEP; q++) {
        who[q] = -1;
        if ((word_u[q] ^ word_v[q]) & COLOR) continue;
        const int w = G.loser(edge[q].x, word_u[q], edge[q].y, word_v[q]);
        const unsigned word = w == edge[q].x ? word_u[q] : word_v[q];
        if (!(word & LOST) && !(atomicOr(M.words + w, LOST) & LOST)) who[q] = w;
        wanted += who[q] >= 0;
    }
    i64 at = append_several(wanted, length);
#pragma unroll
    for (int q = 0; q < DEEP; q++)
        if (who[q] >= 0) next[at++] = who[q];
}

// Append the tile's live edges to `there`; the other edges are not read again.
static __device__ __forceinline__ void keep(const Graph& G, const Marks& M, const int2 (&edge)[DEEP], int2* there,
                                            u64* length) {
    unsigned word_u[DEEP], word_v[DEEP];
    bool stays[DEEP];
    int wanted = 0;
#pragma unroll
    for (int q = 0; q < DEEP; q++) {
        word_u[q] = edge[q].x < 0 ? 0 : M.words[edge[q].x];
        word_v[q] = edge[q].x < 0 ? 0 : M.words[edge[q].y];
    }
#pragma unroll
    for (int q = 0; q < DEEP; q++) {
        stays[q] = mark(G, M, edge[q].x, word_u[q], edge[q].y, word_v[q]);
        wanted += stays[q];
    }
    i64 at = append_several(wanted, length);
#pragma unroll
    for (int q = 0; q < DEEP; q++)
        if (stays[q]) there[at++] = edge[q];
}

// rows[r]: vertices that lost in round r - 1, and live edges. The caller sets row 0; the other rows are zeros. Two
// lists of vertices, `stride` apart, and two lists of edges, `edge_stride` apart, are used in turn. In the end words
// are colors.
extern "C" __global__ void __launch_bounds__(BLOCK, 4)
    color_rounds(GRAPH_PARAMETERS, MARKS_PARAMETERS, int* losers, i64 stride, int2* edges, i64 edge_stride, int first,
                 int rounds, u64* rows, int* arrived) {
    const Graph G = GRAPH;
    const Marks M = MARKS;
    const i64 mine = (i64)blockIdx.x * BLOCK + threadIdx.x, step = (i64)gridDim.x * BLOCK;
    const i64 tile = (i64)blockIdx.x * TILE, tiles = (i64)gridDim.x * TILE;
    int2 edge[DEEP];
    int goal = 0;
    for (int r = 0; r < rounds && load_relaxed(rows + VERTICES); r++, rows += WORDS) {
        const i64 vertices = load_relaxed(rows + VERTICES), live = load_relaxed(rows + EDGES);
        const int parity = (first + r) & 1;
        const int* chosen = losers + parity * stride;
        const int2* here = edges + parity * edge_stride;
        for (i64 i = mine; i < vertices; i += step) choose(G, M, chosen[i]);
        grid_barrier(arrived, goal);
        if (live == 0) continue;  // no end can lose
        for (i64 at = tile; at < live; at += tiles) {
            fetch(edge, here, at, live);
            clash(G, M, edge, losers + (1 - parity) * stride, rows + WORDS + VERTICES);
        }
        grid_barrier(arrived, goal);
        for (i64 at = tile; at < live; at += tiles) {
            fetch(edge, here, at, live);
            keep(G, M, edge, edges + (1 - parity) * edge_stride, rows + WORDS + EDGES);
        }
        grid_barrier(arrived, goal);
    }
    if (load_relaxed(rows + VERTICES) == 0)
        for (i64 v = mine; v < n; v += step) words[v] &= COLOR;
}
