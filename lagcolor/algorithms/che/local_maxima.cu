// The loops of Che et al.'s Algorithms 1 to 3 as in the paper: one thread per vertex; every round visits all vertices
// and the whole row of each uncolored vertex. The end of the first kernel is the global barrier. Only the second kernel
// changes colors, each by its own thread, so no value is read while it is written.
//
// Bytes that must move in a round: 12 per edge of an uncolored vertex (column, color, value) and 16 per vertex; with
// queues, 4 more per element.
// variants: OFFSET_BITS=32,64
#include "base/device/include/common.cuh"
#include "algorithms/che/deque.cuh"

// Body of the first loop for vertex i. max_array: the greatest value of an uncolored neighbor, or -1 if there is none.
// flag (or null): set for a vertex with an uncolored neighbor of equal value.
static __device__ __forceinline__ void maximum(const offset_t* indptr, const int* indices, const int* value,
                                               const int* colors, int* max_array, int* flag, i64 i) {
    if (colors[i] >= 0) return;
    int greatest = -1;
    bool duplicate = false;
    for (offset_t j = indptr[i]; j < indptr[i + 1]; j++) {
        const int u = indices[j];
        if (colors[u] < 0) {
            const int x = value[u];
            duplicate |= x == value[i];
            greatest = x > greatest ? x : greatest;
        }
    }
    max_array[i] = greatest;
    if (flag && duplicate) flag[i] = 1;
}

extern "C" __global__ void che_maxima(const offset_t* indptr, const int* indices, const int* value, const int* colors,
                                      int* max_array, int* flag, i64 n) {
    const i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) maximum(indptr, indices, value, colors, max_array, flag, i);
}

// INITIALIZE_QUEUES, once per round: refill queue q with all its elements. This is a separate kernel, because a thief
// must not see a queue that its owner has not initialized.
extern "C" __global__ void che_initialize_queues(u64* heads, u64* tails, const i64* sizes, i64 queues) {
    const i64 q = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= queues) return;
    heads[q] = 0;
    tails[q] = (u64)sizes[q];
}

// POPSTEAL by one thread: take an element of the own queue, or of the next queue that has any. A steal that LOST is
// repeated; the head has moved, so this ends. tried, won: numbers of steals.
static __device__ int pop_steal(const Deques& d, int own, int queues, bool stealing, u64* tried, u64* won) {
    const int element = pop(d, own);
    if (element >= 0 || !stealing) return element;
    for (int k = 1; k < queues;) {
        const int victim = (own + k) % queues;
        const int stolen = looks_empty(d, victim) ? EMPTY : steal(d, victim);
        *tried += stolen != EMPTY;
        *won += stolen >= 0;
        if (stolen >= 0) return stolen;
        k += stolen == EMPTY;
    }
    return EMPTY;
}

// First loop of Algorithm 2. A block is a workgroup, and blockIdx its queue. An element is the first of `chunk` rows;
// each thread takes every blockDim-th. statistics: elements consumed, steals tried and won per queue; the kernel adds
// to them.
extern "C" __global__ void che_steal_maxima(const offset_t* indptr, const int* indices, const int* value,
                                            const int* colors, int* max_array, u64* heads, u64* tails, int* elements,
                                            i64 capacity, u64* statistics, i64 n, i64 chunk, i64 stealing) {
    __shared__ int element;
    const Deques deques = {heads, tails, elements, capacity};
    u64 consumed = 0, tried = 0, won = 0;
    while (true) {
        if (threadIdx.x == 0) element = pop_steal(deques, blockIdx.x, gridDim.x, stealing, &tried, &won);
        __syncthreads();
        const i64 begin = element;
        __syncthreads();
        if (begin < 0) break;
        const i64 end = begin + chunk < n ? begin + chunk : n;
        for (i64 i = begin + threadIdx.x; i < end; i += blockDim.x)
            maximum(indptr, indices, value, colors, max_array, nullptr, i);
        consumed++;
    }
    if (threadIdx.x == 0) {
        u64* out = statistics + 3 * blockIdx.x;
        out[0] += consumed, out[1] += tried, out[2] += won;
    }
}

// Color the local maxima with k, and add their number to *colored.
extern "C" __global__ void che_assign(const int* value, int* colors, const int* max_array, const int* flag, i64 n,
                                      i64 k, int* colored) {
    __shared__ int here;
    if (threadIdx.x == 0) here = 0;
    __syncthreads();
    const i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && colors[i] < 0 && !(flag && flag[i]) && value[i] > max_array[i]) {
        colors[i] = (int)k;
        atomicAdd(&here, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0 && here) atomicAdd(colored, here);
}
