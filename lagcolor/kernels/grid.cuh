// What the blocks of a grid share: relaxed accesses, and where they meet.
//
// Relaxed, of device scope. Loads of 32 bits have no clobber of memory, so that those of several edges are under way at
// once: callers rely on single words that change monotonely, and on `meet` for everything else.
#pragma once

static __device__ __forceinline__ int look(const int* at) {
#ifdef __CUDA_ARCH__
    int x;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(x) : "l"(at));
    return x;
#else
    return *at;
#endif
}

static __device__ __forceinline__ unsigned look(const unsigned* at) { return (unsigned)look((const int*)at); }

static __device__ __forceinline__ void put(int* at, int x) {
#ifdef __CUDA_ARCH__
    asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(at), "r"(x) : "memory");
#else
    *at = x;
#endif
}

static __device__ __forceinline__ void put(unsigned* at, unsigned x) { put((int*)at, (int)x); }

static __device__ __forceinline__ unsigned long long load_relaxed(const unsigned long long* at) {
#ifdef __CUDA_ARCH__
    unsigned long long x;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(at) : "memory");
    return x;
#else
    return *at;
#endif
}

static __device__ __forceinline__ void store_relaxed(unsigned long long* at, unsigned long long x) {
#ifdef __CUDA_ARCH__
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at), "l"(x) : "memory");
#else
    *at = x;
#endif
}

// All blocks of a cooperative launch wait for each other; what one wrote before, all see after. `arrived` and `goal` begin
// at 0.
static __device__ __forceinline__ void meet(int* arrived, int& goal) {
    __syncthreads();
    if (threadIdx.x == 0) {
        goal += gridDim.x;
        __threadfence();
        atomicAdd(arrived, 1);
        while (look(arrived) - goal < 0) {}  // a difference, for both wrap around
        __threadfence();
    }
    __syncthreads();
}
