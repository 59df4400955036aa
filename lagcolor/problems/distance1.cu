// Faults of a coloring: whether there is any, and conflicting entries, counted tile by tile; launched by distance1.py.
// A block takes TILE consecutive entries, whatever rows they are of: a hub costs no more than its entries.
// Reads 8 bytes per entry (column, its color; offsets and the row's color are mostly in cache), writes 8 a tile.
//
// variants: OFFSET_BITS=32,64
#include "device/include/search.cuh"

#define BLOCK 256
#define TILE 1024

// The largest color, how many are in use, and whether a vertex has none or one over n - 1, or an edge two ends of one color:
// found[0], found[1], found[2]. used: a bit per color. All are zero at first. A block takes a tile of entries, and vertices.
extern "C" __global__ void __launch_bounds__(BLOCK) summary(
    const offset_t* indptr, const int* indices, const int* colors, int n, long long m, int* found, unsigned* used) {
    const long long begin = (long long)blockIdx.x * TILE, end = begin + TILE < m ? begin + TILE : m;
    __shared__ int largest, count;
    if (threadIdx.x == 0) largest = count = 0;
    __syncthreads();
    int my_largest = 0, mine = 0;
    bool fault = false;
    for (long long v = (long long)blockIdx.x * BLOCK + threadIdx.x; v < n; v += (long long)gridDim.x * BLOCK) {
        const int c = colors[v];
        fault |= c < 0 || c >= n;
        if (fault) break;
        my_largest = max(my_largest, c);
        const unsigned bit = 1u << c % 32;
        if (!(load_relaxed(used + c / 32) & bit)) mine += !(atomicOr(used + c / 32, bit) & bit);  // else it is counted
    }
    if (begin < end) {
        const Bounds<int> rows = bounds_of_tile(indptr, 0, n, begin, end - 1);
        for (long long e = begin + threadIdx.x; e < end; e += BLOCK) {
            const int u = first_over(indptr, rows.from, rows.to, e) - 1, v = indices[e];
            fault |= u != v && colors[u] == colors[v];
        }
    }
    if (my_largest) atomicMax(&largest, my_largest);
    if (mine) atomicAdd(&count, mine);
    if (fault) store_relaxed(found + 2, 1);
    __syncthreads();
    if (threadIdx.x) return;
    if (largest) atomicMax(found, largest);
    if (count) atomicAdd(found + 1, count);
}

extern "C" __global__ void __launch_bounds__(BLOCK) conflicts(
    const offset_t* indptr, const int* indices, const int* colors, int n, long long m, int* up, int* down) {
    const long long begin = (long long)blockIdx.x * TILE, end = min(begin + TILE, m);
    __shared__ int total_up, total_down;
    if (threadIdx.x == 2) total_up = total_down = 0;
    const Bounds<int> rows = bounds_of_tile(indptr, 0, n, begin, end - 1);
    int my_up = 0, my_down = 0;
    for (long long e = begin + threadIdx.x; e < end; e += BLOCK) {
        const int u = first_over(indptr, rows.from, rows.to, e) - 1, v = indices[e], c = colors[v];
        if (c >= 0 && c == colors[u]) {
            my_up += u < v;
            my_down += v < u;
        }
    }
    if (my_up) atomicAdd(&total_up, my_up);
    if (my_down) atomicAdd(&total_down, my_down);
    __syncthreads();
    if (threadIdx.x == 0) {
        up[blockIdx.x] = total_up;
        down[blockIdx.x] = total_down;
    }
}
