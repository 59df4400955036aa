// How many rows of a degree or more a column has, and which lines a cover leaves out; launched by cover.py. What is between
// the kernels, a sort, is CuPy's. A thread per entry.
//
// variants: OFFSET_BITS=32,64
#include "base/device/include/search.cuh"

#define BLOCK 256

// The row of each thread's entry e of m; the whole block calls, whose entries are consecutive.
static __device__ int row_of_mine(const offset_t* indptr, int n, long long e, long long m) {
    const long long first = (long long)blockIdx.x * BLOCK, last = min(first + BLOCK, m) - 1;
    const Bounds<int> rows = bounds_of_tile(indptr, 0, n, first, last);
    return e < m ? first_over(indptr, rows.from, rows.to, e) - 1 : 0;
}

// Of an entry in column j, of a row of degree d: j * (top + 1) + top - d. `columns` and `rows` are of the transpose.
extern "C" __global__ void __launch_bounds__(BLOCK) by_degree(
    const offset_t* columns, const int* rows, int n, long long m, const offset_t* indptr, long long top, long long* keys) {
    const long long e = (long long)blockIdx.x * BLOCK + threadIdx.x;
    const int j = row_of_mine(columns, n, e, m);
    if (e >= m) return;
    const int i = rows[e];
    keys[e] = j * (top + 1) + top - (indptr[i + 1] - indptr[i]);
}

// Of such a key among all in rising order: its distance from the largest degree, times `over`, and its rank in its column.
extern "C" __global__ void ranked(
    const long long* keys, long long m, const offset_t* columns, long long top, long long over, long long* ranks) {
    const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (e < m) ranks[e] = keys[e] % (top + 1) * over + e + 1 - columns[keys[e] / (top + 1)];
}

// The largest rank of each distance; 0 at first.
extern "C" __global__ void largest_ranks(const long long* ranks, long long m, long long over, long long* most) {
    const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (e < m && (e + 1 == m || ranks[e + 1] / over != ranks[e] / over)) most[ranks[e] / over] = ranks[e] % over;
}

extern "C" __global__ void clear(const int* some, int count, u8* flags) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) flags[some[i]] = 0;
}

// Clears the columns that have an entry in one of the rows that are set.
extern "C" __global__ void __launch_bounds__(BLOCK)
    clear_columns(const offset_t* indptr, const int* indices, int n, long long m, const u8* rows, u8* columns) {
    const long long e = (long long)blockIdx.x * BLOCK + threadIdx.x;
    const int i = row_of_mine(indptr, n, e, m);
    if (e < m && rows[i]) store_relaxed(columns + indices[e], 0);
}

// Which of a sequence of vertices are not `without`; and, of running sums of that, a list of them.
extern "C" __global__ void keep(const int* sequence, int n, const u8* without, long long* kept) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) kept[i] = !without[sequence[i]];
}

extern "C" __global__ void list_kept(const int* sequence, int n, const u8* without, const long long* until, int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && !without[sequence[i]]) out[until[i] - 1] = sequence[i];
}

// Half of each color, and `first` more from vertex `rows` on; -1 stays.
extern "C" __global__ void number(const int* colors, int n, int rows, int first, int* out) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) out[v] = colors[v] < 0 ? colors[v] : (colors[v] >> 1) + (v < rows ? 0 : first);
}

// Entries of each row that is kept, 0 of others; and, of offsets made of these, a copy of the entries.
extern "C" __global__ void lengths_of_kept(const offset_t* indptr, int n, const u8* kept, offset_t* lengths) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) lengths[i] = kept[i] ? indptr[i + 1] - indptr[i] : 0;
}

extern "C" __global__ void __launch_bounds__(BLOCK) copy_kept(
    const offset_t* indptr, const int* indices, int n, long long m, const u8* kept, const offset_t* offsets, int* out) {
    const long long e = (long long)blockIdx.x * BLOCK + threadIdx.x;
    const int i = row_of_mine(indptr, n, e, m);
    if (e < m && kept[i]) out[offsets[i] + (e - indptr[i])] = indices[e];
}
