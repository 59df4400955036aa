// Each function of search.cuh by itself: one key for each of `count` threads.
#include "base/device/include/search.cuh"

#define HERE ((long long)blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void places_int(const int* values, long long low, long long high, const int* keys, long long count,
                                      int* over, int* from) {
    if (HERE >= count) return;
    over[HERE] = first_over(values, (int)low, (int)high, keys[HERE]);
    from[HERE] = first_from(values, (int)low, (int)high, keys[HERE]);
}
extern "C" __global__ void places_wide(const long long* values, long long low, long long high, const long long* keys,
                                       long long count, long long* over, long long* from) {
    if (HERE >= count) return;
    over[HERE] = first_over(values, low, high, keys[HERE]);
    from[HERE] = first_from(values, low, high, keys[HERE]);
}

// Keys first, first + 1 … last, in tiles of a block each; `bounds`: of each tile.
extern "C" __global__ void tiles(const long long* values, long long n, long long first, long long last, int* over,
                                 int* bounds) {
    for (long long tile = first; tile <= last; tile += blockDim.x) {
        const long long end = tile + blockDim.x <= last ? tile + blockDim.x - 1 : last, k = tile + threadIdx.x;
        const Bounds<int> b = bounds_of_tile(values, 0, (int)n, tile, end);
        if (threadIdx.x == 0) bounds[2 * ((tile - first) / blockDim.x)] = b.from;
        if (threadIdx.x == 0) bounds[2 * ((tile - first) / blockDim.x) + 1] = b.to;
        if (k <= last) over[k - first] = first_over(values, b.from, b.to, k);
    }
}
