// variants: BLOCK=256
// Remove unused colors: `mark` marks the colors in use, a prefix sum numbers them, `renumber` changes them.
// Bytes: 4 n, and 8 n more if there is a gap.
#include "base/device/include/common.cuh"

#define FEW 2048  // colors that a block marks in shared memory first, because they are frequent
#define LEAST 64  // colors that a thread marks in a register, because they are most frequent

extern "C" __global__ void __launch_bounds__(BLOCK) mark(int n, const int* colors, int* used) {
    __shared__ int mine[FEW];
    for (int c = threadIdx.x; c < FEW; c += BLOCK) mine[c] = 0;
    __syncthreads();
    unsigned long long own = 0;
    for (long long v = (long long)blockIdx.x * BLOCK + threadIdx.x; v < n; v += (long long)gridDim.x * BLOCK) {
        const int c = colors[v];
        if (c < LEAST) own |= 1ull << c;
        else atomicOr(c < FEW ? mine + c : used + c, 1);
    }
    own = reduce_warp<Either>(own);
    for (int c = threadIdx.x % 32; c < LEAST; c += 32)
        if (own >> c & 1) atomicOr(mine + c, 1);
    __syncthreads();
    for (int c = threadIdx.x; c < FEW; c += BLOCK)
        if (mine[c]) atomicOr(used + c, 1);
}

// number[c]: number of used colors among 0 … c, for c < limit.
extern "C" __global__ void __launch_bounds__(BLOCK) renumber(int n, int* colors, const int* number, int limit) {
    const int all = number[limit - 1];
    if (number[all - 1] == all) return;  // the used colors are 0 … all - 1
    for (long long v = (long long)blockIdx.x * BLOCK + threadIdx.x; v < n; v += (long long)gridDim.x * BLOCK)
        if (colors[v] >= 0) colors[v] = number[colors[v]] - 1;
}
