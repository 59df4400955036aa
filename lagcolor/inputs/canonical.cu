// Canonical CSR on the GPU: all that is not a sort, a search or a scan of CuPy's. Launched by gpu.py.
// An entry (row, column) travels as one 64-bit key, row in the upper half; NOTHING marks an entry
// to be dropped and sorts last. A thread an entry, so that a hub costs no more than its entries.
//
// variants: OFFSET_BITS=32,64
#include "device/include/common.cuh"

#define NOTHING 0xffffffffffffffffull

// The row that entry e lies in: the last of lo … hi that starts at or before e (empty rows start there too).
static __device__ int row_of(const offset_t* indptr, int lo, int hi, long long e) {
    while (lo < hi) {
        const int middle = lo + (hi - lo + 1) / 2;
        if (indptr[middle] <= e) lo = middle;
        else hi = middle - 1;
    }
    return lo;
}

// The same for each thread of a block, whose entries are consecutive: two long searches, then short ones.
static __device__ int row_of_mine(const offset_t* indptr, int n, long long e, long long m) {
    __shared__ int ends[2];
    if (threadIdx.x < 2) {
        const long long first = (long long)blockIdx.x * blockDim.x;
        const long long last = min(first + blockDim.x, m) - 1;
        ends[threadIdx.x] = row_of(indptr, 0, n - 1, threadIdx.x ? last : first);
    }
    __syncthreads();
    return e < m ? row_of(indptr, ends[0], ends[1], e) : 0;
}

// Keys of the entries of a CSR; of its transpose where `transposed`.
extern "C" __global__ void keys_of_csr(
    const offset_t* indptr, const int* indices, int n, long long m, int transposed, u64* keys) {
    const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const int i = row_of_mine(indptr, n, e, m);
    if (e >= m) return;
    const int j = indices[e];
    keys[e] = transposed ? ((u64)j << 32 | i) : ((u64)i << 32 | j);
}

// Drop the diagonal; where `undirected`, put the smaller end first.
extern "C" __global__ void fold(u64* keys, long long m, int undirected) {
    const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    const unsigned a = keys[e] >> 32, b = keys[e];
    if (a == b) keys[e] = NOTHING;
    else if (undirected && a > b) keys[e] = (u64)b << 32 | a;
}

// first[0]: first entry out of range, on the diagonal, or not above the one before it in its row.
// first[1]: first entry that is none of these and has no mirror image (a row out of order may hide one).
// Both are minima, so the order in which blocks arrive does not matter.
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
            offset_t lo = indptr[j], hi = indptr[j + 1];
            while (lo < hi) {
                const offset_t middle = lo + (hi - lo) / 2;
                if (indices[middle] < i) lo = middle + 1;
                else hi = middle;
            }
            if (lo == indptr[j + 1] || indices[lo] != i) atomicMin(&mine[1], threadIdx.x);
        }
    }
    __syncthreads();
    if (threadIdx.x < 2 && mine[threadIdx.x] < blockDim.x)
        atomicMin(&first[threadIdx.x], (u64)blockIdx.x * blockDim.x + mine[threadIdx.x]);
}

// Rows of the whole graph from its strict upper triangle and its mirror image, both sorted by row:
// a row is its part of `lower`, then its part of `upper`, so each entry moves on by the other's offset.
extern "C" __global__ void interleave(
    const u64* upper, const u64* lower, const long long* upper_ptr, const long long* lower_ptr, long long m, int* out) {
    const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    out[e + lower_ptr[(upper[e] >> 32) + 1]] = (int)upper[e];
    out[e + upper_ptr[lower[e] >> 32]] = (int)lower[e];
}
