// variants: OFFSET_BITS=32,64 BLOCK=128 GROUP=4,8,32
// Star coloring by first-fit, in any order.
//
// A warp draws the next vertex v of the sequence. A color is forbidden to it if an earlier neighbor w has it, and the
// color of an earlier neighbor x of w is if v has another neighbor of the color of w, or x has: v would end, or be
// inside, a path on four vertices with two colors. GROUP lanes look around one w, several w at a time. No sets are kept,
// so three hops are walked; the third only where the color of x is not forbidden yet.
//
// Only vertices earlier than v count, also among those that have their color. v waits for those that it looks at.
//
// Of a bipartite graph, vertices under `rows` have even colors and the others odd ones: the others' are taken from the
// start. A neutral vertex has no color, and all of its neighbors must differ: it forbids v all colors around it.
//
// Progress: the earliest vertex without a color was drawn before all that are left, so that a warp has it, and it waits
// for none. A warp has one vertex at a time, so a single block that runs is enough.
//
// Colors are bits of a warp's palette in shared memory; where all of those are taken, all is read again for the next
// ones. place[v] is the place of v in the sequence, or later than all where it is in none; without it vertices are in the
// order of ids. color[v] changes once, from NONE; relaxed loads are enough, for nothing else is read by it.
#include "device/include/clock.cuh"
#include "device/include/palette.cuh"
#include "engines/places.cuh"

#define WARPS (BLOCK / WARP)
#ifndef WORDS
#define WORDS 32  // of a palette: 1024 colors
#endif
#define NONE 0xffffffffu  // no color yet
#define NAP 256u          // nanoseconds of the longest sleep
#define NEUTRAL 0x7fffffff  // place of a neutral vertex
#define EVEN 0x55555555u    // colors of a word

typedef Threads<GROUP> Reader;
typedef Palette<Warp, WORDS> Colors;

struct Rows {
    const offset_t* __restrict__ indptr;
    const int* __restrict__ indices;
    const int* __restrict__ place;
    const unsigned* color;
    int mine;  // place of the vertex that is colored

    __device__ __forceinline__ int place_of(int u) const { return place ? place[u] : u; }
};

// The color of u once it has one, or NONE if u is not earlier than the vertex that is colored.
static __device__ __forceinline__ unsigned earlier_color(const Rows& r, int u) {
    if (r.place_of(u) >= r.mine) return NONE;
    unsigned c = load_relaxed(r.color + u);
    for (unsigned idle = 0; c == NONE; idle++) {
        if (idle > 4) nap(min(NAP, 1u << min(idle, 16u)));
        c = load_relaxed(r.color + u);
    }
    return c;
}

// Whether an earlier neighbor of u other than w has color c.
static __device__ __forceinline__ bool has_another(const Rows& r, int u, int w, unsigned c) {
    for (offset_t e = r.indptr[u], end = r.indptr[u + 1]; e < end; e++) {
        const int y = r.indices[e];
        if (y != w && earlier_color(r, y) == c) return true;
    }
    return false;
}

// Whether an earlier neighbor of v, whose row is given, other than w has color c; known to the lanes of a reader.
static __device__ __forceinline__ bool is_twice(const Rows& r, offset_t begin, offset_t end, int w, unsigned c) {
    bool found = false;
    for (offset_t e = begin + Reader::lane(); e < end && !found; e += min((offset_t)GROUP, (offset_t)(end - e))) {
        const int u = r.indices[e];
        found = u != w && earlier_color(r, u) == c;
    }
    return Reader::any(found);
}

// Forbids v the color of its neighbor w and those that are around w; the lanes of a reader call.
static __device__ __forceinline__ void look_around(Colors colors, unsigned window, const Rows& r, offset_t begin,
                                                   offset_t end, int w) {
    const bool neutral = r.place_of(w) == NEUTRAL;
    const unsigned c = earlier_color(r, w);
    if (c == NONE && !neutral) return;
    if (Reader::lane() == 0 && !neutral) colors.take(c - window);
    const bool all = neutral || is_twice(r, begin, end, w, c);
    const offset_t last = r.indptr[w + 1];
    for (offset_t e = r.indptr[w] + Reader::lane(); e < last; e += min((offset_t)GROUP, (offset_t)(last - e))) {
        const int x = r.indices[e];
        const unsigned s = earlier_color(r, x), bit = s - window;
        if (s == NONE || bit >= Colors::COLORS) continue;
        if (((volatile unsigned*)colors.words)[bit / 32] >> bit % 32 & 1) continue;
        if (all || has_another(r, x, w, c)) colors.take(bit);
    }
}

// The least color that leaves a star coloring, of those that are not `taken` of each 32; the warp calls.
static __device__ __forceinline__ unsigned least_around(Colors colors, int v, const Rows& r, unsigned taken) {
    const offset_t begin = r.indptr[v], end = r.indptr[v + 1];
    for (unsigned window = 0;; window += Colors::COLORS) {
        colors.clear(taken);
        const offset_t step = WARP / GROUP;
        for (offset_t e = begin + threadIdx.x % WARP / GROUP; e < end; e += min(step, (offset_t)(end - e)))
            look_around(colors, window, r, begin, end, r.indices[e]);
        const int least = colors.least();
        if (least >= 0) return window + least;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    color_stars(i64 n, const int* __restrict__ sequence, const int* __restrict__ place,
                const offset_t* __restrict__ indptr, const int* __restrict__ indices, int rows, unsigned* head,
                unsigned* color) {
    __shared__ unsigned words[WARPS][WORDS];
    const Colors colors = {words[threadIdx.x / WARP]};
    for (;;) {
        unsigned at = 0;
        if (threadIdx.x % WARP == 0) at = atomicAdd(head, 1u);
        at = __shfl_sync(ALL_LANES, at, 0);
        if ((i64)at >= n) return;
        const int v = vertex_at(sequence, at);
        const unsigned taken = rows == 0 ? 0 : v < rows ? ~EVEN : EVEN;
        const unsigned c = least_around(colors, v, {indptr, indices, place, color, (int)at}, taken);
        if (threadIdx.x % WARP == 0) store_relaxed(color + v, c);
        __syncwarp();  // all have read the palette
    }
}
