// Time, and waiting that leaves the multiprocessor to other warps. Any thread may call.
#pragma once
#include "base/device/include/common.cuh"

// The device's clock; 0 on a host.
__device__ __forceinline__ u64 nanoseconds() {
    u64 t = 0;
#ifdef __CUDA_ARCH__
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
#endif
    return t;
}

// Sleeps for up to about twice `nanoseconds`, and not at all for 0.
__device__ __forceinline__ void nap(unsigned nanoseconds) {
#ifdef __CUDA_ARCH__
    if (nanoseconds) __nanosleep(nanoseconds);
#endif
}
