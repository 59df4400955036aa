// The order that vertices are colored in.
#pragma once
#include "base/device/include/common.cuh"

// The vertex at a place of a sequence, which is read once; without a sequence vertices are in the order of their ids.
static __device__ __forceinline__ int vertex_at(const int* __restrict__ sequence, i64 place) {
    return sequence ? __ldcs(sequence + place) : (int)place;
}
