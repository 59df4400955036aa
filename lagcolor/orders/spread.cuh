// The order largest_first_spread: larger degree first, then the lower of a few hashed groups of runs of 32 ids, then
// the lower run, then the lower id in the run with reversed bits.
#pragma once
#include "base/device/include/hash.cuh"

// Number of hash bits by degree: about as many groups as neighbors.
static __device__ __forceinline__ int tie_bits(int degree) {
    return degree < 4 ? 2 : degree < 16 ? 4 : degree < 64 ? 5 : 8;
}

static __device__ __forceinline__ unsigned tie_group(int v, int degree, unsigned seed) {
    return mix((unsigned)v >> 5, seed) >> (32 - tie_bits(degree));
}

// Rank in a group; lower ranks come first. Reversed bits put every other id of a run first.
static __device__ __forceinline__ unsigned rank_of(int v) { return ((unsigned)v & ~31u) | __brev((unsigned)v) >> 27; }

// Priority of a vertex of degree under 64 in 15 bits; larger is colored earlier.
static __device__ __forceinline__ unsigned low_turn(int degree, unsigned group) {
    return (unsigned)degree << 8 | (255u - group);
}

// Priority of a vertex of degree up to 64 in 7 bits, from its degree and its part of the sequence. There are at most 64
// parts of 2^part_bits positions. Larger is colored earlier. Vertices of equal priority have equal degrees, because
// degrees decrease and parts increase along the sequence.
static __device__ __forceinline__ unsigned turn_in_byte(int degree, long long place, int part_bits) {
    return (unsigned)(63 + degree - (int)(place >> part_bits));
}
