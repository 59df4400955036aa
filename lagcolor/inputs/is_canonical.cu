// Whether a CSR is canonical: symmetric, sorted rows without duplicates, no diagonal. Launched by canonical_gpu.py.
//
// Each offset and each index is read once. For an entry (i, j) above the diagonal, (j, i) is looked up by bisection of
// row j. Rows have no duplicates. So if as many entries are below the diagonal as above it, each of these has a mirror
// image, too. No input is trusted: offsets may be anything. Searches in offsets read only places 0 … n, and the bounds
// of a row are compared with 0 and m before an entry is read. Each thread reads its own entries, or entries within such
// bounds.
//
// variants: OFFSET_BITS=32,64 COLUMN_BITS=32,64
#include "base/device/include/group.cuh"
#include "base/device/include/search.cuh"

#define BLOCK 256
#define EACH 8  // consecutive entries of a thread
#define TILE (BLOCK * EACH)

#if COLUMN_BITS == 64
typedef i64 column_t;
#else
typedef int column_t;
#endif
typedef Threads<BLOCK> Block;

static __device__ bool has_entry(const offset_t* indptr, const column_t* indices, i64 m, column_t i, int j) {
    const offset_t begin = indptr[i], end = indptr[i + 1];
    if (begin < 0 || begin > end || end > m) return false;
    const offset_t at = first_from(indices, begin, end, j);
    return at < end && indices[at] == j;
}

// n > 0 rows, m entries. found[0]: 1 if there is a fault; found[1 + b]: number of entries of block b above the
// diagonal, less the number below it.
extern "C" __global__ void __launch_bounds__(BLOCK)
    is_canonical(const offset_t* indptr, const column_t* indices, int n, i64 m, i64* found) {
    const i64 mine = (i64)blockIdx.x * BLOCK + threadIdx.x;
    bool fault = mine == 0 && (indptr[0] != 0 || indptr[n] != m);
    for (i64 v = mine; v < n; v += (i64)gridDim.x * BLOCK) fault |= indptr[v] > indptr[v + 1];
    i64 above = 0;
    for (i64 first = (i64)blockIdx.x * TILE; first < m; first += (i64)gridDim.x * TILE) {
        const i64 last = (first + TILE < m ? first + TILE : m) - 1, begin = first + threadIdx.x * EACH;
        const Bounds<int> rows = bounds_of_tile(indptr, 1, n, first, last);
        if (begin > last) continue;
        column_t columns[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) columns[k] = begin + k <= last ? indices[begin + k] : 0;
        int i = first_over(indptr, rows.from, rows.to, begin) - 1;
        column_t before = begin && begin > indptr[i] ? indices[begin - 1] : -1;
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const i64 e = begin + k;
            if (e > last) break;
            if (e >= indptr[i + 1]) {
                i = first_over(indptr, i + 1, rows.to, e) - 1;
                before = -1;
            }
            const column_t j = columns[k];
            fault |= j <= before || j >= n || j == i;
            above += j > i ? 1 : -1;
            if (j > i && j < n) fault |= !has_entry(indptr, indices, m, j, i);
            before = j;
        }
    }
    fault = Block::any(fault);
    above = Block::reduce<Plus>(above);
    if (threadIdx.x) return;
    if (fault) found[0] = 1;
    found[1 + blockIdx.x] = above;
}
