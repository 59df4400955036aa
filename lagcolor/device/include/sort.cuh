// Sorting in shared memory by the threads of a block.
#pragma once
#include "device/include/common.cuh"

// Sorts x[0] … x[n - 1], the smallest first; n is a power of two from 32 on. Bitonic (Batcher 1968): few barriers for so
// few numbers, since the 64 numbers that a warp compares in steps of up to 32 are its own. Blocks are of THREADS threads,
// whole warps, all of which call; what one wrote before, all see after.
template <int THREADS, class T> static __device__ __forceinline__ void sort_in_block(T* x, int n) {
    __syncthreads();
    for (int size = 2; size <= n; size *= 2) {
        for (int step = size / 2; step; step /= 2) {
            for (int i = threadIdx.x; i < n / 2; i += THREADS) {
                const int a = 2 * i - (i & (step - 1)), b = a + step;
                const T before = x[a], after = x[b];
                if ((before > after) == ((a & size) == 0)) x[a] = after, x[b] = before;
            }
            const int next = step > 1 ? step / 2 : size;
            if (max(step, next) > WARP) __syncthreads();
            else __syncwarp();
        }
    }
    __syncthreads();
}
