// Concurrent union-find with parities; launched by two_colors.py.
//
// link[v] = 2 · ancestor + (v is on the other side of it); a root names itself, with parity 0.
// `attach` hangs a vertex under its first smaller neighbour, `unite` takes all edges, tile by tile, whatever rows
// they are of: a hub costs no more than its edges. `finish` writes the sides.
//
// Shared state: ancestors only ever get smaller numbers. A root becomes a child by compare-and-swap; every later link
// of that vertex is to a proper ancestor with the parity along the path, so a stale one is as right as a fresh one,
// only longer, and relaxed order is enough. Progress: a failed swap means that another edge hooked that root, which
// happens to each vertex at most once.
//
// Bytes: 12 a vertex to attach, 4 a stored entry and 8 more for one above the diagonal (two links, mostly of roots'
// children), 12 a vertex to finish; nearly nothing after the first odd cycle.
//
// variants: OFFSET_BITS=32,64
#include "../kernels/common.cuh"

#define BLOCK 256
#define TILE 1024

// 2 · root + side of v as seen from it; links on the way are halved.
static __device__ unsigned root_of(int* link, unsigned v) {
    unsigned side = 0;
    while (true) {
        const unsigned up = (unsigned)load_relaxed(link + v), above = (unsigned)load_relaxed(link + (up >> 1));
        if (above >> 1 == up >> 1) return up ^ side;
        const unsigned jump = above ^ (up & 1);
        store_relaxed(link + v, (int)jump);
        side ^= jump & 1;
        v = jump >> 1;
    }
}

extern "C" __global__ void attach(const offset_t* indptr, const int* indices, long long n, int* link) {
    const long long v = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    const offset_t e = indptr[v];
    const long long first = e < indptr[v + 1] ? indices[e] : n;
    link[v] = (int)(first < v ? 2 * (unsigned)first + 1 : 2 * (unsigned)v);
}

// Number of rows that start at or before entry e, among lo … hi - 1 (those below lo do).
static __device__ long long rows_until(const offset_t* indptr, long long lo, long long hi, long long e) {
    while (lo < hi) {
        const long long middle = lo + (hi - lo) / 2;
        if (indptr[middle] <= e) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}

// Whether u and v are now known to be on different sides.
static __device__ bool unite_ends(int* link, unsigned u, unsigned v) {
    while (true) {
        unsigned a = root_of(link, u) ^ 1, b = root_of(link, v);
        if (a >> 1 == b >> 1) return a == b;
        if (a >> 1 > b >> 1) {
            const unsigned swap = a;
            a = b;
            b = swap;
        }
        const unsigned self = b & ~1u;
        if (atomicCAS((unsigned*)link + (b >> 1), self, a ^ (b & 1)) == self) return true;
    }
}

extern "C" __global__ void unite(const offset_t* indptr, const int* indices, long long n, long long m, int* link,
                                 int* odd) {
    __shared__ long long bounds[2];
    __shared__ int over;
    for (long long begin = (long long)blockIdx.x * TILE; begin < m; begin += (long long)gridDim.x * TILE) {
        const long long end = begin + TILE < m ? begin + TILE : m;
        if (threadIdx.x < 2) bounds[threadIdx.x] = rows_until(indptr, 0, n, threadIdx.x ? end - 1 : begin);
        if (threadIdx.x == 2) over = load_relaxed(odd);
        __syncthreads();
        if (over) return;
        for (long long e = begin + threadIdx.x; e < end; e += BLOCK) {
            const long long v = rows_until(indptr, bounds[0], bounds[1], e) - 1;
            const int u = indices[e];
            if (u < v && !unite_ends(link, (unsigned)u, (unsigned)v)) store_relaxed(odd, 1);
        }
        __syncthreads();  // bounds are free for the next tile
    }
}

extern "C" __global__ void finish(long long n, int* link, const int* odd, int* colors) {
    const long long v = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && *odd == 0) colors[v] = (int)(root_of(link, (unsigned)v) & 1);
}
