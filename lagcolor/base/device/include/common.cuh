// What every kernel here uses: types, atomics of single words and functions of a warp, all from semirings; and the type
// of offsets.
#pragma once
#include "semirings/kernels/atomics.cuh"
#include "semirings/kernels/warp.cuh"
#include "base/device/include/offset.cuh"

// Which group works on a vertex: 0 a thread (degrees up to `thread_most`), 1 a warp (up to `warp_most`), 2 a block. Any
// thread may call.
template <class Degree> __device__ __forceinline__ int degree_class(Degree degree, int thread_most, int warp_most) {
    return degree <= thread_most ? 0 : degree <= warp_most ? 1 : 2;
}
