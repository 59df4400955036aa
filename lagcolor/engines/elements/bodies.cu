// variants: INDEX_BITS=32,64 BLOCK=256
// Coloring of bodies in contact, in one cooperative launch: two colors if possible, else first-fit by decreasing hash
// of the numbers of bodies; then balanced classes. The bodies of a pair get different colors.
//
// Two colors are the sides of a union-find with parities: 0 for the smallest body of a component, on any schedule.
//
// Pairs are an edge list; no rows are built. In the first half of a round a pair of uncolored bodies blocks the body
// with the lower hash, and a pair with one colored body marks its color as taken for the other body. In the second half
// a body that is not blocked takes the least free color: all its earlier neighbors are colored, and their colors are
// marked. The colors equal sequential first-fit in the order "random".
//
// Fixed bodies get no color and constrain nothing; nor does a pair of a body with itself.
//
// Progress: the earliest uncolored body is not blocked.
//
// taken: n × words; tags: n. To move a class, the colors around its bodies are marked again; `taken` is 0 in between.
#include "engines/elements/balance.cuh"
#include "graph/parities.cuh"

#define IS_FIXED (-3)  // in place of a color

struct Pairs {
    int m, words;
    const index_t* __restrict__ bodies;
    i64 n;
    u64* taken;
    unsigned* tags;  // links of the union-find, later the last round that blocked a body
    int* color;
};

struct Pair {
    i64 a, b;
    int of_a, of_b;
};

// Reads a pair with its colors; returns whether it constrains its bodies.
static __device__ __forceinline__ bool read_pair(const Pairs& P, int e, Pair& pair) {
    pair.a = P.bodies[2 * (i64)e], pair.b = P.bodies[2 * (i64)e + 1];
    if (pair.a < 0 || pair.b < 0 || pair.a >= P.n || pair.b >= P.n || pair.a == pair.b) return false;
    pair.of_a = load_unfenced(P.color + pair.a), pair.of_b = load_unfenced(P.color + pair.b);
    return pair.of_a != IS_FIXED && pair.of_b != IS_FIXED;
}

static __device__ __forceinline__ void forbid(const Pairs& P, i64 v, int c) {
    if (c >= 0) atomicOr(P.taken + v * P.words + c / 64, (u64)1 << c % 64);
}

// Records a body that is out of range.
static __device__ __forceinline__ void check(const Pairs& P, int e, Words* words) {
    const i64 a = P.bodies[2 * (i64)e], b = P.bodies[2 * (i64)e + 1];
    if (a < NONE || b < NONE || a >= P.n || b >= P.n) store_relaxed(&words->wrong, 1);
}

// Puts the bodies of a pair on different sides; records an odd cycle.
static __device__ __forceinline__ void part(const Pairs& P, int e, Words* words) {
    Pair pair;
    int* link = (int*)P.tags;
    if (load_relaxed(&words->odd) || !read_pair(P, e, pair)) return;
    if (!unite_two(link, load(link, (unsigned)pair.a), load(link, (unsigned)pair.b))) store_relaxed(&words->odd, 1);
}

// Returns 0 or 1: whether a body is on the other side than its root.
static __device__ __forceinline__ int side(const Pairs& P, i64 v) {
    unsigned word = 2 * (unsigned)v, up;
    while ((up = load((const int*)P.tags, word >> 1)) >> 1 != word >> 1) word = up ^ (word & 1);
    return (int)(word & 1);
}

static __device__ __forceinline__ void look_at_pair(const Pairs& P, int e, unsigned round, unsigned seed) {
    Pair pair;
    if (!read_pair(P, e, pair)) return;
    if (pair.of_a == NONE && pair.of_b == NONE) {
        const bool a_first = mix((unsigned)pair.a, seed) > mix((unsigned)pair.b, seed);
        store_relaxed(P.tags + (a_first ? pair.b : pair.a), round);
    } else if (pair.of_a == NONE) {
        forbid(P, pair.a, pair.of_b);
    } else if (pair.of_b == NONE) {
        forbid(P, pair.b, pair.of_a);
    }
}

static __device__ __forceinline__ int first_fit(const Pairs& P, i64 v) {
    for (int w = 0; w < P.words; w++) {
        const u64 taken = load_relaxed(P.taken + v * P.words + w);
        if (~taken) return 64 * w + least_free(taken);
    }
    return NO_BITS;
}

static __device__ __forceinline__ void clear_words(const Pairs& P, i64 v) {
    for (int w = 0; w < P.words; w++) store_relaxed(P.taken + v * P.words + w, (u64)0);
}

// Marks the colors around the bodies of class c.
static __device__ __forceinline__ void look_around(const Pairs& P, int c) {
    for (int e = blockIdx.x * BLOCK + threadIdx.x; e < P.m; e += gridDim.x * BLOCK) {
        Pair pair;
        if (!read_pair(P, e, pair)) continue;
        if (pair.of_a == c) forbid(P, pair.a, pair.of_b);
        if (pair.of_b == c) forbid(P, pair.b, pair.of_a);
    }
}

static __device__ __forceinline__ void move_class(const Pairs& P, Classes& s, unsigned seed) {
    for (i64 v = blockIdx.x * BLOCK + threadIdx.x; v < P.n; v += gridDim.x * BLOCK) {
        if (P.color[v] != s.c) continue;
        const unsigned hash = hash_of_turn(s, (unsigned)v, seed);
        const u64* taken = P.taken + v * P.words;
        const int c = moves(s, hash) ? color_to_move_to(s, hash, [&](int w) { return load_relaxed(taken + w); }) : -1;
        clear_words(P, v);
        if (c < 0) continue;
        store_relaxed(P.color + v, c);
        count_change(s, s.c, -1);
        count_change(s, c, 1);
    }
}

// Counts the colors, and clears the words, after all bodies are colored.
static __device__ __forceinline__ void count_colors(const Pairs& P, Classes& classes, Words* words, bool balance) {
    int largest = -1;
    for (i64 v = blockIdx.x * BLOCK + threadIdx.x; v < P.n; v += gridDim.x * BLOCK) {
        const int c = P.color[v];
        if (c == NO_BITS) store_relaxed(&words->full, 1);
        largest = max(largest, c);
        if (balance && c >= 0) count_change(classes, c, 1);
        clear_words(P, v);
    }
    largest = reduce_warp<Most>(largest);
    if (threadIdx.x % WARP == 0 && largest >= 0) atomicMax(&words->n_colors, largest + 1);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    color_bodies(int m, int n_words, const index_t* __restrict__ bodies, const u8* __restrict__ fixed, i64 n,
                 unsigned seed, int steps, u64* taken, unsigned* tags, Words* words, int* color) {
    __shared__ Classes classes;
    const Pairs P = {m, n_words, bodies, n, taken, tags, color};
    const int first = blockIdx.x * BLOCK + threadIdx.x, step = gridDim.x * BLOCK;
    int goal = 0;
    for (i64 v = first; v < n; v += step) {
        clear_words(P, v);
        store_relaxed(tags + v, 2 * (unsigned)v);
        store_relaxed(color + v, fixed && fixed[v] ? IS_FIXED : NONE);
    }
    for (int e = first; e < m; e += step) check(P, e, words);
    grid_barrier(&words->arrived, goal);
    for (int e = first; e < m; e += step) part(P, e, words);
    grid_barrier(&words->arrived, goal);
    const bool odd = load_relaxed(&words->odd);
    for (i64 v = first; v < n; v += step) {
        if (odd) store_relaxed(tags + v, 0u);
        else if (P.color[v] == NONE) store_relaxed(color + v, side(P, v));
    }
    grid_barrier(&words->arrived, goal);
    for (unsigned round = 1; odd; round++) {
        for (int e = first; e < m; e += step) look_at_pair(P, e, round, seed);
        grid_barrier(&words->arrived, goal);
        if (first == 0) store_relaxed(&words->alive[(round + 1) % 3], 0);
        bool left = false;
        for (i64 v = first; v < n; v += step) {
            if (P.color[v] != NONE) continue;
            if (load_relaxed(tags + v) == round) left = true;
            else store_relaxed(color + v, first_fit(P, v));
        }
        if (__any_sync(ALL_LANES, left) && threadIdx.x % WARP == 0) store_relaxed(&words->alive[round % 3], 1);
        grid_barrier(&words->arrived, goal);
        if (!load_relaxed(&words->alive[round % 3])) break;
    }
    clear_changes(classes);
    for (int c = threadIdx.x; c < MOST_COLORS; c += BLOCK) classes.size[c] = 0;
    count_colors(P, classes, words, steps & BALANCE);
    int turn = 0;
    publish(classes, words, turn);
    grid_barrier(&words->arrived, goal);
    if (steps & BALANCE) {
        take_changes(classes, words, turn);
        begin_classes(classes, load_relaxed(&words->n_colors));
        for (next_class(classes); classes.c >= 0; next_class(classes)) {
            look_around(P, classes.c);
            grid_barrier(&words->arrived, goal);
            move_class(P, classes, seed);
            publish(classes, words, ++turn);
            grid_barrier(&words->arrived, goal);
            take_changes(classes, words, turn);
        }
        number_classes(classes);
    }
    for (i64 v = first; v < n; v += step)
        color[v] = P.color[v] < 0 ? NONE : steps & BALANCE ? renumbered(classes, P.color[v]) : P.color[v];
}
