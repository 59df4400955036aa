// Bisection in ascending arrays (offsets of rows, columns of a row, running sums). Any thread may call, except where a
// comment requires the whole block. No thread may write the array at the same time.
#pragma once
#include "base/device/include/common.cuh"

// The first of places low … high − 1 with a value over k, or `high`.
template <class T, class Index, class Key>
__device__ __forceinline__ Index first_over(const T* values, Index low, Index high, Key k) {
    while (low < high) {
        const Index middle = low + (high - low) / 2;
        if (values[middle] <= k) low = middle + 1;
        else high = middle;
    }
    return low;
}

// The first of places low … high − 1 with a value of at least k, or `high`.
template <class T, class Index, class Key>
__device__ __forceinline__ Index first_from(const T* values, Index low, Index high, Key k) {
    while (low < high) {
        const Index middle = low + (high - low) / 2;
        if (values[middle] < k) low = middle + 1;
        else high = middle;
    }
    return low;
}

// The place among low … high − 1 with the value k, or −1; all values are different.
template <class T, class Index, class Key>
__device__ __forceinline__ i64 place_among(const T* values, Index low, Index high, Key k) {
    const Index at = first_from(values, low, high, k);
    return at < high && values[at] == k ? (i64)at : -1;
}

template <class Index> struct Bounds {
    Index from, to;
};

// Bounds of `first_over` for a tile of keys first … last that a block looks up: after two long searches, the search for
// each key in from … to is short. The whole block calls; a barrier is within, and one right before the return.
template <class T, class Index, class Key>
__device__ __forceinline__ Bounds<Index> bounds_of_tile(const T* values, Index low, Index high, Key first, Key last) {
    __shared__ Index ends[2];
    if (threadIdx.x < 2) ends[threadIdx.x] = first_over(values, low, high, threadIdx.x ? last : first);
    __syncthreads();
    const Bounds<Index> bounds = {ends[0], ends[1]};
    __syncthreads();
    return bounds;
}
