// Greedy cliques, one block per start (clique.py): candidates in global memory, the last 64 as masks in shared memory.
// Bytes that must move per step: 12 per candidate, and a search of a row.
//
// variants: OFFSET_BITS=32,64
#include "base/device/include/append.cuh"
#include "base/device/include/group.cuh"
#include "base/device/include/search.cuh"

#define BLOCK 128
#define FEW 64

static __device__ bool joined(const offset_t* indptr, const int* indices, int u, int w) {
    const offset_t end = indptr[u + 1], place = first_from(indices, indptr[u], end, w);
    return place < end && indices[place] == w;
}

// Returns the candidate of largest degree, smallest id first: the greatest key, degree above ~id.
static __device__ int heaviest(const offset_t* indptr, const int* from, int left) {
    u64 key = 0;
    for (int i = threadIdx.x; i < left; i += BLOCK) {
        const int u = from[i];
        const u64 mine = (u64)(indptr[u + 1] - indptr[u]) << 32 | (unsigned)~u;
        if (mine > key) key = mine;
    }
    key = Threads<BLOCK>::reduce<Most>(key);
    return ~(int)(unsigned)key;
}

// Finds starts: the vertex of largest degree in each run of `size` ids, and that degree. A block per run.
extern "C" __global__ void __launch_bounds__(BLOCK)
    choose_starts(const offset_t* indptr, i64 n, i64 size, i64* starts, i64* largest) {
    const i64 first = blockIdx.x * size, end = first + size < n ? first + size : n;
    u64 key = 0;
    for (i64 v = first + threadIdx.x; v < end; v += BLOCK) {
        const u64 mine = (u64)(indptr[v + 1] - indptr[v]) << 32 | (unsigned)~(int)v;
        if (mine > key) key = mine;
    }
    key = Threads<BLOCK>::reduce<Most>(key);
    if (threadIdx.x) return;
    starts[blockIdx.x] = ~(int)(unsigned)key;
    largest[blockIdx.x] = (i64)(key >> 32);
}

// Returns to thread 0 the size of a clique among up to 64 candidates; each step maximizes the remaining candidates.
static __device__ int among_few(const offset_t* indptr, const int* indices, const int* from, int left) {
    __shared__ int few[FEW];
    __shared__ u64 masks[FEW];
    const int i = threadIdx.x;
    int place = 0;
    if (i < left) {  // sorted by id, so that ties do not depend on the order of the list
        for (int j = 0; j < left; j++) place += from[j] < from[i];
        few[place] = from[i];
    }
    __syncthreads();
    if (i < left) {
        u64 mask = 0;
        for (int j = 0; j < left; j++) mask |= (u64)joined(indptr, indices, few[i], few[j]) << j;
        masks[i] = mask;
    }
    __syncthreads();
    if (i) return 0;
    int size = 0;
    u64 here = left == FEW ? ~0ull : (1ull << left) - 1;
    while (here) {  // each step takes a candidate, which is no neighbor of itself
        int most = -1;
        u64 rest = 0;
        for (int j = 0; j < left; j++) {
            if (!(here >> j & 1)) continue;
            const u64 stay = masks[j] & here;
            const int count = __popcll(stay);
            if (count > most) most = count, rest = stay;
        }
        here = rest;
        size++;
    }
    return size;
}

// before: number of candidates of earlier starts; candidates: memory for twice `total`; lefts, sizes: state of each
// start, lefts −1 if it has ended; budget: candidates that a start may read before it pauses, at least one step; found:
// largest size so far, and number of ended starts. The size only grows: a stale value ends a start later, never early.
extern "C" __global__ void grow(const offset_t* indptr, const int* indices, const int* starts, const i64* before,
                                int* candidates, i64 total, int* lefts, int* sizes, i64 budget, int* found,
                                i64 enough) {
    __shared__ int remaining, known;
    const int b = blockIdx.x;
    int left = lefts[b], size = sizes[b];
    if (left < 0) return;
    int *from = candidates + before[b], *to = from + total;
    if (size == 0) {
        const int v = starts[b];
        left = (int)(indptr[v + 1] - indptr[v]), size = 1;
        for (int i = threadIdx.x; i < left; i += BLOCK) from[i] = indices[indptr[v] + i];
    } else if (size % 2 == 0) {  // each step writes to the other half
        from = to;
        to = candidates + before[b];
    }
    for (;;) {  // each round takes a candidate, which is no neighbor of itself
        if (threadIdx.x == 0) {
            known = load_relaxed(found);
            remaining = 0;
        }
        __syncthreads();
        if (known >= enough || size + left <= known) break;
        if (left <= FEW) {
            size += among_few(indptr, indices, from, left);
            if (threadIdx.x == 0) atomicMax(found, size);
            break;
        }
        if (budget <= 0) {
            if (threadIdx.x == 0) {
                lefts[b] = left;
                sizes[b] = size;
                atomicMax(found, size + 1);  // any candidate may be taken
            }
            return;
        }
        budget -= left;
        const int u = heaviest(indptr, from, left);
        for (int first = 0; first < left; first += BLOCK) {
            const int i = first + (int)threadIdx.x;
            const bool stays = i < left && joined(indptr, indices, u, from[i]);
            const int place = append_block(stays, &remaining);
            if (stays) to[place] = from[i];
        }
        __syncthreads();
        left = remaining;
        size++;
        int* other = from;
        from = to;
        to = other;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        lefts[b] = -1;
        atomicAdd(found + 1, 1);
    }
}
