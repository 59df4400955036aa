// variants: OFFSET_BITS=32,64 BLOCK=128 TEAM=32 GROUP=4,8,32
// variants: OFFSET_BITS=32,64 BLOCK=256 TEAM=256 GROUP=4,8,32
// Star coloring by first-fit, in any order.
//
// A team, which is a warp or a block, takes the next vertex v of the sequence. The color of an earlier neighbor w is
// forbidden. The color of an earlier neighbor x of w is forbidden if v or x has another neighbor of the color of w: v
// would be inside, or at the end of, a path on four vertices with two colors. GROUP lanes read the row of one w,
// several w at a time. No sets are stored. A first pass finds the colors that two hops forbid; then three hops are
// read, but only for x with a color in the word of 32 colors with the least free color.
//
// Only vertices earlier than v count, even if later ones have colors. v waits for the earlier ones that it reads.
//
// In a bipartite graph vertices under `rows` have even colors and the others odd ones: colors of the other side are
// taken from the start. A neutral vertex has no color and forbids v all colors around it, because its neighbors must
// have different colors.
//
// Progress: vertices are taken in order, so a team has the earliest uncolored vertex, which does not wait. A team has
// one vertex at a time, so one running block is enough.
//
// A team has three palettes in shared memory, with a bit for each color. `taken` has the forbidden colors. `once` has
// the colors of neighbors, and `twice` the colors of two or more neighbors, modulo the size of a palette. If all colors
// of `taken` are set, all is read again for the next colors. place[v] is the position of v in the sequence, or later
// than all if v is not in it; null: by id. color[v] changes once, from NONE; relaxed loads are enough.
#include "base/device/include/clock.cuh"
#include "base/device/include/palette.cuh"
#include "engines/two_hop/places.cuh"

#ifndef WORDS
#define WORDS 32  // words of a palette: 1024 colors
#endif
#define NONE 0xffffffffu  // no color yet
#define NAP 256u          // nanoseconds of the longest sleep
#define NEUTRAL 0x7fffffff  // place of a neutral vertex
#define EVEN 0x55555555u    // even colors of a word

typedef Threads<GROUP> Reader;
typedef Threads<TEAM> Team;
typedef Palette<Team, WORDS> Colors;

struct Rows {
    const offset_t* __restrict__ indptr;
    const int* __restrict__ indices;
    const int* __restrict__ place;
    const unsigned* color;
    int mine;  // position of the vertex that is colored

    __device__ __forceinline__ int place_of(int u) const { return place ? place[u] : u; }
};

// Wait for the color of u and return it, or NONE if u is not earlier than the vertex that is colored.
static __device__ __forceinline__ unsigned earlier_color(const Rows& r, int u) {
    if (r.place_of(u) >= r.mine) return NONE;
    unsigned c = load_relaxed(r.color + u);
    for (unsigned idle = 0; c == NONE; idle++) {
        if (idle > 4) nap(min(NAP, 1u << min(idle, 16u)));
        c = load_relaxed(r.color + u);
    }
    return c;
}

// Whether an earlier neighbor other than w, in entries `e` … `end` - 1, has color c; in all lanes of a reader.
static __device__ __forceinline__ bool has_another(const Rows& r, offset_t e, offset_t end, int w, unsigned c) {
    bool found = false;
    for (; e < end && !found; e += min((offset_t)GROUP, (offset_t)(end - e))) {
        const int u = (offset_t)Reader::lane() < end - e ? r.indices[e + Reader::lane()] : w;
        found = Reader::any(u != w && earlier_color(r, u) == c);
    }
    return found;
}

// The vertex that is colored: its row, the taken colors, and the colors of its earlier neighbors.
struct Vertex {
    offset_t begin, end;
    Colors taken, once, twice;

    // Mark the colors of neighbors, and of two or more neighbors; the team calls.
    __device__ __forceinline__ void look_at_neighbors(const Rows& r, unsigned window) const {
        for (offset_t e = begin + Team::lane(); e < end; e += min((offset_t)TEAM, (offset_t)(end - e))) {
            const unsigned c = earlier_color(r, r.indices[e]), bit = c % Colors::COLORS;
            if (c == NONE) continue;
            taken.take(c - window);
            if (twice.has(bit)) continue;
            if (atomicOr(once.words + bit / 32, 1u << bit % 32) >> bit % 32 & 1) twice.take(bit);
        }
        Team::sync();
    }

    // Whether all colors around neighbor w are taken: w is neutral, or another neighbor has its color c.
    __device__ __forceinline__ bool takes_all(const Rows& r, int w, unsigned c) const {
        if (c == NONE) return r.place_of(w) == NEUTRAL;
        return twice.has(c % Colors::COLORS) && has_another(r, begin, end, w, c);
    }

    // Take all colors around w; the lanes of a reader call.
    __device__ __forceinline__ void take_around(const Rows& r, unsigned window, int w) const {
        const offset_t last = r.indptr[w + 1];
        for (offset_t e = r.indptr[w] + Reader::lane(); e < last; e += min((offset_t)GROUP, (offset_t)(last - e)))
            taken.take(earlier_color(r, r.indices[e]) - window);
    }

    // Take the colors of neighbors x of w that have another neighbor of color c, in a word of 32 colors from `low` on.
    __device__ __forceinline__ void take_three_hops(const Rows& r, unsigned window, unsigned low, int w, unsigned c) const {
        offset_t e = r.indptr[w];
        for (const offset_t last = r.indptr[w + 1]; e < last; e += min((offset_t)GROUP, (offset_t)(last - e))) {
            int x = w;
            unsigned bit = NONE;
            if ((offset_t)Reader::lane() < last - e) {
                x = r.indices[e + Reader::lane()];
                bit = earlier_color(r, x) - window;
            }
            for (;;) {
                const unsigned open = __ballot_sync(Reader::lanes(), bit - low < 32 && !taken.has(bit));
                if (!open) break;
                const int lane = __ffs((int)open) - 1, u = __shfl_sync(Reader::lanes(), x, lane);
                const bool found = has_another(r, r.indptr[u], r.indptr[u + 1], w, c);
                if ((int)(threadIdx.x % WARP) != lane) continue;
                if (found) taken.take(bit);
                bit = NONE;
            }
        }
    }
};

// The least allowed color; `taken`: forbidden colors of each word of 32. The team calls.
static __device__ __forceinline__ unsigned least_around(const Vertex& v, const Rows& r, unsigned taken) {
    const offset_t step = TEAM / GROUP;
    for (unsigned window = 0;; window += Colors::COLORS) {
        v.taken.clear(taken);
        v.once.clear();
        v.twice.clear();
        v.look_at_neighbors(r, window);
        unsigned low = NONE;  // first of the 32 colors that three hops were read for
        for (;;) {
            const bool two_hops = low == NONE;
            for (offset_t e = v.begin + Team::lane() / GROUP; e < v.end; e += min(step, (offset_t)(v.end - e))) {
                const int w = r.indices[e];
                const unsigned c = earlier_color(r, w);
                const bool all = v.takes_all(r, w, c);
                if (all && two_hops) v.take_around(r, window, w);
                if (!all && !two_hops && c != NONE) v.take_three_hops(r, window, low, w, c);
            }
            const int least = v.taken.least();
            if (least < 0) break;
            if (low == (unsigned)least / 32 * 32) return window + least;
            low = least / 32 * 32;
            Team::sync();
        }
        Team::sync();
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    color_stars(i64 n, const int* __restrict__ sequence, const int* __restrict__ place,
                const offset_t* __restrict__ indptr, const int* __restrict__ indices, int rows, unsigned* head,
                unsigned* color) {
    __shared__ unsigned words[BLOCK / TEAM][3][WORDS], drawn[BLOCK / TEAM];
    const int team = threadIdx.x / TEAM;
    for (;;) {
        if (Team::lane() == 0) drawn[team] = atomicAdd(head, 1u);
        Team::sync();
        const unsigned at = drawn[team];
        if ((i64)at >= n) return;
        const int v = vertex_at(sequence, at);
        const unsigned taken = rows == 0 ? 0 : v < rows ? ~EVEN : EVEN;
        const Vertex vertex = {indptr[v], indptr[v + 1], {words[team][0]}, {words[team][1]}, {words[team][2]}};
        const unsigned c = least_around(vertex, {indptr, indices, place, color, (int)at}, taken);
        if (Team::lane() == 0) store_relaxed(color + v, c);
        Team::sync();  // all have read the palettes and the position
    }
}
