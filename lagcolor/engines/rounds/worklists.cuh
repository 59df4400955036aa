// Lists of active vertices by degree class, and rounds over them in one cooperative launch; shared by the baselines.
// THREAD_MOST, WARP_MOST: the largest degrees of the first two classes, from the launcher.
#pragma once
#include "base/device/include/append.cuh"
#include "base/device/include/grid.cuh"
#include "base/device/include/group.cuh"
#include "base/device/include/hash.cuh"
#include "base/device/include/neighbors.cuh"

#define BLOCK 256
#define WARPS (BLOCK / WARP)
#define CLASSES 3   // classes of degrees: for a thread, a warp and a block
#define ROW 4       // words of a round: the lengths of its lists by class, and a word for the step
#define DEEP 4      // neighbors whose words a thread fetches before it uses the first

typedef Threads<BLOCK> Block;

// Read DEEP neighbors per thread, from entry e of a row on, −1 from `end` on; and their colors: `none` for −1, or for
// all if they are not `wanted`.
template <class Group>
static __device__ __forceinline__ void fetch_neighbors(const int* __restrict__ indices, const int* colors, offset_t e,
                                                       offset_t end, int none, int (&u)[DEEP], int (&c)[DEEP],
                                                       bool wanted = true) {
    read_row<Group>(indices, e, end, u);
    read_words(colors, u, none, c, wanted);
}

// ---- lists -------------------------------------------------------------------------------------------------------

struct Lists {
    const int* order;  // the vertices in the order of the first round; null: by id
    int* items;        // two lists in turn, each: small vertices, middle ones, hubs
    i64 middle, hubs, stride;  // begin of the parts, and of the other list; middle = stride: all vertices are small
    int n;
    __device__ bool classified() const { return middle < stride; }
    __device__ int* part(int round, int k) const {
        return items + (round & 1) * stride + (k == 0 ? 0 : k == 1 ? middle : hubs);
    }
};
#define LIST_PARAMETERS const int *order, int *items, i64 middle, i64 hubs, i64 stride, int n
#define LISTS {order, items, middle, hubs, stride, n}

static __device__ __forceinline__ int class_of(offset_t degree) {
    return degree_class(degree, THREAD_MOST, WARP_MOST);
}

// Set all colors to -1 - class. List the middle and large vertices for the first round, which reads small ones from
// `order`. counts[0 … 2] are 0 initially.
static __device__ __forceinline__ void classify_all(const Lists& lists, const offset_t* __restrict__ indptr,
                                                    int* counts, int* colors) {
    const i64 step = (i64)gridDim.x * BLOCK;
    for (i64 first = (i64)blockIdx.x * BLOCK; first < lists.n; first += step) {
        const i64 i = first + threadIdx.x;
        if (!lists.classified()) {
            if (i < lists.n) colors[i] = -1;
            continue;
        }
        const int v = i >= lists.n ? -1 : lists.order ? lists.order[i] : (int)i;
        const int k = v < 0 ? -1 : class_of(indptr[v + 1] - indptr[v]);
        if (v >= 0) colors[v] = -1 - k;
        for (int part = 1; part < CLASSES; part++) {
            const int at = append_block(k == part, counts + part);
            if (k == part) lists.part(0, part)[at] = v;
        }
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) counts[0] = lists.n;  // includes other classes, which are skipped
}

// ---- rounds ------------------------------------------------------------------------------------------------------

template <class Group, class Step>
static __device__ __forceinline__ void round_of_class(const Lists& lists, int round, int k, int count, int first,
                                                      int step_size, int* next, Step& step) {
    const int* here = lists.part(round, k);
    int* there = lists.part(round + 1, k);
    for (int i = first; i < count; i += step_size) {
        const int v = here[i];
        const bool stays = step.template visit<Group>(v, round);
        if (stays && Group::lane() == 0) there[atomicAdd(next + k, 1)] = v;
    }
}

template <class Step>
static __device__ __forceinline__ void round_of_small(const Lists& lists, const offset_t* __restrict__ indptr, int round,
                                                      int count, int* next, Step& step) {
    const int* here = lists.part(round, 0);
    int* there = lists.part(round + 1, 0);
    const i64 step_size = (i64)gridDim.x * BLOCK;
    for (i64 first = (i64)blockIdx.x * BLOCK; first < count; first += step_size) {
        const i64 i = first + threadIdx.x;
        int v = -1;
        if (i < count) v = round ? here[i] : lists.order ? lists.order[i] : (int)i;
        if (v >= 0 && round == 0 && lists.classified() && class_of(indptr[v + 1] - indptr[v]) != 0) v = -1;
        const bool stays = step.small(v, round);  // all threads call, v = -1: nothing to do
        const int at = append_block(stays, next);
        if (stays) there[at] = v;
    }
}

// Run rounds until at most `stop` vertices are left, or `rounds` rounds are done; return the number of rounds. Row r of
// `rows` has the lengths of the lists of round r by class: row 0 is set, all others are 0. With IN_TURN the classes of
// round 0 wait for each other, hubs first. goal: 0 initially, for `grid_barrier`.
template <bool IN_TURN, class Step>
static __device__ __forceinline__ int run_rounds(const Lists& lists, const offset_t* __restrict__ indptr, int first,
                                                 int rounds, int stop, int* rows, int* arrived, int& goal, Step& step) {
    int round = 0;
    for (; round < rounds; round++, rows += ROW) {
        const int hubs = load_unfenced(rows + 2), middle = load_unfenced(rows + 1), small = load_unfenced(rows);
        const int all = first + round;  // number of the round over all launches
        if ((all ? hubs + middle + small : lists.n) <= stop) break;
        int* next = rows + ROW;
        round_of_class<Block>(lists, all, 2, hubs, blockIdx.x, gridDim.x, next, step);
        if (IN_TURN && all == 0 && lists.classified()) grid_barrier(arrived, goal);
        __syncthreads();
        // From the last block on, because the last blocks may have had no hub.
        const int warp = gridDim.x - 1 - blockIdx.x + gridDim.x * (threadIdx.x / WARP);
        round_of_class<Warp>(lists, all, 1, middle, warp, gridDim.x * WARPS, next, step);
        if (IN_TURN && all == 0 && lists.classified()) grid_barrier(arrived, goal);
        __syncthreads();
        round_of_small(lists, indptr, all, small, next, step);
        step.end_round(all, rows + CLASSES);
        grid_barrier(arrived, goal);
    }
    return round;
}
