// Concurrent union-find with parities, an edge at a time; launched by two_colors.py.
//
// `hang` puts each vertex under its first neighbor if this is earlier, `to_roots` under its root, `unite` adds the
// edges, and a second `to_roots` writes the sides. parities.cuh defines links and has the argument for progress. Blocks
// of `unite` read the flag first: after the first odd cycle no further edges are read.
//
// Bytes: 12 per stored entry, 40 per vertex.
//
// variants: OFFSET_BITS=32,64
#include "base/device/include/search.cuh"
#include "graph/parities.cuh"

#define BLOCK 512
#define EACH 8  // entries per thread

// Initialize links, and odd with 0.
extern "C" __global__ void hang(const offset_t* indptr, const int* indices, int n, int* link, int* odd) {
    const i64 v = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if (v == 0) *odd = 0;
    if (v >= n) return;
    const i64 u = indptr[v] < indptr[v + 1] ? indices[indptr[v]] : v;
    link[v] = (int)(u < v ? 2 * u + 1 : 2 * v);
}

// odd: whether there is an odd cycle.
extern "C" __global__ void __launch_bounds__(BLOCK)
    unite(const offset_t* indptr, const int* indices, int n, i64 m, int* link, int* odd) {
    if (__syncthreads_or(threadIdx.x == 0 && load_relaxed(odd))) return;
    const i64 begin = (i64)blockIdx.x * (BLOCK * EACH), end = m - begin < BLOCK * EACH ? m : begin + BLOCK * EACH;
    const Bounds<int> rows = bounds_of_tile(indptr, 0, n, begin, end - 1);
    for (i64 e = begin + threadIdx.x; e < end; e += BLOCK) {
        const int v = first_over(indptr, rows.from, rows.to, e) - 1, u = indices[e];
        if (u < v && !unite_two(link, load(link, u), load(link, v))) store_relaxed(odd, 1);
    }
}

// The link of v while no trees are united. Roots do not change then, so their links may come from L1: most threads end
// at the same root, whose word in L2 serves one warp at a time. Other links are read again, because they get shorter.
static __device__ unsigned load_unhooked(const int* link, unsigned v) {
    const unsigned near = (unsigned)load_near(link + v);
    return near >> 1 == v ? near : load(link, v);
}

// out: each vertex's link to its root, or with `mask` 1 only its side. flag: a copy of odd, in host memory; may be
// null.
extern "C" __global__ void to_roots(int n, int* link, const int* odd, int* out, int mask, int* flag) {
    const i64 v = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if (v == 0 && flag) *flag = *odd;
    if (v >= n || *odd) return;
    unsigned word = 2 * (unsigned)v;
    while (true) {
        const unsigned at = word >> 1, up = load_unhooked(link, at);
        if (up >> 1 == at) break;
        const unsigned above = load_unhooked(link, up >> 1) ^ (up & 1);
        if (above != up) store_relaxed(link + at, (int)above);
        word = above ^ (word & 1);
    }
    store_relaxed(out + v, (int)word & mask);
}
