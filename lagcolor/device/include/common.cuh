// What every kernel here uses: types, and relaxed atomics on memory that threads share.
#pragma once
#include "device/include/offset.cuh"

typedef long long i64;
typedef unsigned long long u64;

#define WARP 32
#define ALL_LANES 0xffffffffu

// Relaxed, device scope (PTX memory model, sm_70 on): no tearing and no caching in registers or L1,
// no ordering with other addresses. Callers rely on monotone updates of the one word only.
#ifdef __CUDA_ARCH__
#define RELAXED(T, Register, ptx, constraint)                                                                 \
    static __device__ __forceinline__ T load_relaxed(const T* at) {                                           \
        Register x;                                                                                           \
        asm volatile("ld.relaxed.gpu.global." ptx " %0, [%1];" : "=" constraint(x) : "l"(at) : "memory");     \
        return (T)x;                                                                                          \
    }                                                                                                         \
    static __device__ __forceinline__ void store_relaxed(T* at, T x) {                                        \
        asm volatile("st.relaxed.gpu.global." ptx " [%0], %1;" ::"l"(at), constraint((Register)x) : "memory"); \
    }
#else
#define RELAXED(T, Register, ptx, constraint)                                   \
    static inline T load_relaxed(const T* at) { return emulated_load(at); }     \
    static inline void store_relaxed(T* at, T x) { emulated_store(at, x); }
#endif
RELAXED(int, int, "s32", "r")
RELAXED(unsigned, unsigned, "u32", "r")
RELAXED(u64, u64, "u64", "l")
RELAXED(unsigned char, unsigned, "u8", "r")

// A place in a list for each thread of the block whose `wanted` is true, with one atomic a block: an atomic a
// warp on the one counter costs 0.15 ms for 8 M threads. Every thread of the block must call it.
static __device__ __forceinline__ int append(bool wanted, int* length) {
    __shared__ int counts[32], base;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = (blockDim.x + 31) / 32;
    const unsigned ballot = __ballot_sync(ALL_LANES, wanted);
    if (lane == 0) counts[warp] = __popc(ballot);
    __syncthreads();
    if (threadIdx.x == 0) {
        int total = 0;
        for (int i = 0; i < warps; i++) {
            const int n = counts[i];
            counts[i] = total;
            total += n;
        }
        if (total) base = atomicAdd(length, total);
    }
    __syncthreads();
    const int place = base + counts[warp] + __popc(ballot & ((1u << lane) - 1));
    __syncthreads();  // counts and base are free for the next call
    return place;
}
