// Votes, sums and places in lists among the 32 threads of a warp. Every lane of the warp calls each function, at the same
// point of the program, but for those marked (alone). No shared memory; what lanes get orders no other memory.
#pragma once
#include "atomics.cuh"

// (alone) A mask of the lanes before this one.
__device__ __forceinline__ unsigned lanes_below() { return (1u << threadIdx.x % WARP) - 1; }

// (alone) How many lanes before this one are in `votes`.
__device__ __forceinline__ int rank_in(unsigned votes) { return __popc(votes & lanes_below()); }

struct Plus {
    template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return a + b; }
};
struct Most {
    template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return b > a ? b : a; }
};
struct Least {
    template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return b < a ? b : a; }
};
struct Either {  // bits that one of both has
    template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return a | b; }
};
struct Both {
    template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return a & b; }
};

// x of all lanes, combined by one of the above; known to every lane. Of 4 or 8 bytes.
template <class Op, class T> __device__ __forceinline__ T reduce_warp(T x) {
    for (int step = WARP / 2; step; step /= 2) x = Op()(x, __shfl_xor_sync(ALL_LANES, x, step));
    return x;
}

// Adds the sum of x over the warp to *total, with one atomic addition, and none where it is 0.
template <class T> __device__ __forceinline__ void add_from_warp(T* total, T x) {
    x = reduce_warp<Plus>(x);
    if (threadIdx.x % WARP == 0 && x) atomicAdd(total, x);
}

// The sum of x over the lanes up to this one, itself included.
template <class T> __device__ __forceinline__ T sum_until(T x) {
    for (int step = 1; step < WARP; step *= 2) {
        const T before = __shfl_up_sync(ALL_LANES, x, step);
        if (threadIdx.x % WARP >= step) x += before;
    }
    return x;
}

// A place in a list for each lane that wants one, by rising lane; one atomic addition to *length, in global or in shared
// memory, and none where no lane wants one. For other lanes the answer means nothing.
template <class Length> __device__ __forceinline__ Length append_warp(bool wanted, Length* length) {
    const unsigned votes = __ballot_sync(ALL_LANES, wanted);
    Length base = 0;
    if (threadIdx.x % WARP == 0 && votes) base = atomicAdd(length, (Length)__popc(votes));
    return __shfl_sync(ALL_LANES, base, 0) + rank_in(votes);
}
