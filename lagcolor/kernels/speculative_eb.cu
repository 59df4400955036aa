// variants: OFFSET_BITS=32,64
// Edge-based speculative coloring: speculative_eb.py says what a round is and why it ends. A thread works on an edge, or
// on the bits of a vertex, so that no neighbourhood is anybody's own, however large.
//
// `begin` gives every vertex a color to try; `first_clashes` and `first_forbid` go over the stored entries u < v, a tile a
// block; `color_rounds` does all that follows in one cooperative launch.
//
// Shared state: bits of `forbidden` are only ever set, between two meetings of the blocks `lost` only goes from 0 to 1 and
// `rivals` only grows. What a phase reads, an earlier one wrote, but for `lost` as a hint that spares an atomic.
//
// Bytes: 4 n + m / 8 for the bits; 16 an edge in each of the two first passes (column, two colors or two marks), then 24
// an edge and round while neither of its ends is settled.
#define THREAD_MOST 32
#define WARP_MOST 2048
#include "baselines.cuh"

#define TILE 1024
#define MOST_PASSED 32  // free colors: many rivals of a hub are no rivals of each other
enum { VERTICES = 0, EDGES = 1, WORDS = 2 };  // of a row, u64 each: vertices that lost, edges that are left

struct Graph {
    const offset_t* __restrict__ indptr;
    const int* __restrict__ indices;
    const int* __restrict__ p;  // null: larger ⌈log2 degree⌉ first, then larger hash
    int n;
    unsigned word;
    __device__ u64 key(int v) const {
        const int d = (int)(indptr[v + 1] - indptr[v]);
        return (u64)(d > 1 ? 32 - __clz(d - 1) : 0) << 32 | mix((unsigned)v ^ word);
    }
    // Of two vertices that try one color, the one that loses it.
    __device__ int loser(int u, int v) const { return (p ? p[u] > p[v] : key(u) > key(v)) ? v : u; }
};
struct Marks {
    int* colors;
    int* lost;            // 1: the color tried is that of a neighbour who keeps it
    int* rivals;          // of those, neighbours that must choose again, too, and are preferred
    unsigned* forbidden;  // degree + 1 bits a vertex, from word indptr[v] / 32 + v on: that never overlaps
    __device__ unsigned* row(const Graph& G, int v) const { return forbidden + (G.indptr[v] / 32 + v); }
};
#define GRAPH_PARAMETERS const offset_t *indptr, const int *indices, const int *p, int n, i64 word
#define MARKS_PARAMETERS int *colors, int *lost, int *rivals, unsigned *forbidden
#define GRAPH {indptr, indices, p, n, (unsigned)word}
#define MARKS {colors, lost, rivals, forbidden}

// A place for each thread of the block whose `wanted` is true, with one atomic a block; every thread calls.
static __device__ __forceinline__ i64 append_far(bool wanted, u64* length) {
    __shared__ int counts[WARPS];
    __shared__ u64 base;
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const unsigned ballot = __ballot_sync(ALL_LANES, wanted);
    if (lane == 0) counts[warp] = __popc(ballot);
    __syncthreads();
    int before = 0, total = 0;
    for (int w = 0; w < WARPS; w++) {
        before += w < warp ? counts[w] : 0;
        total += counts[w];
    }
    if (threadIdx.x == 0 && total) base = atomicAdd(length, (u64)total);
    __syncthreads();
    const i64 at = (i64)base + before + __popc(ballot & ((1u << lane) - 1));
    __syncthreads();  // counts and base are free for the next call
    return at;
}

// ---- phases of a round, for one edge --------------------------------------------------------------------------------

// Who loses his color, or -1; each of them once.
static __device__ __forceinline__ int clash(const Graph& G, const Marks& M, int u, int v) {
    if (M.colors[u] != M.colors[v]) return -1;
    const int w = G.loser(u, v);
    return look(M.lost + w) == 0 && atomicExch(M.lost + w, 1) == 0 ? w : -1;
}

// What the edge asks of the next choice; whether it stays, for both ends will choose.
static __device__ __forceinline__ bool forbid(const Graph& G, const Marks& M, int u, int v) {
    const int lost_u = M.lost[u], lost_v = M.lost[v];
    if (lost_u && lost_v) {
        if (M.colors[u] == M.colors[v]) atomicAdd(M.rivals + G.loser(u, v), 1);
        return true;
    }
    if (lost_u || lost_v) {
        const int w = lost_u ? u : v, c = M.colors[lost_u ? v : u];
        if (c <= G.indptr[w + 1] - G.indptr[w]) {
            int* word = (int*)M.row(G, w) + c / 32;
            if (!((unsigned)look(word) >> c % 32 & 1)) atomicOr((unsigned*)word, 1u << c % 32);
        }
    }
    return false;
}

// The least color that is not forbidden, but half as many passed over as there are rivals who would choose it, too.
static __device__ __forceinline__ void choose(const Graph& G, const Marks& M, int v) {
    const unsigned* row = M.row(G, v);
    int skip = min(M.rivals[v] / 2, MOST_PASSED);
    for (int w = 0;; w++) {  // ends: colors forbidden and rivals are no more than the degree
        unsigned free = ~row[w];
        const int count = __popc(free);
        if (skip < count) {
            while (skip-- > 0) free &= free - 1;
            M.colors[v] = w * 32 + __ffs((int)free) - 1;
            break;
        }
        skip -= count;
    }
    M.lost[v] = 0;
    M.rivals[v] = 0;
}

// ---- first round: over the stored entries ---------------------------------------------------------------------------

extern "C" __global__ void __launch_bounds__(BLOCK) begin(GRAPH_PARAMETERS, int spread, int most, int* colors) {
    for (i64 v = (i64)blockIdx.x * BLOCK + threadIdx.x; v < n; v += (i64)gridDim.x * BLOCK) {
        const unsigned choice = (unsigned)min((i64)(indptr[v + 1] - indptr[v]) / spread + 1, (i64)most);
        colors[v] = (int)((u64)mix((unsigned)v ^ (unsigned)word) * choice >> 32);
    }
}

// Number of rows that start at or before entry e, among lo … hi - 1 (those below lo do).
static __device__ int rows_until(const offset_t* indptr, int lo, int hi, i64 e) {
    while (lo < hi) {
        const int middle = lo + (hi - lo) / 2;
        if (indptr[middle] <= e) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}

#define EACH_TILE(m)                                                                                      \
    __shared__ int bounds[2];                                                                             \
    const i64 first = (i64)blockIdx.x * TILE, last = min(first + TILE, (i64)(m));                         \
    if (threadIdx.x < 2) bounds[threadIdx.x] = rows_until(indptr, 0, n, threadIdx.x ? last - 1 : first); \
    __syncthreads();                                                                                      \
    for (i64 tile = first; tile < last; tile += BLOCK)

extern "C" __global__ void __launch_bounds__(BLOCK)
    first_clashes(GRAPH_PARAMETERS, MARKS_PARAMETERS, i64 m, int* losers, u64* rows) {
    const Graph G = GRAPH;
    const Marks M = MARKS;
    EACH_TILE(m) {
        const i64 e = tile + threadIdx.x;
        int w = -1;
        if (e < last) {
            const int u = rows_until(indptr, bounds[0], bounds[1], e) - 1, v = indices[e];
            if (u < v) w = clash(G, M, u, v);
        }
        const i64 at = append_far(w >= 0, rows + VERTICES);
        if (w >= 0) losers[at] = w;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    first_forbid(GRAPH_PARAMETERS, MARKS_PARAMETERS, i64 m, int2* edges, u64* rows) {
    const Graph G = GRAPH;
    const Marks M = MARKS;
    EACH_TILE(m) {
        const i64 e = tile + threadIdx.x;
        int u = 0, v = 0;
        bool stays = false;
        if (e < last) {
            u = rows_until(indptr, bounds[0], bounds[1], e) - 1;
            v = indices[e];
            stays = u < v && forbid(G, M, u, v);
        }
        const i64 at = append_far(stays, rows + EDGES);
        if (stays) edges[at] = make_int2(u, v);
    }
}

// ---- the other rounds ------------------------------------------------------------------------------------------------

// rows[r]: vertices that round r - 1 left, and edges between them; row 0 is given, the rest are zeros. Lists of vertices and
// of edges are used in turn, the second `stride` and `edge_stride` behind the first.
extern "C" __global__ void __launch_bounds__(BLOCK, 4)
    color_rounds(GRAPH_PARAMETERS, MARKS_PARAMETERS, int* losers, i64 stride, int2* edges, i64 edge_stride, int first,
                 int rounds, u64* rows, int* arrived) {
    const Graph G = GRAPH;
    const Marks M = MARKS;
    const i64 step = (i64)gridDim.x * BLOCK, mine = (i64)blockIdx.x * BLOCK;
    int goal = 0;
    for (int r = 0; r < rounds; r++, rows += WORDS) {
        const i64 vertices = look(rows + VERTICES), live = look(rows + EDGES);
        if (vertices == 0) return;
        const int parity = (first + r) & 1;
        const int* chosen = losers + parity * stride;
        int* next = losers + (1 - parity) * stride;
        const int2* here = edges + parity * edge_stride;
        int2* there = edges + (1 - parity) * edge_stride;
        for (i64 i = mine + threadIdx.x; i < vertices; i += step) choose(G, M, chosen[i]);
        meet(arrived, goal);
        for (i64 i = mine; i < live; i += step) {
            int w = -1;
            if (i + threadIdx.x < live) w = clash(G, M, here[i + threadIdx.x].x, here[i + threadIdx.x].y);
            const i64 at = append_far(w >= 0, rows + WORDS + VERTICES);
            if (w >= 0) next[at] = w;
        }
        meet(arrived, goal);
        for (i64 i = mine; i < live; i += step) {
            int2 e = make_int2(0, 0);
            bool stays = false;
            if (i + threadIdx.x < live) {
                e = here[i + threadIdx.x];
                stays = forbid(G, M, e.x, e.y);
            }
            const i64 at = append_far(stays, rows + WORDS + EDGES);
            if (stays) there[at] = e;
        }
        meet(arrived, goal);
    }
}
