// Color 32 vertices with a warp, a lane each.
//
// A lane reads its row once. Earlier uncolored neighbors in the same warp pass their colors through shared memory;
// others go to a list, and their states are polled. Without shared memory, neighbors with consecutive ids waited for
// each other through L2 (fem27-128: 0.54 ms).
//
// On an H200 instructions limit these kernels (ncu: up to 3 per cycle of 4), also while vertices wait: a polling warp
// takes issue slots from the warps that it waits for. So the polling loop reads one neighbor per lane until one of them
// has a color, and does nothing else.
#pragma once
#include "engines/greedy/first_fit.cuh"

#ifndef LIST_SIZE
#define LIST_SIZE 12  // neighbors that a lane can wait for at a time
#endif
#ifndef STRIDE
#define STRIDE BLOCK  // between entries of a list: the lists of the threads of a block are interleaved
#endif
#define SLOTS 64

// Kinds of rows: rows of up to FEW or SEVERAL edges are read at once, edge by edge. Longer rows are read in aligned
// pieces of 16 bytes, 8 edges at a time.
enum { LONGER = 0, FEW = 4, SEVERAL = 8 };

struct Neighbors {  // in shared memory
    unsigned of[SLOTS];  // vertices of this warp and their lanes, by the last bits of the id
    unsigned char colors[32];

    // If two vertices share a slot, one of them gets it; neighbors read the other's state.
    __device__ __forceinline__ void enter(int v) {
        const int lane = threadIdx.x % 32;
        of[lane] = of[lane + 32] = ~0u;
        __syncwarp();
        if (v >= 0) atomicExch(of + v % SLOTS, (unsigned)v / SLOTS * 32 + (unsigned)lane);
        __syncwarp();
    }
    // The lane that has u, as a bit; 0 if none has it.
    __device__ __forceinline__ unsigned lane_of(int u) const {
        const unsigned here = of[u % SLOTS];
        return here / 32 == (unsigned)u / SLOTS ? 1u << here % 32 : 0;
    }
};

// The next SIZE neighbors of a lane, and their states.
template <int ROW> struct Batch {
    static constexpr int SIZE = ROW ? ROW : 8;
    int u[SIZE];
    unsigned s[SIZE];  // their states; 64 for entries outside the row
    unsigned wanted;   // bits of the entries inside the row

    // Read edges from `at` on, which may begin before the row.
    __device__ __forceinline__ void read(const int* __restrict__ indices, offset_t at, offset_t row, offset_t end,
                                         offset_t m, bool aligned, const state_t* state) {
        const int left = end - at < SIZE ? (int)(end - at) : SIZE;
        if (ROW) {
            wanted = (1u << left) - 1;
#pragma unroll
            for (int k = 0; k < SIZE; k++) u[k] = k < left ? indices[at + k] : -1;
#pragma unroll
            for (int k = 0; k < SIZE; k++) s[k] = k < left ? glance(state + u[k]) : 64u;
            return;
        }
        wanted = (1u << left) - (1u << (at < row ? (int)(row - at) : 0));
        read_four(u, indices, at, wanted, aligned && at + 4 <= m);
        read_four(u + 4, indices, at + 4, wanted >> 4, aligned && at + 8 <= m);
#pragma unroll
        for (int k = 0; k < SIZE; k++) s[k] = wanted >> k & 1 ? glance(state + u[k]) : 64u;
    }
};

// Colors of the listed neighbors. Colored ones leave the list; the last one has color `first`. The list is read from
// its end, four at a time, until the last of four has no color.
template <class Mask>
static __device__ __forceinline__ Mask take_listed(int* list, int& waiting, unsigned first, const state_t* state, Mask) {
    Mask used = bit(first, Mask());
    waiting--;
    while (waiting > 0) {
        int u[4];
        unsigned s[4];
#pragma unroll
        for (int k = 0; k < 4; k++) u[k] = waiting > k ? list[STRIDE * (waiting - 1 - k)] : -1;
#pragma unroll
        for (int k = 0; k < 4; k++) s[k] = u[k] >= 0 ? load_unfenced(state + u[k]) : 64u;
        const bool stays = s[0] >= UNCOLORED;
        waiting = waiting > 4 ? waiting - 4 : 0;
#pragma unroll
        for (int k = 3; k >= 0; k--) {
            used |= bit(s[k], used);
            if (s[k] >= UNCOLORED) list[STRIDE * waiting++] = u[k];
        }
        if (stays) break;
    }
    return used;
}

// Color the lane's vertex v (-1: none), which has edges row … end - 1 of m; order(u, s) is true if the uncolored u with
// state s is earlier than v.
template <int ROW, class Mask, bool DOZE = false, class Order, class Take = AnyColor, class GiveUp = Never>
static __device__ __forceinline__ void color_warp(int v, offset_t row, offset_t end, offset_t m, bool aligned,
                                                  const int* __restrict__ indices, Neighbors* warp, int* list,
                                                  state_t* state, int* colors, Order order, Take take = Take(),
                                                  GiveUp give_up = GiveUp()) {
    const int lane = threadIdx.x % 32;
    offset_t at = ROW ? row : row & ~(offset_t)3;
    Mask used = 0;
    int waiting = 0;
    unsigned lanes = 0;  // lanes of this warp that this lane waits for
    bool done = v < 0;
    const auto read_on = [&] {
        Batch<ROW> some;
        some.read(indices, at, row, end, m, aligned, state);
#pragma unroll
        for (int k = 0; k < some.SIZE; k++) {
            used |= bit(some.s[k], used);
            if (some.s[k] >= UNCOLORED && order(some.u[k], some.s[k])) {
                const unsigned here = warp->lane_of(some.u[k]);
                lanes |= here;
                if (!here) list[STRIDE * waiting++] = some.u[k];
            }
        }
        at += some.SIZE;
    };
    warp->enter(v);
    if (ROW && !done) read_on();
    for (;;) {
        if (!ROW) while (!done && at < end && waiting <= LIST_SIZE - 8) read_on();
        __syncwarp();
        for (;;) {
            const bool now = !done && !waiting && !lanes && (ROW || at >= end);
            if (now) {
                const unsigned color = take(v, least_free(used));
                store_relaxed(state + v, color);
                if (colors) colors[v] = (int)color;
                warp->colors[lane] = (unsigned char)color;
                done = true;
            }
            const unsigned fresh = __ballot_sync(ALL_LANES, now);
            if (!__any_sync(ALL_LANES, lanes & fresh)) break;
            __syncwarp();
            for (unsigned some = lanes & fresh; some; some &= some - 1)
                used |= bit(warp->colors[__ffs((int)some) - 1], used);
            lanes &= ~fresh;
            __syncwarp();
        }
        if (__all_sync(ALL_LANES, done)) return;
        const int last = waiting ? list[STRIDE * (waiting - 1)] : -1;
        unsigned its = UNCOLORED;
        for (unsigned idle = 0;; idle++) {
            if (last >= 0) its = load_unfenced(state + last);
            if (__any_sync(ALL_LANES, its < UNCOLORED)) break;
            if (give_up(idle)) return;
            if (DOZE) doze(idle);
        }
        if (its < UNCOLORED) used |= take_listed(list, waiting, its, state, used);
    }
}
