// What the blocks of a grid share: words that are looked at, and where they meet.
#pragma once
#include "device/include/common.cuh"

// As load_relaxed, but with no clobber of memory, so that loads of several edges are under way at once: callers rely on
// single words that change monotonely, and on `grid_barrier` for everything else.
static __device__ __forceinline__ int load_unfenced(const int* at) {
#ifdef __CUDA_ARCH__
    int x;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(x) : "l"(at));
    return x;
#else
    return emulated_load(at);
#endif
}

static __device__ __forceinline__ unsigned load_unfenced(const unsigned* at) { return (unsigned)load_unfenced((const int*)at); }

// All blocks of a cooperative launch wait for each other; what one wrote before, all see after. `arrived` and `goal` begin
// at 0.
static __device__ __forceinline__ void grid_barrier(int* arrived, int& goal) {
    __syncthreads();
    if (threadIdx.x == 0) {
        goal += gridDim.x;
        __threadfence();
        atomicAdd(arrived, 1);
        while ((int)((unsigned)load_unfenced(arrived) - (unsigned)goal) < 0) {}  // a difference, for both wrap around
        __threadfence();
    }
    __syncthreads();
}

// A warp, or a whole block of SIZE threads.
template <int SIZE>
static __device__ __forceinline__ void sync_group() {
    if (SIZE == 32) __syncwarp();
    else __syncthreads();
}
