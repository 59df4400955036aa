// Count the rows of at least each degree per column, and find the lines that a cover leaves out; launched by cover.py,
// with CuPy's sort between the kernels. A thread per entry.
//
// variants: OFFSET_BITS=32,64
#include "base/device/include/search.cuh"

#define BLOCK 256

// The row of each thread's entry e of m; all threads of a block call, with consecutive entries.
static __device__ int row_of_mine(const offset_t* indptr, int n, long long e, long long m) {
    const long long first = (long long)blockIdx.x * BLOCK, last = min(first + BLOCK, m) - 1;
    const Bounds<int> rows = bounds_of_tile(indptr, 0, n, first, last);
    return e < m ? first_over(indptr, rows.from, rows.to, e) - 1 : 0;
}

// The key of an entry in column j and a row of degree d: j * (top + 1) + top - d. `columns`, `rows`: the transpose.
extern "C" __global__ void __launch_bounds__(BLOCK) by_degree(
    const offset_t* columns, const int* rows, int n, long long m, const offset_t* indptr, long long top, long long* keys) {
    const long long e = (long long)blockIdx.x * BLOCK + threadIdx.x;
    const int j = row_of_mine(columns, n, e, m);
    if (e >= m) return;
    const int i = rows[e];
    keys[e] = j * (top + 1) + top - (indptr[i + 1] - indptr[i]);
}

// From sorted keys: (largest degree - degree) * over + rank in the column.
extern "C" __global__ void ranked(
    const long long* keys, long long m, const offset_t* columns, long long top, long long over, long long* ranks) {
    const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (e < m) ranks[e] = keys[e] % (top + 1) * over + e + 1 - columns[keys[e] / (top + 1)];
}

// The largest rank for each difference to the largest degree, from sorted ranks; most[] is 0 initially.
extern "C" __global__ void largest_ranks(const long long* ranks, long long m, long long over, long long* most) {
    const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (e < m && (e + 1 == m || ranks[e + 1] / over != ranks[e] / over)) most[ranks[e] / over] = ranks[e] % over;
}

extern "C" __global__ void clear(const int* some, int count, u8* flags) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) flags[some[i]] = 0;
}

// Clear the columns that have an entry in a row whose flag is set.
extern "C" __global__ void __launch_bounds__(BLOCK)
    clear_columns(const offset_t* indptr, const int* indices, int n, long long m, const u8* rows, u8* columns) {
    const long long e = (long long)blockIdx.x * BLOCK + threadIdx.x;
    const int i = row_of_mine(indptr, n, e, m);
    if (e < m && rows[i]) store_relaxed(columns + indices[e], 0);
}

// Flag the vertices of a sequence that are not `without` a color; then list them by the running sums of the flags.
extern "C" __global__ void keep(const int* sequence, int n, const u8* without, long long* flags) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) flags[i] = !without[sequence[i]];
}

extern "C" __global__ void list_others(const int* sequence, int n, const u8* without, const long long* until, int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && !without[sequence[i]]) out[until[i] - 1] = sequence[i];
}

// Halve each color, and add `first` from vertex `rows` on; -1 stays.
extern "C" __global__ void number(const int* colors, int n, int rows, int first, int* out) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) out[v] = colors[v] < 0 ? colors[v] : (colors[v] >> 1) + (v < rows ? 0 : first);
}

// The number of entries of each selected row, 0 for others; then a copy of the entries, by offsets from these numbers.
extern "C" __global__ void selected_lengths(const offset_t* indptr, int n, const u8* selected, offset_t* lengths) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) lengths[i] = selected[i] ? indptr[i + 1] - indptr[i] : 0;
}

extern "C" __global__ void __launch_bounds__(BLOCK) copy_selected(
    const offset_t* indptr, const int* indices, int n, long long m, const u8* selected, const offset_t* offsets, int* out) {
    const long long e = (long long)blockIdx.x * BLOCK + threadIdx.x;
    const int i = row_of_mine(indptr, n, e, m);
    if (e < m && selected[i]) out[offsets[i] + (e - indptr[i])] = indices[e];
}
