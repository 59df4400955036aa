// The order in which vertices are colored.
#pragma once
#include "base/device/include/common.cuh"

// The vertex at a place of a sequence that is read once. Without a sequence, vertices are in the order of their ids.
static __device__ __forceinline__ int vertex_at(const int* __restrict__ sequence, i64 place) {
    return sequence ? __ldcs(sequence + place) : (int)place;
}
