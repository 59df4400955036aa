// The rows of entries, and the entries of rows; launched by pattern.py.
//
// variants: OFFSET_BITS=32,64
#include "base/device/include/search.cuh"

#define BLOCK 256
#define TILE 1024

// The row of each of m entries. A block takes a tile of entries, so that a long row costs no more than its entries.
extern "C" __global__ void __launch_bounds__(BLOCK)
    rows_of_entries(const offset_t* indptr, int n, long long m, int* row) {
    const long long begin = (long long)blockIdx.x * TILE, end = min(begin + TILE, m);
    const Bounds<int> rows = bounds_of_tile(indptr, 0, n, begin, end - 1);
    for (long long e = begin + threadIdx.x; e < end; e += BLOCK) row[e] = first_over(indptr, rows.from, rows.to, e) - 1;
}

// The number of entries of each of `count` rows.
extern "C" __global__ void sizes_of_rows(const offset_t* indptr, const int* rows, int count, long long* sizes) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) sizes[i] = indptr[rows[i] + 1] - indptr[rows[i]];
}

// The entries of these rows, row by row, and the index of the row of each. ends[i]: entries of the first i + 1 rows.
extern "C" __global__ void entries_of_rows(
    const offset_t* indptr, const int* indices, const int* rows, int count, const long long* ends, long long m,
    long long* index, int* columns) {
    const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    const int i = first_over(ends, 0, count, e);
    index[e] = i;
    columns[e] = indices[indptr[rows[i]] + (e - (i ? ends[i - 1] : 0))];
}
