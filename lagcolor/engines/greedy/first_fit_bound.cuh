// First-fit of 32 vertices of degree under 64 by a warp, a lane each, as in first_fit_warp.cuh. The state of an
// uncolored vertex also has its bound: the least color that its colored neighbors leave free. Its color will not be
// lower. A lane takes a color when the bounds of all vertices that it waits for are higher. It always waits for lanes
// of its own warp, whose colors arrive at once.
//
// So a later vertex may be colored before an earlier neighbor. Its color is then under the neighbor's bound, where the
// color is already excluded, so the order of colored neighbors need not be checked.
//
// This is not in first_fit_warp.cuh, because bounds take up to 1.3 times as long if lanes have several vertices, or if
// hubs have no ranks (docs/development/variants.md).
#pragma once
#include "engines/greedy/first_fit_warp.cuh"

struct ByTurn {  // the order, if the last bits of states are bounds
    unsigned mine, rank, mask;
    __device__ __forceinline__ bool operator()(int u, unsigned s) const {
        return (s | mask) > mine || ((s | mask) == mine && rank_of(u) < rank);
    }
};

// Colors of the listed neighbors. Colored ones leave the list; `low` becomes the least bound of the others.
template <class Mask>
static __device__ __forceinline__ Mask poll_bounds(int* list, int& waiting, const state_t* state, Mask used,
                                                   unsigned bounds, unsigned& low) {
    low = ~0u;
    for (int first = waiting; first > 0; first -= 4) {
        int u[4];
        unsigned s[4];
#pragma unroll
        for (int k = 0; k < 4; k++) u[k] = first > k ? list[STRIDE * (first - 1 - k)] : -1;
#pragma unroll
        for (int k = 0; k < 4; k++) s[k] = u[k] >= 0 ? load_unfenced(state + u[k]) : 64u;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            used |= bit(s[k], used);
            if (s[k] >= UNCOLORED) {
                low = min(low, s[k] & bounds);
            } else if (u[k] >= 0) {
                list[STRIDE * (first - 1 - k)] = list[STRIDE * --waiting];
            }
        }
    }
    return used;
}

// Color the lane's vertex v (-1: none), which has edges row … end - 1 of m. Its uncolored state is `mine` with its
// bound. `bounds` masks the bits of a bound; 0: bounds are not stored.
template <int ROW, class Mask, class Order>
static __device__ __forceinline__ void color_bounded(int v, offset_t row, offset_t end, offset_t m, bool aligned,
                                                     const int* __restrict__ indices, Neighbors* warp, int* list,
                                                     state_t* state, Order order, unsigned mine, unsigned bounds) {
    const int lane = threadIdx.x % 32;
    offset_t at = ROW ? row : row & ~(offset_t)3;
    Mask used = 0;
    int waiting = 0;
    unsigned lanes = 0;  // lanes of this warp that this lane waits for
    unsigned low = ~0u, published = 0, idle = 0;
    bool done = v < 0;
    warp->enter(v);
    for (;;) {
        while (!done && at < end && waiting <= LIST_SIZE - Batch<ROW>::SIZE) {
            Batch<ROW> some;
            some.read(indices, at, row, end, m, aligned, state);
#pragma unroll
            for (int k = 0; k < some.SIZE; k++) {
                used |= bit(some.s[k], used);
                if (some.s[k] >= UNCOLORED && order(some.u[k], some.s[k])) {
                    const unsigned here = warp->lane_of(some.u[k]);
                    lanes |= here;
                    if (!here) list[STRIDE * waiting++] = some.u[k], low = min(low, some.s[k] & bounds);
                }
            }
            at += some.SIZE;
        }
        idle++;
        for (;;) {
            const bool now = !done && !lanes && at >= end && low > (unsigned)least_free(used);
            if (now) {
                warp->colors[lane] = (unsigned char)least_free(used);
                store_relaxed(state + v, (unsigned)least_free(used));
                done = true;
            }
            const unsigned fresh = __ballot_sync(ALL_LANES, now);
            if (fresh) idle = 0;
            if (!__any_sync(ALL_LANES, !done && lanes & fresh)) break;
            __syncwarp();
            for (unsigned some = lanes & fresh; some; some &= some - 1)
                used |= bit(warp->colors[__ffs((int)some) - 1], used);
            lanes &= ~fresh;
        }
        if (const unsigned least = (unsigned)least_free(used); !done && least > published && bounds)
            store_relaxed(state + v, mine | (published = least));
        if (__all_sync(ALL_LANES, done)) return;
        const int before = waiting;
        if (!done) used = poll_bounds(list, waiting, state, used, bounds, low);
        if (__any_sync(ALL_LANES, waiting < before)) idle = 0;
        doze(idle);
    }
}
