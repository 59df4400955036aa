// What the rows of one of several GPUs reach, by their first and last neighbors: columns rise along a row.
// variants: OFFSET_BITS=32,64
#include "base/device/include/group.cuh"

#define BLOCK 256

// found[0] = the least neighbor, found[1] = the largest, found[2] = the largest degree; *pushes += how many other GPUs each vertex sends its color to:
// those with an id between its first neighbor and its last. firsts has the first id of each GPU, and n.
extern "C" __global__ void __launch_bounds__(BLOCK)
    look_at_rows(i64 n, const offset_t* __restrict__ indptr, const int* __restrict__ indices, int gpus, int mine,
                 const int* __restrict__ firsts, int* found, u64* pushes) {
    int low = 0x7fffffff, high = -1, degree = 0;
    u64 sent = 0;
    for (i64 v = (i64)blockIdx.x * BLOCK + threadIdx.x; v < n; v += (i64)gridDim.x * BLOCK) {
        const offset_t begin = indptr[v], end = indptr[v + 1];
        if (begin == end) continue;
        const int first = indices[begin], last = indices[end - 1];
        low = min(low, first);
        high = max(high, last);
        degree = max(degree, (int)(end - begin));
        for (int gpu = 0; gpu < gpus; gpu++) sent += gpu != mine && first < firsts[gpu + 1] && last >= firsts[gpu];
    }
    low = Threads<BLOCK>::reduce<Least>(low);
    high = Threads<BLOCK>::reduce<Most>(high);
    degree = Threads<BLOCK>::reduce<Most>(degree);
    sent = Threads<BLOCK>::reduce<Plus>(sent);
    if (threadIdx.x != 0) return;
    atomicMin(found, low);
    atomicMax(found + 1, high);
    atomicMax(found + 2, degree);
    if (sent) atomicAdd(pushes, sent);
}
