// Places in a list for the threads of a block, with one atomic addition per block: one per warp on the one counter
// costs 0.15 ms for 8 M threads. (For a warp: append_warp of warp.cuh.)
//
// Every thread of the block calls, at the same point; blocks are of up to 1024 threads, whole warps. Shared memory: a
// counter per warp, free again when a call returns. The list has no order beyond the order of a block's threads;
// *length is in global or in shared memory, and no thread may read the list before a barrier.
#pragma once
#include "base/device/include/common.cuh"

// The first of `count` places for each warp, one behind another; known to all lanes.
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
    __syncwarp();  // counts[warp] is free for the next call, and after its first barrier the others and base
    return place;
}

// A place for each thread that wants one, by rising thread; for others the answer means nothing.
template <class Length> __device__ __forceinline__ Length append_block(bool wanted, Length* length) {
    const unsigned votes = __ballot_sync(ALL_LANES, wanted);
    return append_counts(__popc(votes), length) + rank_in(votes);
}

// The first of `wanted` places for each thread, by rising thread.
template <class Length> __device__ __forceinline__ Length append_several(int wanted, Length* length) {
    const int until = sum_until(wanted);
    return append_counts(__shfl_sync(ALL_LANES, until, WARP - 1), length) + (until - wanted);
}
