// advance: call functor edge(v, u, e) on each edge from a vertex of the frontier. If it is true, the neighbor u
// (EMIT 1), the edge e (2) or a mark on u (3) goes into the next frontier; EMIT 0 has no next frontier.
//
// One kernel for each distribution of edges: a thread, a warp or a block takes a vertex; or (merge) each thread takes
// an edge and finds its vertex by bisection in the running sum of the degrees.
//
// Bytes: 4 and 2 offsets per listed vertex, 4 per edge, and the accesses of the functor; 4 per emitted vertex and, with
// several degree classes, its 2 offsets.
// variants: OFFSET_BITS=32,64 CLASSES=1,3 EMIT=0,1,2,3
#include "frontier.cuh"
#include "functors.cuh"

typedef int Item;
#define GRAPH_PARAMETERS const offset_t *indptr, const int *indices

// Output, in lists as in frontier.cuh; marks are a byte per vertex, and each thread that marks writes 1.
// PUT: the whole warp calls.
#if EMIT == 2
typedef offset_t Out;
#define PUT(keep, u, e) put_by_warp(keep, e, out, out_end, out_counts)
#elif EMIT == 3
typedef u8 Out;
#define PUT(keep, u, e) if (keep) store(out, u, 1)
#else
typedef int Out;
#define PUT(keep, u, e) if (EMIT) append_by_class(keep, u, indptr, OUT)
#endif
#define EMIT_PARAMETERS Out *out, u64 *out_counts, i64 out_begin_0, i64 out_begin_1, i64 out_begin_2, i64 out_end

extern "C" __global__ void advance_thread(LIST_PARAMETERS, GRAPH_PARAMETERS, EMIT_PARAMETERS ARGUMENT_PARAMETERS) {
    const i64 count = COUNT;
    for (i64 base = (i64)blockIdx.x * BLOCK; base < count; base += (i64)gridDim.x * BLOCK) {
        const i64 i = base + threadIdx.x;
        const int v = i < count ? ITEM(i) : 0;
        offset_t e = i < count ? indptr[v] : 0;
        const offset_t end = i < count ? indptr[v + 1] : 0;
        for (; __any_sync(ALL_LANES, e < end); e++) {
            const int u = e < end ? indices[e] : 0;
            const bool keep = e < end && edge(v, u, e ARGUMENTS);
            PUT(keep, u, e);
        }
    }
}

extern "C" __global__ void advance_warp(LIST_PARAMETERS, GRAPH_PARAMETERS, EMIT_PARAMETERS ARGUMENT_PARAMETERS) {
    const i64 count = COUNT, warps = (i64)gridDim.x * (BLOCK / WARP);
    for (i64 i = ((i64)blockIdx.x * BLOCK + threadIdx.x) / WARP; i < count; i += warps) {
        const int v = ITEM(i);
        const offset_t end = indptr[v + 1];
        for (offset_t base = indptr[v]; base < end; base += WARP) {
            const offset_t e = base + offset_t(threadIdx.x % WARP);
            const int u = e < end ? indices[e] : 0;
            const bool keep = e < end && edge(v, u, e ARGUMENTS);
            PUT(keep, u, e);
        }
    }
}

extern "C" __global__ void advance_block(LIST_PARAMETERS, GRAPH_PARAMETERS, EMIT_PARAMETERS ARGUMENT_PARAMETERS) {
    const i64 count = COUNT;
    for (i64 i = blockIdx.x; i < count; i += gridDim.x) {
        const int v = ITEM(i);
        const offset_t end = indptr[v + 1];
        for (offset_t base = indptr[v]; base < end; base += BLOCK) {
            const offset_t e = base + offset_t(threadIdx.x);
            const int u = e < end ? indices[e] : 0;
            const bool keep = e < end && edge(v, u, e ARGUMENTS);
            PUT(keep, u, e);
        }
    }
}

extern "C" __global__ void advance_merge(LIST_PARAMETERS, GRAPH_PARAMETERS, const i64 *ends, EMIT_PARAMETERS ARGUMENT_PARAMETERS) {
    const i64 total = ends[bound - 1];
    for (i64 base = (i64)blockIdx.x * BLOCK; base < total; base += (i64)gridDim.x * BLOCK) {
        const i64 k = base + threadIdx.x, i = position_in_tile(ends, bound, base, total);
        const int v = ITEM(i);
        const offset_t e = indptr[v + 1] - offset_t(ends[i] - k);
        const int u = k < total ? indices[e] : 0;
        const bool keep = k < total && edge(v, u, e ARGUMENTS);
        PUT(keep, u, e);
    }
}
