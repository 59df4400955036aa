// Votes, sums and list positions among the 32 threads of a warp. All lanes call each function at the same point of the
// program, except functions marked (alone). They use no shared memory, and do not order other memory accesses.
#pragma once
#include "atomics.cuh"

// (alone) Mask of the lanes before this one.
__device__ __forceinline__ unsigned lanes_below() { return (1u << threadIdx.x % WARP) - 1; }

// (alone) Number of lanes before this one that are in `votes`.
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
struct Either {  // bits that at least one of both has
    template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return a | b; }
};
struct Both {
    template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return a & b; }
};

// Combine x of all lanes by one of the operators above, for every lane; x has 4 or 8 bytes.
template <class Op, class T> __device__ __forceinline__ T reduce_warp(T x) {
    for (int step = WARP / 2; step; step /= 2) x = Op()(x, __shfl_xor_sync(ALL_LANES, x, step));
    return x;
}

// Add the sum of x over the warp to *total with one atomic addition, or none if the sum is 0.
template <class T> __device__ __forceinline__ void add_from_warp(T* total, T x) {
    x = reduce_warp<Plus>(x);
    if (threadIdx.x % WARP == 0 && x) atomicAdd(total, x);
}

// Sum of x over the lanes up to and including this one.
template <class T> __device__ __forceinline__ T sum_until(T x) {
    for (int step = 1; step < WARP; step *= 2) {
        const T before = __shfl_up_sync(ALL_LANES, x, step);
        if (threadIdx.x % WARP >= step) x += before;
    }
    return x;
}

// Position in a list for each lane with `wanted`, in the order of lanes; one atomic addition to *length, in global or
// shared memory, or none if no lane wants a position. The result is arbitrary for other lanes.
template <class Length> __device__ __forceinline__ Length append_warp(bool wanted, Length* length) {
    const unsigned votes = __ballot_sync(ALL_LANES, wanted);
    Length base = 0;
    if (threadIdx.x % WARP == 0 && votes) base = atomicAdd(length, (Length)__popc(votes));
    return __shfl_sync(ALL_LANES, base, 0) + rank_in(votes);
}
