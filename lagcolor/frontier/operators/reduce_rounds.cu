// Many rounds of neighbor_reduce with one cursor per bit in one launch, each from what the one before kept. All blocks must
// run at the same time. A round of few vertices costs two grid barriers and the longest of its searches: first
// a thread looks at the blocking neighbors of a vertex, then those that miss one get a warp or a block each, wherever one is free.
//
// The lists stay where they are, so that neighbouring threads go on taking neighbouring vertices: of one that leaves the
// frontier, the entry becomes -1. Only those are counted.
//
// Bytes: those of reduce_bits.cu, and 16 per vertex that misses a blocker. NEXT_ROUND changes what functors are passed.
// variants: OFFSET_BITS=32,64 CLASSES=3 BITS=1,2
#include "bits.cuh"
#include "device/include/grid.cuh"

struct Lists {
    int *items;
    i64 begins[3], lengths[3];
};

__device__ inline i64 of(const i64 *three, int part) { return part == 0 ? three[0] : part == 1 ? three[1] : three[2]; }

// Blocking neighbors of every listed vertex. One whose sum they settle is done with; of the others, those of the first class
// are searched on, and the rest put into `open`: its place in `items`, and in the upper half the bits known.
__device__ inline void settle_or_open(const Lists &lists, u64 *gone, u64 *open, u64 *opened,
                                      GRAPH_PARAMETERS ARGUMENT_PARAMETERS) {
    const int lane = threadIdx.x % WARP;
    i64 groups[3];  // of 32 vertices, up to the end of each part
    for (int part = 0; part < 3; part++)
        groups[part] = (part ? groups[part - 1] : 0) + (lists.lengths[part] + WARP - 1) / WARP;
    const i64 warps = (i64)gridDim.x * (BLOCK / WARP);  // neighbouring groups go to different multiprocessors
    for (i64 group = blockIdx.x + (i64)gridDim.x * (threadIdx.x / WARP); group < groups[2]; group += warps) {
        const int part = group < groups[0] ? 0 : group < groups[1] ? 1 : 2;
        const i64 i = (group - (part ? of(groups, part - 1) : 0)) * WARP + lane, at = of(lists.begins, part) + i;
        const int v = i < of(lists.lengths, part) ? lists.items[at] : -1;
        unsigned found = EVERY_BIT;
        if (v >= 0 && part == 0) found = search_alone(v, indptr, indices, cursor, n ARGUMENTS);
        if (v >= 0 && part != 0) found = check_cursors(v, indptr, indices, cursor, n ARGUMENTS);
        const bool on = part != 0 && found != EVERY_BIT, leaves = v >= 0 && !on && !then(v, found ARGUMENTS);
        if (leaves) lists.items[at] = -1;
        const unsigned leaving = __ballot_sync(ALL_LANES, leaves);
        if (lane == 0 && leaving) atomicAdd(gone + part, (u64)__popc(leaving));
        put_by_warp(on, u64(at) | u64(found) << 32, open + of(lists.begins, part), (i64)n, opened + part);
    }
}

// Searches on for an entry of `open`; the whole group calls.
template <class Votes>
__device__ inline void settle(u64 entry, int *items, u64 *gone, GRAPH_PARAMETERS ARGUMENT_PARAMETERS) {
    const i64 at = i64(entry & 0xffffffffu);
    const int v = items[at];
    const unsigned all = search<Votes>(v, unsigned(entry >> 32), indptr, indices, cursor, n ARGUMENTS);
    if (Votes::size == BLOCK) __syncthreads();  // all have read items[at]
    else __syncwarp();
    if (Votes::lane() == 0 && !then(v, all ARGUMENTS)) {
        items[at] = -1;
        atomicAdd(gone, (u64)1);
    }
}

// rounds: at most as many, and none once only `enough` vertices are left. gone: vertices that leave in each round, by
// class, and opened: those not settled by their blocking neighbors, both zeros, [rounds][3].
extern "C" __global__ void bits_rounds(int *items, i64 begin_1, i64 begin_2, i64 length_0, i64 length_1, i64 length_2,
                                       u64 *open, u64 *gone, u64 *opened, int *arrived, i64 rounds, i64 enough,
                                       GRAPH_PARAMETERS ARGUMENT_PARAMETERS) {
    const Lists lists = {items, {0, begin_1, begin_2}, {length_0, length_1, length_2}};
    i64 left = length_0 + length_1 + length_2;
    int goal = 0;
    for (i64 round = 0; round < rounds && left > enough; round++) {
        settle_or_open(lists, gone, open, opened, indptr, indices, cursor, n ARGUMENTS);
        grid_barrier(arrived, goal);
        const i64 for_blocks = i64(load_relaxed(opened + 2)), for_warps = i64(load_relaxed(opened + 1));
        for (i64 i = blockIdx.x; i < for_blocks; i += gridDim.x)
            settle<BlockVotes>(open[begin_2 + i], items, gone + 2, indptr, indices, cursor, n ARGUMENTS);
        // From the other end, for the blocks that have had no hub.
        const i64 warp = gridDim.x - 1 - blockIdx.x + (i64)gridDim.x * (threadIdx.x / WARP);
        for (i64 i = warp; i < for_warps; i += (i64)gridDim.x * (BLOCK / WARP))
            settle<WarpVotes>(open[begin_1 + i], items, gone + 1, indptr, indices, cursor, n ARGUMENTS);
        grid_barrier(arrived, goal);
        for (int part = 0; part < 3; part++) left -= i64(load_relaxed(gone + part));
        gone += 3;
        opened += 3;
        NEXT_ROUND;
    }
}
