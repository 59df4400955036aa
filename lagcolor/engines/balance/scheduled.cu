// Rounds of balancing on a GPU, all in one cooperative launch; launched by scheduled.py, which says what a round does.
//
// plan (block 0): scheduled.py, number for number. wish: tiles of consecutive vertices; those that try are queued in order,
// a thread reads a row of up to 64 entries, a warp up to 1024, a block longer ones; wishes are listed by tile, in order
// of their vertices, and counted by tile and sink. scan: for each sink the weight wished for in earlier tiles. admit: a
// warp goes through the list of a tile, so that each vertex knows the wishes of vertices with smaller numbers.
//
// Shared state: colors are written in `admit` alone, and a mover's neighbors are read in `wish`; grid barriers are
// between all four. Sums by atomic additions, in any order.
//
// Bytes of a round: 4 per vertex, 16 and 8 per entry for one that tries, 16 per wish, 3 counters per tile and sink.
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
#define SORTED 1024  // classes whose sizes the plan keeps there
#define GOLDEN 0x9e3779b9u

// Rows of the table, as in scheduled.py; and sizes at first, and by rank where they do not fit in shared memory.
enum Row { SIZE, BEFORE, QUOTA, UNTIL, FIRST, SINKS_OF, CODE, ORDER, SINK, BY_RANK };

struct Table {
    i64* cells;
    i64 k;
    __device__ i64* row(Row r) const { return cells + r * k; }
};

// What block 0 says to all: sinks of this round, whether it is over, rounds done, rounds in a row without a move, and
// the weight that moved, which the others add to.
struct State {
    i64 sinks, over, rounds, idle, moved;
};

struct Limits {
    i64 n, m, total, scaled, rounds, idle, tiles, tile;
};

static __device__ i64 at_least_zero(i64 x) { return x > 0 ? x : 0; }
static __device__ i64 least(i64 a, i64 b) { return a < b ? a : b; }
static __device__ i64 most(i64 a, i64 b) { return a > b ? a : b; }

// Ranks of sources and sinks, from how many classes are of at least low + 2, low + 1 and low.
struct Ranks {
    i64 k, low, more, over, at_least, second, last, above;
    __device__ i64 sources() const { return over + at_least_zero(above - second); }
    __device__ i64 sinks() const { return k - at_least + at_least_zero(last - above); }
    // Counted around once: a division would take as long as the rest of a turn.
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

// The hash below which a vertex of a source tries.
static __device__ i64 until_of(Table table, const Limits& limits, i64 c, i64 number) {
    const i64* sizes = table.row(SIZE);
    const i64 one = 1 << 16, ceiling = 1 << 20, first = table.row(FIRST)[c];
    i64 each = ceiling << 4;
    for (i64 j = first; j < first + table.row(SINKS_OF)[c]; j++) {
        const i64 x = least((sizes[table.row(SINK)[j]] << 16) / limits.total * limits.m / limits.n, ceiling);
        each = least(each, one + x + (x * x >> 17));
    }
    const i64 given = table.row(UNTIL)[c], wanted = given + given / 4 + 8 * (limits.total / limits.n + 1);
    const i64 share = least((wanted << 16) / sizes[c] + 1, one);
    return least(share * each / 4 * (4 + number), (i64)1 << 32);
}

// Sources take sinks in turn; one thread. `sorted`: sizes by rank.
static __device__ i64 pair_up(Table table, const Ranks& ranks, const i64* sorted, i64 number) {
    i64 *quota = table.row(QUOTA), *until = table.row(UNTIL), *count = table.row(SINKS_OF);
    const i64 *order = table.row(ORDER), *sizes = table.row(SIZE);
    const i64 sources = ranks.sources(), sinks = ranks.sinks();
    if (sources == 0 || sinks == 0) return 0;
    const i64 turn = number > 1 && number % 2 ? number % sources : 0, shift = number > 1 ? number / 2 % sinks : 0;
    i64 front = 0, back = sinks - 1, placed = 0, served = 0;
    for (; served < sources && front <= back; served++) {
        const i64 rank = ranks.source(served + turn), c = order[rank];
        i64 left = sorted[rank] - ranks.target(rank), given = 0, slot = 0;
        table.row(FIRST)[c] = placed;
        while (left > 0 && front <= back && slot < SLOTS) {
            i64 there = ranks.sink(front + shift), room = ranks.target(there) - sorted[there];
            if (2 * left >= room) {
                front++;
            } else {
                there = ranks.sink(back + shift), room = ranks.target(there) - sorted[there];
                back--;
            }
            const i64 d = order[there], takes = least(left, room);
            quota[d] = takes;
            table.row(CODE)[d] = c * SLOTS + slot;
            table.row(SINK)[placed] = d;
            slot++, placed++;
            given += takes, left -= takes;
        }
        count[c] = slot;
        until[c] = given;
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

// Block 0: the plan of a round, or that there is none.
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

// The bit of a color among the sinks of source c, if it is one.
static __device__ __forceinline__ u64 bit_of(const int* code, int color, int c) {
    const int x = code[color];
    return x >> SLOT_BITS == c ? 1ull << (x & (SLOTS - 1)) : 0;
}

// The bits of the sinks that neighbors are in, of a row by a group; only this thread's part.
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

// The first slot not taken, from one on that a hash says; −1 where all are.
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
    int *vertex, *place, *length;  // wishes of each tile: vertex, and place of the sink among the sinks of the round
    Sum* sums;                     // [place][tile]: weight of the wishes; then the sum over earlier tiles
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

// The first `count` vertices of the queue, up to BLOCK, wish; returns the new length of the tile's list.
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

// Sums of earlier tiles, in place; without weights also what each sink gets in the end.
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

// One warp per tile.
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
            while (rest) {  // each turn takes all lanes with the place of the first
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
                const Sum given = reduce_warp<Plus>(gets ? asks : (Sum)0);
                if (lane == 0 && given) {
                    atomicAdd((u64*)table.row(SIZE) + d, given);
                    atomicAdd((u64*)table.row(SIZE) + table.row(CODE)[d] / SLOTS, 0 - given);
                    atomicAdd((u64*)&state->moved, given);
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

// Sizes of the classes, which are 0 before.
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

// cells, state and *arrived are 0 before. At six blocks per multiprocessor only `plan` is short of registers.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
    balance(const offset_t* indptr, const int* indices, int* colors, const u8* keep, const i64* offsets, const int* forbidden,
            const i64* weights, i64* cells, i64* says, int* arrived, int* code_of, int* list_vertex, int* list_place,
            int* list_length, Sum* sums, i64 k, i64 seed, i64 n, i64 m, i64 total, i64 scaled, i64 rounds, i64 idle,
            i64 tiles, i64 tile) {
    __shared__ Shared s;
    __shared__ int codes[SORTED];
    const Graph G = {indptr, indices, colors, keep, offsets, forbidden, weights};
    const Table table = {cells, k};
    const Limits limits = {n, m, total, scaled, rounds, idle, tiles, tile};
    const Lists lists = {list_vertex, list_place, list_length, sums};
    State* state = (State*)says;
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
