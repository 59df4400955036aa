// Blocks of a cooperative launch that wait for each other, and groups of threads that share a vertex.
#pragma once
#include "common.cuh"

typedef unsigned long long u64;

#define ALL_LANES 0xffffffffu

// What one block wrote before, all see after. `arrived` and `goal` begin at 0. All blocks run at once, so that it ends.
static __device__ void meet(int* arrived, int& goal) {
    __syncthreads();
    if (threadIdx.x == 0) {
        goal += gridDim.x;
        __threadfence();
        atomicAdd(arrived, 1);
        while (load_relaxed(arrived) - goal < 0) {}  // a difference, since the count may wrap around
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
