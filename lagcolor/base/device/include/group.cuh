// Groups of threads that work on one vertex together: Threads<1> is a single thread, Threads<2> … Threads<32> are
// adjacent lanes of a warp, and larger groups are a block of this size. All threads of a group call a function at the
// same point; groups of a warp are independent. A block uses shared memory, 4 or 8 bytes per warp for each type, free
// again after a call. `sync` orders shared and global memory for the group, as do all functions of a block.
#pragma once
#include "base/device/include/common.cuh"

template <int THREADS> struct Threads {
    static_assert(THREADS > WARP ? THREADS % WARP == 0 : (THREADS & (THREADS - 1)) == 0, "a part of a warp, or whole warps");
    enum { SIZE = THREADS };

    // The number of this thread in its group, and the number of its group in the block.
    static __device__ __forceinline__ int lane() { return SIZE > WARP ? threadIdx.x : threadIdx.x % SIZE; }
    static __device__ __forceinline__ int index() { return SIZE > WARP ? 0 : threadIdx.x / SIZE; }

    // The lanes of this thread's group in its warp, if the group is no block.
    static __device__ __forceinline__ unsigned lanes() {
        if constexpr (SIZE >= WARP) return ALL_LANES;
        else return ((1u << SIZE) - 1) << (threadIdx.x % WARP - lane());
    }

    static __device__ __forceinline__ void sync() {
        if constexpr (SIZE > WARP) __syncthreads();
        else if constexpr (SIZE > 1) __syncwarp(lanes());
    }

    // Whether x is true for a thread of the group.
    static __device__ __forceinline__ bool any(bool x) {
        if constexpr (SIZE > WARP) return __syncthreads_or(x);
        else if constexpr (SIZE > 1) return __any_sync(lanes(), x);
        else return x;
    }

    // x of each warp of a block, in shared memory until the next call; x is the same for all lanes of a warp.
    template <class T> static __device__ __forceinline__ const T* of_warps(T x) {
        __shared__ T values[SIZE / WARP];
        __syncthreads();
        if (threadIdx.x % WARP == 0) values[threadIdx.x / WARP] = x;
        __syncthreads();
        return values;
    }

    // x of all threads combined by Plus, Most, Least, Either or Both of warp.cuh; all threads receive the result.
    template <class Op, class T> static __device__ __forceinline__ T reduce(T x) {
        for (int step = (SIZE < WARP ? SIZE : WARP) / 2; step; step /= 2) x = Op()(x, __shfl_xor_sync(lanes(), x, step));
        if constexpr (SIZE > WARP) {
            const T* values = of_warps(x);
            x = values[0];
            for (int w = 1; w < SIZE / WARP; w++) x = Op()(x, values[w]);
        }
        return x;
    }

    // Number of threads before this one with `yes`; `total`: number of all. For a whole warp, or a block.
    static __device__ __forceinline__ int rank(bool yes, int& total) {
        static_assert(SIZE >= WARP, "rank: by whole warps");
        const unsigned votes = __ballot_sync(ALL_LANES, yes);
        int before = rank_in(votes);
        total = __popc(votes);
        if constexpr (SIZE > WARP) {
            const int* counts = of_warps(total);
            total = 0;
            for (int w = 0; w < SIZE / WARP; w++) {
                if (w < threadIdx.x / WARP) before += counts[w];
                total += counts[w];
            }
        }
        return before;
    }

    // The sum of x over the threads before this one; `total`: over all. For a whole warp, or a block.
    template <class T> static __device__ __forceinline__ T sum_before(T x, T& total) {
        static_assert(SIZE >= WARP, "sum_before: by whole warps");
        const T until = sum_until(x);
        T before = until - x;
        total = __shfl_sync(ALL_LANES, until, WARP - 1);
        if constexpr (SIZE > WARP) {
            const T* sums = of_warps(total);
            total = 0;
            for (int w = 0; w < SIZE / WARP; w++) {
                if (w < threadIdx.x / WARP) before += sums[w];
                total += sums[w];
            }
        }
        return before;
    }
};

typedef Threads<1> SingleThread;
typedef Threads<WARP> Warp;
