// Balancing of classes, for both kernels of this folder: how many vertices of a class move, and where.
//
// The vertices of one class do not constrain each other, so all of them may move at the same time. Which of them move,
// and where, depends on the sizes of the classes before the turn, on the colors of other classes, and on a hash. The
// result is the same in any order, and equals the loop of sequential.py.
#pragma once
#include "base/device/include/grid.cuh"
#include "base/device/include/hash.cuh"
#include "base/device/include/palette.cuh"

#if INDEX_BITS == 64
typedef i64 index_t;
#else
typedef int index_t;
#endif
#define NONE (-1)
#define NO_BITS (-2)  // in place of a color: all words are full
#define COLOR 1        // steps of a launch: color,
#define BALANCE 2  // and balance the classes
#define MOST_COLORS 1024  // more are not balanced
#define SWEEPS 8          // maximum number of sweeps over all classes
#define SLACK 400         // a class within 1 / SLACK of the mean does not change
#define NEARLY 24         // ends if the largest class is at most 1 + 1 / NEARLY times the smallest
#define MOST_SHIFT 8

struct Words {  // in global memory, 0 before the launch
    int arrived;
    int alive[3];    // whether a vertex is left after a round; for three rounds in turn
    int full;        // whether a vertex found no color
    int n_colors;    // the largest color + 1
    int wrong;       // whether a node or body is out of range
    int changes[3][MOST_COLORS];  // changes of the sizes of classes, for three turns; at first the sizes
    int odd;         // for bodies: whether pairs have an odd cycle
};

// Sizes of the classes (a copy per block), and the plan for the present class.
struct Classes {
    int size[MOST_COLORS];
    int change[MOST_COLORS];
    int k;        // colors
    int most;     // the mean size, rounded up
    int c;        // the present class; −1: all classes are even, or the sweeps are over
    int sweep;
    int before;   // size of the class before its turn
    u8 shift[MOST_COLORS];  // a class with few movable vertices tries 2, 4 … times as many
    bool moved;   // whether any class has had a turn in this sweep
    unsigned threshold;  // a vertex with a smaller hash moves
};

// Counts a change of class c for the block, until `publish`.
static __device__ __forceinline__ void count_change(Classes& classes, int c, int by) {
    if (c < MOST_COLORS) atomicAdd(&classes.change[c], by);
}

static __device__ __forceinline__ void clear_changes(Classes& classes) {
    for (int c = threadIdx.x; c < MOST_COLORS; c += blockDim.x) classes.change[c] = 0;
    __syncthreads();
}

// Adds the counts of the block to the changes of this turn, and clears the changes of the next turn; all threads call.
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

// Adapts how many vertices of a class try to move in its next turn.
static __device__ __forceinline__ void learn(Classes& s) {
    const int gone = s.before - s.size[s.c], excess = s.before - s.most;
    if (2 * gone < excess) {
        if (s.shift[s.c] < MOST_SHIFT) s.shift[s.c]++;
    } else if (2 * gone > 3 * excess && s.shift[s.c]) {
        s.shift[s.c]--;
    }
}

static __device__ __forceinline__ bool nearly_even(const Classes& s) {
    int least = s.size[0], largest = s.size[0];
    for (int c = 1; c < s.k; c++) least = min(least, s.size[c]), largest = max(largest, s.size[c]);
    return (i64)NEARLY * largest <= (i64)(NEARLY + 1) * least;
}

// Chooses the next class that is too large, for the block; −1 if none is left.
static __device__ __forceinline__ void next_class(Classes& s) {
    if (threadIdx.x == 0) {
        if (s.c >= 0) learn(s);
        for (;;) {
            if (++s.c >= s.k) {
                s.sweep++;
                if (!s.moved || s.sweep >= SWEEPS) {
                    s.c = -1;
                    break;
                }
                s.c = 0, s.moved = false;
            }
            const int size = s.size[s.c], excess = size - s.most;
            if (excess <= s.most / SLACK) continue;
            if (nearly_even(s)) {
                s.c = -1;
                break;
            }
            s.moved = true, s.before = size;
            const u64 tries = (u64)excess << s.shift[s.c];
            s.threshold = tries < (u64)size ? (unsigned)((tries << 32) / (u64)size) : 0xffffffffu;
            break;
        }
    }
    __syncthreads();
}

// Begins balancing, after the classes are counted and before `next_class`. More than MOST_COLORS do not change.
static __device__ __forceinline__ void begin_classes(Classes& s, int k) {
    if (threadIdx.x == 0) {
        if (k > MOST_COLORS) k = 0;
        int m = 0;
        for (int c = 0; c < k; c++) m += s.size[c];
        s.k = k, s.most = k ? (m + k - 1) / k : 0;
        s.c = -1, s.sweep = k < 2 ? SWEEPS : 0, s.moved = false;
    }
    for (int c = threadIdx.x; c < MOST_COLORS; c += blockDim.x) s.shift[c] = 0;
    __syncthreads();
}

static __device__ __forceinline__ unsigned hash_of_turn(const Classes& s, unsigned id, unsigned seed) {
    return mix(mix(id, seed) + (unsigned)((64 + s.sweep) * MOST_COLORS + s.c));
}

// Returns whether the vertex with this hash tries to move.
static __device__ __forceinline__ bool moves(const Classes& s, unsigned hash) { return hash < s.threshold; }

// Returns the color to move to, or −1: a free color, with a probability in proportion to the deficit of its class.
// taken(w): bits of the colors 64 w … 64 w + 63 that are not free.
template <class Taken> __device__ __forceinline__ int color_to_move_to(const Classes& s, unsigned hash, Taken taken) {
    unsigned total = 0;
    for (int w = 0; 64 * w < s.k; w++) {
        const u64 there = taken(w);
        for (int c = 64 * w; c < min(s.k, 64 * w + 64); c++)
            if (!(there >> c % 64 & 1)) total += max(s.most - s.size[c], 0);
    }
    unsigned pick = (unsigned)(((u64)mix(hash) * total) >> 32);
    if (total == 0) return -1;
    for (int w = 0; 64 * w < s.k; w++) {
        const u64 there = taken(w);
        for (int c = 64 * w; c < min(s.k, 64 * w + 64); c++) {
            const unsigned spare = there >> c % 64 & 1 ? 0 : max(s.most - s.size[c], 0);
            if (pick < spare) return c;
            pick -= spare;
        }
    }
    return -1;
}

// After all turns: numbers the nonempty classes, for `renumbered`; all threads call.
static __device__ __forceinline__ void number_classes(Classes& s) {
    if (threadIdx.x == 0) {
        int count = 0;
        for (int c = 0; c < s.k; c++) s.change[c] = s.size[c] ? count++ : -1;
        s.moved = count < s.k;
    }
    __syncthreads();
}

static __device__ __forceinline__ int renumbered(const Classes& s, int c) { return s.moved && c >= 0 ? s.change[c] : c; }
