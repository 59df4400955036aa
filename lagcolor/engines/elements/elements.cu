// variants: INDEX_BITS=32,64 BLOCK=256
// First-fit of elements by decreasing hash of their numbers, and balanced classes, in one cooperative launch. The
// coloring may exist already. If nodes have many elements, and thus many rounds, the nets of two_hop/ are faster.
//
// An element has `width` nodes; −1 and fixed nodes constrain nothing. Each node stores the colors of its elements as
// bits, 64 per word. In each round an uncolored element bids for its nodes with its hash. An element with the highest
// bid at all of its nodes is the earliest uncolored element there. It takes the least color that none of its nodes has.
// The colors equal sequential first-fit in the order "random".
//
// Bids have the round in their upper half, so they are never cleared. Even and odd rounds have separate bids. So one
// barrier per round is enough: elements read the bids of a round while others write the bids of the next.
//
// Progress: the earliest uncolored element wins in each round, and the launch is cooperative.
//
// taken: n × words; bids: 2 × n. Both may be uninitialized before the launch.
#include "engines/elements/balance.cuh"

struct Elements {
    int m, width, words;
    const index_t* __restrict__ nodes;
    const u8* __restrict__ fixed;  // of a node, or null
    i64 n;
    u64* taken;
    u64* bids;

    // Returns the node at place j of an element, −1: none.
    __device__ __forceinline__ i64 node(int e, int j) const {
        const i64 v = nodes[(i64)e * width + j];
        return v < 0 || v >= n || (fixed && fixed[v]) ? NONE : v;
    }
};

// Records a node that is out of range.
static __device__ __forceinline__ void check(const Elements& E, int e, Words* words) {
    for (int j = 0; j < E.width; j++) {
        const i64 v = E.nodes[(i64)e * E.width + j];
        if (v < NONE || v >= E.n) store_relaxed(&words->wrong, 1);
    }
}

static __device__ __forceinline__ u64 bid_of(unsigned round, unsigned hash) { return (u64)round << 32 | hash; }

static __device__ __forceinline__ void bid(const Elements& E, int e, unsigned round, unsigned hash) {
    for (int j = 0; j < E.width; j++) {
        const i64 v = E.node(e, j);
        if (v >= 0) atomicMax(E.bids + (round & 1) * E.n + v, bid_of(round, hash));
    }
}

static __device__ __forceinline__ bool wins(const Elements& E, int e, unsigned round, unsigned hash) {
    bool highest = true;
    for (int j = 0; j < E.width; j++) {
        const i64 v = E.node(e, j);
        if (v >= 0) highest &= load_unfenced(E.bids + (round & 1) * E.n + v) == bid_of(round, hash);
    }
    return highest;
}

// Returns the bits of the colors 64 w … 64 w + 63 that the nodes of e have.
static __device__ __forceinline__ u64 taken_around(const Elements& E, int e, int w) {
    u64 taken = 0;
    for (int j = 0; j < E.width; j++) {
        const i64 v = E.node(e, j);
        if (v >= 0) taken |= load_unfenced(E.taken + v * E.words + w);
    }
    return taken;
}

// Sets or clears a color at the nodes of e; no other thread uses their words in this turn.
static __device__ __forceinline__ void mark(const Elements& E, int e, int c, bool set) {
    const u64 bit = (u64)1 << c % 64;
    for (int j = 0; j < E.width; j++) {
        const i64 v = E.node(e, j);
        if (v < 0) continue;
        u64* at = E.taken + v * E.words + c / 64;
        const u64 word = load_relaxed(at);
        store_relaxed(at, set ? word | bit : word & ~bit);
    }
}

// Sets a color at the nodes of e, atomically.
static __device__ __forceinline__ void note(const Elements& E, int e, int c) {
    for (int j = 0; j < E.width; j++) {
        const i64 v = E.node(e, j);
        if (v >= 0) atomicOr(E.taken + v * E.words + c / 64, (u64)1 << c % 64);
    }
}

static __device__ __forceinline__ int first_fit(const Elements& E, int e) {
    for (int w = 0; w < E.words; w++) {
        const u64 taken = taken_around(E, e, w);
        if (~taken == 0) continue;
        const int c = 64 * w + least_free(taken);
        mark(E, e, c, true);
        return c;
    }
    return NO_BITS;
}

// Moves elements of class s.c, in a turn of balancing.
static __device__ __forceinline__ void move_class(const Elements& E, Classes& s, unsigned seed, int* color) {
    for (int e = blockIdx.x * BLOCK + threadIdx.x; e < E.m; e += gridDim.x * BLOCK) {
        if (color[e] != s.c) continue;
        const unsigned hash = hash_of_turn(s, (unsigned)e, seed);
        if (!moves(s, hash)) continue;
        const int c = color_to_move_to(s, hash, [&](int w) { return taken_around(E, e, w); });
        if (c < 0) continue;
        mark(E, e, s.c, false);
        mark(E, e, c, true);
        color[e] = c;
        count_change(s, s.c, -1);
        count_change(s, c, 1);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    color_elements(int m, int width, int n_words, const index_t* __restrict__ nodes, const u8* __restrict__ fixed, i64 n,
                   unsigned seed, int steps, u64* taken, u64* bids, Words* words, int* color) {
    __shared__ Classes classes;
    const Elements E = {m, width, n_words, nodes, fixed, n, taken, bids};
    const int first = blockIdx.x * BLOCK + threadIdx.x, step = gridDim.x * BLOCK;
    int goal = 0;
    for (i64 i = first; i < n * n_words; i += step) store_relaxed(taken + i, (u64)0);
    for (i64 i = first; i < 2 * n; i += step) store_relaxed(bids + i, (u64)0);
    for (int e = first; e < m; e += step) {
        check(E, e, words);
        if (steps & COLOR) color[e] = NONE;
    }
    grid_barrier(&words->arrived, goal);
    for (int e = first; e < m; e += step) {
        if (steps & COLOR) bid(E, e, 1, mix((unsigned)e, seed));
        else note(E, e, color[e]);
    }
    for (unsigned round = 1; steps & COLOR; round++) {
        grid_barrier(&words->arrived, goal);
        if (round > 1 && !load_relaxed(&words->alive[(round - 1) % 3])) break;
        if (first == 0) store_relaxed(&words->alive[(round + 1) % 3], 0);
        bool left = false;
        for (int e = first; e < m; e += step) {
            if (color[e] != NONE) continue;
            const unsigned hash = mix((unsigned)e, seed);
            if (wins(E, e, round, hash)) {
                color[e] = first_fit(E, e);
            } else {
                bid(E, e, round + 1, hash);
                left = true;
            }
        }
        if (__any_sync(ALL_LANES, left) && threadIdx.x % WARP == 0) store_relaxed(&words->alive[round % 3], 1);
    }
    int largest = -1;
    clear_changes(classes);
    for (int c = threadIdx.x; c < MOST_COLORS; c += BLOCK) classes.size[c] = 0;
    for (int e = first; e < m; e += step) {
        const int c = color[e];
        if (c == NO_BITS) color[e] = NONE, store_relaxed(&words->full, 1);
        largest = max(largest, c);
        if ((steps & BALANCE) && c >= 0) count_change(classes, c, 1);
    }
    largest = reduce_warp<Most>(largest);
    if (threadIdx.x % WARP == 0 && largest >= 0) atomicMax(&words->n_colors, largest + 1);
    if (!(steps & BALANCE)) return;
    int turn = 0;
    publish(classes, words, turn);
    grid_barrier(&words->arrived, goal);
    take_changes(classes, words, turn);
    begin_classes(classes, load_relaxed(&words->n_colors));
    for (next_class(classes); classes.c >= 0; next_class(classes)) {
        move_class(E, classes, seed, color);
        publish(classes, words, ++turn);
        grid_barrier(&words->arrived, goal);
        take_changes(classes, words, turn);
    }
    number_classes(classes);
    for (int e = first; e < m; e += step) color[e] = renumbered(classes, color[e]);
}
