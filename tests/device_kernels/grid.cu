// All blocks meet again and again: what each wrote before, all see after.
#include "base/device/include/grid.cuh"

// turns[r * blocks + b]: r from block b; wrong: words of others that were not there yet, or of the next turn already.
extern "C" __global__ void meetings(long long rounds, int* arrived, long long from, int* turns, int* wrong) {
    int goal = (int)from;
    for (int r = 0; r < rounds; r++) {
        if (threadIdx.x == blockDim.x - 1) turns[blockIdx.x] = r;
        grid_barrier(arrived, goal);
        for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x)
            if (((volatile int*)turns)[b] != r) atomicAdd(wrong, 1);
        grid_barrier(arrived, goal);
    }
}
