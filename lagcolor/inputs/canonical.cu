// Canonical CSR on the GPU, in addition to CuPy's sorts, searches and scans. Launched by canonical_gpu.py.
// An entry (row, column) is a 64-bit key with the row in the upper half. NOTHING marks an entry to
// drop, and sorts last. One thread per entry, so that a hub costs no more than its entries.
//
// variants: OFFSET_BITS=32,64
#include "base/device/include/search.cuh"

#define NOTHING 0xffffffffffffffffull

// The row of each thread's entry e of m; the whole block calls, and its entries are consecutive.
static __device__ int row_of_mine(const offset_t* indptr, int n, long long e, long long m) {
    const long long first = (long long)blockIdx.x * blockDim.x, last = min(first + blockDim.x, m) - 1;
    const Bounds<int> rows = bounds_of_tile(indptr, 1, n, first, last);
    return e < m ? first_over(indptr, rows.from, rows.to, e) - 1 : 0;
}

// Keys of the entries of a CSR, or of its transpose.
extern "C" __global__ void keys_of_csr(
    const offset_t* indptr, const int* indices, int n, long long m, int transposed, u64* keys) {
    const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const int i = row_of_mine(indptr, n, e, m);
    if (e >= m) return;
    const int j = indices[e];
    keys[e] = transposed ? ((u64)j << 32 | i) : ((u64)i << 32 | j);
}

// Drop the diagonal; if `undirected`, put the smaller end first.
extern "C" __global__ void fold(u64* keys, long long m, int undirected) {
    const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    const unsigned a = keys[e] >> 32, b = keys[e];
    if (a == b) keys[e] = NOTHING;
    else if (undirected && a > b) keys[e] = (u64)b << 32 | a;
}

// first[0]: first entry out of range, on the diagonal, or not above the one before it in its row.
// first[1]: first other entry without a mirror image (a row out of order may hide a mirror image).
// Both are minima, so the order of the blocks does not matter.
extern "C" __global__ void check(const offset_t* indptr, const int* indices, int n, long long m, u64* first) {
    __shared__ int mine[2];
    const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 2) mine[threadIdx.x] = blockDim.x;
    const int i = row_of_mine(indptr, n, e, m);  // its barrier also publishes `mine`
    if (e < m) {
        const int j = indices[e];
        if (j < 0 || j >= n || j == i || (e > indptr[i] && indices[e - 1] >= j)) {
            atomicMin(&mine[0], threadIdx.x);
        } else {
            const offset_t end = indptr[j + 1], mirror = first_from(indices, indptr[j], end, i);
            if (mirror == end || indices[mirror] != i) atomicMin(&mine[1], threadIdx.x);
        }
    }
    __syncthreads();
    if (threadIdx.x < 2 && mine[threadIdx.x] < blockDim.x)
        atomicMin(&first[threadIdx.x], (u64)blockIdx.x * blockDim.x + mine[threadIdx.x]);
}

// Rows of the whole graph from its strict upper triangle and its mirror image, both sorted by row: a row is its part of
// `lower`, then its part of `upper`, so each entry moves by the offset of its row in the other array.
extern "C" __global__ void interleave(
    const u64* upper, const u64* lower, const long long* upper_ptr, const long long* lower_ptr, long long m, int* out) {
    const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    out[e + lower_ptr[(upper[e] >> 32) + 1]] = (int)upper[e];
    out[e + upper_ptr[lower[e] >> 32]] = (int)lower[e];
}
