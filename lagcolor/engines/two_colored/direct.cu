// Find the entries of a colored graph that are alone in their sums, where entries are read, and which colors are
// needed; launched by direct.py.
//
// A team takes a row, in windows of colors, with bits for colors that occur once and twice. The other kernels have a
// thread per entry; they find the mirror image of (v, u) in the sorted row u.
//
// Bytes that must move: 8 per entry (column, its color) for each window of colors, and 1 written.
//
// variants: OFFSET_BITS=32,64 TEAM=32,256
#include "base/device/include/palette.cuh"
#include "base/device/include/search.cuh"

#define BLOCK 256
#define TILE 1024
#define WORDS TEAM  // words of a team: 1024 colors for a warp, 8192 for a block

typedef Threads<TEAM> Team;
typedef Palette<Team, WORDS> Colors;

// own[e]: whether u is the only neighbor of v with its color, of k, for each entry e = (v, u); false for color -1.
extern "C" __global__ void __launch_bounds__(BLOCK)
    alone(const offset_t* indptr, const int* indices, const int* colors, int n, int k, u8* own) {
    __shared__ unsigned words[BLOCK / TEAM][2][WORDS];
    const int team = threadIdx.x / TEAM;
    const Colors once = {words[team][0]}, twice = {words[team][1]};
    for (long long v = (long long)blockIdx.x * (BLOCK / TEAM) + team; v < n; v += (long long)gridDim.x * (BLOCK / TEAM)) {
        const offset_t begin = indptr[v], size = indptr[v + 1] - begin;
        for (unsigned window = 0; window < (unsigned)k; window += Colors::COLORS) {
            once.clear();
            twice.clear();
            for (offset_t i = Team::lane(); i < size; i += TEAM) {
                const int color = colors[indices[begin + i]];
                const unsigned c = color - window;
                if (color < 0 || c >= Colors::COLORS) continue;
                if (twice.has(c)) continue;
                if (atomicOr(once.words + c / 32, 1u << c % 32) >> c % 32 & 1) twice.take(c);
            }
            Team::sync();
            for (offset_t i = Team::lane(); i < size; i += TEAM) {
                const int color = colors[indices[begin + i]];
                const unsigned c = color - window;
                if (color < 0 ? window == 0 : c < Colors::COLORS) own[begin + i] = color >= 0 && !twice.has(c);
            }
            Team::sync();
        }
    }
}

// Whether the mirror image of an entry is alone.
static __device__ __forceinline__ bool mirror_alone(
    const offset_t* indptr, const int* indices, const u8* own, int v, int u) {
    return own[first_from(indices, indptr[u], indptr[u + 1], v)];
}

// source[e]: where each of the first m entries (v, u) is read, for colors a of v and b of u: v * by_v + b - shift if it
// is alone in the sum of its row, else other + u * by_u + a * by_a. Without `own` always the first or, with by_v = 0,
// the second. fault: set if an entry is alone at neither end.
extern "C" __global__ void __launch_bounds__(BLOCK) places(
    const offset_t* indptr, const int* indices, const int* colors, int n, long long m, const u8* own,
    long long by_v, long long shift, long long other, long long by_u, long long by_a, int wide, void* source, int* fault) {
    const long long begin = (long long)blockIdx.x * TILE, end = begin + TILE < m ? begin + TILE : m;
    const Bounds<int> rows = bounds_of_tile(indptr, 0, n, begin, end - 1);
    for (long long e = begin + threadIdx.x; e < end; e += BLOCK) {
        const int v = first_over(indptr, rows.from, rows.to, e) - 1, u = indices[e];
        const bool here = own ? own[e] : by_v != 0;
        if (own && !here && !mirror_alone(indptr, indices, own, v, u)) store_relaxed(fault, 1);
        const long long at = here ? v * by_v + colors[u] - shift : other + u * by_u + colors[v] * by_a;
        if (wide) ((long long*)source)[e] = at;
        else ((int*)source)[e] = (int)at;
    }
}

// needed[c]: set for the color of v if an entry (v, u) is not alone in the sum of v, so it is read from the sum of u.
extern "C" __global__ void __launch_bounds__(BLOCK) need(
    const offset_t* indptr, const int* indices, const int* colors, int n, long long m, const u8* own,
    u8* needed) {
    const long long begin = (long long)blockIdx.x * TILE, end = begin + TILE < m ? begin + TILE : m;
    const Bounds<int> rows = bounds_of_tile(indptr, 0, n, begin, end - 1);
    for (long long e = begin + threadIdx.x; e < end; e += BLOCK) {
        if (own[e]) continue;
        const int a = colors[first_over(indptr, rows.from, rows.to, e) - 1];
        if (a >= 0) store_relaxed(needed + a, 1);
    }
}

// pair[a * k + b], a < b: set if an edge of these colors is alone at both ends, and neither color is needed.
extern "C" __global__ void __launch_bounds__(BLOCK) choose(
    const offset_t* indptr, const int* indices, const int* colors, int n, long long m, const u8* own,
    const u8* needed, int k, u8* pair) {
    const long long begin = (long long)blockIdx.x * TILE, end = begin + TILE < m ? begin + TILE : m;
    const Bounds<int> rows = bounds_of_tile(indptr, 0, n, begin, end - 1);
    for (long long e = begin + threadIdx.x; e < end; e += BLOCK) {
        const int v = first_over(indptr, rows.from, rows.to, e) - 1, u = indices[e], a = colors[v], b = colors[u];
        if (!own[e] || a < 0 || a >= b || needed[a] || needed[b] || !mirror_alone(indptr, indices, own, v, u)) continue;
        store_relaxed(pair + (long long)a * k + b, 1);
    }
}
