// variants: OFFSET_BITS=32,64
// Edge-based speculative coloring: edge_based.py says what a round is and why it ends. A thread works on an edge,
// or on the bits of a vertex, so that no neighborhood belongs to one thread, however large.
//
// `begin` gives every vertex a color to try; `first_clashes` and `first_forbid` go over the stored entries u < v, a
// tile a block, with `first_losers` between; `color_rounds` does all that follows in one cooperative launch.
//
// words[v]: color, ⌈log2 degree⌉ in LEVEL, and LOST while v must choose again. One gather has all that an edge needs.
// Shared state: what a phase reads, an earlier one wrote, but for three things that only grow in it, through relaxed
// atomics: LOST in `clash` (the colors in the same word stay), bits of `low` and `high`, and `rivals`.
//
// Bytes: 4 n + m / 8 for the bits; in each of the two first passes 4 per entry and a gather of 4 per edge (in the
// second also one atomic per edge with one loser, or with two of one color); then 24 per edge and round while both its
// ends lose.
#define THREAD_MOST 32
#define WARP_MOST 2048
#include "base/device/include/palette.cuh"
#include "base/device/include/search.cuh"
#include "engines/rounds/worklists.cuh"

#define TILE (DEEP * BLOCK)  // entries or edges that a block takes at a time
#define LOST 0x80000000u
#define LEVEL 0x7c000000u
#define COLOR 0x03ffffffu    // color c of first-fit needs c²/2 edges around it: 2^26 colors are out of reach
#define LEVEL_SHIFT 26
#define HOT (6u << LEVEL_SHIFT)  // from this level on others have often done what an atomic would do: a look spares it
#define MOST_PASSED 32           // free colors: many rivals of a hub are no rivals of each other
enum { VERTICES = 0, EDGES = 1, WORDS = 2 };  // of a row, u64 each: vertices that lost, edges that are left

struct Graph {
    const offset_t* __restrict__ indptr;
    const int* __restrict__ indices;
    const int* __restrict__ p;  // null: larger level first, then larger hash
    int n;
    unsigned seed;
    // Of two vertices that try one color, the one that loses it.
    __device__ int loser(int u, unsigned word_u, int v, unsigned word_v) const {
        if (p) return p[u] > p[v] ? v : u;
        const unsigned level_u = word_u & LEVEL, level_v = word_v & LEVEL;
        if (level_u != level_v) return level_u > level_v ? v : u;
        return mix((unsigned)u ^ seed) > mix((unsigned)v ^ seed) ? v : u;
    }
};
struct Marks {
    unsigned* words;
    int* rivals;    // neighbors of v's color that must choose again, too, and are preferred; before that 1: v has lost
    unsigned* low;   // forbidden colors under 32, a word per vertex
    unsigned* high;  // the others: degree / 32 words from word indptr[v] / 32 on, which never overlap
};
#define GRAPH_PARAMETERS const offset_t *indptr, const int *indices, const int *p, int n, i64 seed
#define MARKS_PARAMETERS unsigned *words, int *rivals, unsigned *low, unsigned *high
#define GRAPH {indptr, indices, p, n, (unsigned)seed}
#define MARKS {words, rivals, low, high}

// ---- what edges ask, and how a vertex chooses -----------------------------------------------------------------------

static __device__ __forceinline__ void forbid_low(const Marks& M, int w, unsigned word, unsigned bits) {
    if ((word & LEVEL) >= HOT && !(bits & ~load_unfenced(M.low + w))) return;
    atomicOr(M.low + w, bits);
}

// Vertex w may not choose color c.
static __device__ __forceinline__ void forbid(const Graph& G, const Marks& M, int w, unsigned word, unsigned c) {
    if (c < 32) return forbid_low(M, w, word, 1u << c);
    const offset_t start = G.indptr[w];
    if ((i64)c > (i64)(G.indptr[w + 1] - start)) return;  // it never would
    unsigned* at = M.high + (start / 32 + c / 32 - 1);
    if (!(load_unfenced(at) >> c % 32 & 1)) atomicOr(at, 1u << c % 32);
}

static __device__ __forceinline__ void add_rival(const Marks& M, int w, unsigned word) {
    if ((word & LEVEL) >= HOT && load_unfenced(M.rivals + w) >= 2 * MOST_PASSED) return;  // more make no difference
    atomicAdd(M.rivals + w, 1);
}

// What the edge asks of the next choice; whether it stays, for both ends will choose.
static __device__ __forceinline__ bool ask(const Graph& G, const Marks& M, int u, unsigned word_u, int v,
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

// The least color that is not forbidden, but half as many passed over as there are rivals who would choose it, too.
static __device__ __forceinline__ void choose(const Graph& G, const Marks& M, int v) {
    int skip = min(M.rivals[v] / 2, MOST_PASSED), base = 0;
    unsigned free = ~M.low[v];
    const unsigned* high = M.high;
    // Ends: colors forbidden and rivals are no more than the degree.
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

// A thread's DEEP entries of the block's tile, one after another: their neighbors v, -1 where there is none or u > v,
// and whether the row differs from the row of the entry before.
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

// Of each edge with one color on both ends, which end loses it: noted in `rivals` by the first writer.
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
    unsigned word[DEEP], mine = 0;  // mine: what the edges so far forbid their common u
    bool stays[DEEP];
    int wanted = 0;
#pragma unroll
    for (int q = 0; q < DEEP; q++) word[q] = e.v[q] >= 0 ? M.words[e.v[q]] : 0;
#pragma unroll
    for (int q = 0; q < DEEP; q++) {
        const unsigned own = e.v[q] >= 0 || mine ? M.words[e.u[q]] : 0;
        stays[q] = false;
        if (e.v[q] >= 0 && (own & ~word[q] & LOST)) mine |= 1u << (word[q] & COLOR);  // first colors are under 32
        else if (e.v[q] >= 0) stays[q] = ask(G, M, e.u[q], own, e.v[q], word[q]);
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

// A thread's DEEP edges of a tile of a list: none beyond its end, where u = -1.
static __device__ __forceinline__ void fetch(int2 (&edge)[DEEP], const int2* list, i64 tile, i64 length) {
#pragma unroll
    for (int q = 0; q < DEEP; q++) {
        const i64 i = tile + q * BLOCK + threadIdx.x;
        edge[q] = i < length ? list[i] : make_int2(-1, -1);
    }
}

// Those who lose their color by a tile's edges go to `next`, each of them once.
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

// A tile's edges whose ends have both lost go to `there`; the others are read for the last time.
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
        stays[q] = ask(G, M, edge[q].x, word_u[q], edge[q].y, word_v[q]);
        wanted += stays[q];
    }
    i64 at = append_several(wanted, length);
#pragma unroll
    for (int q = 0; q < DEEP; q++)
        if (stays[q]) there[at++] = edge[q];
}

// rows[r]: vertices that round r - 1 left, and edges between them; row 0 is given, the rest are zeros. Lists of
// vertices and of edges are used in turn, the second `stride` and `edge_stride` behind the first. In the end words
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
