// Sums of a compressed matrix, numbered by row and color or by column and color, and entries that are alone in neither
// of their sums; launched by on_gpu.py. There is a thread per entry, so a hub costs no more than its entries.
//
// variants: OFFSET_BITS=32,64
#include "base/device/include/search.cuh"

#define BLOCK 256
#define NONE 0x7fffffffffffffffll  // the sum of an entry without a color, after all others

// found: [0] the largest color; [1] the number of colors in use; [2] 1 if a color is under `least` or over n - 1. used:
// a bit per color. Both are zeros at first.
extern "C" __global__ void __launch_bounds__(BLOCK)
    in_use(const int* colors, int n, int least, int* found, unsigned* used) {
    __shared__ int largest, count;
    if (threadIdx.x == 0) largest = count = 0;
    __syncthreads();
    int my_largest = 0, mine = 0;
    for (long long v = (long long)blockIdx.x * BLOCK + threadIdx.x; v < n; v += (long long)gridDim.x * BLOCK) {
        const int c = colors[v];
        if (c < least || c >= n) store_relaxed(found + 2, 1);
        if (c < 0 || c >= n) continue;
        my_largest = max(my_largest, c);
        const unsigned bit = 1u << c % 32;
        if (!(load_relaxed(used + c / 32) & bit)) mine += !(atomicOr(used + c / 32, bit) & bit);
    }
    if (my_largest) atomicMax(&largest, my_largest);
    if (mine) atomicAdd(&count, mine);
    __syncthreads();
    if (threadIdx.x) return;
    if (largest) atomicMax(found, largest);
    if (count) atomicAdd(found + 1, count);
}

// Row of each thread's entry e of m; all threads of a block call it, with consecutive entries.
static __device__ int row_of_mine(const offset_t* indptr, int n, long long e, long long m) {
    const long long first = min((long long)blockIdx.x * BLOCK, m - 1), last = min(first + BLOCK, m) - 1;
    const Bounds<int> rows = bounds_of_tile(indptr, 0, n, first, last);
    return e < m ? first_over(indptr, rows.from, rows.to, e) - 1 : 0;
}

static __device__ __forceinline__ long long sum_of(long long line, int color, long long k) {
    return color < 0 ? NONE : line * k + color;
}

// Sums of m entries in products of rows, or of columns with `of_columns`; with `closed` also of n diagonal entries.
extern "C" __global__ void __launch_bounds__(BLOCK) sums(
    const offset_t* indptr, const int* indices, const int* of_rows, const int* of_columns, int n, long long m, long long k,
    int closed, long long* out) {
    const long long e = (long long)blockIdx.x * BLOCK + threadIdx.x;
    const int i = row_of_mine(indptr, n, e, m);
    if (e < m) out[e] = of_columns ? sum_of(i, of_columns[indices[e]], k) : sum_of(indices[e], of_rows[i], k);
    else if (closed && e - m < n) out[e] = sum_of(e - m, of_columns[e - m], k);
}

// True if a sum occurs once among sorted sums that contain it.
static __device__ __forceinline__ bool once(const long long* sorted, long long m, long long sum) {
    if (sum == NONE) return false;
    const long long at = first_from(sorted, 0ll, m, sum);
    return at + 1 == m || sorted[at + 1] != sum;
}

// Set `fault` if an entry is alone in neither of its sums or, with `symmetric`, if two neighbors have one color.
extern "C" __global__ void __launch_bounds__(BLOCK) faults(
    const offset_t* indptr, const int* indices, const int* of_rows, const int* of_columns, int n, long long m, long long k,
    const long long* by_row, const long long* by_column, int symmetric, int* fault) {
    const long long e = (long long)blockIdx.x * BLOCK + threadIdx.x;
    const int i = row_of_mine(indptr, n, e, m);
    if (e >= m) return;
    const int j = indices[e], a = of_rows[i], b = of_columns[j];
    const bool same = symmetric && i != j && a >= 0 && a == b;
    if (same || !(once(by_row, m, sum_of(i, b, k)) || once(by_column, m, sum_of(j, a, k)))) store_relaxed(fault, 1);
}
