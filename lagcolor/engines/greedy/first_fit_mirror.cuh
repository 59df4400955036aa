// States in global memory, of which a block has those of its own vertices in shared memory, too: in meshes and road
// networks most neighbors are among them, and one learns of another's color without the way through L2.
#pragma once
#include "engines/greedy/first_fit.cuh"

struct Mirrored {
    state_t* all;
    unsigned* own;  // of `count` vertices from `base` on; other blocks change those from `others` on
    unsigned base, count, others;
};

static __device__ __forceinline__ unsigned load_state(const Mirrored& state, int u) {
    const unsigned at = (unsigned)u - state.base;
#ifdef __CUDA_ARCH__
    return at < state.count ? ((volatile unsigned*)state.own)[at] : load_unfenced(state.all + u);
#else
    return at < state.count ? emulated_load(state.own + at) : load_unfenced(state.all + u);
#endif
}

static __device__ __forceinline__ unsigned checked(const Mirrored& state, int u, unsigned s) {
    return s >= state.others ? load_unfenced(state.all + u) : s;
}

static __device__ __forceinline__ void store_state(const Mirrored& state, int v, unsigned s) {
    store_relaxed(state.all + v, s);
#ifdef __CUDA_ARCH__
    ((volatile unsigned*)state.own)[(unsigned)v - state.base] = s;
#else
    emulated_store(state.own + ((unsigned)v - state.base), s);
#endif
}
