// neighbor_reduce: compute the sum x, in a monoid, of value(v, u, e) over the neighbors u of each listed v. Then
// then(v, x) decides whether v stays in the frontier.
//
// A thread, a warp or a block takes a vertex and stops at the monoid's terminal value; or (merge) each thread takes an
// edge and adds to `sums` by atomics.
//
// Bytes: 4 and 2 offsets per listed vertex, 4 per edge read, 4 per selected vertex, and the accesses of the functors.
// variants: OFFSET_BITS=32,64 CLASSES=3
#include "frontier.cuh"
#include "functors.cuh"
#include "semirings/kernels/monoid.cuh"

typedef int Item;
#define GRAPH_PARAMETERS const offset_t *indptr, const int *indices
#define WARP_DEEP 4
#define BLOCK_DEEP 8
#define IS_IDENTITY(x) ((x) == from_bits<Z>(IDENTITY))

extern "C" __global__ void reduce_thread(LIST_PARAMETERS, GRAPH_PARAMETERS, SELECTED_PARAMETERS ARGUMENT_PARAMETERS) {
    const i64 count = COUNT;
    for (i64 base = (i64)blockIdx.x * BLOCK; base < count; base += (i64)gridDim.x * BLOCK) {
        const i64 i = base + threadIdx.x;
        bool keep = false;
        int v = 0;
        if (i < count) {
            v = ITEM(i);
            const offset_t end = indptr[v + 1];
            Sum s;
            for (offset_t e = indptr[v]; e < end && !s.done(); e++) s.add_value(value(v, indices[e], e ARGUMENTS));
            keep = then(v, s.value ARGUMENTS);
        }
        put_by_block(keep, v, selected + selected_begin, selected_counts + part);
    }
}

// One step of a group of `size` threads, which add the edges from `base` on, `deep` per thread. All neighbors, then all
// values, are read at the same time: threads after the end read the last edge instead, without a branch.
template <int size, int deep>
__device__ inline void take(int v, offset_t base, offset_t end, Sum &s, const int *indices ARGUMENT_PARAMETERS) {
    const offset_t mine = base + offset_t(threadIdx.x % size);
    int u[deep];
    Z x[deep];
#pragma unroll
    for (int q = 0; q < deep; q++) u[q] = indices[mine + q * size < end ? mine + q * size : end - 1];
#pragma unroll
    for (int q = 0; q < deep; q++) x[q] = value(v, u[q], mine + q * size < end ? mine + q * size : end - 1 ARGUMENTS);
#pragma unroll
    for (int q = 0; q < deep; q++)
        if (mine + q * size < end) s.add_value(x[q]);
}

// The sum over the block, in all threads; the whole block calls.
__device__ inline void add_up_in_all(Sum &s) {
    __shared__ Z values[BLOCK / WARP];
    __shared__ bool has[BLOCK / WARP];
    add_up(s, WARP);
    if (threadIdx.x % WARP == 0) {
        values[threadIdx.x / WARP] = s.value;
        has[threadIdx.x / WARP] = s.has;
    }
    __syncthreads();
    s = Sum();
    for (int w = 0; w < BLOCK / WARP; w++) s.add_sum(values[w], has[w]);
    __syncthreads();
}

template <int size> __device__ inline void add_up_group(Sum &s) {
    if (size == WARP) add_up(s, WARP);
    else add_up_in_all(s);
}

// The sum over the neighbors of v by a warp or a block; all its threads call and get the sum. If sums may stop, the
// first step takes one edge per thread, because sums often stop early, and the group adds up after each step.
template <int size, int deep>
__device__ inline Sum sum_of(int v, GRAPH_PARAMETERS ARGUMENT_PARAMETERS) {
    const offset_t end = indptr[v + 1];
    offset_t base = indptr[v];
    Sum s, total;
    if (STOP && base < end) {
        take<size, 1>(v, base, end, s, indices ARGUMENTS);
        add_up_group<size>(total = s);
        base += size;
    }
    for (; base < end && !total.done(); base += deep * size) {
        take<size, deep>(v, base, end, s, indices ARGUMENTS);
        if (STOP) add_up_group<size>(total = s);
    }
    if (!STOP) add_up_group<size>(total = s);
    return total;
}

extern "C" __global__ void reduce_warp(LIST_PARAMETERS, GRAPH_PARAMETERS, SELECTED_PARAMETERS ARGUMENT_PARAMETERS) {
    const i64 count = COUNT, warps = (i64)gridDim.x * (BLOCK / WARP);
    for (i64 i = ((i64)blockIdx.x * BLOCK + threadIdx.x) / WARP; i < count; i += warps) {
        const int v = ITEM(i);
        const Sum total = sum_of<WARP, WARP_DEEP>(v, indptr, indices ARGUMENTS);
        if (threadIdx.x % WARP == 0 && then(v, total.value ARGUMENTS))
            selected[selected_begin + i64(atomicAdd(selected_counts + part, (u64)1))] = v;
    }
}

extern "C" __global__ void reduce_block(LIST_PARAMETERS, GRAPH_PARAMETERS, SELECTED_PARAMETERS ARGUMENT_PARAMETERS) {
    const i64 count = COUNT;
    for (i64 i = blockIdx.x; i < count; i += gridDim.x) {
        const int v = ITEM(i);
        const Sum total = sum_of<BLOCK, BLOCK_DEEP>(v, indptr, indices ARGUMENTS);
        if (threadIdx.x == 0 && then(v, total.value ARGUMENTS))
            selected[selected_begin + i64(atomicAdd(selected_counts + part, (u64)1))] = v;
    }
}

// Add to sums[i] for the i-th listed vertex; once per warp if all of its threads have the same vertex.
extern "C" __global__ void reduce_merge(LIST_PARAMETERS, GRAPH_PARAMETERS, const i64 *ends,
                                        Word *sums ARGUMENT_PARAMETERS) {
    const i64 total = ends[bound - 1];
    for (i64 base = (i64)blockIdx.x * BLOCK; base < total; base += (i64)gridDim.x * BLOCK) {
        const i64 k = base + threadIdx.x, i = position_in_tile(ends, bound, base, total);
        Sum s;
        if (k < total && !terminal(from_word<Z>(load_relaxed(sums + i)))) {
            const int v = ITEM(i);
            const offset_t e = indptr[v + 1] - offset_t(ends[i] - k);
            s.add_value(value(v, indices[e], e ARGUMENTS));
        }
        if (__ballot_sync(ALL_LANES, i == __shfl_sync(ALL_LANES, i, 0)) == ALL_LANES) {
            add_up(s, WARP);
            if (threadIdx.x % WARP == 0 && s.has) add_atomically(sums + i, s.value);
        } else if (s.has && (ANY || !IS_IDENTITY(s.value))) {
            add_atomically(sums + i, s.value);
        }
    }
}

extern "C" __global__ void reduce_finish(LIST_PARAMETERS, const Word *sums, SELECTED_PARAMETERS ARGUMENT_PARAMETERS) {
    const i64 count = COUNT;
    for (i64 base = (i64)blockIdx.x * BLOCK; base < count; base += (i64)gridDim.x * BLOCK) {
        const i64 i = base + threadIdx.x;
        const int v = i < count ? ITEM(i) : 0;
        const bool keep = i < count && then(v, from_word<Z>(sums[i]) ARGUMENTS);
        put_by_block(keep, v, selected + selected_begin, selected_counts + part);
    }
}
