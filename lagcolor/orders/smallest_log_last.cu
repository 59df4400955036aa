// variants: OFFSET_BITS=32,64 LANES=8,32
// Rounds of removal by a doubling degree threshold. LANES threads work on a row.
//
// The queue is one array, because each vertex enters once. Round `step` removes the count[step] vertices from
// start[step] on, and appends vertices whose degree reaches the threshold for round step + 1. start[step] and
// count[step] are final before the launch that reads them.
//
// Shared state: degree[] only decreases, by atomic decrements with distinct old values, so exactly one thread sees a
// vertex reach the threshold. The order within a round's queue has no effect.
//
// Bytes that must move: 4 per vertex and threshold for the scan; in all rounds 12 to 20 per vertex and 8 per edge.
#include "base/device/include/common.cuh"

extern "C" __global__ void enter(int n, const int* __restrict__ degree, int before, int threshold, int step,
                                 const int* __restrict__ start, int* count, int* __restrict__ queue) {
    for (long long v = (long long)blockIdx.x * blockDim.x + threadIdx.x; v < n; v += (long long)gridDim.x * blockDim.x) {
        const int d = degree[v];
        if (d > before && d <= threshold) queue[start[step] + atomicAdd(count + step, 1)] = (int)v;
    }
}

extern "C" __global__ void remove_round(const offset_t* __restrict__ indptr, const int* __restrict__ indices, int* degree,
                                        int threshold, int step, int* start, int* count, int* queue,
                                        int* __restrict__ level) {
    const int begin = start[step], end = begin + count[step];
    if (blockIdx.x == 0 && threadIdx.x == 0) start[step + 1] = end;
    const int lane = threadIdx.x % LANES, groups = gridDim.x * (blockDim.x / LANES);
    for (long long i = begin + (long long)blockIdx.x * (blockDim.x / LANES) + threadIdx.x / LANES; i < end; i += groups) {
        const int v = queue[i];
        if (lane == 0) level[v] = step;
        for (offset_t e = indptr[v] + lane; e < indptr[v + 1]; e += LANES) {
            const int u = indices[e];
            if (atomicSub(degree + u, 1) == threshold + 1) queue[end + atomicAdd(count + step + 1, 1)] = u;
        }
    }
}
