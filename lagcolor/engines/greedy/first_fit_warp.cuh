// Color 32 vertices together, a lane each.
//
// A lane reads its row once. Earlier neighbours without a color are of this warp, whose lanes exchange their
// colors in shared memory, or go to a list, and their states are polled. Without the first, neighbours in a row waited
// for each other by way of L2 (fem27-128: 0.54 ms).
#pragma once
#include "engines/greedy/first_fit.cuh"

// Edges that a thread reads at a time: 4 of a row of no more, one by one, else 8, in aligned pieces of 16 bytes.
#define BATCH (SMALL ? 4 : 8)
#ifndef ROOM
#define ROOM 12  // neighbours that it can wait for at a time
#endif
#ifndef STRIDE
#define STRIDE BLOCK  // of the lists of a block's threads
#endif
#define SLOTS 64

struct Neighbors {  // in shared memory
    unsigned long long of[SLOTS];  // vertices of this warp and their lanes, by the last bits of their id
    unsigned char colors[32];
};

// Colors of the listed neighbours, which leave the list. While the last has none, the others are not read.
template <class Mask>
static __device__ __forceinline__ Mask poll(int* list, int& waiting, const state_t* state, Mask) {
    Mask used = 0;
    while (waiting > 0) {
        int u[4];
        unsigned s[4];
        u[0] = list[STRIDE * (waiting - 1)];
        s[0] = load_unfenced(state + u[0]);
        if (s[0] >= UNCOLORED) break;
#pragma unroll
        for (int k = 1; k < 4; k++) u[k] = waiting > k ? list[STRIDE * (waiting - 1 - k)] : -1;
#pragma unroll
        for (int k = 1; k < 4; k++) s[k] = u[k] >= 0 ? load_unfenced(state + u[k]) : 64u;
        waiting = waiting > 4 ? waiting - 4 : 0;
#pragma unroll
        for (int k = 3; k >= 0; k--) {
            used |= bit(s[k], used);
            if (s[k] >= UNCOLORED) list[STRIDE * waiting++] = u[k];
        }
    }
    return used;
}

// Lane's vertex v (-1: none) has edges row … end - 1 of m; order(u, s) says whether u, whose state s has no color, is
// earlier than v.
template <bool SMALL, class Mask, bool DOZE = false, class Order, class Take = AnyColor, class GiveUp = Never,
          class Seen = Unseen>
static __device__ __forceinline__ void color_warp(int v, offset_t row, offset_t end, offset_t m, bool aligned,
                                                  const int* __restrict__ indices, Neighbors* warp, int* list,
                                                  state_t* state, int* colors, Order order, Take take = Take(),
                                                  GiveUp give_up = GiveUp(), Seen seen = Seen()) {
    const int lane = threadIdx.x % 32;
    offset_t at = SMALL ? row : row & ~(offset_t)3;
    Mask used = 0;
    int waiting = 0;
    unsigned lanes = 0;  // of this warp that this one waits for
    unsigned idle = 0;  // turns without a change
    bool done = v < 0;
    warp->of[lane] = warp->of[lane + 32] = ~0ull;
    __syncwarp();
    // Where two share a slot either may have it: neighbours find the other by way of its state.
    if (v >= 0) atomicExch(warp->of + v % SLOTS, (unsigned long long)v << 32 | (unsigned)lane);
    __syncwarp();
    for (;;) {
        while (!done && at < end && waiting <= ROOM - BATCH) {
            int u[BATCH];
            unsigned s[BATCH];
            const int skip = at < row ? (int)(row - at) : 0, left = end - at < BATCH ? (int)(end - at) : BATCH;
            const unsigned wanted = (1u << left) - (1u << skip);
            read_four(u, indices, at, wanted, !SMALL && aligned && at + 4 <= m);
            if (!SMALL) read_four(u + 4, indices, at + 4, wanted >> 4, aligned && at + 8 <= m);
#pragma unroll
            for (int k = 0; k < BATCH; k++) s[k] = wanted >> k & 1 ? load_unfenced(state + u[k]) : 64u;
#pragma unroll
            for (int k = 0; k < BATCH; k++) {
                if (wanted >> k & 1) seen(u[k]);
                used |= bit(s[k], used);
                if (s[k] >= UNCOLORED && order(u[k], s[k])) {
                    const unsigned long long here = warp->of[u[k] % SLOTS];
                    if ((unsigned)(here >> 32) == (unsigned)u[k])
                        lanes |= 1u << (unsigned)here;
                    else
                        list[STRIDE * waiting++] = u[k];
                }
            }
            at += BATCH;
        }
        idle++;
        for (;;) {
            const bool now = !done && !waiting && !lanes && at >= end;
            if (now) {
                const unsigned color = take(v, least_free(used));
                store_relaxed(state + v, color);
                if (colors) colors[v] = (int)color;
                warp->colors[lane] = (unsigned char)color;
                done = true;
            }
            const unsigned fresh = __ballot_sync(ALL_LANES, now);
            if (!fresh) break;
            idle = 0;
            __syncwarp();
            for (unsigned some = lanes & fresh; some; some &= some - 1)
                used |= bit(warp->colors[__ffs((int)some) - 1], used);
            lanes &= ~fresh;
        }
        if (__all_sync(ALL_LANES, done)) return;
        const int before = waiting;
        if (!done) used |= poll(list, waiting, state, used);
        if (give_up(idle)) return;
        if (DOZE) {
            if (__any_sync(ALL_LANES, waiting < before)) idle = 0;
            doze(idle);
        }
    }
}
