// variants: EACH=1,2,4,8
// sort.cuh by itself: a list of EACH numbers per lane.
#include "base/device/include/sort.cuh"

extern "C" __global__ void sorted_by_warps(unsigned* x) {
    unsigned own[EACH];
    unsigned* list = x + (blockIdx.x * blockDim.x + threadIdx.x) / WARP * WARP * EACH + threadIdx.x % WARP;
    for (int j = 0; j < EACH; j++) own[j] = list[WARP * j];
    sort_in_warp(own);
    for (int j = 0; j < EACH; j++) list[WARP * j] = own[j];
}
