// Many rounds of neighbor_reduce with a cursor a bit in one launch, each from what the one before kept. All blocks must
// run at the same time. A round of few vertices costs two meetings of the blocks and the longest of its searches: first
// a thread looks at the witnesses of a vertex, then those that miss one get a warp or a block each, wherever one is free.
//
// Bytes: those of reduce_bits.cu, and 16 a vertex that misses a witness. NEXT_ROUND changes what functors are passed.
// variants: OFFSET_BITS=32,64 CLASSES=3 BITS=1,2
#include "bits.cuh"

// All blocks wait for each other; what one wrote before, all see after. `arrived` begins at 0, `goal` too.
__device__ inline void meet(unsigned *arrived, unsigned &goal) {
    __syncthreads();
    if (threadIdx.x == 0) {
        goal += gridDim.x;
        __threadfence();
        atomicAdd(arrived, 1u);
        while (load_relaxed(arrived) < goal) {}
        __threadfence();
    }
    __syncthreads();
}

// Witnesses of every listed vertex. One whose sum they settle is done with; of the others, those of the first class
// are searched on, and the rest put into `open`, with the bits known.
__device__ inline void settle_or_open(const int *items, const i64 *begins, const u64 *counts, int *kept, u64 *kept_counts,
                                      u64 *open, u64 *opened, GRAPH_PARAMETERS ARGUMENT_PARAMETERS) {
    const int lane = threadIdx.x % WARP;
    i64 lengths[3], groups[3];  // groups: of 32 vertices, up to the end of each part
    for (int part = 0; part < 3; part++) {
        lengths[part] = i64(load_relaxed(counts + part));
        groups[part] = (part ? groups[part - 1] : 0) + (lengths[part] + WARP - 1) / WARP;
    }
    const i64 warps = (i64)gridDim.x * (BLOCK / WARP);  // neighbouring groups go to different multiprocessors
    for (i64 group = blockIdx.x + (i64)gridDim.x * (threadIdx.x / WARP); group < groups[2]; group += warps) {
        const int part = group < groups[0] ? 0 : group < groups[1] ? 1 : 2;
        const i64 i = (group - (part == 0 ? 0 : part == 1 ? groups[0] : groups[1])) * WARP + lane;
        const bool inside = i < (part == 0 ? lengths[0] : part == 1 ? lengths[1] : lengths[2]);
        const i64 begin = part == 0 ? begins[0] : part == 1 ? begins[1] : begins[2];
        const int v = inside ? items[begin + i] : 0;
        unsigned found = EVERY_BIT;
        if (inside && part == 0) found = search_alone(v, indptr, indices, cursor, n ARGUMENTS);
        if (inside && part != 0) found = look_at_witnesses(v, indptr, indices, cursor, n ARGUMENTS);
        const bool on = part != 0 && found != EVERY_BIT;
        const bool keep = inside && !on && then(v, found ARGUMENTS);
        append_warp(keep, v, kept + begin, (i64)n, kept_counts + part);
        append_warp(on, u64(v) | u64(found) << 32, open + begin, (i64)n, opened + part);
    }
}

// rounds: at most as many; counts: of the list of each round, by class, [rounds + 1][3], of which the first is given;
// opened: zeros, [rounds][3]. The lists are in `items` and in `other` by turns, first in `items`.
extern "C" __global__ void bits_rounds(int *items, int *other, u64 *open, i64 begin_1, i64 begin_2, u64 *counts, u64 *opened,
                                       unsigned *arrived, i64 rounds, GRAPH_PARAMETERS ARGUMENT_PARAMETERS) {
    const i64 begins[3] = {0, begin_1, begin_2};
    unsigned goal = 0;
    for (i64 round = 0; round < rounds; round++) {
        if (load_relaxed(counts) + load_relaxed(counts + 1) + load_relaxed(counts + 2) == 0) return;
        settle_or_open(items, begins, counts, other, counts + 3, open, opened, indptr, indices, cursor, n ARGUMENTS);
        meet(arrived, goal);
        const i64 for_blocks = i64(load_relaxed(opened + 2)), for_warps = i64(load_relaxed(opened + 1));
        for (i64 i = blockIdx.x; i < for_blocks; i += gridDim.x) {
            const u64 entry = open[begin_2 + i];
            const int v = int(entry & 0xffffffffu);
            const unsigned all = search<BlockVotes>(v, unsigned(entry >> 32), indptr, indices, cursor, n ARGUMENTS);
            if (threadIdx.x == 0 && then(v, all ARGUMENTS)) other[begin_2 + i64(atomicAdd(counts + 5, (u64)1))] = v;
        }
        // From the other end, for the blocks that have had no hub.
        const i64 warp = gridDim.x - 1 - blockIdx.x + (i64)gridDim.x * (threadIdx.x / WARP);
        for (i64 i = warp; i < for_warps; i += (i64)gridDim.x * (BLOCK / WARP)) {
            const u64 entry = open[begin_1 + i];
            const int v = int(entry & 0xffffffffu);
            const unsigned all = search<WarpVotes>(v, unsigned(entry >> 32), indptr, indices, cursor, n ARGUMENTS);
            if (threadIdx.x % WARP == 0 && then(v, all ARGUMENTS))
                other[begin_1 + i64(atomicAdd(counts + 4, (u64)1))] = v;
        }
        meet(arrived, goal);
        int *next = other;
        other = items;
        items = next;
        counts += 3;
        opened += 3;
        NEXT_ROUND;
    }
}
