// Independent sets of one order, without rounds. A vertex waits for one larger neighbor, its blocker, until this one
// has a color, then reads its row further. If no blocker is left, its color is one more than the largest color of its
// neighbors: the round in which independent sets would color it.
//
// state[v] is p[v] until v has a color, then ~color. All colored neighbors of an uncolored vertex are larger (smaller
// ones wait for it), so one word per neighbor is enough.
// cursor[v] is the entry after the blocker. All entries before it are colored or smaller, and `least` is one more than
// their largest color. So each entry is read once, in any order of coloring.
//
// A warp owns every `warps`-th stripe of 32 vertices, and lists its waiting vertices in the same positions, in order.
// It shares only `state` with other warps, and no counters. The whole warp reads long rows.
//
// A state changes once, from p to ~color, so a stale value only makes a vertex wait longer. A launch ends after
// `passes` passes and is then repeated: the largest uncolored vertex does not wait, so each launch colors at least one
// vertex.
//
// Bytes: 4 per entry for its column and a sector for its state; per pass 8 for each waiting vertex and a sector for its
// blocker; 20 to 40 per vertex when its blocker changes.
// variants: OFFSET_BITS=32,64
#include "base/device/include/common.cuh"

#define BLOCK 256
#define ALONE 16  // entries that a lane reads before the warp helps
#define IDLE 100  // nanoseconds to wait after a pass that colored no vertex
#define POLL 2    // blockers that a lane reads at the same time
#define UNROLL 2  // entries per lane in flight when the warp reads a row
#define STEP 4    // entries that a lane reads at the same time
#define LEAST 6   // blocks per multiprocessor, which have enough registers
#define WARPS (BLOCK / WARP)

enum { DONE = -1, AGAIN = -2 };  // in waits_for: colored; continue without a blocker

// A search of the row of v: the next entry e, the end, whether the last neighbor u blocks v, and one more than
// the largest color so far.
struct Search {
    int v, p, u, least;
    bool blocked;
    offset_t e, end;
};

// Whether a neighbor with state x blocks a vertex of priority p. If it is colored, `least` is raised over its color.
__device__ inline bool blocks(int x, int p, int &least) {
    if (x >= 0) return x > p;
    if (~x >= least) least = ~x + 1;
    return false;
}

// Read up to ALONE entries, STEP at a time, by each lane for its own row.
__device__ inline void search_alone(Search &s, const int *indices, const int *state) {
#pragma unroll 1
    for (int step = 0; step < ALONE && !s.blocked && s.e < s.end; step += STEP) {
        int j[STEP], x[STEP];
#pragma unroll
        for (int q = 0; q < STEP; q++) j[q] = q < s.end - s.e ? indices[s.e + q] : -1;
#pragma unroll
        for (int q = 0; q < STEP; q++) x[q] = j[q] < 0 ? 0 : load_relaxed(state + j[q]);
#pragma unroll
        for (int q = 0; q < STEP; q++)
            if (j[q] >= 0 && !s.blocked) {
                s.blocked = blocks(x[q], s.p, s.least);
                s.u = j[q];
                s.e++;
            }
    }
}

// Read the rest of the rows of all lanes, one row after the other; the whole warp calls. Entries after the one that
// stops a search are read again later, with the same result.
__device__ inline void search_together(Search &s, const int *indices, const int *state) {
    const int lane = threadIdx.x % WARP;
    for (unsigned more = __ballot_sync(ALL_LANES, !s.blocked && s.e < s.end); more; more &= more - 1) {
        const int leader = __ffs((int)more) - 1, p = __shfl_sync(ALL_LANES, s.p, leader);
        const offset_t end = __shfl_sync(ALL_LANES, s.end, leader);
        offset_t e = __shfl_sync(ALL_LANES, s.e, leader);
        bool blocked = false;
        int u = -1, least = 0;
        while (!blocked && e < end) {
            int j[UNROLL], x[UNROLL], step = UNROLL * WARP;
            bool each[UNROLL];
#pragma unroll
            for (int q = 0; q < UNROLL; q++) j[q] = q * WARP + lane < end - e ? indices[e + q * WARP + lane] : -1;
#pragma unroll
            for (int q = 0; q < UNROLL; q++) x[q] = j[q] >= 0 ? load_relaxed(state + j[q]) : 0;
#pragma unroll
            for (int q = 0; q < UNROLL; q++) each[q] = j[q] >= 0 && blocks(x[q], p, least);
#pragma unroll
            for (int q = 0; q < UNROLL; q++) {
                const unsigned stop = __ballot_sync(ALL_LANES, each[q]);
                if (stop && !blocked) {
                    const int first = __ffs((int)stop) - 1;
                    blocked = true;
                    u = __shfl_sync(ALL_LANES, j[q], first);
                    step = q * WARP + first + 1;
                }
            }
            e = end - e > step ? e + step : end;  // not beyond `end`: offsets may be near the largest value
        }
        least = reduce_warp<Most>(least);
        if (lane == leader) {
            s.blocked = blocked, s.u = u, s.e = e;
            if (least > s.least) s.least = least;
        }
    }
}

// The positions of a warp in the arrays: its stripes one after the other.
struct Own {
    i64 warp, warps;
    __device__ inline i64 place(int i) const { return ((i64)(i / WARP) * warps + warp) * WARP + i % WARP; }
    __device__ inline int capacity(i64 n) const {
        const i64 stripes = (n + WARP - 1) / WARP;
        return warp < stripes ? (int)((stripes - 1 - warp) / warps + 1) * WARP : 0;
    }
};

#define LIST_PARAMETERS int *waiting, int *waits_for

// Continue the search of v, whose blocker u has state x. Color v if no blocker is left; else return true, with the new
// blocker u. The whole warp calls, with v = -1 for no vertex. `top`: number of rounds.
__device__ inline bool waits_on(int v, int &u, int x, int &top, const offset_t *indptr, const int *indices, int *state,
                                offset_t *cursor, int *least) {
    Search s = {v, 0, u, 0, true, 0, 0};
    if (v >= 0) {
        s.blocked = false, s.p = state[v], s.end = indptr[v + 1], s.e = cursor[v], s.least = least[v];
        if (x < 0) blocks(x, s.p, s.least);
        search_alone(s, indices, state);
    }
    __syncwarp();
    search_together(s, indices, state);
    if (!s.blocked) {
        store_relaxed(state + v, ~s.least);
        if (s.least >= top) top = s.least + 1;
        return false;
    }
    if (v < 0) return false;
    cursor[v] = s.e, least[v] = s.least, u = s.u;
    return true;
}

// Vertices whose blocker has a color, collected until there is one per lane: a search takes several memory latencies.
struct Queue {
    int v[(POLL + 1) * WARP], u[(POLL + 1) * WARP], x[(POLL + 1) * WARP];
};

// The first search of each vertex, which needs only priorities. Vertices without a larger neighbor get a color.
extern "C" __global__ void start(i64 n, const offset_t *__restrict__ indptr, const int *__restrict__ indices,
                                 const int *__restrict__ p, int *state, int *waits_for, offset_t *cursor, int *least) {
    const i64 v = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if (v >= n) return;
    const offset_t end = indptr[v + 1];
    offset_t e = indptr[v];
    const offset_t stop = end - e > 2 * ALONE ? e + 2 * ALONE : end;  // the rest of a long row is left to a warp
    const int own = p[v];
    int u = DONE;
    while (e < stop && u < 0) {
        const int a = indices[e], b = e + 1 < stop ? indices[e + 1] : a;
        const bool first = p[a] > own, second = p[b] > own;
        if (first || second) u = first ? a : b;
        e += first || e + 1 >= stop ? 1 : 2;
    }
    if (u == DONE && e < end) u = AGAIN;
    waits_for[v] = u;
    state[v] = u == DONE ? ~0 : own;
    if (u == DONE) return;
    cursor[v] = e;
    least[v] = 0;
}

// The list of a warp, overwritten while it is read: it never gets longer than the part already read.
struct List {
    Own own;
    int *waiting, *waits_for, count;
    // Append each lane's v, which waits for u and was at position `was` (-1: none); the whole warp calls.
    __device__ inline void append(bool stays, int v, int u, i64 was) {
        const unsigned stay = __ballot_sync(ALL_LANES, stays);
        const i64 to = own.place(count + rank_in(stay));
        if (stays && to != was) waiting[to] = v, waits_for[to] = u;
        count += __popc(stay);
    }
};

// Passes over the lists of all warps. first: the first launch, in which all vertices are listed. result[0]: number of
// waiting vertices at the end; result[1]: `top`; both are 0 initially.
extern "C" __global__ void __launch_bounds__(BLOCK, LEAST)
    color_sets(i64 n, const offset_t *indptr, const int *indices, int *state, LIST_PARAMETERS, int *lengths,
               offset_t *cursor, int *least, i64 first, i64 passes, int *result) {
    __shared__ Queue queues[WARPS];
    Queue &queue = queues[threadIdx.x / WARP];
    const int lane = threadIdx.x % WARP;
    const Own own = {(i64)blockIdx.x * WARPS + threadIdx.x / WARP, (i64)gridDim.x * WARPS};
    bool fresh = first;
    int length = fresh ? own.capacity(n) : lengths[own.warp], top = 0;
    for (i64 pass = 0; pass < passes && length > 0; pass++) {
        List list = {own, waiting, waits_for, 0};
        int queued = 0;
        for (int base = 0; base < length; base += POLL * WARP) {
            int v[POLL], u[POLL], x[POLL];
#pragma unroll
            for (int q = 0; q < POLL; q++) {
                const int i = base + q * WARP + lane;
                const i64 at = own.place(i);
                const bool there = i < length && at < n;
                u[q] = there ? waits_for[at] : DONE;
                v[q] = !there ? -1 : fresh ? (int)at : waiting[at];
            }
#pragma unroll
            for (int q = 0; q < POLL; q++) x[q] = u[q] >= 0 ? load_relaxed(state + u[q]) : 0;
#pragma unroll
            for (int q = 0; q < POLL; q++) {
                const bool looks = u[q] == AGAIN || x[q] < 0;
                const i64 at = own.place(base + q * WARP + lane);
                list.append(u[q] != DONE && !looks, v[q], u[q], fresh ? -1 : at);
                const unsigned looking = __ballot_sync(ALL_LANES, looks);
                if (looks) {
                    const int to = queued + rank_in(looking);
                    queue.v[to] = v[q], queue.u[to] = u[q], queue.x[to] = x[q];
                }
                queued += __popc(looking);
            }
            __syncwarp();
            while (queued >= WARP || (queued && base + POLL * WARP >= length)) {
                const int take = queued < WARP ? queued : WARP;
                queued -= take;
                const bool one = lane < take;
                const int who = one ? queue.v[queued + lane] : -1;
                int blocker = one ? queue.u[queued + lane] : DONE;
                const int of_it = one ? queue.x[queued + lane] : 0;
                const bool stays = waits_on(who, blocker, of_it, top, indptr, indices, state, cursor, least);
                list.append(stays, who, blocker, -1);
            }
            __syncwarp();
        }
#ifdef __CUDA_ARCH__
        if (list.count == length) __nanosleep(IDLE);
#endif
        length = list.count;
        fresh = false;
    }
    top = reduce_warp<Most>(top);
    if (lane) return;
    lengths[own.warp] = length;
    if (length) atomicAdd(result, length);
    if (top > load_relaxed(result + 1)) atomicMax(result + 1, top);
}
