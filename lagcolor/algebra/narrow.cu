// Leaves out of long rows what a race for a color need never look at again: smaller neighbours and those with a color.
// Rows are written over where they stand and keep their order; ends[v] is where that of v ends now.
//
// A warp looks at 32 vertices and goes through the long rows among them, one after the other.
//
// Bytes: 12 a vertex; of a long row 4 an entry for its column, a sector for its state, and 4 for each that stays.
// variants: OFFSET_BITS=32,64
#include "../../semirings/kernels/common.cuh"
#include "../device/include/offset.cuh"

#define UNROLL 4  // entries a lane in flight

// state[v]: p[v] until v has a color, then negative. Rows of more than `longer` entries are narrowed.
extern "C" __global__ void narrow(i64 n, const offset_t *indptr, offset_t *ends, int *indices, const int *state,
                                  i64 longer) {
    const i64 v = (i64)blockIdx.x * BLOCK + threadIdx.x;
    const int lane = threadIdx.x % WARP, own = v < n ? state[v] : -1;
    const offset_t from = own < 0 ? offset_t(0) : indptr[v], to = own < 0 ? offset_t(0) : ends[v];
    for (unsigned more = __ballot_sync(ALL_LANES, to - from > longer); more; more &= more - 1) {
        const int leader = __ffs((int)more) - 1, p = shuffle(own, leader);
        const offset_t first = shuffle(from, leader);
        const i64 length = shuffle(to, leader) - first;
        int *const row = indices + first;
        i64 kept = 0;
        for (i64 base = 0; base < length; base += UNROLL * WARP) {
            int u[UNROLL];
            bool stays[UNROLL];
#pragma unroll
            for (int q = 0; q < UNROLL; q++) u[q] = base + q * WARP + lane < length ? row[base + q * WARP + lane] : -1;
#pragma unroll
            for (int q = 0; q < UNROLL; q++) stays[q] = u[q] >= 0 && state[u[q]] > p;
#pragma unroll
            for (int q = 0; q < UNROLL; q++) {
                const unsigned stay = __ballot_sync(ALL_LANES, stays[q]);
                if (stays[q]) row[kept + __popc(stay & ((1u << lane) - 1))] = u[q];
                kept += __popc(stay);
            }
        }
        if (lane == leader) ends[v] = first + (offset_t)kept;
    }
}
