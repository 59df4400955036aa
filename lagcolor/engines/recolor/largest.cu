// The largest number of an array, and how often it occurs: a pair a block, written to memory of the host.
// Bytes that must move: 4 to 8 a number.
//
// variants: OFFSET_BITS=32,64 STEPS=0,1
#include "device/include/group.cuh"
#include "engines/recolor/largest.cuh"

#define BLOCK 256
#define AHEAD 4

// Numbers are those of `values`, none under 0; with STEPS the differences of neighbouring offsets.
extern "C" __global__ void largest(const int* values, const offset_t* offsets, long long n, int* pairs) {
    const long long step = (long long)gridDim.x * BLOCK;
    u64 mine = 0;
    for (long long first = (long long)blockIdx.x * BLOCK + threadIdx.x; first < n; first += AHEAD * step) {
        int x[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            const long long i = first + k * step;
            x[k] = i >= n ? -1 : STEPS ? (int)(offsets[i + 1] - offsets[i]) : values[i];
        }
#pragma unroll
        for (int k = 0; k < AHEAD; k++) mine = Larger()(mine, (u64)(x[k] + 1) << 32 | (x[k] >= 0));
    }
    mine = Threads<BLOCK>::reduce<Larger>(mine);
    if (threadIdx.x > 0) return;
    pairs[2 * blockIdx.x] = (int)(mine >> 32) - 1;
    pairs[2 * blockIdx.x + 1] = (int)(unsigned)mine;
}
