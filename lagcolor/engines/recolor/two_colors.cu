// Concurrent union-find with parities, an edge at a time; launched by two_colors.py.
//
// link[v] = 2 · ancestor + (v is on the other side of it); a root names itself, with parity 0. `hang` puts every vertex under
// its first neighbor if that is an earlier one, `to_roots` under its root, `unite` takes the edges, and `to_roots` again writes
// the sides. Blocks of `unite` read the flag first: after the first odd cycle the other edges are not read.
//
// Shared state: ancestors only ever get smaller numbers. A root becomes a child by compare-and-swap; every later link
// of that vertex is to a proper ancestor with the parity along the path, so a stale one is as right as a fresh one,
// only longer, and relaxed order is enough. Progress: a failed swap means that another edge hooked that root, which
// happens to each vertex at most once.
//
// Bytes: 12 per stored entry, 40 per vertex.
//
// variants: OFFSET_BITS=32,64
#include "device/include/search.cuh"

#define BLOCK 512
#define EACH 8  // entries of a thread

static __device__ unsigned load(const int* link, unsigned v) { return (unsigned)load_relaxed(link + v); }

// Whether what `a` and `b` stand for is now known to be on different sides. Of the two the one with the larger number climbs,
// so that they meet at the first ancestor they share, and seldom go up to the root (Rem's algorithm). Links on the way are
// split.
static __device__ bool unite_two(int* link, unsigned a, unsigned b) {
    a ^= 1;
    while (a >> 1 != b >> 1) {
        if (a < b) {
            const unsigned other = a;
            a = b;
            b = other;
        }
        const unsigned v = a >> 1, up = load(link, v);
        if (up >> 1 == v) {
            if (atomicCAS((unsigned*)link + v, up, b ^ (a & 1)) == up) return true;
            continue;
        }
        if (up >> 1 > b >> 1) {
            const unsigned above = load(link, up >> 1) ^ (up & 1);
            if (above >> 1 != up >> 1) store_relaxed(link + v, (int)above);
        }
        a = up ^ (a & 1);
    }
    return a == b;
}

// odd: 0 from here on.
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

// The link of v while no tree is hooked. A root stays one then, and may come from L1: most threads end at the same root, whose
// word in L2 serves one warp at a time. Other links are read anew, since they get shorter.
static __device__ unsigned load_unhooked(const int* link, unsigned v) {
    const unsigned kept = (unsigned)load_near(link + v);
    return kept >> 1 == v ? kept : load(link, v);
}

// out: each vertex's link to its root, or only the side of it, `mask` 1; said, in memory of the host, or null: the flag.
extern "C" __global__ void to_roots(int n, int* link, const int* odd, int* out, int mask, int* said) {
    const i64 v = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if (v == 0 && said) *said = *odd;
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
