// variants: OFFSET_BITS=32,64 LANES=8,32
// A round of approximate degeneracy: `collect` queues what is at most the threshold, `remove_round` takes it out of
// the degrees of the rest (LANES threads a row), `close_round` makes the sums of the next round.
//
// Shared state: sums and degrees change by atomic additions only, whose result does not depend on their order;
// level[] is written in `collect`, each entry once by the thread that owns the vertex, and read in the next launch.
//
// Bytes a round: 8 a vertex of the graph for the scan, then 12 a removed vertex and 12 an edge of it.
#include "../kernels/common.cuh"

typedef unsigned long long u64;
enum { LEFT, TOTAL, QUEUED, LOST, ROUNDS };

static __device__ __forceinline__ void add_from_warp(u64* at, u64 x) {
    for (int step = 16; step; step /= 2) x += __shfl_down_sync(0xffffffffu, x, step);
    if (threadIdx.x % 32 == 0 && x) atomicAdd(at, x);
}

extern "C" __global__ void collect(int n, const int* __restrict__ degree, double factor, u64* state,
                                  int* __restrict__ queue, int* __restrict__ level) {
    const u64 left = state[LEFT];
    if (left == 0) return;
    // Separately rounded operations, as on the CPU.
    const double threshold = floor(__ddiv_rn(__dmul_rn(factor, (double)state[TOTAL]), (double)left));
    const int step = (int)state[ROUNDS];
    u64 lost = 0;
    for (long long v = (long long)blockIdx.x * blockDim.x + threadIdx.x; v < n; v += (long long)gridDim.x * blockDim.x) {
        if (level[v] < 0 && degree[v] <= threshold) {
            level[v] = step;
            queue[atomicAdd(state + QUEUED, 1ull)] = (int)v;
            lost += degree[v];
        }
    }
    add_from_warp(state + LOST, lost);
}

extern "C" __global__ void remove_round(const offset_t* __restrict__ indptr, const int* __restrict__ indices, int* degree,
                                        u64* state, const int* __restrict__ queue, const int* __restrict__ level) {
    const long long count = state[QUEUED];
    const int lane = threadIdx.x % LANES, groups = gridDim.x * (blockDim.x / LANES);
    u64 lost = 0;
    for (long long i = (long long)blockIdx.x * (blockDim.x / LANES) + threadIdx.x / LANES; i < count; i += groups) {
        const int v = queue[i];
        for (offset_t e = indptr[v] + lane; e < indptr[v + 1]; e += LANES) {
            const int u = indices[e];
            if (level[u] < 0) {
                atomicSub(degree + u, 1);
                lost++;
            }
        }
    }
    add_from_warp(state + LOST, lost);
}

extern "C" __global__ void close_round(u64* state) {
    if (state[LEFT] == 0) return;
    state[LEFT] -= state[QUEUED];
    state[TOTAL] -= state[LOST];
    state[QUEUED] = state[LOST] = 0;
    state[ROUNDS]++;
}
