// What every kernel here uses: types, single words that threads share, and functions of a warp, which semirings has, too;
// and the type of offsets.
#pragma once
#include "semirings/kernels/atomics.cuh"
#include "semirings/kernels/warp.cuh"
#include "base/device/include/offset.cuh"

// Which group works on a vertex: 0 a thread, 1 a warp, 2 a block. Degrees up to `thread_most` and `warp_most` are of the
// first two. Any thread may call.
template <class Degree> __device__ __forceinline__ int degree_class(Degree degree, int thread_most, int warp_most) {
    return degree <= thread_most ? 0 : degree <= warp_most ? 1 : 2;
}
