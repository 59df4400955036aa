// A barrier of all blocks of a grid, in a cooperative launch.
#pragma once
#include "base/device/include/common.cuh"

// Every thread of every block calls. All threads then see all earlier writes. *arrived, in global memory, is 0 before
// the launch, and `goal` of each thread is 0 before its first call; both may wrap around.
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
