// What both kernels here share: how many vertices of a class move where, so that classes become even.
//
// The vertices of one class do not constrain each other: all of them may move at the same time. Which of them move, and
// where to, follows from the sizes of the classes before the first one moves, from the colors of other classes, and from
// a hash: it is the same in any order, and sequential.py has the same in a loop.
#pragma once
#include "device/include/grid.cuh"
#include "device/include/hash.cuh"
#include "device/include/palette.cuh"

#define MOST_COLORS 1024  // that are balanced
#define SWEEPS 4          // over all classes, at most
#define SLACK 400         // a class within 1 / SLACK of the mean stays

struct Words {  // in global memory, 0 before the launch
    int arrived;
    int alive[3];    // whether a vertex is left after a round; by turns
    int full;        // a vertex found no color
    int n_colors;    // 1 and the largest
    int wrong;       // a number under −1 or over the last
    int changes[3][MOST_COLORS];  // of the sizes of classes, by turns; at first the sizes
};

// The sizes of classes, a copy of each block, and the plan for one of them.
struct Classes {
    int size[MOST_COLORS];
    int change[MOST_COLORS];
    int k;        // colors
    int most;     // the mean size, rounded up
    int c;        // whose turn it is; −1: all are even, or the sweeps are over
    int sweep;
    bool moved;   // whether a class has had its turn in this sweep
    unsigned threshold;  // a vertex with a smaller hash moves
};

// Counts a vertex of color c for the block, before `publish`.
static __device__ __forceinline__ void count_change(Classes& classes, int c, int by) { atomicAdd(&classes.change[c], by); }

static __device__ __forceinline__ void clear_changes(Classes& classes) {
    for (int c = threadIdx.x; c < MOST_COLORS; c += blockDim.x) classes.change[c] = 0;
    __syncthreads();
}

// Adds what the block has counted to the changes of this turn, and clears those of the next one; all threads call.
static __device__ __forceinline__ void publish(Classes& classes, Words* words, int turn) {
    __syncthreads();
    for (int c = threadIdx.x; c < MOST_COLORS; c += blockDim.x) {
        if (classes.change[c]) atomicAdd(&words->changes[turn % 3][c], classes.change[c]);
        classes.change[c] = 0;
        if (blockIdx.x == 0) store_relaxed(&words->changes[(turn + 1) % 3][c], 0);
    }
}

// After the barrier that ends a turn: adds the changes of all blocks to the sizes; all threads call.
static __device__ __forceinline__ void take_changes(Classes& classes, const Words* words, int turn) {
    for (int c = threadIdx.x; c < MOST_COLORS; c += blockDim.x) classes.size[c] += load_relaxed(&words->changes[turn % 3][c]);
    __syncthreads();
}

// Chooses the next class that is too large, −1 where none is left, for the block.
static __device__ __forceinline__ void next_class(Classes& s) {
    if (threadIdx.x == 0) {
        for (;;) {
            if (++s.c == s.k) {
                s.sweep++;
                if (!s.moved || s.sweep == SWEEPS) {
                    s.c = -1;
                    break;
                }
                s.c = 0, s.moved = false;
            }
            const int size = s.size[s.c], excess = size - s.most;
            if (excess > s.most / SLACK) {
                s.moved = true;
                s.threshold = (unsigned)(((u64)excess << 32) / (u64)size);
                break;
            }
        }
    }
    __syncthreads();
}

// After all classes are counted, and before `next_class`; m vertices have a color.
static __device__ __forceinline__ void begin_classes(Classes& s, int k, int m) {
    if (threadIdx.x == 0) {
        s.k = k, s.most = k ? (m + k - 1) / k : 0;
        s.c = -1, s.sweep = 0, s.moved = false;
        if (k < 2) s.sweep = SWEEPS - 1;
    }
    __syncthreads();
}

static __device__ __forceinline__ unsigned hash_of_turn(const Classes& s, unsigned id, unsigned seed) {
    return mix(mix(id, seed) + (unsigned)((64 + s.sweep) * MOST_COLORS + s.c));
}

// Whether the vertex with this hash is to move.
static __device__ __forceinline__ bool moves(const Classes& s, unsigned hash) { return hash < s.threshold; }

// The color that it moves to, or −1 for none: each free one as likely as its class is too small. taken(w): the colors
// 64 w … 64 w + 63 that are not free, as bits.
template <class Taken> __device__ __forceinline__ int color_to_move_to(const Classes& s, unsigned hash, Taken taken) {
    unsigned total = 0;
    for (int c = 0; c < s.k; c++)
        if (!(taken(c / 64) >> c % 64 & 1)) total += max(s.most - s.size[c], 0);
    unsigned pick = (unsigned)(((u64)mix(hash) * total) >> 32);
    if (total)
        for (int c = 0; c < s.k; c++) {
            if (taken(c / 64) >> c % 64 & 1) continue;
            const unsigned room = max(s.most - s.size[c], 0);
            if (pick < room) return c;
            pick -= room;
        }
    return -1;
}
