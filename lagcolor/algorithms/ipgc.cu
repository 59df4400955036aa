// variants: OFFSET_BITS=32,64
// IPGC, all rounds in one cooperative launch: assign, then conflict. Both modes fill the next worklist.
//
// Bytes of a round: the rows of its vertices and the words of their neighbors, twice; 4 to 12 per visited vertex in
// each step; and 4 per vertex of the next worklist.
#include "base/device/include/clock.cuh"
#include "engines/rounds/speculative_passes.cuh"

// Of two neighbors of one color, the neighbor with the smaller id keeps it.
struct SmallerId {
    static __device__ bool keeps(const offset_t*, int u, int v, offset_t) { return u < v; }
};

struct Record {  // of a round, in global memory; initially zeros
    int active, topology;
    u64 begun;
};

// Uncolor all vertices and put them on the worklist.
static __device__ void list_all(unsigned* words, int n, int* list, int* length) {
    for (i64 first = (i64)blockIdx.x * BLOCK; first < n; first += (i64)gridDim.x * BLOCK) {
        const i64 v = first + threadIdx.x;
        const int place = append_block(v < n, length);
        if (v >= n) continue;
        store_relaxed(words + v, NONE);
        list[place] = (int)v;
    }
}

// Run rounds until the worklist is empty, or `most` rounds (an even number, because two lists are used in turn). fresh:
// the launch begins with the first round. limit: a round visits all vertices if more than this number are active. head
// (zeros at first): counter of the grid barrier, barriers passed times blocks, rounds. lists: 2 n. records: most + 1.
extern "C" __global__ void __launch_bounds__(BLOCK, 4)
    ipgc_rounds(const offset_t* indptr, const int* indices, i64 n, unsigned* words, int* lists, i64 limit, i64 fresh,
                i64 most, int* head, Record* records) {
    const Graph g = {indptr, indices, words};
    const bool first = blockIdx.x == 0 && threadIdx.x == 0;
    int goal = head[1];
    if (first) records[0].begun = nanoseconds();
    if (fresh) {
        list_all(words, (int)n, lists, &records[0].active);
        grid_barrier(head, goal);
    }
    i64 round = 0;
    for (; round < most; round++) {
        const i64 active = load_relaxed(&records[round].active);
        if (active == 0) break;
        const bool topology = active > limit;
        const int* items = topology ? nullptr : lists + (round & 1) * n;
        const i64 count = topology ? n : active;
        if (first) records[round].topology = topology;
        visit_all<true, SmallerId>(g, items, count, nullptr, nullptr);
        grid_barrier(head, goal);
        visit_all<false, SmallerId>(g, items, count, lists + (~round & 1) * n, &records[round + 1].active);
        grid_barrier(head, goal);
        if (first) records[round + 1].begun = nanoseconds();
    }
    if (first) head[1] = goal, head[2] = (int)round;
}
