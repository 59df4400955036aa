// Parts of ECL-GC's kernel: the word of a vertex with its possible colors, the comparison of two vertices in the order,
// and the visits of low vertices.
//
// A vertex has one word, accessed by relaxed atomics. Bit 0 distinguishes two kinds:
//   0  at most WORD_MOST earlier neighbors: bit 31 - c is set while color c is possible; a single bit is the color
//   1  more: if bit 1 is set, the bits above it are the color. Otherwise bits 2 … 21 are the least possible color, and
//      bits 22 … 31 the largest, rounded up to a number of 6 bits times a power of two. A greedy color c needs
//      c(c + 1) entries, so 20 bits are enough for 2^40 entries.
// Words are monotone: bits are only cleared, the least color only grows, and the kind does not change. An old word thus
// has too many colors, never too few, and conclusions from it stay true.
#pragma once
#define WORD_MOST 28  // a mask of a row has 31 bits and begins up to three entries before the row
#ifndef HUB
#define HUB 4096  // least degree of vertices that a block orients; least number of earlier neighbors if it colors them
#endif
#define THREAD_MOST WORD_MOST
#define WARP_MOST HUB
#include "engines/rounds/worklists.cuh"

#define FIRST_COLOR 0x80000000u
#define BEST_BITS 20

// ---- words ----------------------------------------------------------------------------------------------------------

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

// Possible colors 0 … 30 of a word, as bits 31 … 1.
static __device__ __forceinline__ unsigned colors_in(unsigned w) {
    if (!(w & 1)) return w;
    const unsigned c = w & 2 ? w >> 2 : best_of(w);
    if (c > 30) return 0;
    return w & 2 ? FIRST_COLOR >> c : ~0u >> c & ~1u;
}

// True if the vertex of word w blocks `color` for a later vertex; without Shortcut 1, each uncolored vertex does.
static __device__ __forceinline__ bool blocks(unsigned w, unsigned color, bool sc1) {
    if (has_color(w)) return false;
    if (!sc1) return true;
    if (w & 1) return best_of(w) <= color && color <= worst_of(w);
    return color < 31 && (w << color & FIRST_COLOR);
}

// ---- order: KEY 0: none, 1: degree, 2: p; ties: smaller id first, or with HASHED larger hash first ------------------

struct Order {
    const offset_t* __restrict__ indptr;
    const int* __restrict__ p;
    unsigned char* codes;  // degree codes, one byte each, so that gathers stay in L2
    unsigned seed;
};

struct Place {  // position of a vertex in the order
    int v, p;
    offset_t degree;
    unsigned code, hash;
};

// Code that does not decrease with the degree: the degree under 128, then in steps of a quarter of an octave.
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

// Bit i of the result is set if bit i of `wanted` is set and u[i] is earlier than the vertex at `at`.
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

// ---- a run ----------------------------------------------------------------------------------------------------------

#define COUNT_SHIFT 33  // `head->high`: number of high vertices above this bit, words of their bitmaps below it

struct High {  // a vertex with more than WORD_MOST earlier neighbors
    int vertex;
    int left;         // number of pending neighbors, in dag[indptr[vertex] …]
    int blocker;      // pending neighbor that blocks its best color; −1: unknown, read all
    unsigned bitmap;  // position in `bitmaps`; bit c set: color c is taken; 32 bits are enough for 2^36 entries
};

struct Head {  // initially zeros
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
    int2* list;  // pending low vertices with masks of pending entries of their rows; groups of 32 per warp
    int* dag;
    unsigned* bitmaps;
    High *high, *hubs;
    Head* head;
    Order order;
    bool sc1, sc2, aligned;
};

static __device__ __forceinline__ int warp_index() { return (blockIdx.x * BLOCK + threadIdx.x) / WARP; }
static __device__ __forceinline__ int warp_count() { return gridDim.x * WARPS; }

// ---- low vertices ---------------------------------------------------------------------------------------------------

// Vertices with up to WORD_MOST earlier neighbors: one thread orients and colors each (Algorithms 1 and 3).
//
// A warp has 32 consecutive ids of every 32 · warps. Its list has the pending vertices, each with a mask of its pending
// neighbors. Bit 0 of the mask is the entry at the multiple of 4 at or before the begin of the row. The row is in the
// graph, or for degrees over WORD_MOST in `dag`.

#define CUT 0x80000000u  // in a mask: Shortcut 2 has dropped a neighbor

// Read the entries e … e + 7 whose bits are set, 0 for the others; e is a multiple of 4. whole: 16 bytes can be read at
// once.
static __device__ __forceinline__ void read_eight(int* u, const int* entries, offset_t e, unsigned wanted, bool whole) {
#pragma unroll
    for (int half = 0; half < 8; half += 4) {
        const unsigned bits = wanted >> half & 15;
        int4 four = {0, 0, 0, 0};
        if (whole) {
            if (bits) four = *reinterpret_cast<const int4*>(entries + e + half);
        } else {
            if (bits & 1) four.x = entries[e + half];
            if (bits & 2) four.y = entries[e + half + 1];
            if (bits & 4) four.z = entries[e + half + 2];
            if (bits & 8) four.w = entries[e + half + 3];
        }
        u[half] = four.x, u[half + 1] = four.y, u[half + 2] = four.z, u[half + 3] = four.w;
    }
}

// Write the word after a visit; true if v is still pending. `seen`: possible colors of uncolored earlier neighbors.
static __device__ __forceinline__ bool write_word(const Run& g, int v, unsigned possible, unsigned before, bool alone,
                                              unsigned seen) {
    const unsigned best = FIRST_COLOR >> __clz((int)possible);
    const bool done = alone || (g.sc1 && !(seen & best));
    if (done) possible = best;
    if (possible != before) store_relaxed(g.state + v, possible);
    return !done;
}

// Orient v and visit it for the first time; true if it is pending. `mask`: its pending neighbors.
static __device__ bool visit_first(const Run& g, int v, offset_t begin, int degree, unsigned& mask, Tally& tally) {
    const offset_t end = begin + degree, base = begin & ~(offset_t)3;
    const Place at = place_of(g.order, v, degree);
    unsigned taken = 0, seen = 0;
    int earlier_ones = 0;
    mask = 0;
    for (offset_t e = base; e < end; e += 8) {
        int u[8];
        unsigned w[8];
        const int skip = e < begin ? (int)(begin - e) : 0, stop = end - e < 8 ? (int)(end - e) : 8;
        const unsigned wanted = (1u << stop) - (1u << skip);
        read_eight(u, g.indices, e, wanted, g.aligned && e + 8 <= g.m);
        const unsigned before = earlier<8>(g.order, u, wanted, at);
#pragma unroll
        for (int k = 0; k < 8; k++) w[k] = before >> k & 1 ? load_unfenced(g.state + u[k]) : 1u;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            if (!(before >> k & 1)) continue;
            if (has_color(w[k])) {
                taken |= colors_in(w[k]);
            } else {
                seen |= colors_in(w[k]);
                mask |= 1u << (int)(e - base + k);
            }
        }
        earlier_ones += __popc(before);
    }
    const int left = __popc(mask);
    unsigned possible = first_colors(earlier_ones + 1) & ~taken;
    if (g.sc2)  // leave only as many colors as v can need
        for (int more = __popc(possible) - left - 1; more > 0; more--) possible &= possible - 1;
    const bool waits = write_word(g, v, possible, first_colors(degree + 1), left == 0, seen);
    tally.add(VISITS);
    if (!waits) tally.add(earlier_ones == 0 ? INITIALLY : left == 0 ? CONVENTIONALLY : BY_SHORTCUT);
    return waits;
}

// Visit v again; true if it is still pending. Shortcut 2 removes neighbors, Shortcut 1 may color v.
static __device__ bool visit_again(const Run& g, int v, unsigned& mask, Tally& tally) {
    const offset_t begin = g.indptr[v], base = begin & ~(offset_t)3;
    const bool low = g.indptr[v + 1] - begin <= WORD_MOST;
    const int* entries = low ? g.indices : g.dag;
    const unsigned before = load_unfenced(g.state + v);
    unsigned possible = before, seen = 0;
    for (unsigned rest = mask & ~CUT; rest;) {
        int u[8];
        unsigned w[8];
        const int place = (__ffs((int)rest) - 1) & ~3;
        const unsigned wanted = rest >> place & 255;
        rest &= ~(255u << place);
        read_eight(u, entries, base + place, wanted, low ? g.aligned && base + place + 8 <= g.m : true);
#pragma unroll
        for (int k = 0; k < 8; k++) w[k] = wanted >> k & 1 ? load_unfenced(g.state + u[k]) : 1u;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            if (!(wanted >> k & 1)) continue;
            const unsigned theirs = colors_in(w[k]);
            const bool done = has_color(w[k]), apart = !(theirs & possible);
            if (apart && g.sc2) {
                possible &= possible - 1;  // one pending neighbor less, so the largest color is not needed
                if (!done) mask |= CUT;
            } else if (done) {
                possible &= ~theirs;
            } else {
                seen |= theirs;
                continue;
            }
            mask &= ~(1u << (place + k));
        }
    }
    const bool alone = !(mask & ~CUT), waits = write_word(g, v, possible, before, alone, seen);
    tally.add(VISITS);
    if (!waits) tally.add(alone && !(mask & CUT) ? CONVENTIONALLY : BY_SHORTCUT);
    return waits;
}

// Position of entry k of this warp's list; it also maps k to the warp's k-th vertex.
static __device__ __forceinline__ long long low_place(int k) {
    return ((long long)(k / WARP) * warp_count() + warp_index()) * WARP + k % WARP;
}

// Append the lanes' vertices that wait to the warp's list of `pending` entries; return its new length.
static __device__ __forceinline__ int append_low(const Run& g, int pending, bool waits, int v, unsigned mask) {
    const unsigned ballot = __ballot_sync(ALL_LANES, waits);
    if (waits) g.list[low_place(pending + rank_in(ballot))] = make_int2(v, (int)mask);
    return pending + __popc(ballot);
}

// Visit all low vertices of this warp for the first time; return how many are pending.
static __device__ int first_sweep(const Run& g, Tally& tally) {
    int pending = 0;
    for (int k = Warp::lane(); low_place(k) - Warp::lane() < g.n; k += WARP) {
        const long long v = low_place(k);
        bool waits = false;
        unsigned mask = 0;
        if (v < g.n) {
            const offset_t begin = g.indptr[v], degree = g.indptr[v + 1] - begin;
            if (degree <= WORD_MOST) {
                waits = visit_first(g, (int)v, begin, (int)degree, mask, tally);
            } else {
                const unsigned w = load_unfenced(g.state + v);
                waits = !(w & 1) && !has_color(w);
                if (waits) mask = ((1u << (__popc(w) - 1)) - 1) << (int)(begin & 3);
                if (!(w & 1) && !waits) tally.add(INITIALLY);
            }
        }
        pending = append_low(g, pending, waits, (int)v, mask);
    }
    __syncwarp();
    return pending;
}

// Visit the pending low vertices again; return how many are still pending.
static __device__ int sweep_low(const Run& g, int count, Tally& tally) {
    int pending = 0;
    for (int first = 0; first < count; first += WARP) {
        const int k = first + Warp::lane();
        const int2 entry = k < count ? g.list[low_place(k)] : make_int2(-1, 0);
        unsigned mask = (unsigned)entry.y;
        const bool waits = entry.x >= 0 && visit_again(g, entry.x, mask, tally);
        __syncwarp();  // all reads of these entries are done
        pending = append_low(g, pending, waits, entry.x, mask);
    }
    __syncwarp();
    return pending;
}

// Write the colors of this warp's low vertices; high vertices wrote theirs before.
static __device__ void write_colors(const Run& g) {
    for (int k = Warp::lane(); low_place(k) < g.n; k += WARP) {
        const unsigned w = load_unfenced(g.state + low_place(k));
        if (!(w & 1)) g.colors[low_place(k)] = (int)color_of(w);
    }
}
