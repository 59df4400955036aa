// Sorting few numbers: by the threads of a block in shared memory, or by a warp in registers. Bitonic (Batcher 1968).
#pragma once
#include "device/include/common.cuh"

// Sorts x[0] … x[n - 1], the smallest first; n is a power of two from 32 on. Few barriers, since the 64 numbers that a
// warp compares in steps of up to 32 are its own. Blocks are of THREADS threads, whole warps, all of which call; what one
// wrote before, all see after.
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

// Sorts a warp's numbers, the smallest first: lane l has number 32 j + l in x[j]. All lanes call. Shared memory would be
// the slower: 512 numbers of a block took 11 us on all multiprocessors of an H200 at once.
template <int COUNT> static __device__ __forceinline__ void sort_in_warp(unsigned (&x)[COUNT]) {
    const int lane = threadIdx.x % WARP;
#pragma unroll
    for (int size = 2; size <= WARP * COUNT; size *= 2) {
#pragma unroll
        for (int step = size / 2; step; step /= 2) {
#pragma unroll
            for (int j = 0; j < COUNT; j++) {
                const bool rising = ((WARP * j + lane) & size) == 0;
                if (step < WARP) {
                    const unsigned other = __shfl_xor_sync(ALL_LANES, x[j], step);
                    x[j] = ((lane & step) == 0) == rising ? min(x[j], other) : max(x[j], other);
                } else if (const int k = j ^ step / WARP; k > j) {
                    const unsigned before = min(x[j], x[k]), after = max(x[j], x[k]);
                    x[j] = rising ? before : after;
                    x[k] = rising ? after : before;
                }
            }
        }
    }
}
