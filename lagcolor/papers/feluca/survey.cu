// How many vertices each degree class has, and the largest degree. Bytes that must move: an offset per vertex.
//
// variants: OFFSET_BITS=32,64
#include "papers/feluca/feluca.cuh"

// totals: vertices of the three classes, largest degree; zeros before.
extern "C" __global__ void survey(const offset_t* indptr, i64 n, unsigned* totals) {
    unsigned mine[CLASSES] = {0, 0, 0};
    unsigned top = 0;
    for (i64 v = (i64)blockIdx.x * BLOCK + threadIdx.x; v < n; v += (i64)gridDim.x * BLOCK) {
        const unsigned degree = (unsigned)(indptr[v + 1] - indptr[v]);
        for (int k = 0; k < CLASSES; k++) mine[k] += class_of(degree) == k;
        top = max(top, degree);
    }
    __syncwarp();
    for (int k = 0; k < CLASSES; k++) add_from_warp(totals + k, mine[k]);
    top = reduce_warp<Most>(top);
    if (threadIdx.x % WARP == 0 && top) atomicMax(totals + CLASSES, top);
}
