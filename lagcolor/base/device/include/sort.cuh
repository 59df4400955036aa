// Sorting few numbers by a warp in registers. Bitonic (Batcher 1968).
#pragma once
#include "base/device/include/common.cuh"

// Sorts a warp's numbers in ascending order: lane l has number 32 j + l in x[j]. All lanes call. Shared memory is
// slower: 512 numbers of a block took 11 us on all multiprocessors of an H200 at once.
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
