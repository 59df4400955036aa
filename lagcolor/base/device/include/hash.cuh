// The hash for random orders and ties: Murmur3's finalizer, a bijection, so that two vertices never tie. Any thread may
// call. orders/ties.py has this hash for the host.
#pragma once

__device__ __forceinline__ unsigned mix(unsigned x) {
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

__device__ __forceinline__ unsigned mix(unsigned id, unsigned seed) { return mix(id ^ seed); }
