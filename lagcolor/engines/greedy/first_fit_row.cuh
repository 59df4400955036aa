// First-fit of one vertex by a warp.
//
// The row is read once, EDGES edges per lane at a time. Colors of neighbors go to a bitmap in shared memory. Earlier
// uncolored neighbors go to a list, which is polled until all have a color. Colored ones leave the list, so that
// a late neighbor does not delay the rest of the row. If the row has more colors than the bitmap, it is read
// again for each further window of colors.
//
// The state of an uncolored vertex may also have its bound (`Bounded`): the least color that its colored neighbors
// leave free. Its color will not be lower. A vertex takes a color when the bounds of all vertices that it waits for are
// higher, as in ECL-GC's first shortcut (Alabandi, Powers, Burtscher 2020). Chains of waiting hubs are then a fifth as
// long (kron_g500:16: 186 instead of 920).
//
// Slower variants on kron_g500-logn21 (default order 9.8 ms): polling the list until it is empty (34.8), a list of 1024
// (11.3); and (default order 5.1 ms) polling only the last of the list before the others are read again (8.0).
#pragma once
#include "engines/greedy/first_fit.cuh"

#define UNROLL 4
#ifndef WINDOW
#define WINDOW 2048  // colors in the bitmap
#endif
#define ABSENT 0x7fffffffu  // instead of a state: neither a color of the bitmap nor uncolored
#define LIST_IN_ROW 384  // capacity of the list
#define LONG 4096     // degree from which a lane reads LONG_EDGES edges of the row at a time
#ifndef LONG_EDGES
#define LONG_EDGES (4 * UNROLL)
#endif

struct Row {  // in shared memory, one per warp
    unsigned bitmap[WINDOW / 32];  // 0 between two vertices
    int list[LIST_IN_ROW];
};

static __device__ __forceinline__ void clear_row(Row* row) {
    for (int i = threadIdx.x % 32; i < WINDOW / 32; i += 32) row->bitmap[i] = 0;
    __syncwarp();
}

static __device__ __forceinline__ void mark_taken(Row* row, unsigned window, unsigned s) {
    if (s - window < WINDOW) atomicOr(row->bitmap + (s - window) / 32, 1u << s % 32);
}

// The least color of the window that is not in the bitmap, ~0 if all are, in all lanes.
static __device__ __forceinline__ unsigned least_in(const Row* row) {
    __syncwarp();
    for (int i = 0; i < WINDOW / 32; i += 32) {
        const int free = least_free_of_lanes(row->bitmap[i + threadIdx.x % 32]);
        if (free >= 0) return (unsigned)(i * 32 + free);
    }
    return ~0u;
}

// Uncolored vertices without bounds.
struct Unbound {
    __device__ __forceinline__ bool known() const { return false; }
    __device__ __forceinline__ unsigned of(unsigned) const { return 0; }
    __device__ __forceinline__ void say(unsigned) const {}
};

// Bounds in the last bits of the state, which `mask` has (larger bounds are cut); `mine` is v's state with bound 0.
struct Bounded {
    state_t* state_of_v;
    unsigned mine, mask;
    __device__ __forceinline__ bool known() const { return mask != 0; }
    __device__ __forceinline__ unsigned of(unsigned s) const { return s & mask; }
    __device__ __forceinline__ void say(unsigned least) const {
        if (threadIdx.x % 32 == 0) store_relaxed(state_of_v, mine | min(least, mask));
    }
};

// List the waiting u[] of all lanes from position `listed` on; return the new length.
static __device__ __forceinline__ int list_pending(Row* row, int listed, const int* u, const bool* waits) {
#pragma unroll
    for (int k = 0; k < UNROLL; k++) {
        const unsigned ballot = __ballot_sync(ALL_LANES, waits[k]);
        if (waits[k]) row->list[listed + rank_in(ballot)] = u[k];
        listed += __popc(ballot);
    }
    return listed;
}

// Poll the `listed` vertices, at most one per lane, until each has a color, or a bound over the least free color. Most
// steps of a chain end here.
template <class GiveUp, class Bounds>
static __device__ __forceinline__ void poll_few(Row* row, int listed, unsigned window, const state_t* state,
                                                GiveUp give_up, Bounds bounds) {
    const int lane = threadIdx.x % 32, u = lane < listed ? row->list[lane] : -1;
    unsigned waiting = __ballot_sync(ALL_LANES, u >= 0), least = 0;
    bool waits = u >= 0;
    for (unsigned idle = 0; waiting; idle++) {
        unsigned s = 0;
        if (waits) {
            s = load_unfenced(state + u);
            waits = s >= UNCOLORED;
            mark_taken(row, window, s);
        }
        const unsigned left = __ballot_sync(ALL_LANES, waits);
        if (bounds.known() && (left != waiting || idle == 0)) {
            const unsigned before = least;
            least = least_in(row);
            if (least == ~0u) return;
            if (least != before) bounds.say(window + least);
        }
        if (bounds.known() && !__any_sync(ALL_LANES, waits && bounds.of(s) <= window + least)) return;
        if (left != waiting) idle = 0;
        else doze(idle);
        if (give_up(idle)) return;
        waiting = left;
    }
}

// Poll the `listed` vertices until at most `most` of them have no color; return their number. If `most` is 0, vertices
// with a bound over the least free color do not count.
template <class GiveUp, class Bounds>
static __device__ __forceinline__ int poll_row(Row* row, int listed, int most, unsigned window, const state_t* state,
                                               GiveUp give_up, Bounds bounds) {
    const int lane = threadIdx.x % 32;
    unsigned least = 0;
    __syncwarp();
    for (unsigned idle = 0; listed > most; idle++) {
        if (most == 0 && listed <= 32) {
            poll_few(row, listed, window, state, give_up, bounds);
            return 0;
        }
        int left = 0;
        unsigned bound = ~0u;  // the least bound that this lane has read
        for (int first = 0; first < listed; first += 32 * UNROLL) {
            int u[UNROLL];
            unsigned s[UNROLL];
            bool waits[UNROLL];
#pragma unroll
            for (int k = 0; k < UNROLL; k++) u[k] = first + 32 * k + lane < listed ? row->list[first + 32 * k + lane] : -1;
#pragma unroll
            for (int k = 0; k < UNROLL; k++) s[k] = u[k] >= 0 ? load_unfenced(state + u[k]) : ~0u;
#pragma unroll
            for (int k = 0; k < UNROLL; k++) {
                waits[k] = u[k] >= 0 && s[k] >= UNCOLORED;
                if (waits[k]) bound = min(bound, bounds.of(s[k]));
                mark_taken(row, window, s[k]);
            }
            __syncwarp();  // all have read these places of the list
            left = list_pending(row, left, u, waits);
        }
        __syncwarp();
        if (bounds.known() && (left < listed || idle == 0)) {
            const unsigned before = least;
            least = least_in(row);
            if (least == ~0u) return 0;
            if (least != before) bounds.say(window + least);
        }
        if (bounds.known() && most == 0 && !__any_sync(ALL_LANES, bound <= window + least)) return 0;
        if (left < listed) idle = 0;
        else doze(idle);
        if (give_up(idle)) return 0;
        listed = left;
    }
    return listed;
}

// Mark the colors of a row's neighbors in the bitmap, if they are in the window.
template <int EDGES, class GiveUp, class Order, class Bounds>  // a multiple of UNROLL
static __device__ __forceinline__ void read_row(Row* row, offset_t begin, offset_t end, unsigned window,
                                                const int* __restrict__ indices, const state_t* state, GiveUp give_up,
                                                Order order, Bounds bounds) {
    const int lane = threadIdx.x % 32;
    int listed = 0;
    for (offset_t e = begin; e < end; e += 32 * EDGES) {
        int u[EDGES];
        unsigned s[EDGES];
#pragma unroll
        for (int k = 0; k < EDGES; k++) u[k] = e + k * 32 + lane < end ? indices[e + k * 32 + lane] : -1;
#pragma unroll
        for (int k = 0; k < EDGES; k++) s[k] = u[k] >= 0 ? glance(state + u[k]) : ABSENT;
#pragma unroll
        for (int first = 0; first < EDGES; first += UNROLL) {
            bool waits[UNROLL];
#pragma unroll
            for (int k = 0; k < UNROLL; k++) {
                mark_taken(row, window, s[first + k]);
                waits[k] = s[first + k] > ABSENT && order(u[first + k], s[first + k]);
            }
            listed = list_pending(row, listed, u + first, waits);
            if (listed > LIST_IN_ROW - 32 * UNROLL) listed = poll_row(row, listed, LIST_IN_ROW / 2, window, state, give_up, bounds);
        }
    }
    poll_row(row, listed, 0, window, state, give_up, bounds);
}

// The least color that is not in the bitmap, ~0 if all are; clear the bitmap for the next use.
static __device__ __forceinline__ unsigned take_least(Row* row) {
    unsigned least = ~0u;
    __syncwarp();
#pragma unroll
    for (int i = WINDOW / 32 - 32; i >= 0; i -= 32) {
        const unsigned word = row->bitmap[i + threadIdx.x % 32];
        row->bitmap[i + threadIdx.x % 32] = 0;
        const int free = least_free_of_lanes(word);
        if (free >= 0) least = (unsigned)(i * 32 + free);
    }
    __syncwarp();
    return least;
}

// The least free color of a vertex with edges begin … end − 1; `order` decides which neighbors are earlier.
template <class GiveUp, class Order, class Bounds = Unbound>
static __device__ __forceinline__ unsigned least_of_row(Row* row, offset_t begin, offset_t end,
                                                        const int* __restrict__ indices, const state_t* state,
                                                        GiveUp give_up, Order order, Bounds bounds = Bounds()) {
    for (unsigned window = 0;; window += WINDOW) {
        if (end - begin < LONG) read_row<UNROLL>(row, begin, end, window, indices, state, give_up, order, bounds);
        else read_row<LONG_EDGES>(row, begin, end, window, indices, state, give_up, order, bounds);
        const unsigned least = take_least(row);
        if (least != ~0u) return window + least;
    }
}

// The least free color of a vertex whose uncolored state is `mine`, if no two states are equal.
template <class GiveUp = Never>
static __device__ __forceinline__ unsigned least_of_row(Row* row, unsigned mine, offset_t begin, offset_t end,
                                                        const int* __restrict__ indices, const state_t* state,
                                                        GiveUp give_up = GiveUp()) {
    return least_of_row(row, begin, end, indices, state, give_up, ByState{mine});
}
