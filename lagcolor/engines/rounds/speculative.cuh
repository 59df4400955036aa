// Code that the speculative first-fit kernels share: a thread, a warp or a block reads the neighbors of a vertex and
// finds the least free color.
//
// A Rule interprets a neighbor's word: rule.look_at(seen, u, word) returns the color of neighbor u (NO_COLOR: none)
// and may set seen.conflict. WARP_MOST is the largest degree that a warp works on.
#pragma once
#include "base/device/include/append.cuh"
#include "base/device/include/grid.cuh"
#include "base/device/include/hash.cuh"
#include "base/device/include/neighbors.cuh"
#include "base/device/include/palette.cuh"

#define BLOCK 256
#define WARPS (BLOCK / WARP)
#define SMALL_MOST 31              // degree up to which one word of colors is enough, and one thread works
#define WARP_MOST 511              // degree up to which a warp works, with a bitmap of WARP_MOST + 1 colors
#define WARP_WORDS ((WARP_MOST + 1) / 32)
#define WINDOW 8192                // colors in a block's bitmap; more need another pass over the row
#define DEEP 4                     // edges that a thread fetches before it processes the first

struct Seen {
    bool conflict;
};

// By one thread: bit c of the result is set if a neighbor has color c, for c < 32.
template <class Rule>
static __device__ __forceinline__ unsigned look_alone(Rule& rule, Seen& seen, offset_t begin, offset_t end,
                                                      const int* __restrict__ indices, const unsigned* words) {
    const int degree = (int)(end - begin);
    indices += begin;
    unsigned taken = 0;
    for (int e = 0; e < degree; e += DEEP) {
        int u[DEEP];
        unsigned w[DEEP];
        read_row<SingleThread>(indices, e, degree, u);
        read_words(words, u, 0u, w);
#pragma unroll
        for (int q = 0; q < DEEP; q++) {
            const unsigned c = u[q] < 0 ? NO_COLOR : rule.look_at(seen, u[q], w[q]);
            if (c < 32) taken |= 1u << c;
        }
    }
    return taken;
}

// By a group: the least color that no neighbor has; result and `seen` are the same in all lanes.
template <class Group, int WORDS, class Rule>
static __device__ __forceinline__ unsigned look_together(Rule& rule, Seen& seen, offset_t begin, offset_t end,
                                                         const int* __restrict__ indices, const unsigned* words,
                                                         unsigned* bitmap) {
    const Palette<Group, WORDS> palette = {bitmap};
    const int degree = (int)(end - begin);
    unsigned base = 0;
    int least = -1;
    for (;; base += 32 * WORDS) {  // ends: a row has at most as many colors as neighbors
        palette.clear();
        for (int e = 0; e < degree; e += DEEP * Group::SIZE) {
            int u[DEEP];
            unsigned w[DEEP];
            read_row<Group>(indices + begin, e, degree, u);
            read_words(words, u, 0u, w);
#pragma unroll
            for (int q = 0; q < DEEP; q++) palette.take((u[q] < 0 ? NO_COLOR : rule.look_at(seen, u[q], w[q])) - base);
        }
        least = palette.least();
        if (least >= 0) break;
    }
    seen.conflict = Group::any(seen.conflict);
    return base + least;
}

template <class Rule>
static __device__ __forceinline__ unsigned look_as_warp(Rule& rule, Seen& seen, offset_t begin, offset_t end,
                                                        const int* __restrict__ indices, const unsigned* words,
                                                        unsigned* bitmap) {
    return look_together<Warp, WARP_WORDS>(rule, seen, begin, end, indices, words, bitmap);
}

template <class Rule>
static __device__ __forceinline__ unsigned look_as_block(Rule& rule, Seen& seen, offset_t begin, offset_t end,
                                                         const int* __restrict__ indices, const unsigned* words) {
    __shared__ unsigned bitmap[WINDOW / 32];
    return look_together<Threads<BLOCK>, WINDOW / 32>(rule, seen, begin, end, indices, words, bitmap);
}
