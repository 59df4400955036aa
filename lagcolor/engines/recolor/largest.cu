// The largest number of an array, and how often it occurs: a pair a block, written to memory of the host.
// Bytes that must move: 4 to 8 a number.
//
// variants: OFFSET_BITS=32,64 STEPS=0,1
#include "device/include/common.cuh"

#define BLOCK 256
#define AHEAD 4

struct Largest {
    int number, count;  // no number: -1
};

static __device__ __forceinline__ Largest larger(Largest a, Largest b) {
    if (a.number == b.number) a.count += b.count;
    return a.number < b.number ? b : a;
}

// Numbers are those of `values`, none under 0; with STEPS the differences of neighbouring offsets.
extern "C" __global__ void largest(const int* values, const offset_t* offsets, long long n, int* pairs) {
    __shared__ Largest of_warp[BLOCK / 32];
    const long long step = (long long)gridDim.x * BLOCK;
    Largest mine = {-1, 0};
    for (long long first = (long long)blockIdx.x * BLOCK + threadIdx.x; first < n; first += AHEAD * step) {
        int x[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            const long long i = first + k * step;
            x[k] = i >= n ? -1 : STEPS ? (int)(offsets[i + 1] - offsets[i]) : values[i];
        }
#pragma unroll
        for (int k = 0; k < AHEAD; k++) mine = larger(mine, Largest{x[k], x[k] >= 0});
    }
    for (int d = 16; d > 0; d /= 2) {
        const int number = __shfl_xor_sync(ALL_LANES, mine.number, d);
        mine = larger(mine, Largest{number, __shfl_xor_sync(ALL_LANES, mine.count, d)});
    }
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < BLOCK / 32; w++) mine = larger(mine, of_warp[w]);
    pairs[2 * blockIdx.x] = mine.number;
    pairs[2 * blockIdx.x + 1] = mine.count;
}
