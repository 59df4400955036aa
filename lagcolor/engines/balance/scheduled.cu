// Rounds of balancing on a GPU, all in one cooperative launch; scheduled.py launches it and explains a round.
//
// plan (block 0): the plan of scheduled.py, with the same numbers. wish: in tiles of consecutive vertices, trying
// vertices are queued in order. A thread reads a row of up to 64 entries, a warp up to 1024, a block longer rows.
// Wishes are listed by tile, in order of vertices, and counted by tile and sink. scan: for each sink the total weight
// of wishes in earlier tiles. admit: a warp processes the list of a tile in order, so that earlier vertices come first.
//
// Shared state: only `admit` writes colors, and `wish` reads neighbors' colors. Grid barriers separate the four steps.
// Sums are atomic additions, in any order.
//
// Bytes of a round: 4 per vertex; 16, and 8 per entry, per trying vertex; 16 per wish; 3 counters per tile and sink.
//
// variants: OFFSET_BITS=32,64 RULES=0,1 WEIGHTED=0,1
#include "base/device/include/grid.cuh"
#include "base/device/include/hash.cuh"
#include "base/device/include/neighbors.cuh"

#define BLOCK 256
#define RESIDENT 6  // blocks per multiprocessor
#define WARPS (BLOCK / WARP)
#define THREAD_MOST 64  // entries of a row that one thread reads
#define WARP_MOST 1024
#define IN_FLIGHT 8
#define SLOTS 64
#define SLOT_BITS 6
#define BINS 512  // sinks that a block counts in shared memory
#define SORTED 1024  // classes whose sizes the plan stores in shared memory
#define GOLDEN 0x9e3779b9u

// Rows of the table, as in scheduled.py, and initial sizes, and sizes by rank if they do not fit into shared memory.
enum Row { SIZE, BEFORE, QUOTA, UNTIL, FIRST, SINKS_OF, CODE, ORDER, SINK, BY_RANK };

struct Table {
    i64* cells;
    i64 k;
    __device__ i64* row(Row r) const { return cells + r * k; }
};

// Written by block 0 for all: sinks of this round, whether balancing is over, rounds done, rounds in a row without a
// move. All blocks add to `moved`, the weight that moved.
struct State {
    i64 sinks, over, rounds, idle, moved;
};

struct Limits {
    i64 n, m, total, scaled, rounds, idle, tiles, tile;
};

static __device__ i64 at_least_zero(i64 x) { return x > 0 ? x : 0; }
static __device__ i64 least(i64 a, i64 b) { return a < b ? a : b; }
static __device__ i64 most(i64 a, i64 b) { return a > b ? a : b; }

// Ranks of sources and sinks, from the number of classes of size at least low + 2, low + 1 and low.
struct Ranks {
    i64 k, low, more, over, at_least, second, last, above;
    __device__ i64 sources() const { return over + at_least_zero(above - second); }
    __device__ i64 sinks() const { return k - at_least + at_least_zero(last - above); }
    // Cyclic, at most once around; a division would take as long as the rest of a turn.
    __device__ i64 source(i64 i) const {
        if (i >= sources()) i -= sources();
        return i < over ? i : i - over + second;
    }
    __device__ i64 sink(i64 j) const {
        if (j >= sinks()) j -= sinks();
        return j < k - at_least ? k - 1 - j : last - 1 - (j - (k - at_least));
    }
    __device__ i64 target(i64 rank) const { return low + (rank < more); }
};

// Returns the hash below which a vertex of a source tries.
static __device__ i64 until_of(Table table, const Limits& limits, i64 c, i64 number) {
    const i64* sizes = table.row(SIZE);
    const i64 one = 1 << 16, ceiling = 1 << 20, first = table.row(FIRST)[c];
    i64 each = ceiling << 4;
    for (i64 j = first; j < first + table.row(SINKS_OF)[c]; j++) {
        const i64 x = least((sizes[table.row(SINK)[j]] << 16) / limits.total * limits.m / limits.n, ceiling);
        each = least(each, one + x + (x * x >> 17));
    }
    const i64 assigned = table.row(UNTIL)[c], wanted = assigned + assigned / 4 + 8 * (limits.total / limits.n + 1);
    const i64 share = least((wanted << 16) / sizes[c] + 1, one);
    return least(share * each / 4 * (4 + number), (i64)1 << 32);
}

// Assigns sinks to sources in turn, by one thread. `sorted`: sizes by rank.
static __device__ i64 pair_up(Table table, const Ranks& ranks, const i64* sorted, i64 number) {
    i64 *quota = table.row(QUOTA), *until = table.row(UNTIL), *count = table.row(SINKS_OF);
    const i64 *order = table.row(ORDER), *sizes = table.row(SIZE);
    const i64 sources = ranks.sources(), sinks = ranks.sinks();
    if (sources == 0 || sinks == 0) return 0;
    const i64 turn = number > 1 && number % 2 ? number % sources : 0, shift = number > 1 ? number / 2 % sinks : 0;
    i64 front = 0, back = sinks - 1, placed = 0, served = 0;
    for (; served < sources && front <= back; served++) {
        const i64 rank = ranks.source(served + turn), c = order[rank];
        i64 left = sorted[rank] - ranks.target(rank), assigned = 0, slot = 0;
        table.row(FIRST)[c] = placed;
        while (left > 0 && front <= back && slot < SLOTS) {
            i64 there = ranks.sink(front + shift), spare = ranks.target(there) - sorted[there];
            if (2 * left >= spare) {
                front++;
            } else {
                there = ranks.sink(back + shift), spare = ranks.target(there) - sorted[there];
                back--;
            }
            const i64 d = order[there], takes = least(left, spare);
            quota[d] = takes;
            table.row(CODE)[d] = c * SLOTS + slot;
            table.row(SINK)[placed] = d;
            slot++, placed++;
            assigned += takes, left -= takes;
        }
        count[c] = slot;
        until[c] = assigned;
    }
    for (i64 j = 0; j < placed && served < sources; j++) {
        const i64 d = table.row(SINK)[j], c = table.row(CODE)[d] / SLOTS;
        if (j != table.row(FIRST)[c] + count[c] - 1) continue;
        const i64 gap = sizes[c] - until[c] - sizes[d] - quota[d];
        const i64 extra = at_least_zero(least(gap / 2, ranks.low - sizes[d] - quota[d]));
        quota[d] += extra;
        until[c] += extra;
    }
    return placed;
}

// By block 0: plans a round, or ends balancing.
static __device__ void plan(Table table, const Limits& limits, State* state) {
    __shared__ i64 in_shared[SORTED];
    __shared__ int counts[3];
    typedef Threads<BLOCK> Group;
    const i64 k = table.k, number = state->rounds;
    const i64* sizes = table.row(SIZE);
    const i64 low = limits.total / k;
    const bool fits = k <= SORTED;
    if (threadIdx.x < 3) counts[threadIdx.x] = 0;
    __syncthreads();
    for (i64 c = threadIdx.x; c < k; c += BLOCK) {
        const i64 size = sizes[c];
        i64 rank = 0;
        for (i64 d = 0; d < k; d++) rank += sizes[d] > size || (sizes[d] == size && d < c);
        table.row(ORDER)[rank] = c;
        if (fits) in_shared[rank] = size;
        else table.row(BY_RANK)[rank] = size;
        if (number == 0) table.row(BEFORE)[c] = size;
        if (size >= low + 2) atomicAdd(counts, 1);
        if (size >= low + 1) atomicAdd(counts + 1, 1);
        if (size >= low) atomicAdd(counts + 2, 1);
        table.row(QUOTA)[c] = table.row(UNTIL)[c] = table.row(SINKS_OF)[c] = table.row(FIRST)[c] = 0;
        table.row(CODE)[c] = -1;
    }
    __syncthreads();
    const i64* sorted = fits ? in_shared : table.row(BY_RANK);
    if (threadIdx.x == 0) {
        const bool reached = sorted[0] - sorted[k - 1] <= 1 || sorted[0] * 4096 <= sorted[k - 1] * limits.scaled;
        if (number) state->idle = state->moved ? 0 : state->idle + 1;
        state->moved = 0;
        state->over = reached || number == limits.rounds || state->idle == limits.idle;
        const i64 more = limits.total % k;
        const Ranks ranks = {k, low, more, counts[0], counts[2], most(counts[0], more), least(counts[2], more), counts[1]};
        state->sinks = state->over ? 0 : pair_up(table, ranks, sorted, number);
        state->rounds = number + !state->over;
    }
    __syncthreads();
    if (state->over) return;
    for (i64 c = threadIdx.x; c < k; c += BLOCK) {
        if (table.row(SINKS_OF)[c]) table.row(UNTIL)[c] = until_of(table, limits, c, number);
    }
}

struct Graph {
    const offset_t* indptr;
    const int* indices;
    const int* colors;
    const u8* keep;
    const i64* offsets;
    const int* forbidden;
    const i64* weights;
};

// Returns the bit of a color among the sinks of source c, 0 if it is not a sink of c.
static __device__ __forceinline__ u64 bit_of(const int* code, int color, int c) {
    const int x = code[color];
    return x >> SLOT_BITS == c ? 1ull << (x & (SLOTS - 1)) : 0;
}

// Returns the bits of sinks with a neighbor: this thread's part of a row that a group reads.
template <class Group>
static __device__ u64 taken_in_row(const Graph& G, const int* code, offset_t e, offset_t end, int c) {
    u64 taken = 0;
    for (; e < end; e += Group::SIZE * IN_FLIGHT) {
        int u[IN_FLIGHT];
        read_row<Group>(G.indices, e, end, u);
#pragma unroll
        for (int q = 0; q < IN_FLIGHT; q++) u[q] = u[q] >= 0 ? G.colors[u[q]] : -1;
#pragma unroll
        for (int q = 0; q < IN_FLIGHT; q++) taken |= u[q] >= 0 ? bit_of(code, u[q], c) : 0;
        if (end - e <= Group::SIZE * IN_FLIGHT) break;
    }
    return taken;
}

// Returns the first free slot from a hashed slot on, cyclically; −1 if all are taken.
static __device__ int pick(u64 taken, int sinks, unsigned h) {
    int slot = (int)((u64)mix(h + GOLDEN) * sinks >> 32);
    for (int i = 0; i < sinks; i++) {
        if (!(taken >> slot & 1)) return slot;
        if (++slot == sinks) slot = 0;
    }
    return -1;
}

#if WEIGHTED
typedef u64 Sum;
#else
typedef unsigned Sum;
#endif

struct Lists {
    int *vertex, *place, *length;  // wishes of each tile: vertex, place of the sink in the round; number of wishes
    Sum* sums;                     // [place][tile]: weight of the wishes, later the sum over earlier tiles
};

static __device__ __forceinline__ Sum weight_of(const Graph& G, int v) {
#if WEIGHTED
    return (Sum)G.weights[v];
#else
    return 1;
#endif
}

struct Shared {
    int queue[2 * BLOCK];
    u64 taken[BLOCK];
    int longer[BLOCK], n_longer;
    Sum bins[BINS];
};

// Lists the wishes of the first `count` vertices of the queue, up to BLOCK; returns the new length of the tile's list.
static __device__ int wish_for(const Graph& G, Table table, const int* code, Lists lists, const Limits& limits,
                               Shared& s, int count, i64 tile, int length, i64 sinks, unsigned salt) {
    typedef Threads<BLOCK> Group;
    const int i = threadIdx.x, v = i < count ? s.queue[i] : -1, c = v >= 0 ? G.colors[v] : -1;
    if (i == 0) s.n_longer = 0;
    s.taken[i] = 0;
    __syncthreads();
    if (v >= 0) {
        const offset_t e = G.indptr[v], end = G.indptr[v + 1];
        if (end - e <= THREAD_MOST) s.taken[i] = taken_in_row<SingleThread>(G, code, e, end, c);
        else s.longer[atomicAdd(&s.n_longer, 1)] = i;
    }
    __syncthreads();
    for (int j = 0; j < s.n_longer; j++) {
        const int at = s.longer[j], u = s.queue[at], own = G.colors[u];
        const offset_t e = G.indptr[u], end = G.indptr[u + 1];
        if (end - e <= WARP_MOST) {
            if (j % WARPS != i / WARP) continue;
            const u64 taken = Warp::reduce<Either>(taken_in_row<Warp>(G, code, e, end, own));
            if (i % WARP == 0) s.taken[at] = taken;
        } else {
            const u64 taken = taken_in_row<Group>(G, code, e, end, own);
            if (taken) atomicOr(s.taken + at, taken);
        }
    }
    __syncthreads();
    int slot = -1;
    if (v >= 0) {
        u64 taken = s.taken[i];
#if RULES
        for (i64 e = G.offsets[v]; e < G.offsets[v + 1]; e++) {
            if (G.forbidden[e] < table.k) taken |= bit_of(code, G.forbidden[e], c);
        }
#endif
        slot = pick(taken, (int)table.row(SINKS_OF)[c], mix((unsigned)v, salt));
    }
    int wishes;
    const int rank = Group::rank(slot >= 0, wishes);
    if (slot >= 0) {
        const int place = (int)table.row(FIRST)[c] + slot;
        lists.vertex[tile * limits.tile + length + rank] = v;
        lists.place[tile * limits.tile + length + rank] = place;
        if (sinks <= BINS) atomicAdd(s.bins + place, weight_of(G, v));
        else atomicAdd(lists.sums + place * limits.tiles + tile, weight_of(G, v));
    }
    return length + wishes;
}

static __device__ void wish(const Graph& G, Table table, const int* code, Lists lists, const Limits& limits, Shared& s,
                            i64 sinks, unsigned salt) {
    typedef Threads<BLOCK> Group;
    const i64* until = table.row(UNTIL);
    for (i64 tile = blockIdx.x; tile < limits.tiles; tile += gridDim.x) {
        const i64 begin = tile * limits.tile, end = least(begin + limits.tile, limits.n);
        for (int b = threadIdx.x; b < BINS; b += BLOCK) s.bins[b] = 0;
        if (sinks > BINS) {
            for (i64 j = threadIdx.x; j < sinks; j += BLOCK) lists.sums[j * limits.tiles + tile] = 0;
        }
        __syncthreads();
        int queued = 0, length = 0;
        for (i64 base = begin; base < end || queued; base += BLOCK) {
            const i64 v = base + threadIdx.x;
            bool tries = false;
            if (v < end) {
                tries = (i64)mix((unsigned)v, salt) < until[G.colors[v]];
#if RULES
                tries = tries && !G.keep[v];
#endif
            }
            int more;
            const int rank = Group::rank(tries, more);
            if (tries) s.queue[queued + rank] = (int)v;
            queued += more;
            __syncthreads();
            if (queued < BLOCK && base + BLOCK < end) continue;
            const int count = queued < BLOCK ? queued : BLOCK;
            length = wish_for(G, table, code, lists, limits, s, count, tile, length, sinks, salt);
            __syncthreads();
            const int rest = threadIdx.x + BLOCK < queued ? s.queue[threadIdx.x + BLOCK] : 0;
            s.queue[threadIdx.x] = rest;
            queued -= count;
            __syncthreads();
        }
        if (threadIdx.x == 0) lists.length[tile] = length;
        for (i64 j = threadIdx.x; sinks <= BINS && j < sinks; j += BLOCK) lists.sums[j * limits.tiles + tile] = s.bins[j];
        __syncthreads();
    }
}

// Computes sums over earlier tiles, in place; without weights also the new sizes of the classes.
static __device__ void scan(Table table, Lists lists, const Limits& limits, i64 sinks, State* state) {
    for (i64 place = blockIdx.x; place < sinks; place += gridDim.x) {
        Sum* sums = lists.sums + place * limits.tiles;
        Sum before = 0;
        for (i64 base = 0; base < limits.tiles; base += BLOCK) {
            const i64 t = base + threadIdx.x;
            const Sum own = t < limits.tiles ? sums[t] : 0;
            Sum total;
            const Sum in_block = Threads<BLOCK>::sum_before(own, total);
            if (t < limits.tiles) sums[t] = before + in_block;
            before += total;
        }
#if !WEIGHTED
        if (threadIdx.x == 0) {
            const i64 d = table.row(SINK)[place], c = table.row(CODE)[d] / SLOTS;
            const u64 gets = (u64)least((i64)before, table.row(QUOTA)[d]);
            atomicAdd((u64*)table.row(SIZE) + d, gets);
            atomicAdd((u64*)table.row(SIZE) + c, 0 - gets);
            atomicAdd((u64*)&state->moved, gets);
        }
#endif
    }
}

// Moves the vertices whose wishes fit into the quotas. One warp per tile.
static __device__ void admit(const Graph& G, Table table, Lists lists, const Limits& limits, int* colors, State* state) {
    const int lane = threadIdx.x % WARP;
    const i64 warps = (i64)gridDim.x * WARPS;
    for (i64 tile = (i64)blockIdx.x * WARPS + threadIdx.x / WARP; tile < limits.tiles; tile += warps) {
        const int length = lists.length[tile];
        for (int base = 0; base < length; base += WARP) {
            const bool has = base + lane < length;
            const int v = has ? lists.vertex[tile * limits.tile + base + lane] : 0;
            const int place = has ? lists.place[tile * limits.tile + base + lane] : -1;
            unsigned rest = __ballot_sync(ALL_LANES, has);
            while (rest) {  // each turn processes all lanes with the place of the first lane
                const int first = __ffs((int)rest) - 1;
                const i64 p = __shfl_sync(ALL_LANES, place, first);
                const unsigned same = __ballot_sync(ALL_LANES, place == p);
                const Sum asks = place == p ? weight_of(G, v) : 0, until = sum_until(asks);
                Sum* sum = lists.sums + p * limits.tiles + tile;
                const Sum before = *sum;
                const i64 d = table.row(SINK)[p];
                const bool gets = place == p && before + until <= (u64)table.row(QUOTA)[d];
                if (gets) colors[v] = (int)d;
                const Sum all = __shfl_sync(ALL_LANES, until, WARP - 1);
#if WEIGHTED
                const Sum admitted = reduce_warp<Plus>(gets ? asks : (Sum)0);
                if (lane == 0 && admitted) {
                    atomicAdd((u64*)table.row(SIZE) + d, admitted);
                    atomicAdd((u64*)table.row(SIZE) + table.row(CODE)[d] / SLOTS, 0 - admitted);
                    atomicAdd((u64*)&state->moved, admitted);
                }
#endif
                __syncwarp();  // all lanes have read *sum
                if (lane == 0) *sum = before + all;
                __syncwarp();
                rest &= ~same;
            }
        }
    }
}

// Adds to the sizes of the classes, which are 0 before.
static __device__ void count(const Graph& G, Table table, i64 n, int* bins) {
    const bool narrow = !WEIGHTED && table.k <= SORTED;
    for (i64 c = threadIdx.x; narrow && c < table.k; c += BLOCK) bins[c] = 0;
    __syncthreads();
    for (i64 v = (i64)blockIdx.x * BLOCK + threadIdx.x; v < n; v += (i64)gridDim.x * BLOCK) {
        if (narrow) atomicAdd(bins + G.colors[v], 1);
        else atomicAdd((u64*)table.row(SIZE) + G.colors[v], (u64)weight_of(G, (int)v));
    }
    __syncthreads();
    for (i64 c = threadIdx.x; narrow && c < table.k; c += BLOCK) {
        if (bins[c]) atomicAdd((u64*)table.row(SIZE) + c, (u64)bins[c]);
    }
}

// cells, *state and *arrived are 0 before. With six blocks per multiprocessor only `plan` lacks registers.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
    balance(const offset_t* indptr, const int* indices, int* colors, const u8* keep, const i64* offsets, const int* forbidden,
            const i64* weights, i64* cells, State* state, int* arrived, int* code_of, int* list_vertex, int* list_place,
            int* list_length, Sum* sums, i64 k, i64 seed, i64 n, i64 m, i64 total, i64 scaled, i64 rounds, i64 idle,
            i64 tiles, i64 tile) {
    __shared__ Shared s;
    __shared__ int codes[SORTED];
    const Graph G = {indptr, indices, colors, keep, offsets, forbidden, weights};
    const Table table = {cells, k};
    const Limits limits = {n, m, total, scaled, rounds, idle, tiles, tile};
    const Lists lists = {list_vertex, list_place, list_length, sums};
    int goal = 0;
    count(G, table, n, codes);
    grid_barrier(arrived, goal);
    // Progress: `plan` ends it after `rounds` at the latest.
    while (true) {
        if (blockIdx.x == 0) {
            plan(table, limits, state);
            __syncthreads();
            for (i64 c = threadIdx.x; c < k; c += BLOCK) code_of[c] = (int)table.row(CODE)[c];
        }
        grid_barrier(arrived, goal);
        if (state->over) return;
        const i64 sinks = state->sinks;
        const unsigned salt = mix((unsigned)seed + (unsigned)(state->rounds - 1) * GOLDEN);
        if (k <= SORTED) {
            for (i64 c = threadIdx.x; c < k; c += BLOCK) codes[c] = code_of[c];
            __syncthreads();
        }
        wish(G, table, k <= SORTED ? codes : code_of, lists, limits, s, sinks, salt);
        grid_barrier(arrived, goal);
        scan(table, lists, limits, sinks, state);
        grid_barrier(arrived, goal);
        admit(G, table, lists, limits, colors, state);
        grid_barrier(arrived, goal);
    }
}
