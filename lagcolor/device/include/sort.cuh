// Sorting few numbers by a warp in registers. Bitonic (Batcher 1968).
#pragma once
#include "device/include/common.cuh"

// Sorts a warp's numbers, the smallest first: lane l has number 32 j + l in x[j]. All lanes call. Shared memory would be
// the slower: 512 numbers of a block took 11 us on all multiprocessors of an H200 at once.
// Loops over sizes and steps are not unrolled: that took half of the time in which NVRTC compiles a kernel.
template <int COUNT> static __device__ __forceinline__ void sort_in_warp(unsigned (&x)[COUNT]) {
    const int lane = threadIdx.x % WARP;
#pragma unroll 1
    for (int size = 2; size <= WARP * COUNT; size *= 2) {
#pragma unroll
        for (int apart = COUNT / 2; apart; apart /= 2) {  // numbers of one lane
            if (2 * WARP * apart > size) continue;
#pragma unroll
            for (int j = 0; j < COUNT; j++) {
                const int k = j ^ apart;
                if (k < j) continue;
                const bool rising = (WARP * j & size) == 0;
                const unsigned before = min(x[j], x[k]), after = max(x[j], x[k]);
                x[j] = rising ? before : after;
                x[k] = rising ? after : before;
            }
        }
#pragma unroll 1
        for (int step = min(size, WARP) / 2; step; step /= 2) {
            const bool low = (lane & step) == 0;
#pragma unroll
            for (int j = 0; j < COUNT; j++) {
                const unsigned other = __shfl_xor_sync(ALL_LANES, x[j], step);
                x[j] = low == (((WARP * j + lane) & size) == 0) ? min(x[j], other) : max(x[j], other);
            }
        }
    }
}
