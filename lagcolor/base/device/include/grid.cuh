// Where all blocks of a grid wait for each other, in a cooperative launch.
#pragma once
#include "base/device/include/common.cuh"

// Every thread of every block calls; what one wrote before, all see after. *arrived, in global memory, is 0 before the
// launch, and goal, of each thread, before its first call; they may wrap around.
__device__ __forceinline__ void grid_barrier(int* arrived, int& goal) {
    __syncthreads();
    if (threadIdx.x == 0) {
        goal += gridDim.x;
        __threadfence();
        atomicAdd(arrived, 1);
        while ((int)((unsigned)load_unfenced(arrived) - (unsigned)goal) < 0) {}
        __threadfence();
    }
    __syncthreads();
}
