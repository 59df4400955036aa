// variants: OFFSET_BITS=32,64 KEY=1 HASHED=0,1 TRACE=0
// variants: OFFSET_BITS=32,64 KEY=2 HASHED=0 TRACE=0
// variants: OFFSET_BITS=32 KEY=0 HASHED=0,1 TRACE=0
// variants: OFFSET_BITS=32 KEY=1,2 HASHED=0 TRACE=1
// ECL-GC, Algorithms 1 to 3 in one cooperative launch. __init__.py lists differences from the paper, and ecl_gc.cuh
// describes the word of a vertex.
//
//   prepare   write a word for every vertex as if all its neighbors were earlier; list the vertices of high degree
//   orient    a warp or a block compacts their earlier neighbors (Algorithm 1)
//   color     every warp visits its own vertices until all have colors, without barriers: `visit_high` (Algorithm 2)
//             by one warp or block, `visit_first` and `visit_again` (Algorithm 3) by one thread per vertex
//
// A grid barrier follows each of the first two phases. In the third, words are monotone (ecl_gc.cuh) and accessed by
// relaxed atomics; everything else belongs to one warp or block. Progress: every warp visits each of its vertices again
// after some sweeps, and the earliest uncolored vertex then finds all its earlier neighbors colored.
#include "base/device/include/clock.cuh"
#include "base/device/include/palette.cuh"
#include "algorithms/ecl_gc/ecl_gc.cuh"

#ifndef DEEP_HIGH
#define DEEP_HIGH 4  // loads in flight per thread
#endif
#ifndef REFRESH
#define REFRESH 16
#endif
#ifndef BLOCKS
#define BLOCKS 4  // per multiprocessor
#endif
#ifndef PATIENCE
#define PATIENCE 32  // sweeps over high vertices before the first sweep over low ones
#endif
#ifndef SHARE
#define SHARE 4  // high vertices that are visited per low one
#endif
#ifndef NAP
#define NAP 200  // nanoseconds after a sweep without success
#endif

// ---- prepare --------------------------------------------------------------------------------------------------------

// Append the vertex of each thread that is `wide` to the high vertices and reserve its bitmap: one atomic per block.
static __device__ void list_high(const Run& g, int v, offset_t degree, bool wide) {
    __shared__ u64 base;
    const u64 words = wide ? degree / 32 + 1 : 0;
    u64 total;
    const u64 before = Block::sum_before(wide ? (u64)1 << COUNT_SHIFT | words : 0, total);
    if (threadIdx.x == 0) base = atomicAdd(&g.head->high, total);
    __syncthreads();
    const u64 at = base + before;
    if (wide) g.high[at >> COUNT_SHIFT] = {v, 0, -1, (unsigned)(at & (((u64)1 << COUNT_SHIFT) - 1))};
}

static __device__ void prepare(const Run& g) {
    for (long long first = (long long)blockIdx.x * BLOCK; first < g.n; first += (long long)gridDim.x * BLOCK) {
        const long long v = first + threadIdx.x;
        const offset_t degree = v < g.n ? g.indptr[v + 1] - g.indptr[v] : 0;
        const bool hub = degree >= HUB, wide = degree > WORD_MOST && !hub;
        if (v < g.n) {
            if (degree <= WORD_MOST) g.state[v] = first_colors((int)degree + 1);
#if KEY == 1
            g.order.codes[v] = (unsigned char)degree_code(degree);
#endif
        }
        if (hub) {
            const u64 at = atomicAdd(&g.head->high, (u64)(degree / 32 + 1));
            const int place = atomicAdd(&g.head->hubs, 1);
            g.hubs[place] = {(int)v, 0, -1, (unsigned)(at & (((u64)1 << COUNT_SHIFT) - 1))};
        }
        if (__syncthreads_or(wide)) list_high(g, (int)v, degree, wide);
    }
}

// ---- high vertices --------------------------------------------------------------------------------------------------

// Vertices with more than WORD_MOST earlier neighbors: a warp orients and colors each, a block each hub (Algorithms 1
// and 2).
//
// One warp or block reads and writes all data of a vertex except its word. A visit reads all pending neighbors, so a
// vertex stores one that blocks its best color, its blocker. It is visited again once the blocker no longer blocks it,
// and after REFRESH sweeps, since a better `best` may unblock others.

// Write the earlier neighbors of v to `dag`, its word, and its bitmap if it needs one; return their number.
template <class Group>
static __device__ int orient(const Run& g, int v, unsigned bitmap) {
    const offset_t begin = g.indptr[v], degree = g.indptr[v + 1] - begin;
    const Place at = place_of(g.order, v, degree);
    int* row = g.dag + begin;
    int n_earlier = 0;
    for (offset_t e = 0; e < degree; e += Group::SIZE * DEEP) {
        int u[DEEP];
        unsigned wanted = 0;
#pragma unroll
        for (int k = 0; k < DEEP; k++) {
            const offset_t place = e + k * Group::SIZE + Group::lane();
            u[k] = place < degree ? g.indices[begin + place] : 0;
            wanted |= (unsigned)(place < degree) << k;
        }
        const unsigned before = earlier<DEEP>(g.order, u, wanted, at);
#pragma unroll
        for (int k = 0; k < DEEP; k++) {
            int total;
            const int place = n_earlier + Group::rank(before >> k & 1, total);
            if (before >> k & 1) row[place] = u[k];
            n_earlier += total;
        }
    }
    if (n_earlier > WORD_MOST)
        for (offset_t i = Group::lane(); i <= degree / 32; i += Group::SIZE) g.bitmaps[bitmap + i] = 0;
    if (Group::lane() == 0)
        g.state[v] = n_earlier > WORD_MOST ? interval_word((unsigned)n_earlier) : first_colors(n_earlier + 1);
    return n_earlier;
}

// Orient this block's hubs and this warp's other high vertices. Compact the vertices that stay high in their lists,
// where entry k of a worker is at worker + workers * k, and count them in `hubs` and `high`.
static __device__ void orient_all(const Run& g, int& hubs, int& high) {
    for (int i = blockIdx.x; i < g.head->hubs; i += gridDim.x) {
        High h = g.hubs[i];
        h.left = orient<Block>(g, h.vertex, h.bitmap);
        __syncthreads();  // all reads of these entries are done
        if (h.left < HUB) {
            if (h.left > WORD_MOST && threadIdx.x == 0)
                g.high[(g.head->high >> COUNT_SHIFT) + atomicAdd(&g.head->moved, 1)] = h;
            continue;
        }
        if (threadIdx.x == 0) g.hubs[blockIdx.x + (size_t)gridDim.x * hubs] = h;
        hubs++;
    }
    const int listed = (int)(g.head->high >> COUNT_SHIFT), warps = warp_count();
    for (int i = warp_index(); i < listed; i += warps) {
        High h = g.high[i];
        h.left = orient<Warp>(g, h.vertex, h.bitmap);
        __syncwarp();
        if (h.left <= WORD_MOST) continue;
        if (Warp::lane() == 0) g.high[warp_index() + (size_t)warps * high] = h;
        high++;
    }
}

// Add this warp's share of the hubs with few earlier neighbors to its high vertices.
static __device__ void take_moved(const Run& g, int& high) {
    const int warps = warp_count(), first = (int)(g.head->high >> COUNT_SHIFT), stop = first + g.head->moved;
    for (int i = first + (warp_index() + warps - first % warps) % warps; i < stop; i += warps) {
        const High h = g.high[i];
        __syncwarp();
        if (Warp::lane() == 0) g.high[warp_index() + (size_t)warps * high] = h;
        high++;
    }
    __syncwarp();  // writes to the list are visible to the warp
}

// The least color from `from` on that is not in a bitmap of `words` words; there is one. All lanes of a warp call it.
static __device__ unsigned first_free(const unsigned* bitmap, offset_t words, unsigned from) {
    for (offset_t word = from / 32;; word += WARP) {
        const offset_t mine = word + Warp::lane();
        unsigned taken = mine < words ? load_unfenced(bitmap + mine) : ~0u;
        if (mine == from / 32) taken |= ~(~0u << from % 32);
        const int free = least_free_of_lanes(taken);
        if (free >= 0) return (unsigned)word * 32 + free;
    }
}

// Read all pending neighbors. Remove colored neighbors, and mark their colors from `color` on in the bitmap. Return an
// uncolored neighbor that blocks `color`, or −1.
template <class Group>
static __device__ int look_at_all(const Run& g, int* row, int& left, unsigned* bitmap, offset_t words, unsigned color) {
    int pending = 0, blocker = -1;
    for (int first = 0; first < left; first += Group::SIZE * DEEP_HIGH) {
        int u[DEEP_HIGH];
        unsigned w[DEEP_HIGH];
#pragma unroll
        for (int k = 0; k < DEEP_HIGH; k++) {
            const int place = first + k * Group::SIZE + Group::lane();
            u[k] = place < left ? row[place] : -1;
        }
#pragma unroll
        for (int k = 0; k < DEEP_HIGH; k++) w[k] = u[k] >= 0 ? load_unfenced(g.state + u[k]) : ~0u;
        Group::sync();  // all reads of these entries are done
#pragma unroll
        for (int k = 0; k < DEEP_HIGH; k++) {
            const bool stays = !has_color(w[k]);
            if (!stays && u[k] >= 0) {
                const unsigned c = color_of(w[k]);
                if (c >= color && c / 32 < words) atomicOr(bitmap + c / 32, 1u << c % 32);
            }
            if (blocks(w[k], color, g.sc1)) blocker = u[k];
            int total;
            const int place = pending + Group::rank(stays, total);
            if (stays && place != first + k * Group::SIZE + Group::lane()) row[place] = u[k];
            pending += total;
        }
    }
    left = pending;
    Group::sync();  // marks and row are visible to the group
    return Group::template reduce<Most>(blocker);
}

// Visit a vertex by all threads of a group; true if it is still pending.
template <class Group>
static __device__ bool visit_high(const Run& g, High& h, Tally& tally) {
    const offset_t begin = g.indptr[h.vertex], words = (g.indptr[h.vertex + 1] - begin) / 32 + 1;
    unsigned* bitmap = g.bitmaps + h.bitmap;
    unsigned word = load_unfenced(g.state + h.vertex);
    for (;;) {
        const unsigned best = best_of(word);
        h.blocker = look_at_all<Group>(g, g.dag + begin, h.left, bitmap, words, best);
        const unsigned next = first_free(bitmap, words, best);
        if (h.left == 0 || (g.sc1 && next == best && h.blocker < 0)) {
            if (Group::lane() == 0) {
                store_relaxed(g.state + h.vertex, colored_word(next));
                g.colors[h.vertex] = (int)next;
                tally.add(h.left ? BY_SHORTCUT : CONVENTIONALLY);
            }
            return false;
        }
        if (next == best) return true;
        word = with_best(word, next);
        if (Group::lane() == 0) store_relaxed(g.state + h.vertex, word);
        if (!g.sc1) return true;  // with sc1 and a new best color another visit pays: fewer neighbors are left
    }
}

// True if a vertex should be visited: its blocker no longer blocks its best color, or REFRESH sweeps have passed.
static __device__ __forceinline__ bool is_due(const Run& g, const High& h, int sweep) {
    if (h.blocker < 0 || sweep % REFRESH == 0) return true;
    const unsigned mine = load_unfenced(g.state + h.vertex), theirs = load_unfenced(g.state + h.blocker);
    return !blocks(theirs, best_of(mine), g.sc1);
}

// Visit this warp's high vertices; return how many are still pending.
static __device__ int sweep_high(const Run& g, int count, int sweep, Tally& tally) {
    High* const mine = g.high + warp_index();
    const size_t stride = warp_count();
    int pending = 0;
    for (int first = 0; first < count; first += WARP) {
        const int i = first + Warp::lane();
        High h = {0, 0, -1, 0};
        if (i < count) h = mine[stride * i];
        unsigned due = __ballot_sync(ALL_LANES, i < count && is_due(g, h, sweep + i));
        unsigned stay = __ballot_sync(ALL_LANES, i < count) & ~due;
        for (; due; due &= due - 1) {
            const int lane = __ffs((int)due) - 1;
            High one = {__shfl_sync(ALL_LANES, h.vertex, lane), __shfl_sync(ALL_LANES, h.left, lane), -1,
                        __shfl_sync(ALL_LANES, h.bitmap, lane)};
            if (visit_high<Warp>(g, one, tally)) stay |= 1u << lane;
            if (Warp::lane() == lane) h.left = one.left, h.blocker = one.blocker;
            if (Warp::lane() == 0) tally.add(VISITS);
        }
        if (stay >> Warp::lane() & 1) mine[stride * (pending + rank_in(stay))] = h;
        pending += __popc(stay);
        __syncwarp();  // writes to the list are visible to the warp
    }
    return pending;
}

// Visit this block's hubs; return how many are still pending.
static __device__ int sweep_hubs(const Run& g, int count, int sweep, Tally& tally) {
    High* const mine = g.hubs + blockIdx.x;
    int pending = 0;
    for (int i = 0; i < count; i++) {
        High h = mine[(size_t)gridDim.x * i];
        const bool due = __syncthreads_or(threadIdx.x == 0 && is_due(g, h, sweep + i));  // one thread decides for all
        const bool waits = !due || visit_high<Block>(g, h, tally);
        if (threadIdx.x == 0 && due) tally.add(VISITS);
        if (waits && threadIdx.x == 0) mine[(size_t)gridDim.x * pending] = h;
        pending += waits;
        __syncthreads();
    }
    return pending;
}

// ---- color ----------------------------------------------------------------------------------------------------------

// High vertices come first, because in most orders they wait only for each other. While some are pending, low vertices
// are swept again at once if the last sweep colored an eighth of them, otherwise after SHARE times as many visits of
// high vertices.
static __device__ void color_all(const Run& g, int hubs, int high, Tally& tally) {
    int low = -1, pause = PATIENCE;  // low < 0: not visited yet; pause: sweeps over high vertices before the next
    for (int sweep = 1; hubs || high || low; sweep++) {
        bool progress = false;
        if (hubs) {  // equal in all threads of the block
            const int before = hubs;
            hubs = sweep_hubs(g, hubs, sweep, tally);
            progress |= hubs < before;
        }
        if (high) {
            const int before = high;
            high = sweep_high(g, high, sweep, tally);
            progress |= high < before;
        }
        if (low && (!(high || hubs) || --pause < 0)) {
            const int before = low;
            low = before < 0 ? first_sweep(g, tally) : sweep_low(g, before, tally);
            pause = before - low >= before / 8 ? 0 : SHARE * (low / WARP + 1) / (high / WARP + 1);
            progress |= low < before || before < 0;
        }
        if (!progress) nap(NAP);
    }
}

static __device__ void report(const Run& g, const Tally& tally) {
#if TRACE
    for (int k = 0; k < 4; k++) {
        add_from_warp(&g.head->tally[k], (u64)tally.count[k]);
    }
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS)
    ecl_gc(long long n, long long m, const offset_t* indptr, const int* indices, const int* p, int seed, int sc1, int
    sc2,
           unsigned* state, unsigned char* codes, int2* list, int* dag, unsigned* bitmaps, High* high_list, High*
           hub_list, Head* head, int* colors) {
    const bool aligned = reinterpret_cast<u64>(indices) % 16 == 0;
    const Run g = {n, m, indptr, indices, state, colors, list, dag, bitmaps, high_list, hub_list, head,
                   {indptr, p, codes, (unsigned)seed}, sc1 != 0, sc2 != 0, aligned};
    Tally tally = {};
    int goal = 0, hubs = 0, high = 0;
    prepare(g);
    grid_barrier(&head->arrived, goal);
    if (head->high) {
        orient_all(g, hubs, high);
        grid_barrier(&head->arrived, goal);
        take_moved(g, high);
    }
    color_all(g, hubs, high, tally);
    write_colors(g);
    report(g, tally);
}
