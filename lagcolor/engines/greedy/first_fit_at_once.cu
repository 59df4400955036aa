// variants: OFFSET_BITS=32,64 STATE_BITS=32 BLOCK=256 EACH=1,2,4
// First-fit in the order largest_first_spread in one cooperative launch, with nothing read by the host and no sorted
// sequence: all vertices are in progress at once. The states are the colors' own memory.
//
// A thread has EACH vertices of degree under HUB and goes round them; it waits for none of them alone, so that it does not
// matter in which order threads have them. Vertices of higher degrees are listed by all blocks and begun in their order,
// each by the next warp of some that are for them first. So no vertices wait in a circle.
//
// While a vertex has no color its state also says the least color that its colored earlier neighbors leave, `bound`, which
// only grows: its own color cannot be lower. A vertex takes a color once each earlier neighbor has one or is bound to a
// higher one (ECL-GC's first shortcut: Alabandi, Powers, Burtscher 2020). The colors are the same, and chains of
// vertices that wait for each other half as long (cage10: 28 for 57).
//
// Bytes that must move: 4 per vertex of offsets, 4 per edge, one state per edge (from L2), 8 per vertex of output.
#include "device/include/grid.cuh"
#ifndef HUB
#define HUB 32  // degree from which a warp colors a vertex
#endif
#include "engines/greedy/first_fit_spread.cuh"

#ifndef EACH
#define EACH 1
#endif
#ifndef RESIDENT  // blocks per multiprocessor
#if __CUDA_ARCH__ == 750
#define RESIDENT 4
#else
#define RESIDENT 5
#endif
#endif
#ifndef MIRROR
#define MIRROR 1
#endif
#ifndef INNER
#define INNER 2  // times that neighbors of the block are asked while another's state comes
#endif
#ifndef BOUNDS
#define BOUNDS 1
#endif
#ifndef FIRST
#define FIRST (EACH < 4 ? 4 : 2)  // entries of each row that are read before the barrier
#endif
#define REST 8   // entries at a time after these
#ifndef MORE
#define MORE (EACH == 1 ? 3 : 1)  // neighbors that are asked at once after one that keeps a vertex waiting no longer
#endif
#if HUB > 32
typedef u64 mask_t;
#else
typedef unsigned mask_t;
#endif

// A state without a color: the turn and the bound; for degrees from HUB on WIDE and the turn, or once these vertices are
// ranked WIDE, the turn by rank and the bound.
#define WIDE 0x40000000u
#define BOUND 63u
#define WIDE_BITS 16  // of the bound
#define MOST_RANKED (1 << (30 - WIDE_BITS))
static __device__ __forceinline__ unsigned state_of_turn(unsigned turn, int degree) {
    return UNCOLORED | (degree >= HUB ? WIDE | turn : turn << 6);
}
static __device__ __forceinline__ unsigned state_of_rank(unsigned rank) {
    return UNCOLORED | WIDE | (MOST_RANKED - 1 - rank) << WIDE_BITS;
}

struct Words {  // in global memory, 0 before the launch, which leaves those of the next one 0
    int arrived;
    unsigned listed, drawn, unused;
};

// ranked[] becomes what listed[] has, sorted, and states have the ranks: a warp counts those before one.
static __device__ __forceinline__ void rank_listed(unsigned count, const u64* listed, u64* ranked, state_t* state) {
    const unsigned warps = gridDim.x * (BLOCK / WARP), lane = threadIdx.x % WARP;
    for (unsigned i = threadIdx.x / WARP * gridDim.x + blockIdx.x; i < count; i += warps) {
        const u64 mine = listed[i];
        int before = 0;
#pragma unroll 4
        for (unsigned j = lane; j < count; j += WARP) before += listed[j] < mine;
        before = reduce_warp<Plus>(before);
        if (lane == 0) {
            ranked[before] = mine;
            store_relaxed(state + vertex_of(mine), state_of_rank((unsigned)before));
        }
    }
}

// Of those of listed[] that are this warp's, every `warps`-th, the next after `last`; ~0 where there is none.
static __device__ __forceinline__ u64 next_listed(unsigned own, unsigned warps, unsigned count, const u64* listed,
                                                  u64 last) {
    u64 next = ~0ull;
    for (unsigned i = own + warps * (threadIdx.x % WARP); i < count; i += warps * WARP) {
        const u64 place = listed[i];
        if (place > last && place < next) next = place;
    }
    return reduce_warp<Least>(next);
}

// The listed vertices: in their order where they are ranked, else those of a warp in theirs; by the first warps of each block.
static __device__ __forceinline__ void color_hubs(unsigned count, bool is_ranked, int hub_warps, const u64* places,
                                                  unsigned* drawn, const Csr& G, Row* row, state_t* state) {
    if ((int)(threadIdx.x / WARP) >= hub_warps) return;
    const unsigned own = threadIdx.x / WARP * gridDim.x + blockIdx.x, warps = hub_warps * gridDim.x;
    clear_row(row);
    for (u64 last = 0;;) {
        u64 place = ~0ull;
        unsigned mine = 0;
        if (is_ranked) {
            unsigned rank = 0;
            if (threadIdx.x % WARP == 0) rank = atomicAdd(drawn, 1u);
            rank = __shfl_sync(ALL_LANES, rank, 0);
            if (rank < count) place = places[rank], mine = state_of_rank(rank);
        } else {
            place = next_listed(own, warps, count, places, last);
            mine = (UNCOLORED | WIDE) + turn_of(place);
        }
        if (place == ~0ull) return;
        const int v = vertex_of(place);
        const Bounded bounds = {state + v, mine, BOUNDS && is_ranked ? (1u << WIDE_BITS) - 1 : 0};
        const BySpread order = {mine, rank_of(v)};
        const unsigned color = least_of_row(row, G.indptr[v], G.indptr[v + 1], G.indices, state, Never(), order, bounds);
        if (threadIdx.x % WARP == 0) store_relaxed(state + v, color);
        last = place;
    }
}

// The states of a block's own vertices are in shared memory, too; not the colors of those of degree HUB and over.
struct States {
    state_t* all;
    state_t* own;
    unsigned base, count, wide_bound;  // bits of the bound of a wide state
    __device__ __forceinline__ unsigned bound_of(unsigned s) const { return s & (s & WIDE ? wide_bound : BOUND); }
    __device__ __forceinline__ unsigned near(int u) const { return load_shared(own + ((unsigned)u - base)); }
    __device__ __forceinline__ unsigned far(int u) const { return load_unfenced(all + u); }
    __device__ __forceinline__ bool has(int u) const {
        return MIRROR && (unsigned)u - base < count && near(u) < (UNCOLORED | WIDE);
    }
    __device__ __forceinline__ unsigned of(int u) const { return has(u) ? near(u) : far(u); }
    __device__ __forceinline__ void set(int v, unsigned s) const {
        store_shared(own + ((unsigned)v - base), s);
        store_relaxed(all + v, s);
    }
};

static __device__ __forceinline__ int lowest(unsigned x) { return __ffs((int)x) - 1; }
#if HUB > 32
static __device__ __forceinline__ int lowest(u64 x) { return __ffsll((long long)x) - 1; }
#endif

// A vertex in progress: which entries of its row are earlier neighbors that had no color when they were asked last, of
// these those bound to colors over its own bound, and the colors of the others.
struct Vertex {
    mask_t pending, passed, used;
    __device__ __forceinline__ unsigned bound() const { return (unsigned)least_free(used); }
    __device__ __forceinline__ mask_t blocking() const { return pending & ~passed; }
    __device__ __forceinline__ void hear_color(int at, unsigned s) {
        const unsigned least = bound();
        used |= bit(s, used);
        pending &= ~((mask_t)1 << at);
        if (bound() != least) passed = 0;  // they may be bound to this very color
    }
    __device__ __forceinline__ void hear_bound(int at, unsigned its) {
        if (BOUNDS && its > bound()) passed |= (mask_t)1 << at;
    }
    __device__ __forceinline__ void hear(int at, unsigned s, const States& states) {
        if (s < UNCOLORED) hear_color(at, s);
        else hear_bound(at, states.bound_of(s));
    }
};

// After vertex v has heard of neighbors, before which its bound was `least`: whether it has its color now.
static __device__ __forceinline__ bool settle(int v, const Vertex& x, unsigned least, const States& states) {
    const unsigned now = x.bound();
    if (x.blocking()) {
        if (BOUNDS && now != least) states.set(v, (states.near(v) & ~BOUND) | now);
        return false;
    }
    states.set(v, now);
    return true;
}

// Up to MORE neighbors that still keep a vertex waiting, asked at once.
static __device__ __forceinline__ void ask_more(Vertex& x, const int* row, const States& states) {
    mask_t rest = x.blocking();
    int at[MORE], u[MORE];
    unsigned s[MORE];
#pragma unroll
    for (int i = 0; i < MORE; i++) {
        at[i] = rest ? lowest(rest) : -1;
        u[i] = rest ? row[at[i]] : -1;
        rest &= rest - 1;
    }
#pragma unroll
    for (int i = 0; i < MORE; i++) s[i] = u[i] >= 0 ? states.of(u[i]) : UNCOLORED;
#pragma unroll
    for (int i = 0; i < MORE; i++)
        if (s[i] < UNCOLORED) x.hear_color(at[i], s[i]);
#pragma unroll
    for (int i = 0; i < MORE; i++)
        if (s[i] >= UNCOLORED && u[i] >= 0) x.hear_bound(at[i], states.bound_of(s[i]));
}

// A thread's vertices base + BLOCK * j + threadIdx.x: the rows begin at begin[j] and have degree[j] entries, of which
// head[j] are the first ones; degree[j] < 0: none.
static __device__ __forceinline__ void color_at_once(const Csr& G, const States& states,
                                                     const offset_t* begin, const int* degree, const int (*head)[FIRST]) {
    const int first = (int)(states.base + threadIdx.x);
    Vertex x[EACH];
    unsigned open = 0, heads[EACH][FIRST];
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        x[j] = Vertex{0, 0, 0};
        if (degree[j] >= 0) open |= 1u << j;
#pragma unroll
        for (int k = 0; k < FIRST; k++) heads[j][k] = k < degree[j] ? states.of(head[j][k]) : UNCOLORED - 1;
    }
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const int v = first + BLOCK * j;
        const unsigned rank = rank_of(v), mine = degree[j] < 0 ? 0 : states.near(v);
        const auto look = [&](int at, int u, unsigned s) {
            if (s < UNCOLORED) {
                x[j].used |= bit(s, x[j].used);
                return;
            }
            const unsigned its = s & WIDE ? s : s & ~BOUND;
            if (its > mine || (its == mine && rank_of(u) < rank)) x[j].pending |= (mask_t)1 << at;
        };
#pragma unroll
        for (int k = 0; k < FIRST; k++) look(k, head[j][k], heads[j][k]);
        for (int k = FIRST; k < degree[j]; k += REST) {
            int u[REST];
            unsigned s[REST];
#pragma unroll
            for (int i = 0; i < REST; i++) u[i] = k + i < degree[j] ? G.indices[begin[j] + k + i] : -1;
#pragma unroll
            for (int i = 0; i < REST; i++) s[i] = u[i] >= 0 ? states.of(u[i]) : UNCOLORED - 1;
#pragma unroll
            for (int i = 0; i < REST; i++) look(k + i, u[i], s[i]);
        }
        if ((open >> j & 1) && settle(v, x[j], 0, states)) open &= ~(1u << j);
    }
    for (unsigned idle = 0; __any_sync(ALL_LANES, open); idle++) {
        unsigned s[EACH];
        int at[EACH], u[EACH];
        bool changed = false;
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            at[j] = open >> j & 1 ? lowest(x[j].blocking()) : 0;
            u[j] = open >> j & 1 ? G.indices[begin[j] + at[j]] : -1;
        }
#pragma unroll
        for (int j = 0; j < EACH; j++) s[j] = u[j] >= 0 && !states.has(u[j]) ? states.far(u[j]) : UNCOLORED;
        // Meanwhile neighbors of the block.
#pragma unroll 1
        for (int turn = 0; turn < (MIRROR ? INNER : 0); turn++) {
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                if (u[j] < 0 || !states.has(u[j])) continue;
                const unsigned least = x[j].bound();
                const mask_t before = x[j].blocking();
                x[j].hear(at[j], states.near(u[j]), states);
                if (x[j].blocking() == before) continue;
                changed = true;
                u[j] = -1;
                if (settle(first + BLOCK * j, x[j], least, states)) {
                    open &= ~(1u << j);
                    continue;
                }
                at[j] = lowest(x[j].blocking());
                const int next = G.indices[begin[j] + at[j]];
                if (states.has(next)) u[j] = next;
            }
        }
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            if (u[j] < 0 || states.has(u[j])) continue;
            const unsigned least = x[j].bound();
            const mask_t before = x[j].blocking();
            x[j].hear(at[j], s[j], states);
            if (x[j].blocking() == before) continue;
            changed = true;
            if (MORE > 0) ask_more(x[j], G.indices + begin[j], states);
            if (settle(first + BLOCK * j, x[j], least, states)) open &= ~(1u << j);
        }
        if (__any_sync(ALL_LANES, changed)) idle = 0;
        doze(idle);
    }
}

// A block has the `per_block` vertices from per_block · blockIdx.x on, at most EACH · BLOCK. hub_warps of a block begin vertices
// of degree HUB and over; these are ranked up to rank_up_to of them. `next` are the words of the next launch, at which
// nobody looks now.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
    color_in_grid(int n, i64 m, int per_block, int hub_warps, unsigned rank_up_to, const offset_t* __restrict__ indptr,
                  const int* __restrict__ indices, unsigned seed, Words* words, Words* next, u64* listed,
                  u64* ranked, int* colors) {
    __shared__ Row rows[BLOCK / WARP];
    __shared__ state_t own[EACH * BLOCK];
    const int base = blockIdx.x * per_block, warp = threadIdx.x / WARP;
    const Csr G = {indptr, indices};
    States states = {(state_t*)colors, own, (unsigned)base, (unsigned)min(per_block, n - base), 0};
    if (threadIdx.x == 0 && blockIdx.x == 0) *next = Words{0, 0, 0, 0};
    offset_t begin[EACH];
    int degree[EACH], head[EACH][FIRST];
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const unsigned i = BLOCK * j + threadIdx.x;
        begin[j] = i < states.count ? indptr[base + i] : 0;
        degree[j] = i < states.count ? (int)(indptr[base + i + 1] - begin[j]) : -1;
    }
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const int v = base + BLOCK * j + (int)threadIdx.x;
        const unsigned turn = low_turn(degree[j], tie_group(v, degree[j], seed));
        if (degree[j] >= 0) states.set(v, state_of_turn(turn, degree[j]));
        const unsigned at = append_warp(degree[j] >= HUB, &words->listed);
        if (degree[j] >= HUB) {
            listed[at] = place_of(turn, v);
            degree[j] = -1;
        }
    }
    int goal = 0;
    grid_arrive(&words->arrived, goal);
#pragma unroll
    for (int j = 0; j < EACH; j++) {
#pragma unroll
        for (int k = 0; k < FIRST; k++) head[j][k] = k < degree[j] ? indices[begin[j] + k] : -1;
    }
    grid_wait(&words->arrived, goal);
    if (const unsigned count = load_relaxed(&words->listed)) {
        const bool is_ranked = count <= rank_up_to;
        if (is_ranked) {
            rank_listed(count, listed, ranked, states.all);
            states.wide_bound = (1u << WIDE_BITS) - 1;
            grid_barrier(&words->arrived, goal);
        }
        color_hubs(count, is_ranked, hub_warps, is_ranked ? ranked : listed, &words->drawn, G, rows + warp, states.all);
    }
    color_at_once(G, states, begin, degree, head);
}
