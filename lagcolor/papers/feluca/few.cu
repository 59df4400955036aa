// variants: OFFSET_BITS=32,64
// The second stage where few are left, a dense core mostly: hundreds of levels of a vertex or two, which give blocks of
// colors nothing to overlap. A block takes a vertex: it reads its row once, waits for those of its parents that are left,
// and writes the least color that is free. That is what the pipeline of classes.cu comes to, for both are first-fit.
//
// Progress: a block takes its vertices in order, and all blocks run at the same time, so that the first vertex without a
// color waits for nobody. The word of a color is all that is passed on; a look at it may come too early, not too late.
//
// Bytes: the rows of the left and a gathered color an edge; one warp a vertex polls one parent a lane.
#include "papers/feluca/feluca.cuh"

enum { FEW = 4096, FEW_COLORS = 8192, GATHERS = 8 };  // the first two as in spread_gpu.py

// The left in order of ids, without their colors. n <= FEW.
extern "C" __global__ void line_up(const int* left, i64 n, int* order, int* colors) {
    __shared__ int part[BLOCK];
    const i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x;
    const int v = i < n ? left[i] : 0;
    int place = 0;
    for (i64 base = 0; base < n; base += BLOCK) {
        part[threadIdx.x] = base + threadIdx.x < n ? left[base + threadIdx.x] : 0x7fffffff;
        __syncthreads();
        for (int j = 0; j < BLOCK; j++) place += part[j] < v;
        __syncthreads();
    }
    if (i < n) order[place] = v, colors[v] = -1;
}

struct Neighbours {
    unsigned taken[FEW_COLORS / 32];  // a bit a color
    int parents[FEW], n_parents;      // those without a color yet

    __device__ __forceinline__ void take(int c) { atomicOr(taken + c / 32, 1u << c % 32); }

    // Who is left and comes later waits for v, and has no color when v looks. The whole block calls.
    __device__ __forceinline__ void survey(int v, const offset_t* indptr, const int* indices, const int* colors) {
        const offset_t end = indptr[v + 1];
        u64 seen[2] = {0, 0};  // colors below 128
        for (offset_t e = indptr[v] + threadIdx.x; e < end; e += GATHERS * BLOCK) {
            int u[GATHERS], c[GATHERS];
#pragma unroll
            for (int k = 0; k < GATHERS; k++) u[k] = e + k * BLOCK < end ? indices[e + k * BLOCK] : v;
#pragma unroll
            for (int k = 0; k < GATHERS; k++) c[k] = load_relaxed(colors + u[k]);
#pragma unroll
            for (int k = 0; k < GATHERS; k++) {
                if (c[k] >= 128) take(c[k]);
                else if (c[k] >= 64) seen[1] |= 1ull << (c[k] - 64);
                else if (c[k] >= 0) seen[0] |= 1ull << c[k];
                else if (u[k] < v) parents[atomicAdd(&n_parents, 1)] = u[k];
            }
        }
#pragma unroll
        for (int half = 0; half < 2; half++) {
            for (int d = WARP / 2; d > 0; d /= 2) seen[half] |= __shfl_xor_sync(ALL_LANES, seen[half], d);
            if (threadIdx.x % WARP != 0) continue;
            atomicOr(taken + 2 * half, (unsigned)seen[half]);
            atomicOr(taken + 2 * half + 1, (unsigned)(seen[half] >> 32));
        }
    }

    // One warp calls; each lane goes on to its next parent when one has a color.
    __device__ __forceinline__ void await(const int* colors) {
        int k = threadIdx.x;
        const int total = n_parents;
        while (__any_sync(ALL_LANES, k < total)) {
            const int c = k < total ? load_relaxed(colors + parents[k]) : -1;
            if (c < 0) continue;
            take(c);
            k += WARP;
        }
        __syncwarp();
    }

    // The least color that is free, for one warp. There is one: fewer than FEW_COLORS are in use.
    __device__ __forceinline__ int first_fit() {
        for (int base = 0;; base += WARP) {
            const unsigned open = ~taken[base + threadIdx.x], votes = __ballot_sync(ALL_LANES, open != 0);
            if (votes == 0) continue;
            const int word = __ffs((int)votes) - 1;
            return (base + word) * 32 + trailing_zeros(__shfl_sync(ALL_LANES, open, word));
        }
    }
};

extern "C" __global__ void in_order(const offset_t* indptr, const int* indices, const int* order, i64 n, int* colors) {
    __shared__ Neighbours near;
    for (i64 i = blockIdx.x; i < n; i += gridDim.x) {
        const int v = order[i];
        for (int k = threadIdx.x; k < FEW_COLORS / 32; k += BLOCK) near.taken[k] = 0;
        if (threadIdx.x == 0) near.n_parents = 0;
        __syncthreads();
        near.survey(v, indptr, indices, colors);
        __syncthreads();
        if (threadIdx.x < WARP) {
            near.await(colors);
            const int c = near.first_fit();
            if (threadIdx.x == 0) store_relaxed(colors + v, c);
        }
        __syncthreads();
    }
}
