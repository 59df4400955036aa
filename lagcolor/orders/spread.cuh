// The order largest_first_spread: the larger degree first, then the lower of a few hashed groups of runs of 32 ids,
// then the lower run, then within the run the lower id with its bits reversed.
#pragma once
#include "base/device/include/hash.cuh"

// Bits of hash by degree: about as many groups as neighbors.
static __device__ __forceinline__ int tie_bits(int degree) {
    return degree < 4 ? 2 : degree < 16 ? 4 : degree < 64 ? 5 : 8;
}

static __device__ __forceinline__ unsigned tie_group(int v, int degree, unsigned seed) {
    return mix((unsigned)v >> 5, seed) >> (32 - tie_bits(degree));
}

// Of two vertices of one group the one with the lower rank is first: of neighboring ids, every other one.
static __device__ __forceinline__ unsigned rank_of(int v) { return ((unsigned)v & ~31u) | __brev((unsigned)v) >> 27; }

// Of vertices of degree under 64, in 15 bits: the larger is colored earlier.
static __device__ __forceinline__ unsigned low_turn(int degree, unsigned group) {
    return (unsigned)degree << 8 | (255u - group);
}

// Of vertices of degree up to 64, in 7 bits: the degree and the part of the sequence of the vertex; parts have
// 2^part_bits places, at most 64. The larger is colored earlier; equal ones have one degree, for along the sequence
// degrees fall and parts rise.
static __device__ __forceinline__ unsigned turn_in_byte(int degree, long long place, int part_bits) {
    return (unsigned)(63 + degree - (int)(place >> part_bits));
}
