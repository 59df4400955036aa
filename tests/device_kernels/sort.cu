// variants: BLOCK=256 EACH=1,2,4,8
// sort.cuh by itself: a block's numbers in global memory, and those of a warp, a list of EACH per lane.
#include "device/include/sort.cuh"

extern "C" __global__ void sorted_by_block(long long n, unsigned* x) { sort_in_block<BLOCK>(x, (int)n); }
extern "C" __global__ void sorted_by_block_u64(long long n, u64* x) { sort_in_block<BLOCK>(x, (int)n); }

extern "C" __global__ void sorted_by_warps(unsigned* x) {
    unsigned own[EACH];
    unsigned* list = x + (blockIdx.x * blockDim.x + threadIdx.x) / WARP * WARP * EACH + threadIdx.x % WARP;
    for (int j = 0; j < EACH; j++) own[j] = list[WARP * j];
    sort_in_warp(own);
    for (int j = 0; j < EACH; j++) list[WARP * j] = own[j];
}
