// What the speculative first-fit kernels share: looking at a neighbourhood by a thread, a warp or a block, and the
// least color that is free in it.
//
// A Rule says what one neighbour's word means to the vertex at hand: rule.look_at(seen, u, word) returns the color that
// is taken by it (NO_COLOR: none) and may set seen.conflict and seen.danger. WARP_MOST bounds degrees a warp is given.
#pragma once
#include "device/include/grid.cuh"

#define BLOCK 256
#define WARPS (BLOCK / WARP)
#define SMALL_MOST 31              // degree up to which one word of colors is always enough, and a thread works
#define WARP_MOST 511              // degree up to which a warp works, with a bitmap of WARP_MOST + 1 colors
#define WARP_WORDS ((WARP_MOST + 1) / 32)
#define WINDOW 8192                // colors in a block's bitmap; more mean another pass over the row
#define NO_COLOR 0x7fffffffu
#define DEEP 4                     // edges of which a thread fetches all before it looks at the first

// A bijection, so that two vertices never tie.
static __device__ __forceinline__ unsigned mix(unsigned x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

struct Seen {
    bool conflict, danger;
};

// One thread: bit c of the answer is set if a neighbour has color c, for c < 32.
template <class Rule>
static __device__ __forceinline__ unsigned look_alone(Rule& rule, Seen& seen, offset_t begin, offset_t end,
                                                      const int* __restrict__ indices, const unsigned* words) {
    const int degree = (int)(end - begin);
    indices += begin;
    unsigned taken = 0;
    for (int e = 0; e < degree; e += DEEP) {
        int u[DEEP];
        unsigned w[DEEP];
#pragma unroll
        for (int q = 0; q < DEEP; q++) u[q] = e + q < degree ? indices[e + q] : -1;
#pragma unroll
        for (int q = 0; q < DEEP; q++) w[q] = u[q] < 0 ? 0 : load_unfenced(words + u[q]);
#pragma unroll
        for (int q = 0; q < DEEP; q++) {
            const unsigned c = u[q] < 0 ? NO_COLOR : rule.look_at(seen, u[q], w[q]);
            if (c < 32) taken |= 1u << c;
        }
    }
    return taken;
}

// A group of SIZE threads: adds to the bitmap the colors base … base + 32·WORDS − 1 that neighbours have.
template <int SIZE, int WORDS, class Rule>
static __device__ __forceinline__ void look_together(Rule& rule, Seen& seen, unsigned base, offset_t begin,
                                                     offset_t end, const int* __restrict__ indices,
                                                     const unsigned* words, volatile unsigned* bitmap) {
    const unsigned degree = (unsigned)(end - begin);
    indices += begin;
    for (unsigned e = threadIdx.x % SIZE; e < degree; e += DEEP * SIZE) {
        int u[DEEP];
        unsigned w[DEEP];
#pragma unroll
        for (int q = 0; q < DEEP; q++) u[q] = e + q * SIZE < degree ? indices[e + q * SIZE] : -1;
#pragma unroll
        for (int q = 0; q < DEEP; q++) w[q] = u[q] < 0 ? 0 : load_unfenced(words + u[q]);
#pragma unroll
        for (int q = 0; q < DEEP; q++) {
            const unsigned c = u[q] < 0 ? NO_COLOR : rule.look_at(seen, u[q], w[q]) - base;
            // Most colors have been seen before: a look spares the atomic, on which a warp would queue.
            if (c < 32u * WORDS && !(bitmap[c / 32] >> c % 32 & 1)) atomicOr((unsigned*)bitmap + c / 32, 1u << c % 32);
        }
    }
}

static __device__ __forceinline__ unsigned first_free(unsigned word, unsigned base) {
    return word == ~0u ? NO_COLOR : base + __ffs((int)~word) - 1;
}

// Least color that no neighbour has; known to all 32 lanes, as is what was seen.
template <class Rule>
static __device__ __forceinline__ unsigned look_as_warp(Rule& rule, Seen& seen, offset_t begin, offset_t end,
                                                        const int* __restrict__ indices, const unsigned* words,
                                                        unsigned* bitmap) {
    const int lane = threadIdx.x % WARP;
    if (lane < WARP_WORDS) bitmap[lane] = 0;
    __syncwarp();
    look_together<WARP, WARP_WORDS>(rule, seen, 0, begin, end, indices, words, bitmap);
    __syncwarp();
    unsigned least = lane < WARP_WORDS ? first_free(((volatile unsigned*)bitmap)[lane], lane * 32) : NO_COLOR;
    const unsigned having = __ballot_sync(ALL_LANES, least != NO_COLOR);  // never empty: degree < 32·WARP_WORDS
    seen.conflict = __any_sync(ALL_LANES, seen.conflict);
    seen.danger = __any_sync(ALL_LANES, seen.danger);
    return __shfl_sync(ALL_LANES, least, __ffs((int)having) - 1);
}

// The same for a block; every thread of it calls.
template <class Rule>
static __device__ __forceinline__ unsigned look_as_block(Rule& rule, Seen& seen, offset_t begin, offset_t end,
                                                         const int* __restrict__ indices, const unsigned* words) {
    __shared__ unsigned bitmap[WINDOW / 32];
    __shared__ unsigned least, flags;
    if (threadIdx.x == 0) flags = 0;
    unsigned answer = NO_COLOR;
    for (unsigned base = 0; answer == NO_COLOR; base += WINDOW) {  // ends: colors taken are no more than the degree
        for (int i = threadIdx.x; i < WINDOW / 32; i += BLOCK) bitmap[i] = 0;
        if (threadIdx.x == 0) least = NO_COLOR;
        __syncthreads();
        look_together<BLOCK, WINDOW / 32>(rule, seen, base, begin, end, indices, words, bitmap);
        if (seen.conflict || seen.danger) atomicOr(&flags, (seen.conflict ? 1u : 0u) | (seen.danger ? 2u : 0u));
        __syncthreads();
        for (int i = threadIdx.x; i < WINDOW / 32; i += BLOCK) {
            const unsigned c = first_free(((volatile unsigned*)bitmap)[i], base + i * 32);
            if (c != NO_COLOR) atomicMin(&least, c);
        }
        __syncthreads();
        answer = *(volatile unsigned*)&least;
        seen.conflict = *(volatile unsigned*)&flags & 1u;
        seen.danger = *(volatile unsigned*)&flags & 2u;
        __syncthreads();  // shared memory is free for the next window or vertex
    }
    return answer;
}
