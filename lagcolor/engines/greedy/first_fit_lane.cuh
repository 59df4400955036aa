// First-fit of up to 32 vertices of degree under 64 by a warp, a lane each, of a graph whose states are in shared memory.
//
// A row is read once as a whole: what remains of it are the colors taken and the places in it of earlier neighbors
// without a color, in a word each. Where states come by way of L2, the lists of first_fit_warp.cuh are faster, for they
// spare looking up the neighbor again (all blocks of a GPU: cti 27 us for 35, bricks-hex27 137 for 174); here they are
// slower, for they have room for 12 neighbors, and rows of 20 and more wait for it (le450_5d 181 us for 149).
#pragma once
#include "engines/greedy/first_fit.cuh"

#define ASKED 4  // neighbors at a time, once one has its color

static __device__ __forceinline__ int lowest(unsigned x) { return __ffs((int)x) - 1; }
static __device__ __forceinline__ int lowest(u64 x) { return __ffsll((long long)x) - 1; }

// Those of `pending` that have a color by now leave it; their colors. While the first has none, the others are not asked.
template <class Mask>
static __device__ __forceinline__ Mask ask(Mask& pending, const int* __restrict__ row, const state_t* state) {
    Mask used = 0;
    while (pending) {
        const int u = row[lowest(pending)];
        const unsigned its = load_unfenced(state + u);
        if (its >= UNCOLORED) break;
        used |= bit(its, used);
        pending &= pending - 1;
        Mask rest = pending;
        int at[ASKED - 1], next[ASKED - 1];
        unsigned s[ASKED - 1];
#pragma unroll
        for (int i = 0; i < ASKED - 1; i++) {
            at[i] = rest ? lowest(rest) : -1;
            next[i] = rest ? row[at[i]] : -1;
            rest &= rest - 1;
        }
#pragma unroll
        for (int i = 0; i < ASKED - 1; i++) s[i] = next[i] >= 0 ? load_unfenced(state + next[i]) : UNCOLORED;
#pragma unroll
        for (int i = 0; i < ASKED - 1; i++) {
            used |= bit(s[i], used);
            if (s[i] < UNCOLORED) pending &= ~((Mask)1 << at[i]);
        }
    }
    return used;
}

// Lane's vertex v (-1: none) with its row of `degree` neighbors; order(u, s) says whether u, whose state s has no color,
// is earlier than v. A warp of which nobody gets on sleeps.
template <int BATCH, class Mask, class Order>
static __device__ __forceinline__ void color_lanes(int v, const int* __restrict__ row, int degree, state_t* state,
                                                   int* colors, Order order) {
    Mask used = 0, pending = 0;
    for (int k = 0; k < degree; k += BATCH) {
        int u[BATCH];
        unsigned s[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; i++) u[i] = k + i < degree ? row[k + i] : -1;
#pragma unroll
        for (int i = 0; i < BATCH; i++) s[i] = u[i] >= 0 ? load_unfenced(state + u[i]) : UNCOLORED - 1;
#pragma unroll
        for (int i = 0; i < BATCH; i++) {
            used |= bit(s[i], used);
            if (s[i] >= UNCOLORED && order(u[i], s[i])) pending |= (Mask)1 << (k + i);
        }
    }
    bool done = v < 0;
    for (unsigned idle = 0;; idle++) {
        const Mask before = pending;
        if (!done && !pending) {
            const unsigned color = (unsigned)least_free(used);
            store_relaxed(state + v, color);
            colors[v] = (int)color;
            done = true;
        }
        if (__all_sync(ALL_LANES, done)) return;
        if (!done) used |= ask(pending, row, state);
        if (__any_sync(ALL_LANES, pending != before)) idle = 0;
        doze(idle);
    }
}
