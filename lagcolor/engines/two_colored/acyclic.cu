// variants: OFFSET_BITS=32,64 THREAD_MOST=256 WARP_MOST=2048
// Acyclic coloring in rounds, all in cooperative launches; acyclic_cuda.py defines a round, and shows that rounds end.
//
// A round has two passes over the ready vertices, each followed by a grid barrier. Pass `Choosing`: the least color,
// and claims to trees. Pass `Keeping`: a vertex that has lost no claim unites trees, takes its color, and makes later
// neighbors ready. If few vertices are ready, one block works without grid barriers.
//
// Elements: the row of w has an entry for each color c of its neighbors. Entry e with element_color[e] = c is the
// element (w, c). Entries are probed from c mod degree on; a used entry stays used. up[e] points to the element of
// smaller vertex that it was united with; a root has −1 − its vertex. A tree has one element per vertex, and its root
// belongs to the least vertex.
//
// Shared state: each element_color[] changes once, by compare-and-swap. up[] of a root changes once, by
// compare-and-swap; all other values stored there lead to the same root. claims[] only decreases: a later round is
// smaller, and so is an earlier position in the sequence. color[] and pending[] are read as they were at the barrier,
// except counts and stamps, which are atomic.
//
// Degrees: up to REGISTERS one neighbor per lane; up to THREAD_MOST a warp and up to WARP_MOST a block, with a hash
// table of roots in shared memory; for hubs in global memory.
#include "base/device/include/palette.cuh"
#include "engines/rounds/worklists.cuh"

#ifndef REGISTERS
#define REGISTERS 32  // largest degree with one lane per neighbor
#endif
#ifndef WORDS
#define WORDS 32  // words of a palette: 1024 colors
#endif
#ifndef SOLO
#define SOLO WARPS  // most ready vertices that one block colors alone
#endif
#define NONE (-1)
#define NEVER 0x7fffffff  // `pending` of a vertex that is not colored

#if OFFSET_BITS == 64
typedef u64 link_t;
#else
typedef unsigned link_t;
#endif
static_assert(WARP_MOST == WARPS * THREAD_MOST, "the table of a block consists of the tables of its warps");

// ---- elements and their trees ----------------------------------------------------------------------------------------

struct Root {
    offset_t entry;
    int vertex;
};

struct Graph {
    const offset_t* __restrict__ indptr;
    const int* __restrict__ indices;
    const int* __restrict__ sequence;  // null: by id
    const int* __restrict__ place;     // position of each vertex in it, −1: not in it
    const u8* __restrict__ neutral;    // may be null
    int rows;                          // if not 0, vertices below it have even colors, others odd ones
    int* color;                        // −1: none; −2 − c: c is chosen
    int* pending;                      // number of uncolored earlier neighbors; last lost round of a ready vertex
    int* element_color;
    offset_t* up;
    u64* claims;
    unsigned mask;  // of positions in claims

    __device__ __forceinline__ int degree(int v) const { return (int)(indptr[v + 1] - indptr[v]); }
    __device__ __forceinline__ int first_color(int v) const { return rows && v >= rows; }
    __device__ __forceinline__ int color_step() const { return rows ? 2 : 1; }
    __device__ __forceinline__ int color_of(int v) const { return load_unfenced(color + v); }
    // Whether the uncolored v is neutral: it never gets a color, and its neighbors have different colors.
    __device__ __forceinline__ bool is_neutral(int v) const { return neutral && neutral[v]; }
    __device__ __forceinline__ offset_t up_of(offset_t e) const { return (offset_t)load_unfenced((const link_t*)up + e); }
};

// The entry of the element (w, c), or NONE.
static __device__ __forceinline__ offset_t element(const Graph& g, int w, int c) {
    const offset_t begin = g.indptr[w];
    const int degree = (int)(g.indptr[w + 1] - begin);
    int at = c % degree;
    for (int k = 0; k < degree; k++) {
        const int other = load_unfenced(g.element_color + begin + at);
        if (other == c) return begin + at;
        if (other == NONE) return NONE;
        if (++at == degree) at = 0;
    }
    return NONE;
}

// The entry of the element (w, c), which is added if there is none. Ends: w has at most as many neighbor colors as
// neighbors.
static __device__ __forceinline__ offset_t make_element(const Graph& g, int w, int c) {
    const offset_t begin = g.indptr[w];
    const int degree = (int)(g.indptr[w + 1] - begin);
    for (int at = c % degree;;) {
        int other = load_unfenced(g.element_color + begin + at);
        if (other == NONE) other = atomicCAS(g.element_color + begin + at, NONE, c);
        if (other == NONE || other == c) return begin + at;
        if (++at == degree) at = 0;
    }
}

// The root of an element's tree; paths are halved.
static __device__ __forceinline__ Root root_of(const Graph& g, offset_t e) {
    offset_t next = g.up_of(e);
    while (next >= 0) {
        const offset_t over = g.up_of(next);
        if (over < 0) return {next, (int)(-1 - over)};
        store_relaxed((link_t*)g.up + e, (link_t)over);
        e = over;
        next = g.up_of(e);
    }
    return {e, (int)(-1 - next)};
}

// The least vertex of the tree of w and color c, which may be w alone.
static __device__ __forceinline__ int tree_of(const Graph& g, int w, int c) {
    const offset_t e = element(g, w, c);
    return e < 0 ? w : root_of(g, e).vertex;
}

// Unite two trees. Progress: if the swap fails, another thread has changed this root, which happens once per root.
static __device__ __forceinline__ void unite(const Graph& g, offset_t e, offset_t f) {
    for (;;) {
        const Root a = root_of(g, e), b = root_of(g, f);
        if (a.entry == b.entry) return;
        const Root low = a.vertex < b.vertex ? a : b, high = a.vertex < b.vertex ? b : a;
        const link_t was = (link_t)(offset_t)(-1 - high.vertex);
        if (atomicCAS((link_t*)g.up + high.entry, was, (link_t)low.entry) == was) return;
    }
}

// ---- claims ----------------------------------------------------------------------------------------------------------

// Claim a tree for the vertex at a position of the sequence; return whether the claim is lost to an earlier vertex. A
// later vertex that had claimed the tree is notified that it has lost.
static __device__ __forceinline__ bool claim(const Graph& g, unsigned key, int place, int round) {
    u64* const at = g.claims + (mix(key) & g.mask);
    const u64 mine = (u64)(~0u - (unsigned)round) << 32 | (unsigned)place;
    const u64 seen = load_unfenced(at);
    const u64 old = seen < mine ? seen : atomicMin(at, mine);
    if (old < mine) return true;  // `old` is of this round: there are no claims of later rounds
    if (old > mine && old >> 32 == mine >> 32) {
        const int other = (int)(unsigned)old;
        store_relaxed(g.pending + (g.sequence ? g.sequence[other] : other), round);
    }
    return false;
}

static __device__ __forceinline__ unsigned key_of(int vertex, int colors) {
    return (unsigned)vertex ^ mix((unsigned)colors);
}

// ---- a color for a vertex ----------------------------------------------------------------------------------------------

struct Scratch {
    offset_t* keys;  // hash table with at least two entries per neighbor
    int* least;      // the least neighboring tree, by element of the vertex
    unsigned* bits;  // taken colors, colors of neighbors, colors of two or more neighbors
};

struct Choice {
    int color;
    bool lost;
};

// Choose a color for a vertex of up to REGISTERS neighbors, one lane per neighbor and color to try; the warp calls.
static __device__ __forceinline__ Choice choose_by_lanes(const Graph& g, int v, int place, int round) {
    const offset_t begin = g.indptr[v];
    const int degree = (int)(g.indptr[v + 1] - begin), lane = threadIdx.x % WARP;
    const int width = degree <= 4 ? 4 : degree <= 8 ? 8 : degree <= 16 ? 16 : 32, first = lane & -width;
    const unsigned lanes = ~0u >> (WARP - width) << first;  // lanes that try the same color
    const int w = lane - first < degree ? g.indices[begin + lane - first] : NONE;
    const int d = w >= 0 ? g.color_of(w) : NONE;
    const bool alone = w >= 0 && d < 0 && g.is_neutral(w);
    bool twice = false;
    for (int s = 0; s < degree; s++) {
        const int other = __shfl_sync(ALL_LANES, d, first + s);
        twice |= first + s != lane && other == d && d >= 0;
    }
    const int step = g.color_step();
    for (int c = g.first_color(v) + first / width * step;; c += WARP / width * step) {
        // Ends: each neighbor and each pair of them forbids one color.
        bool closed = (__ballot_sync(ALL_LANES, d == c) & lanes) != 0;
        const int tree = twice && !closed ? tree_of(g, w, c) : NONE;
        int least = tree;
        for (int s = 0; s < degree; s++) {
            const int other = __shfl_sync(ALL_LANES, tree, first + s), of = __shfl_sync(ALL_LANES, d, first + s);
            if (tree < 0 || first + s == lane || of != d) continue;
            closed |= other == tree;
            least = min(least, other);
        }
        if (alone && !closed) closed = element(g, w, c) >= 0;
        const unsigned votes = __ballot_sync(ALL_LANES, closed);
        const unsigned free = __ballot_sync(ALL_LANES, (votes & lanes) == 0);
        if (free == 0) continue;
        const int leader = __ffs((int)free) - 1;  // first lane with the least color
        bool lost = false;
        if (first == leader && tree != least) lost = claim(g, key_of(tree, c + d), place, round);
        if (first == leader && alone) lost = claim(g, key_of(w, c), place, round);
        return {__shfl_sync(ALL_LANES, c, leader), __any_sync(ALL_LANES, lost) != 0};
    }
}

// Insert a root into the table; return whether it was there.
static __device__ __forceinline__ bool seen_before(offset_t* keys, unsigned mask, offset_t root) {
    for (unsigned at = mix((unsigned)root) & mask;; at = (at + 1) & mask) {  // ends: half of the entries are free
        const offset_t was = (offset_t)atomicCAS((link_t*)keys + at, (link_t)NONE, (link_t)root);
        if (was == NONE) return false;
        if (was == root) return true;
    }
}

static __device__ __forceinline__ bool is_set(const unsigned* bits, int c) {
    return ((const volatile unsigned*)bits)[c / 32 % WORDS] >> c % 32 & 1;
}

// The neighborhood of a vertex with many neighbors, for a warp or a block.
template <class Group> struct Around {
    const Graph& g;
    Scratch s;
    int v;
    offset_t begin, end;

    __device__ __forceinline__ unsigned* once() const { return s.bits + WORDS; }
    __device__ __forceinline__ unsigned* twice() const { return s.bits + 2 * WORDS; }

    // Mark the colors of neighbors as taken, if they are in the window. Colors that occur twice, modulo the window, get
    // a bit of `twice`.
    __device__ __forceinline__ void look(const Palette<Group, WORDS>& taken, int window) const {
        for (int i = Group::lane(); i < WORDS; i += Group::SIZE) {
            s.bits[i] = g.rows ? g.first_color(v) ? 0x55555555u : 0xaaaaaaaau : 0;
            once()[i] = twice()[i] = 0;
        }
        Group::sync();
        for (offset_t e = begin + Group::lane(); e < end; e += Group::SIZE) {
            const int d = g.color_of(g.indices[e]);
            if (d < 0) continue;
            if (d >= window) taken.take(d - window);
            const unsigned bit = 1u << d % 32;
            if (atomicOr(once() + d / 32 % WORDS, bit) & bit) take_color(twice(), d % (32 * WORDS));
        }
    }

    // Whether c on v would close a cycle, or is the color of another neighbor of a neutral neighbor.
    __device__ __forceinline__ bool closes(int c) const {
        unsigned size = 2;
        while (size < 2 * (unsigned)(end - begin)) size *= 2;
        Group::sync();
        for (unsigned i = Group::lane(); i < size; i += Group::SIZE) s.keys[i] = NONE;
        Group::sync();
        bool found = false;
        for (offset_t e = begin + Group::lane(); e < end && !found; e += Group::SIZE) {
            const int w = g.indices[e], d = g.color_of(w);
            if (d < 0 ? !g.is_neutral(w) : !is_set(twice(), d)) continue;
            const offset_t f = element(g, w, c);
            if (f >= 0) found = d < 0 || seen_before(s.keys, size - 1, root_of(g, f).entry);
        }
        return Group::any(found);
    }

    __device__ __forceinline__ bool claims(int c, int place, int round) const {
        for (int i = Group::lane(); i < (int)(end - begin); i += Group::SIZE) s.least[i] = NO_COLOR;
        Group::sync();
        for (offset_t e = begin + Group::lane(); e < end; e += Group::SIZE) {
            const int w = g.indices[e], d = g.color_of(w);
            if (d >= 0 && is_set(twice(), d)) atomicMin(s.least + (element(g, v, d) - begin), tree_of(g, w, c));
        }
        Group::sync();
        bool lost = false;
        for (offset_t e = begin + Group::lane(); e < end; e += Group::SIZE) {
            const int w = g.indices[e], d = g.color_of(w);
            if (d < 0) {
                if (g.is_neutral(w)) lost |= claim(g, key_of(w, c), place, round);
            } else if (is_set(twice(), d)) {
                const int tree = tree_of(g, w, c), least = ((volatile int*)s.least)[element(g, v, d) - begin];
                if (tree != least) lost |= claim(g, key_of(tree, c + d), place, round);
            }
        }
        return Group::any(lost);
    }

    __device__ __forceinline__ Choice choose(int place, int round) const {
        const Palette<Group, WORDS> taken = {s.bits};
        for (int window = 0;; window += Palette<Group, WORDS>::COLORS) {  // ends: as by lanes
            look(taken, window);
            for (int least = taken.least(); least >= 0; least = taken.least()) {
                if (!closes(window + least)) return {window + least, claims(window + least, place, round)};
                if (Group::lane() == 0) take_color(s.bits, least);
            }
        }
    }
};

// ---- the two passes of a round -------------------------------------------------------------------------------------------

struct Choosing {
    const Graph& g;
    Scratch warp, block, hub;
    int round;

    template <class Group> __device__ __forceinline__ void visit(int v) const {
        const int place = g.place ? g.place[v] : v, degree = g.degree(v);
        Choice choice;
        if (Group::SIZE == WARP && degree <= REGISTERS) {
            choice = choose_by_lanes(g, v, place, round);
        } else {
            const Scratch own = Group::SIZE == WARP ? warp : degree <= WARP_MOST ? block : hub;
            choice = Around<Group>{g, own, v, g.indptr[v], g.indptr[v + 1]}.choose(place, round);
        }
        if (Group::lane() == 0) {
            store_relaxed(g.color + v, -2 - choice.color);
            if (choice.lost) store_relaxed(g.pending + v, round);
        }
        Group::sync();  // the scratch memory is free
    }
};

static __device__ __forceinline__ void append(const Lists& lists, int round, int* counts, int v, int degree) {
    const int k = lists.classified() ? class_of((offset_t)degree) : 0;
    store_relaxed(lists.part(round, k) + atomicAdd(counts + k, 1), v);
}

struct Keeping {
    const Graph& g;
    const Lists& lists;
    int round;
    int* row;  // lengths of the lists of the next round
    int* losers;

    template <class Group> __device__ __forceinline__ void visit(int v) const {
        const offset_t begin = g.indptr[v], end = g.indptr[v + 1];
        if (load_unfenced(g.pending + v) == round) {
            if (Group::lane() == 0) {
                append(lists, round + 1, row, v, (int)(end - begin));
                atomicAdd(losers, 1);
            }
            return;
        }
        const int c = -2 - g.color_of(v);
        for (offset_t e = begin + Group::lane(); e < end; e += Group::SIZE) {
            const int w = g.indices[e], d = g.color_of(w);
            const offset_t f = make_element(g, w, c);
            if (d >= 0) unite(g, make_element(g, v, d), f);
            else if (atomicSub(g.pending + w, 1) == 1) append(lists, round + 1, row, w, g.degree(w));
        }
        Group::sync();  // all have read the choice
        if (Group::lane() == 0) store_relaxed(g.color + v, c);
    }
};

// Visit all ready vertices of a round, by `blocks` blocks; the first `tables` of them visit the hubs.
template <class Pass>
static __device__ __forceinline__ void pass(const Lists& lists, const int* row, int blocks, int block, int tables, const Pass& step) {
    const int small = load_unfenced(row), middle = load_unfenced(row + 1), large = load_unfenced(row + 2);
    for (int k = 2; k; k--) {
        const int count = k == 2 ? large : middle, taking = k == 2 ? min(tables, blocks) : blocks;
        for (int i = block; block < taking && i < count; i += taking)
            step.template visit<Block>(load_unfenced(lists.part(step.round, k) + i));
    }
    __syncthreads();  // the warps use the tables of the block
    for (int i = blocks - 1 - block + blocks * (threadIdx.x / WARP); i < small; i += blocks * WARPS)
        step.template visit<Warp>(load_unfenced(lists.part(step.round, 0) + i));
}

static __device__ __forceinline__ int ready_in(const int* row) {
    return load_unfenced(row) + load_unfenced(row + 1) + load_unfenced(row + 2);
}

// Barrier of the blocks that take part in a round.
static __device__ __forceinline__ void barrier(bool solo, int* arrived, int& goal) {
    if (solo) __syncthreads();
    else grid_barrier(arrived, goal);
}

#define GRAPH_PARAMETERS const offset_t *indptr, const int *indices, const int *sequence, const int *place, const u8 *neutral, int rows, int *color, int *pending, int *element_color, offset_t *up, u64 *claims, unsigned mask
#define GRAPH {indptr, indices, sequence, place, neutral, rows, color, pending, element_color, up, claims, mask}

// Initialize the first round: no elements, each entry a root, earlier neighbors counted, and vertices without earlier
// neighbors listed. place[] has the vertices to color; others keep their color, or none.
struct Beginning {
    const Graph& g;
    const Lists& lists;
    int* row;
    template <class Group> __device__ __forceinline__ void visit(int v) const {
        const int own = g.place ? g.place[v] : v;
        const offset_t begin = g.indptr[v], end = g.indptr[v + 1];
        int earlier = 0;
        for (offset_t e = begin + Group::lane(); e < end; e += Group::SIZE) {
            const int w = g.indices[e], then = g.place ? g.place[w] : w;
            g.element_color[e] = NONE;
            g.up[e] = -1 - (offset_t)v;
            earlier += then >= 0 && then < own;
        }
        earlier = Group::template reduce<Plus>(earlier);
        if (Group::lane()) return;
        g.pending[v] = own < 0 ? NEVER : earlier;
        if (own >= 0 && earlier == 0) append(lists, 1, row, v, (int)(end - begin));
    }
};

// Build the elements and trees of the vertices that already have colors.
struct Uniting {
    const Graph& g;
    template <class Group> __device__ __forceinline__ void visit(int v) const {
        const int c = g.color_of(v);
        if (c < 0) return;
        const offset_t end = g.indptr[v + 1];
        for (offset_t e = g.indptr[v] + Group::lane(); e < end; e += Group::SIZE) {
            const int w = g.indices[e], d = g.color_of(w);
            const offset_t f = make_element(g, w, c);
            if (d >= 0 && v < w) unite(g, make_element(g, v, d), f);
        }
    }
};

// Visit all vertices, each by a warp, or by a block if it is a hub.
template <class Pass> static __device__ void each(const Graph& g, const Lists& lists, int n, const Pass& step) {
    for (i64 first = (i64)blockIdx.x * WARPS; first < n; first += (i64)gridDim.x * WARPS) {
        const i64 v = first + threadIdx.x / WARP;
        if (v < n && g.degree((int)v) <= WARP_MOST) step.template visit<Warp>((int)v);
        for (i64 u = first; lists.classified() && u < min(first + WARPS, (i64)n); u++)
            if (g.degree((int)u) > WARP_MOST) step.template visit<Block>((int)u);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) begin_all(GRAPH_PARAMETERS, LIST_PARAMETERS, int* row) {
    const Graph g = GRAPH;
    const Lists lists = LISTS;
    each(g, lists, n, Beginning{g, lists, row});
}

extern "C" __global__ void __launch_bounds__(BLOCK) unite_all(GRAPH_PARAMETERS, LIST_PARAMETERS) {
    const Graph g = GRAPH;
    const Lists lists = LISTS;
    each(g, lists, n, Uniting{g});
}

// Run up to `rounds` rounds from round `first` on (1 or more). counts[]: row 0 has the lengths of the lists; the other
// rows are 0 and get the lengths of later rounds, with the number of vertices that lost. *at: scratch. keys, least:
// tables for hubs of the first `tables` blocks, with `places` and `leasts` entries each.
extern "C" __global__ void __launch_bounds__(BLOCK)
    color_rounds(GRAPH_PARAMETERS, LIST_PARAMETERS, int first, int rounds, int* counts, int* arrived, int* at,
                 offset_t* keys, int* least, i64 places, i64 leasts, int tables) {
    __shared__ offset_t table[2 * WARP_MOST];
    __shared__ int trees[WARP_MOST];
    __shared__ unsigned bits[WARPS * 3 * WORDS];
    const Graph g = GRAPH;
    const Lists lists = LISTS;
    const int warp = threadIdx.x / WARP;
    const Scratch of_warp = {table + 2 * THREAD_MOST * warp, trees + THREAD_MOST * warp, bits + 3 * WORDS * warp};
    const Scratch of_block = {table, trees, bits};
    const Scratch of_hub = {keys + places * blockIdx.x, least + leasts * blockIdx.x, bits};
    int goal = 0;
    for (int done = 0; done < rounds;) {
        int* const row = counts + done * ROW;
        const int ready = ready_in(row);
        if (ready == 0) return;
        const bool solo = ready <= SOLO;
        if (!solo || blockIdx.x == 0) {
            const int round = first + done, blocks = solo ? 1 : gridDim.x, block = solo ? 0 : blockIdx.x;
            pass(lists, row, blocks, block, tables, Choosing{g, of_warp, of_block, of_hub, round});
            barrier(solo, arrived, goal);
            pass(lists, row, blocks, block, blocks, Keeping{g, lists, round, row + ROW, row + CLASSES});
            barrier(solo, arrived, goal);
            done++;
        }
        if (!solo) continue;
        if (blockIdx.x == 0) {  // continues alone while few vertices are ready
            const int then = done < rounds ? ready_in(row + ROW) : 0;
            if (then && then <= SOLO) continue;
            if (threadIdx.x == 0) store_relaxed(at, done);
        }
        grid_barrier(arrived, goal);
        done = load_unfenced(at);
    }
}

// List the vertices of a color, in any order.
extern "C" __global__ void list_class(const int* color, int n, int c, int* listed, int* length) {
    for (i64 v = (i64)blockIdx.x * BLOCK + threadIdx.x; v < n; v += (i64)gridDim.x * BLOCK) {
        if (color[v] == c) listed[atomicAdd(length, 1)] = (int)v;
    }
}
