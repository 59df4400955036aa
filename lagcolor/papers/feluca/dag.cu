// variants: OFFSET_BITS=32,64
// The graph with its vertices renamed to their positions in an order, the parents at the head of each row.
// One warp per row; a block of them for a hub would pay only where one row holds a good part of all edges.
#include "papers/feluca/feluca.cuh"

extern "C" __global__ void orient(const offset_t* indptr, const int* indices, const int* p, const int* sequence,
                                  const offset_t* new_indptr, int* new_indices, i64 n) {
    const int lane = threadIdx.x % WARP;
    const i64 warps = (i64)gridDim.x * blockDim.x / WARP;
    for (i64 i = ((i64)blockIdx.x * blockDim.x + threadIdx.x) / WARP; i < n; i += warps) {
        const int v = sequence[i];
        const offset_t end = indptr[v + 1];
        offset_t front = new_indptr[i], back = new_indptr[i + 1];
        for (offset_t e = indptr[v]; e < end; e += WARP) {
            const bool mine = e + lane < end;
            const int position = mine ? (int)(n - 1 - p[indices[e + lane]]) : 0;
            const unsigned parents = __ballot_sync(ALL_LANES, mine && position < i),
                           children = __ballot_sync(ALL_LANES, mine && position > i);
            if (mine && position < i) new_indices[front + rank_in(parents)] = position;
            if (mine && position > i) new_indices[back - 1 - rank_in(children)] = position;
            front += __popc(parents);
            back -= __popc(children);
        }
    }
}
