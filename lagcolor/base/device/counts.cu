// How often each small number occurs, and which occur; launched by base/device/__init__.py. Negative ones are ignored.
// Up to BINS different numbers are counted in shared memory first, because all threads would queue for a few words.
//
// Bytes that must move: the array once.
#include "base/device/include/common.cuh"

#define BLOCK 256
#define BINS 4096

// out[c]: how many of n numbers are c, for 0 ... k - 1; other numbers are ignored. Initially 0.
extern "C" __global__ void __launch_bounds__(BLOCK) count(const int* x, long long n, long long k, u64* out) {
    __shared__ unsigned bins[BINS];
    const bool narrow = k <= BINS;
    for (int c = threadIdx.x; narrow && c < k; c += BLOCK) bins[c] = 0;
    __syncthreads();
    for (long long i = (long long)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (long long)gridDim.x * BLOCK) {
        const int c = x[i];
        if (c < 0 || c >= k) continue;
        if (narrow) atomicAdd(bins + c, 1u);
        else atomicAdd(out + c, (u64)1);
    }
    __syncthreads();
    for (int c = threadIdx.x; narrow && c < k; c += BLOCK) {
        if (bins[c]) atomicAdd(out + c, (u64)bins[c]);
    }
}

// out[c]: whether c occurs among n numbers. Initially 0.
extern "C" __global__ void __launch_bounds__(BLOCK) mark(const int* x, long long n, u8* out) {
    for (long long i = (long long)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (long long)gridDim.x * BLOCK) {
        const int c = x[i];
        if (c >= 0 && !load_relaxed(out + c)) store_relaxed(out + c, 1);
    }
}
