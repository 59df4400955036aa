// Bisection in arrays that rise (offsets of rows, columns of a row, running sums). Any thread may call but where it says
// the block; no thread may write the array meanwhile.
#pragma once
#include "base/device/include/common.cuh"

// The first of places low … high − 1 whose value is over k; high where there is none.
template <class T, class Index, class Key>
__device__ __forceinline__ Index first_over(const T* values, Index low, Index high, Key k) {
    while (low < high) {
        const Index middle = low + (high - low) / 2;
        if (values[middle] <= k) low = middle + 1;
        else high = middle;
    }
    return low;
}

// The first of places low … high − 1 whose value is k or more; high where there is none.
template <class T, class Index, class Key>
__device__ __forceinline__ Index first_from(const T* values, Index low, Index high, Key k) {
    while (low < high) {
        const Index middle = low + (high - low) / 2;
        if (values[middle] < k) low = middle + 1;
        else high = middle;
    }
    return low;
}

// The place among low … high − 1 whose value is k, of values that differ; −1 for none.
template <class T, class Index, class Key>
__device__ __forceinline__ i64 place_among(const T* values, Index low, Index high, Key k) {
    const Index at = first_from(values, low, high, k);
    return at < high && values[at] == k ? (i64)at : -1;
}

template <class Index> struct Bounds {
    Index from, to;
};

// For a tile of keys first … last that a block looks up: two long searches, then short ones, for of each of these keys the
// place `first_over` is in from … to. The whole block calls, and there is a barrier before it returns and one within.
template <class T, class Index, class Key>
__device__ __forceinline__ Bounds<Index> bounds_of_tile(const T* values, Index low, Index high, Key first, Key last) {
    __shared__ Index ends[2];
    if (threadIdx.x < 2) ends[threadIdx.x] = first_over(values, low, high, threadIdx.x ? last : first);
    __syncthreads();
    const Bounds<Index> bounds = {ends[0], ends[1]};
    __syncthreads();
    return bounds;
}
