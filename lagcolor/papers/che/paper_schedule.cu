// The two loops of Che et al.'s Algorithms 1 and 3 as the paper has them: one thread per vertex, every round over all
// vertices, and over the whole row of each that has no color. The end of the first kernel is the global barrier: colors
// change in the second only, each by its own thread, so nothing is read that is being written.
//
// Bytes that must move: a round 12 per edge of an uncolored vertex (column, color, value) and 16 per vertex.
// variants: OFFSET_BITS=32,64
#include "device/include/common.cuh"

// max_array: the greatest value of an uncolored neighbour, -1 where there is none. flag, where there is one: set for a
// vertex with an uncolored neighbour of its own value.
extern "C" __global__ void che_maxima(const offset_t* indptr, const int* indices, const int* value, const int* colors,
                                      int* max_array, int* flag, i64 n) {
    const i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || colors[i] >= 0) return;
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

// colored: grows by the vertices that took color k.
extern "C" __global__ void che_assign(const int* value, int* colors, const int* max_array, const int* flag, i64 n, i64 k,
                                      int* colored) {
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
