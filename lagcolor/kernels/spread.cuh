// The order largest_first_spread: the larger degree first, then the lower of a few hashed groups, then the lower id.
#pragma once

// Bits of hash by degree: about as many groups as neighbours. With half as many, meshes take four times as long, with
// twice as many, random graphs a tenth longer.
static __device__ __forceinline__ int tie_bits(int degree) {
    return degree < 4 ? 1 : degree < 16 ? 3 : degree < 64 ? 4 : 8;
}

// murmur3's finalizer, as lagcolor.priorities.ties.mix
static __device__ __forceinline__ unsigned mix(unsigned id, unsigned seed) {
    unsigned h = id ^ seed;
    h = (h ^ (h >> 16)) * 0x85EBCA6Bu;
    h = (h ^ (h >> 13)) * 0xC2B2AE35u;
    return h ^ (h >> 16);
}

static __device__ __forceinline__ unsigned tie_group(int v, int degree, unsigned seed) {
    return mix((unsigned)v, seed) >> (32 - tie_bits(degree));
}

// Of vertices of degree under 64, in 15 bits: the larger is colored earlier.
static __device__ __forceinline__ unsigned low_turn(int degree, unsigned group) {
    return (unsigned)degree << 8 | (255u - group);
}
