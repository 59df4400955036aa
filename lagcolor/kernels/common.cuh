// What every kernel here uses: the offset type, and relaxed atomics on memory that threads share.
#pragma once

#if OFFSET_BITS == 64
typedef long long offset_t;
#else
typedef int offset_t;
#endif

// Relaxed, device scope (PTX memory model, sm_70 on): no tearing and no caching in registers or L1,
// no ordering with other addresses. Callers rely on monotone updates of the one word only.
static __device__ __forceinline__ int load_relaxed(const int* at) {
    int x;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(x) : "l"(at) : "memory");
    return x;
}

static __device__ __forceinline__ void store_relaxed(int* at, int x) {
    asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(at), "r"(x) : "memory");
}

// A place in a list for each thread that is here, with one atomic a warp; threads beside each other get
// places beside each other.
static __device__ __forceinline__ int append(int* length) {
    const unsigned here = __activemask(), lane = threadIdx.x & 31, leader = __ffs(here) - 1;
    int base = 0;
    if (lane == leader) base = atomicAdd(length, __popc(here));
    return __shfl_sync(here, base, leader) + __popc(here & ((1u << lane) - 1));
}
