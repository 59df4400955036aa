// variants: OFFSET_BITS=32,64
// Feluca. `pack` divides the edge list into packs, and `color_round` is a round of the recursion. In the second stage
// `peel` finds the levels of the vertices left; `take_in_turn` and `take_at_once` are the two color-centric strategies,
// `fit` and `compare` the vertex-centric one.
//
// A warp processes a pack: the edges from the parents of several vertices, at most 32, or of one vertex. The virtual
// edges that complete a pack are idle lanes and take no memory. The paper sorts edges by source. Here edges are sorted
// by target, so that a warp has all parents of a vertex, and one lane writes its color without atomics.
//
// While a vertex left has no color, its entry in `colors` is −1 − position.
//
// Bytes: a round reads 8 per edge, gathers the color of its parent, and writes 4 per vertex. A step of the second stage
// reads the rows of the uncolored vertices of a level up to the first neighbor of the block's color.
#include "base/device/include/grid.cuh"
#include "base/device/include/neighbors.cuh"
#include "base/device/include/palette.cuh"

enum { BLOCK = 256, THREAD_MOST = 32, WARP_MOST = 2048 };  // as in gpu.py
enum { AHEAD = 4, NOTHING = (int)0x80000000, LAST = 0x7fffffff };
typedef Threads<BLOCK> Block;

// Packs of `chunk` vertices per thread. Without `packs`, write their number to `places`; with it, their first edges.
extern "C" __global__ void pack(const offset_t* begins, i64 n, i64 chunk, i64 width, offset_t* places, offset_t* packs) {
    const i64 at = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (at * chunk >= n) return;
    i64 k = packs ? (i64)places[at] : 0, free = 0;
    for (i64 v = at * chunk; v < n && v < (at + 1) * chunk; v++) {
        const i64 size = begins[v + 1] - begins[v];
        if (size == 0) continue;
        if (size > free) {  // a new pack; a long row fills it
            if (packs) packs[k] = begins[v];
            k++;
            free = width;
        }
        free = size > free ? 0 : free - size;
    }
    if (!packs) places[at] = (offset_t)k;
}

// ---- recursion ------------------------------------------------------------------------------------

// Top-down selection: NeighborColors[j] + 1, or the color after the greatest; bit i of `window` is color least + i.
static __device__ int next_color(int own, int least, int greatest, u64 window, int length) {
    int c = least + 1;
    for (int k = 2; k < length && window >> (c - least) & 1; k++) c++;
    return c < greatest && c != own ? c : greatest + 1;
}

static __device__ u64 window_bit(int c, int least) { return (unsigned)c - (unsigned)least < 64 ? 1ull << (c - least) : 0; }

struct Round {
    const int *parents, *children;
    int* levels;
    int k;
    const int* before;
    int* after;
    int length, conflicts, reached;

    // Color of the parent of edge e, or NOTHING if this round does not compare it.
    __device__ int parent_color(i64 e) const {
        const int u = parents[e], level = levels ? load_relaxed(levels + u) : 0;
        return level >= 0 && level <= k ? before[u] : (int)NOTHING;
    }

    // Write the result of a vertex with parents; one thread calls it.
    __device__ void finish(int v, int own, bool met, bool hit, int least, int greatest, u64 window) {
        if (levels && met && load_relaxed(levels + v) < 0) {
            store_relaxed(levels + v, k + 1);
            reached++;
        }
        conflicts += hit;
        after[v] = hit ? next_color(own, least, greatest, window, length) : own;
    }

    // Process a pack of the parents of one vertex.
    template <class Group> __device__ void row(i64 begin, i64 end) {
        const int v = children[begin], own = before[v];
        int least = LAST, greatest = NOTHING;
        bool hit = false;
        for (i64 e = begin + Group::lane(); e < end; e += AHEAD * Group::SIZE) {
            int c[AHEAD];
#pragma unroll
            for (int q = 0; q < AHEAD; q++) c[q] = e + q * Group::SIZE < end ? parent_color(e + q * Group::SIZE) : (int)NOTHING;
#pragma unroll
            for (int q = 0; q < AHEAD; q++) {
                if (c[q] < 0) continue;
                least = min(least, c[q]), greatest = max(greatest, c[q]), hit |= c[q] == own;
            }
        }
        hit = Group::any(hit);
        greatest = Group::template reduce<Most>(greatest);
        u64 window = 0;
        if (hit && length > 2) {
            least = Group::template reduce<Least>(least);
            for (i64 e = begin + Group::lane(); e < end; e += Group::SIZE) window |= window_bit(parent_color(e), least);
            window = Group::template reduce<Either>(window);
        } else if (hit) {
            least = Group::template reduce<Least>(least);
        }
        if (Group::lane() == 0) finish(v, own, greatest >= 0, hit, least, greatest, window);
    }

    // Process a pack of up to 32 edges, one per lane. The last lane of a vertex finishes it.
    __device__ void pack(i64 begin, int size) {
        const int lane = threadIdx.x % WARP;
        const bool real = lane < size;
        const int v = real ? children[begin + lane] : -1;
        const int c = real ? parent_color(begin + lane) : (int)NOTHING, own = real ? before[v] : -1;
        const int v_before = __shfl_sync(ALL_LANES, v, lane ? lane - 1 : 0);
        const unsigned heads = __ballot_sync(ALL_LANES, lane == 0 || v != v_before);
        const int from = 31 - __clz((int)(heads & (2u << lane) - 1));
        const unsigned later = lane == 31 ? 0 : heads >> (lane + 1) << (lane + 1);
        const int to = later ? __ffs((int)later) - 2 : 31;
        const unsigned mine = (2u << to) - 1 & ~((1u << from) - 1);
        const unsigned met = __ballot_sync(ALL_LANES, c >= 0), hits = __ballot_sync(ALL_LANES, c >= 0 && c == own);
        int least = 0, greatest = 0;
        u64 window = 0;
        if (hits) {
            least = up_to_here<Least>(c >= 0 ? c : (int)LAST, from);
            greatest = up_to_here<Most>(c, from);
            const int whole = __shfl_sync(ALL_LANES, least, to);
            if (length > 2) window = up_to_here<Either>(c >= 0 ? window_bit(c, whole) : 0ull, from);
        }
        if (real && lane == to) finish(v, own, met & mine, hits & mine, least, greatest, window);
    }

    // Combine x of the lanes `from` … this lane.
    template <class Op, class T> static __device__ T up_to_here(T x, int from) {
        const int lane = threadIdx.x % WARP;
        for (int d = 1; d < WARP; d *= 2) {
            const T before = __shfl_sync(ALL_LANES, x, lane >= d ? lane - d : lane);
            if (lane - d >= from) x = Op()(x, before);
        }
        return x;
    }
};

// Round k; levels may be null. counts, initially zeros: numbers of vertices in conflict and of vertices reached.
extern "C" __global__ void __launch_bounds__(BLOCK)
    color_round(const int* parents, const int* children, const offset_t* packs, i64 n_packs, const int* hubs, i64 n_hubs,
                int* levels, i64 k, const int* before, int* after, i64 length, int* counts) {
    Round work = {parents, children, levels, (int)k, before, after, (int)length, 0, 0};
    for (i64 i = blockIdx.x; i < n_hubs; i += gridDim.x) work.row<Block>(packs[hubs[i]], packs[hubs[i] + 1]);
    const i64 warps = (i64)gridDim.x * BLOCK / WARP;
    for (i64 i = ((i64)blockIdx.x * BLOCK + threadIdx.x) / WARP; i < n_packs; i += warps) {
        const i64 begin = packs[i], size = packs[i + 1] - begin;
        if (size <= WARP) work.pack(begin, (int)size);
        else if (size <= WARP_MOST) work.row<Warp>(begin, begin + size);
    }
    __syncwarp();
    add_from_warp(counts, work.conflicts);
    add_from_warp(counts + 1, work.reached);
}

// ---- the levels of the vertices left ----------------------------------------------------------------

// Sort the vertices left by levels into `places`, a warp per vertex; all blocks run at the same time. Initially zeros:
// sizes of the levels, and pending, the number of uncolored parents of a vertex that are not in a level yet.
extern "C" __global__ void peel(const offset_t* indptr, const int* indices, const int* p, const int* left, i64 n,
                                const int* colors, int* pending, int* places, int* sizes, int* arrived) {
    const int lane = threadIdx.x % WARP;
    const i64 first = ((i64)blockIdx.x * BLOCK + threadIdx.x) / WARP, warps = (i64)gridDim.x * BLOCK / WARP;
    int goal = 0;
    for (i64 i = first; i < n; i += warps) {
        const int v = left[i];
        int parents = 0;
        for (i64 e = indptr[v] + lane; e < (i64)indptr[v + 1]; e += WARP)
            parents += colors[indices[e]] < 0 && p[indices[e]] > p[v];
        parents = reduce_warp<Plus>(parents);
        if (lane == 0) store_relaxed(pending + i, parents);
        const int at = append_warp(lane == 0 && parents == 0, sizes);
        if (lane == 0 && parents == 0) store_relaxed(places + at, (int)i);
    }
    grid_barrier(arrived, goal);
    i64 begin = 0, end = load_relaxed(sizes);
    for (i64 level = 0; begin < end; level++) {
        for (i64 at = begin + first; at < end; at += warps) {
            const int v = left[load_relaxed(places + at)];
            const i64 row = indptr[v], size = indptr[v + 1] - row;
            for (i64 k = 0; k < size; k += WARP) {
                const int u = k + lane < size ? indices[row + k + lane] : v, x = colors[u];
                const bool wanted = x < 0 && p[u] < p[v] && atomicAdd(pending + (-1 - x), -1) == 1;
                const int place = append_warp(wanted, sizes + level + 1);
                if (wanted) store_relaxed(places + end + place, -1 - x);
            }
        }
        grid_barrier(arrived, goal);
        begin = end;
        end += load_relaxed(sizes + level + 1);
    }
}

// ---- color classes ------------------------------------------------------------------------------------

struct Classes {
    const offset_t* indptr;
    const int *indices, *order;
    int* colors;
    int *stamps, *found;  // null in the pipeline

    // True if a neighbor of v has color c or, with stamps, is stamped with it.
    template <class Group> __device__ bool is_taken(int v, int c) const {
        const offset_t end = indptr[v + 1];
        bool hit = false;
        for (offset_t e = indptr[v]; e < end && !hit; e += AHEAD * Group::SIZE) {
            int u[AHEAD], x[AHEAD];
            read_row<Group>(indices, e, end, u);
            read_words(colors, u, (int)LAST, x);
#pragma unroll
            for (int q = 0; q < AHEAD; q++) hit |= x[q] == c || (stamps && x[q] < 0 && load_relaxed(stamps + (-1 - x[q])) == c);
            hit = Group::any(hit);
            if (end - e <= (offset_t)(AHEAD * Group::SIZE)) break;
        }
        return hit;
    }

    // Give color c to the uncolored vertices at positions begin … end − 1, a level, that can take it. A thread reads a
    // short row, a warp a long row, the block a hub's. Vertices of a level are not adjacent. All threads call it.
    __device__ void level(int begin, int end, int c, int& active, int& conflicts) const {
        __shared__ int hubs[BLOCK], n_hubs;
        for (int base = begin; base < end; base += BLOCK) {
            const int i = base + threadIdx.x, v = i < end ? order[i] : -1;
            const bool open = v >= 0 && load_relaxed(colors + v) < 0;
            const int size = open ? degree_class((i64)(indptr[v + 1] - indptr[v]), THREAD_MOST, WARP_MOST) : -1;
            bool takes = size == 0 && !is_taken<SingleThread>(v, c);
            __syncwarp();
            for (unsigned votes = __ballot_sync(ALL_LANES, size == 1); votes; votes &= votes - 1) {
                const int lane = __ffs((int)votes) - 1;
                const bool free = !is_taken<Warp>(__shfl_sync(ALL_LANES, v, lane), c);
                if ((int)threadIdx.x % WARP == lane) takes = free;
            }
            if (threadIdx.x == 0) n_hubs = 0;
            __syncthreads();
            if (size == 2) hubs[atomicAdd(&n_hubs, 1)] = i;
            __syncthreads();
            for (int h = 0; h < n_hubs; h++) {
                const bool free = !is_taken<Block>(order[hubs[h]], c);
                if (hubs[h] == i) takes = free;
            }
            active += open, conflicts += open && !takes;
            if (!takes) continue;
            if (!stamps) {
                store_relaxed(colors + v, c);
            } else {
                store_relaxed(stamps + i, c);
                atomicMin(found + i, c);
            }
        }
        __syncthreads();  // writes are visible to the block
    }
};

// Second strategy: block b processes colors b, b + blocks, … Color c processes a level after color c − 1. All blocks
// run at the same time, and the least unfinished color does not wait, so the pipeline makes progress. All blocks stop
// once no vertex is uncolored. Initially zeros: state, the number of colors that have processed each level, then 1 once
// all vertices are colored; and counts, the active and conflicting vertices of each step c + level.
extern "C" __global__ void __launch_bounds__(BLOCK)
    take_in_turn(const offset_t* indptr, const int* indices, const int* order, const int* ends, i64 n_levels, int* colors,
                 i64 n_colors, int* state, int* counts) {
    __shared__ bool over;
    const Classes work = {indptr, indices, order, colors, nullptr, nullptr};
    for (int c = blockIdx.x; c < n_colors; c += gridDim.x) {
        int left = 0;
        for (int l = 0; l < n_levels; l++) {
            if (threadIdx.x == 0) {
                over = false;
                while (!over && load_relaxed(state + l) < c) over = load_relaxed(state + n_levels);
                __threadfence();
            }
            __syncthreads();
            if (over) return;
            int active = 0, conflicts = 0;
            work.level(l ? ends[l - 1] : 0, ends[l], c, active, conflicts);
            active = Block::reduce<Plus>(active), conflicts = Block::reduce<Plus>(conflicts);
            left += conflicts;
            if (threadIdx.x == 0) {
                if (active) atomicAdd(counts + 2 * (c + l), active);
                if (conflicts) atomicAdd(counts + 2 * (c + l) + 1, conflicts);
                __threadfence();
                store_relaxed(state + l, c + 1);
            }
        }
        if (left) continue;
        if (threadIdx.x == 0) store_relaxed(state + n_levels, 1);
        return;
    }
}

// First strategy: process colors first … first + n_colors − 1 independently, each from a different level on. stamps, n
// per block, initially −1: the last color that it gave to each position. found: the least color of each position.
extern "C" __global__ void __launch_bounds__(BLOCK)
    take_at_once(const offset_t* indptr, const int* indices, const int* order, const int* ends, i64 n_levels, int* colors,
                 i64 first, i64 n_colors, int* stamps, i64 n, int* found) {
    const Classes work = {indptr, indices, order, colors, stamps + n * blockIdx.x, found};
    for (i64 i = blockIdx.x; i < n_colors; i += gridDim.x) {
        const i64 start = i * n_levels / n_colors;
        int active, conflicts;
        for (i64 j = 0; j < n_levels; j++) {
            const i64 l = (start + j) % n_levels;
            work.level(l ? ends[l - 1] : 0, ends[l], (int)(first + i), active, conflicts);
        }
    }
}

// ---- without color classes ------------------------------------------------------------------------------

// Least color of each vertex left that no neighbor has; a warp per vertex.
extern "C" __global__ void fit(const offset_t* indptr, const int* indices, const int* left, i64 n, const int* colors,
                               int* result) {
    const i64 warps = (i64)gridDim.x * BLOCK / WARP;
    for (i64 i = ((i64)blockIdx.x * BLOCK + threadIdx.x) / WARP; i < n; i += warps) {
        const int v = left[i];
        for (int base = 0;; base += 64) {
            u64 taken = 0;
            for (i64 e = (i64)indptr[v] + threadIdx.x % WARP; e < (i64)indptr[v + 1]; e += WARP)
                taken |= window_bit(colors[indices[e]], base);
            taken = reduce_warp<Either>(taken);
            if (~taken == 0) continue;
            if (threadIdx.x % WARP == 0) result[i] = base + least_free(taken);
            break;
        }
    }
}

// Set `lost` for vertices whose color an earlier neighbor has.
extern "C" __global__ void compare(const offset_t* indptr, const int* indices, const int* p, const int* left, i64 n,
                                   const int* colors, int* lost) {
    const i64 warps = (i64)gridDim.x * BLOCK / WARP;
    for (i64 i = ((i64)blockIdx.x * BLOCK + threadIdx.x) / WARP; i < n; i += warps) {
        const int v = left[i];
        bool same = false;
        for (i64 e = (i64)indptr[v] + threadIdx.x % WARP; e < (i64)indptr[v + 1]; e += WARP)
            same |= p[indices[e]] > p[v] && colors[indices[e]] == colors[v];
        same = Warp::any(same);
        if (threadIdx.x % WARP == 0) lost[i] = same;
    }
}
