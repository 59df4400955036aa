// What the kernels of in-order coloring share: the state of a vertex, read and written with relaxed atomics.
//
// state[v] is a color where it is under UNCOLORED. Else the rest of its bits say when v's turn is, the larger the
// earlier. In 8 bits (no degree of 64 or over): `turn_in_byte`; equal ones by group and id. In 32 bits: for a degree
// under 64 the degree and the group (`low_turn`), equal ones by id; for the others 2^31 - 1 less their place. It
// changes once.
#pragma once
#include "base/device/include/clock.cuh"
#include "base/device/include/palette.cuh"
#include "orders/spread.cuh"

#if STATE_BITS == 8
typedef unsigned char state_t;
#define UNCOLORED 0x80u
#else
typedef unsigned state_t;
#define UNCOLORED 0x80000000u
#endif

// The first look at a state: if it says no color, another one follows where that matters.
static __device__ __forceinline__ unsigned glance(const state_t* at) { return load_near(at); }

// 1 << s, and 0 for larger s, with no test.
static __device__ __forceinline__ unsigned bit(unsigned s, unsigned) {
#ifndef __CUDA_ARCH__
    return s < 32 ? 1u << s : 0;
#else
    unsigned x;
    asm("shl.b32 %0, 1, %1;" : "=r"(x) : "r"(s));
    return x;
#endif
}
static __device__ __forceinline__ unsigned long long bit(unsigned s, unsigned long long) {
#ifndef __CUDA_ARCH__
    return s < 64 ? 1ull << s : 0;
#else
    unsigned long long x;
    asm("shl.b64 %0, 1, %1;" : "=l"(x) : "r"(s));
    return x;
#endif
}

// Edges e … e + 3 where `wanted` has their bits, −1 elsewhere; e is a multiple of 4 if the array is aligned.
static __device__ __forceinline__ void read_four(int* u, const int* __restrict__ indices, offset_t e, unsigned wanted,
                                                 bool whole) {
    int4 four = make_int4(0, 0, 0, 0);
    if (whole) {
        if (wanted & 15) four = __ldcs(reinterpret_cast<const int4*>(indices + e));
    } else {  // the array ends within these 16 bytes, or is not aligned
        if (wanted & 1) four.x = indices[e];
        if (wanted & 2) four.y = indices[e + 1];
        if (wanted & 4) four.z = indices[e + 2];
        if (wanted & 8) four.w = indices[e + 3];
    }
    u[0] = four.x, u[1] = four.y, u[2] = four.z, u[3] = four.w;
}

// Sleep, after some turns without a change: leaves the processor to warps that have something to do.
#ifndef NAP
#define NAP 256u  // nanoseconds of the longest sleep
#endif
static __device__ __forceinline__ void doze(unsigned idle) {
    if (idle > 4) nap(min((unsigned)NAP, 1u << min(idle, 16u)));
}

// Whether a neighbor is earlier than a vertex, by its state where it has no color and else does not matter: where no
// two states are equal.
struct ByState {
    unsigned mine;
    __device__ __forceinline__ bool operator()(int, unsigned s) const { return s > mine; }
};

// The same in the order largest_first_spread, where states are UNCOLORED + `low_turn` for every degree.
struct BySpread {
    unsigned mine, rank;
    __device__ __forceinline__ bool operator()(int u, unsigned s) const {
        return s > mine || (s == mine && rank_of(u) < rank);
    }
};

// Whether to give up after a number of turns without a change: never, unless others may not come.
struct Never {
    __device__ __forceinline__ bool operator()(unsigned) const { return false; }
};

// What a vertex becomes that takes the least free color: in a palette that ends, it may be left without one.
struct AnyColor {
    __device__ __forceinline__ unsigned operator()(int, unsigned color) const { return color; }
};
