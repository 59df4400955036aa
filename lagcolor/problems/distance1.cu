// Conflicting entries of a coloring, counted tile by tile; launched by distance1.py.
// A block takes TILE consecutive entries, whatever rows they are of: a hub costs no more than its entries.
// Reads 8 bytes per entry (column, its color; offsets and the row's color are mostly in cache), writes 8 a tile.
//
// variants: OFFSET_BITS=32,64
#include "device/include/search.cuh"

#define BLOCK 256
#define TILE 1024

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
