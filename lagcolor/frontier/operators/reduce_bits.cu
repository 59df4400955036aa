// neighbor_reduce in the monoid "or" with one cursor per bit: whether some neighbour has bit 0, whether one has bit 1 …
//
// cursor[bit·n + v] leading neighbours of v have not that bit, now and for ever, so the next one most likely still has
// it. A thread looks at these blocking neighbors first, for 32 vertices per warp; only for a vertex that misses one the warp, or the
// block, searches on together; vertices of few neighbours are a thread's own all the way. All rounds together then
// look at each edge once a bit, and at a blocker a bit per round. With one cursor for both of its bits gunrock_is looked
// at 4.4 times as many edges of kron_g500 of scale 16, those of vertices of over 32 neighbours.
//
// Bytes: 4 a listed vertex, 2 offsets, and for each bit its cursor, 4 for the edge and what the functor touches.
// variants: OFFSET_BITS=32,64 CLASSES=3 BITS=1,2
#include "bits.cuh"

extern "C" __global__ void bits_thread(LIST_PARAMETERS, GRAPH_PARAMETERS, KEPT_PARAMETERS ARGUMENT_PARAMETERS) {
    const i64 count = COUNT;
    for (i64 base = (i64)blockIdx.x * BLOCK; base < count; base += (i64)gridDim.x * BLOCK) {
        const bool inside = base + threadIdx.x < count;
        const int v = inside ? ITEM(base + threadIdx.x) : 0;
        const unsigned found = inside ? search_alone(v, indptr, indices, cursor, n ARGUMENTS) : 0;
        put_by_block(inside && then(v, found ARGUMENTS), v, kept + kept_begin, kept_counts + part);
    }
}

extern "C" __global__ void bits_warp(LIST_PARAMETERS, GRAPH_PARAMETERS, KEPT_PARAMETERS ARGUMENT_PARAMETERS) {
    const int lane = threadIdx.x % WARP;
    const i64 count = COUNT;
    for (i64 base = ((i64)blockIdx.x * BLOCK + threadIdx.x) / WARP * WARP; base < count; base += (i64)gridDim.x * BLOCK) {
        const bool inside = base + lane < count;
        const int v = inside ? ITEM(base + lane) : 0;
        unsigned found = inside ? check_cursors(v, indptr, indices, cursor, n ARGUMENTS) : EVERY_BIT;
        for (unsigned open = __ballot_sync(ALL_LANES, found != EVERY_BIT); open; open &= open - 1) {
            const int who = __ffs((int)open) - 1;
            const int w = __shfl_sync(ALL_LANES, v, who);
            const unsigned known = __shfl_sync(ALL_LANES, found, who);
            const unsigned all = search<WarpVotes>(w, known, indptr, indices, cursor, n ARGUMENTS);
            if (lane == who) found = all;
        }
        put_by_warp(inside && then(v, found ARGUMENTS), v, kept + kept_begin, bound, kept_counts + part);
    }
}

extern "C" __global__ void bits_block(LIST_PARAMETERS, GRAPH_PARAMETERS, KEPT_PARAMETERS ARGUMENT_PARAMETERS) {
    __shared__ int vertices[WARP];
    __shared__ unsigned founds[WARP], open_ones;
    const i64 count = COUNT;
    for (i64 base = (i64)blockIdx.x * WARP; base < count; base += (i64)gridDim.x * WARP) {
        const bool inside = threadIdx.x < WARP && base + threadIdx.x < count;
        const int v = inside ? ITEM(base + threadIdx.x) : 0;
        if (threadIdx.x < WARP) {
            const unsigned found = inside ? check_cursors(v, indptr, indices, cursor, n ARGUMENTS) : EVERY_BIT;
            const unsigned open = __ballot_sync(ALL_LANES, found != EVERY_BIT);
            vertices[threadIdx.x] = v;
            founds[threadIdx.x] = found;
            if (threadIdx.x == 0) open_ones = open;
        }
        __syncthreads();
        for (unsigned open = open_ones; open; open &= open - 1) {
            const int who = __ffs((int)open) - 1;
            const unsigned known = founds[who];
            __syncthreads();
            const unsigned all = search<BlockVotes>(vertices[who], known, indptr, indices, cursor, n ARGUMENTS);
            if (threadIdx.x == 0) founds[who] = all;
        }
        __syncthreads();
        if (threadIdx.x < WARP)
            put_by_warp(inside && then(v, founds[threadIdx.x] ARGUMENTS), v, kept + kept_begin, bound, kept_counts + part);
        __syncthreads();
    }
}
