// Places in a list for the threads of a block, with one atomic addition per block: one per warp would cost 0.15 ms for
// 8 M threads. (For a warp: append_warp of warp.cuh.)
//
// Every thread of the block calls, at the same point. Blocks have up to 1024 threads, in whole warps. A counter per
// warp is in shared memory, free again when a call returns. The list is ordered only within a block. *length is in
// global or in shared memory. No thread may read the list before a barrier.
#pragma once
#include "base/device/include/common.cuh"

// The first of `count` consecutive places for each warp, for all its lanes.
template <class Length> __device__ __forceinline__ Length append_counts(int count, Length* length) {
    __shared__ int counts[32];
    __shared__ Length base;
    const int warp = threadIdx.x / WARP, warps = (blockDim.x + WARP - 1) / WARP;
    if (threadIdx.x % WARP == 0) counts[warp] = count;
    __syncthreads();
    if (threadIdx.x == 0) {
        int total = 0;
        for (int w = 0; w < warps; w++) {
            const int n = counts[w];
            counts[w] = total;
            total += n;
        }
        if (total) base = atomicAdd(length, (Length)total);
    }
    __syncthreads();
    const Length place = base + counts[warp];
    __syncwarp();  // counts[warp] is free for the next call; the other counts and base, after its first barrier
    return place;
}

// A place for each thread with `wanted`, in the order of the threads; undefined for the other threads.
template <class Length> __device__ __forceinline__ Length append_block(bool wanted, Length* length) {
    const unsigned votes = __ballot_sync(ALL_LANES, wanted);
    return append_counts(__popc(votes), length) + rank_in(votes);
}

// The first of `wanted` places for each thread, in the order of the threads.
template <class Length> __device__ __forceinline__ Length append_several(int wanted, Length* length) {
    const int until = sum_until(wanted);
    return append_counts(__shfl_sync(ALL_LANES, until, WARP - 1), length) + (until - wanted);
}
