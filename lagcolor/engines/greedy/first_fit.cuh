// Code that the kernels of in-order coloring share: states of vertices, read and written with relaxed atomics.
//
// state[v] is a color if it is under UNCOLORED. Else its other bits are the priority of v, its turn: larger is earlier.
// With 8 bits (no degree of 64 or over) this is `turn_in_byte`; ties by group and id. With 32 bits it is `low_turn`
// (degree and group) for degrees under 64, ties by id, and 2^31 - 1 - position for higher degrees. A state changes
// once.
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

// A first read of a state, which may be out of date: if it has no color, the caller reads it again.
static __device__ __forceinline__ unsigned glance(const state_t* at) { return load_near(at); }

// 1 << s, or 0 for larger s, without a branch.
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

// Read the edges e … e + 3 whose bits are in `wanted`. e is a multiple of 4 if the array is aligned.
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

// Sleep after some passes without a change, to leave the processor to warps that have work.
#ifndef NAP
#define NAP 256u  // nanoseconds of the longest sleep
#endif
static __device__ __forceinline__ void doze(unsigned idle) {
    if (idle > 4) nap(min((unsigned)NAP, 1u << min(idle, 16u)));
}

// Whether an uncolored neighbor is earlier than a vertex, if no two states are equal.
struct ByState {
    unsigned mine;
    __device__ __forceinline__ bool operator()(int, unsigned s) const { return s > mine; }
};

// Whether an uncolored neighbor is earlier in the order largest_first_spread: states are UNCOLORED + `low_turn`.
struct BySpread {
    unsigned mine, rank;
    __device__ __forceinline__ bool operator()(int u, unsigned s) const {
        return s > mine || (s == mine && rank_of(u) < rank);
    }
};

// Whether to stop after `idle` passes without a change. Never, unless another GPU may have stopped.
struct Never {
    __device__ __forceinline__ bool operator()(unsigned) const { return false; }
};

// The state of a vertex whose least free color is `color`. A palette with a limit may leave the vertex uncolored.
struct AnyColor {
    __device__ __forceinline__ unsigned operator()(int, unsigned color) const { return color; }
};
