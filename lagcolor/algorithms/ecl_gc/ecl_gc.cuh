// Parts of ECL-GC's kernel: the word of a vertex, which has its possible colors, and the comparison of two vertices in
// the order.
//
// A vertex has one word, read and written by relaxed atomics. Bit 0 distinguishes two kinds:
//   0  at most WORD_MOST earlier neighbors: bit 31 - c is set while color c is possible; one bit alone is its color
//   1  more: bit 1 set: the color above it; else the least possible color in bits 2 … 21, the largest in 22 … 31, as a
//      number of 6 bits times a power of two, rounded up. A greedy color c has c(c + 1) entries behind it, so that
//      20 bits are enough for 2^40 entries.
// Words are monotone: bits are only cleared, the least color only grows, the kind stays. So an old word has colors too
// many, never too few, and what follows from it stays true.
#pragma once
#define WORD_MOST 28  // so that the place in a row, begun up to three entries before it, fits 31 bits
#ifndef HUB
#define HUB 4096  // neighbors from which a block orients a vertex, earlier ones from which a block colors it
#endif
#define THREAD_MOST WORD_MOST
#define WARP_MOST HUB
#include "engines/rounds/worklists.cuh"

#define FIRST_COLOR 0x80000000u
#define BEST_BITS 20

// ---- words -----------------------------------------------------------------------------------------------------------

static __device__ __forceinline__ bool has_color(unsigned w) { return w & 1 ? w & 2 : !(w & (w - 1)); }
static __device__ __forceinline__ unsigned color_of(unsigned w) { return w & 1 ? w >> 2 : (unsigned)__clz((int)w); }
static __device__ __forceinline__ unsigned first_colors(int count) { return ~(~0u >> count); }  // count < 32

static __device__ __forceinline__ unsigned colored_word(unsigned color) { return color << 2 | 3; }
static __device__ __forceinline__ unsigned best_of(unsigned w) { return w >> 2 & ((1u << BEST_BITS) - 1); }
static __device__ __forceinline__ unsigned worst_of(unsigned w) { return (32u | (w >> 22 & 31)) << (w >> 27); }

static __device__ __forceinline__ unsigned interval_word(unsigned worst) {  // best: color 0
    worst = worst < 32 ? 32 : worst;
    const int shift = 26 - __clz((int)worst);  // leaves 6 bits
    const unsigned rounded = (worst + (1u << shift) - 1) >> shift;  // 64 carries into the exponent
    return ((unsigned)shift * 32 + rounded - 32) << 22 | 1;
}
static __device__ __forceinline__ unsigned with_best(unsigned w, unsigned best) {
    return (w & ~(((1u << BEST_BITS) - 1) << 2)) | best << 2;
}

// Colors 0 … 30 that a word leaves possible, as bits 31 … 1.
static __device__ __forceinline__ unsigned colors_in(unsigned w) {
    if (!(w & 1)) return w;
    const unsigned c = w & 2 ? w >> 2 : best_of(w);
    if (c > 30) return 0;
    return w & 2 ? FIRST_COLOR >> c : ~0u >> c & ~1u;
}

// Whether the vertex of word w blocks `color` for a later one; without Shortcut 1, any vertex without a color does.
static __device__ __forceinline__ bool blocks(unsigned w, unsigned color, bool sc1) {
    if (has_color(w)) return false;
    if (!sc1) return true;
    if (w & 1) return best_of(w) <= color && color <= worst_of(w);
    return color < 31 && (w << color & FIRST_COLOR);
}

// ---- order: KEY 0: none, 1: degree, 2: p; ties by id, the smaller first, or HASHED, the larger hash first -----------------

struct Order {
    const offset_t* __restrict__ indptr;
    const int* __restrict__ p;
    unsigned char* codes;  // of degrees, one byte each: gathers stay in L2
    unsigned seed;
};

struct Place {  // of a vertex in the order
    int v, p;
    offset_t degree;
    unsigned code, hash;
};

// Grows with the degree: itself under 128, beyond that a quarter of an octave.
static __device__ __forceinline__ unsigned degree_code(offset_t degree) {
    if (degree < 128) return (unsigned)degree;
    const int e = 31 - __clz((int)degree);
    return 128 + (e - 7) * 4 + ((unsigned)degree >> (e - 2) & 3);
}

static __device__ __forceinline__ Place place_of(const Order& order, int v, offset_t degree) {
    Place at = {v, 0, degree, 0, 0};
#if KEY == 2
    at.p = order.p[v];
#elif KEY == 1
    at.code = degree_code(degree);
#endif
#if HASHED
    at.hash = mix((unsigned)v ^ order.seed);
#endif
    return at;
}

static __device__ __forceinline__ bool wins_tie(const Order& order, int u, const Place& at) {
#if KEY == 1
    if (at.code >= 128) {
        const offset_t degree = order.indptr[u + 1] - order.indptr[u];
        if (degree != at.degree) return degree > at.degree;
    }
#endif
#if HASHED
    return mix((unsigned)u ^ order.seed) > at.hash;
#else
    return u < at.v;
#endif
}

// Bit i: bit i of `wanted` is set, and u[i] is before the vertex at `at`.
template <int N>
static __device__ __forceinline__ unsigned earlier(const Order& order, const int* u, unsigned wanted, const Place& at) {
    unsigned bits = 0;
#if KEY == 2
    int p[N];
#pragma unroll
    for (int i = 0; i < N; i++) p[i] = wanted >> i & 1 ? order.p[u[i]] : -1;
#pragma unroll
    for (int i = 0; i < N; i++)
        if (p[i] > at.p || (p[i] == at.p && wins_tie(order, u[i], at))) bits |= 1u << i;
#elif KEY == 1
    unsigned code[N];
#pragma unroll
    for (int i = 0; i < N; i++) code[i] = wanted >> i & 1 ? order.codes[u[i]] : 0;
#pragma unroll
    for (int i = 0; i < N; i++)
        if (code[i] > at.code || (code[i] == at.code && wins_tie(order, u[i], at))) bits |= 1u << i;
#else
#pragma unroll
    for (int i = 0; i < N; i++)
        if (wins_tie(order, u[i], at)) bits |= 1u << i;
#endif
    return bits & wanted;
}

// ---- a run ------------------------------------------------------------------------------------------------------------

#define COUNT_SHIFT 33  // `head->high`: a count, and below it the words of bitmaps handed out

struct High {  // a vertex with more than WORD_MOST earlier neighbors
    int vertex;
    int left;         // of these, in dag[indptr[vertex] …]
    int blocker;      // one of them that blocks its best color; −1: unknown, read all
    unsigned bitmap;  // its place in `bitmaps`: bit c set, color c taken; 32 bits do for 2^36 entries
};

struct Head {  // zeros
    u64 high;
    int hubs, moved, arrived, unused;
    u64 tally[4];  // colored at initialization, by shortcut, conventionally; visits
};

struct Tally {
    unsigned count[4];
    __device__ __forceinline__ void add(int k) {
#if TRACE
        count[k]++;
#endif
    }
};
enum { INITIALLY, BY_SHORTCUT, CONVENTIONALLY, VISITS };

struct Run {
    long long n, m;
    const offset_t* __restrict__ indptr;
    const int* __restrict__ indices;
    unsigned* state;
    int* colors;
    int2* list;  // pending low vertices, and which places of their rows are pending; 32 by 32, by warp
    int* dag;
    unsigned* bitmaps;
    High *high, *hubs;
    Head* head;
    Order order;
    bool sc1, sc2, aligned;
};

static __device__ __forceinline__ int warp_index() { return (blockIdx.x * BLOCK + threadIdx.x) / WARP; }
static __device__ __forceinline__ int warp_count() { return gridDim.x * WARPS; }
