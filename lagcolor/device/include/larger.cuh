// The larger of two numbers, and how often it occurs, as one word. Any thread may call.
#pragma once
#include "device/include/common.cuh"

struct Larger {  // of two words, each a number + 1 above, and below it how often it occurs; no number: 0
    __device__ __forceinline__ u64 operator()(u64 a, u64 b) const {
        return a >> 32 == b >> 32 ? a + (unsigned)b : b > a ? b : a;
    }
};
