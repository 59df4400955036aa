// variants: OFFSET_BITS=32,64 BLOCK=1024 HOPS=1,2
// Incremental first-fit after a change of a graph, and search for changed rows.
//
// One launch copies the colors, lists the vertices that the change names and uncolored vertices, and runs all rounds. A
// round computes first-fit colors for all vertices of a list. If a color changes, affected later neighbors are listed
// for the next round: a change from color a to b affects neighbors of color b, or of a color above a. Neighbors in the
// list of this round may change at the same time, and are always listed. At the end of a round, the color of a vertex
// that is not listed is correct with respect to its neighbors.
//
// The lists follow each other in `items`, a ring buffer with capacity for three lists. There are three sets of marks,
// one bit per vertex: for the next list, so that no vertex is listed twice; for this list; and for the previous list,
// which this round clears.
//
// The first block processes short lists alone, without grid barriers. A grid barrier takes as long as a read.
//
// Progress: all vertices before the earliest vertex of a list have their final color, so each round finishes a vertex,
// and the last list is empty. A limit of visits or rounds ends the rounds early.
//
// Bytes that must move: the colors twice, per visit its row, and per entry a color and a mark.
#include "base/device/include/grid.cuh"
#include "base/device/include/hash.cuh"
#include "base/device/include/neighbors.cuh"
#include "base/device/include/nets.cuh"
#include "base/device/include/palette.cuh"

#define COLOR_WORDS 32
#define EACH 8       // colors that a thread copies at once
#define FLIGHT 4     // entries of a row that a thread reads at once
#define ROWS_BLOCK 256

typedef Threads<BLOCK> Block;

enum { BY_ID, BY_HASH, BY_PLACE };       // incremental.py
enum { NUMBERS, LONG_NUMBERS, FLAGS };  // incremental.py

struct Turns {
    int kind;
    unsigned word;
    const int* place;
    // Smaller for an earlier vertex.
    __device__ __forceinline__ unsigned of(int v) const {
        return kind == BY_ID ? (unsigned)v : kind == BY_HASH ? ~mix((unsigned)v, word) : (unsigned)place[v];
    }
};

// Calls `visit` with all vertices that constrain v, FLIGHT per lane (−1: none); some occur twice, and v may occur.
template <class Group, class Visit>
static __device__ __forceinline__ void around(const Nets& h, int v, Visit visit) {
    const offset_t begin = h.nets[v], end = h.nets[v + 1];
    int u[FLIGHT];
    const auto row = [&](const int* indices, offset_t e, offset_t end) {
        for (; e < end; e += min((offset_t)(FLIGHT * Group::SIZE), (offset_t)(end - e))) {
            read_row<Group>(indices, e, end, u);
            visit(u);
        }
    };
#if HOPS == 1
    row(h.net, begin, end);
#else
    for (offset_t e = begin; e < end + h.closed; e++) {
        const int net = e < end ? h.net[e] : v;
        row(h.member, h.members[net], h.members[net + 1]);
        if (!h.closed || Group::lane()) continue;
        for (int q = 0; q < FLIGHT; q++) u[q] = q ? -1 : net;
        visit(u);
    }
#endif
}

// Returns the number of vertices that `around` visits; the warp calls.
static __device__ __forceinline__ i64 entries_around(const Nets& h, int v) {
    const offset_t begin = h.nets[v], end = h.nets[v + 1];
#if HOPS == 1
    return end - begin;
#else
    i64 sum = 0;
    for (offset_t e = begin + Warp::lane(); e < end; e += min((offset_t)WARP, (offset_t)(end - e)))
        sum += h.members[h.net[e] + 1] - h.members[h.net[e]];
    return Warp::reduce<Plus>(sum);
#endif
}

// The list for the next round: its begin in `items`, and the number of free places.
struct List {
    int* items;
    i64 capacity, begin, places;
    unsigned *length, *marks;

    // Adds a vertex, unless it is marked; `seen`: an earlier value of its word of marks.
    __device__ __forceinline__ void add(int v, unsigned seen = 0) const {
        const unsigned bit = 1u << v % 32;
        if (seen & bit || atomicOr(marks + v / 32, bit) & bit) return;
        const i64 at = atomicAdd(length, 1u);
        if (at < places) items[begin + at < capacity ? begin + at : begin + at - capacity] = v;
    }
};

// Recolors a vertex of a round whose marks are `now`; the group calls.
template <class Group>
static __device__ __forceinline__ void visit(const Nets& h, const Turns& turns, int v, unsigned* words, int* color,
                                             const unsigned* now, const List& next) {
    const Palette<Group, COLOR_WORDS> taken = {words};
    const int old = load_unfenced(color + v);
    const unsigned mine = turns.of(v);
    int c[FLIGHT], least = -1;
    for (int base = 0; least < 0; base += taken.COLORS) {
        taken.clear();
        around<Group>(h, v, [&](const int (&u)[FLIGHT]) {
            read_words(color, u, -1, c);
            for (int q = 0; q < FLIGHT; q++)
                if (u[q] >= 0 && turns.of(u[q]) < mine) taken.take((unsigned)(c[q] - base));
        });
        least = taken.least();
        if (least >= 0) least += base;
    }
    Group::sync();
    if (least == old) return;
    if (Group::lane() == 0) store_relaxed(color + v, least);
    around<Group>(h, v, [&](const int (&u)[FLIGHT]) {
        unsigned listed[FLIGHT], seen[FLIGHT];
        read_words(color, u, -1, c);
#pragma unroll
        for (int q = 0; q < FLIGHT; q++) {
            listed[q] = u[q] >= 0 ? load_unfenced(now + u[q] / 32) : 0;
            seen[q] = u[q] >= 0 ? load_unfenced(next.marks + u[q] / 32) : 0;
        }
#pragma unroll
        for (int q = 0; q < FLIGHT; q++) {
            if (u[q] < 0 || turns.of(u[q]) <= mine) continue;
            const unsigned its = (unsigned)c[q];
            if (its == (unsigned)least || its > (unsigned)old || listed[q] >> u[q] % 32 & 1) next.add(u[q], seen[q]);
        }
    });
}

struct Outcome {  // incremental.py
    i64 rounds, visits, too_many, outside;
};

// State before a round: size and begin of its list, size of the previous list; visits so far; number of the round.
struct Position {
    i64 size, begin, before, visits, round;
};

struct Words {  // zeros before the launch; then the marks
    unsigned counts[2][3];  // lengths of the lists of three steps in turn: of all blocks, of the first block alone
    int outside, arrived;
    Position at;
};

// old: colors of the first `common` vertices, perhaps the same array as `color`. named: `count` or *counted vertices in
// one of the forms; with `widen` also all members of their nets. A block processes a vertex with more than `longest`
// entries around it. Limit of visits: twice the number of initial vertices, at least `least` and at most `most`.
extern "C" __global__ void __launch_bounds__(BLOCK)
    first_fit_again(i64 n, i64 common, const int* old, int* color, int form, const void* named, i64 count,
           const unsigned* counted, const offset_t* __restrict__ nets, const int* __restrict__ net,
           const offset_t* __restrict__ members, const int* __restrict__ member, int closed, int kind, unsigned word,
           const int* __restrict__ place, int widen, i64 longest, u64 least, u64 most, i64 rounds, i64 capacity,
           int* items, Words* state, Outcome* found) {
    __shared__ unsigned words[BLOCK / WARP + 1][COLOR_WORDS];
    __shared__ int left[BLOCK / WARP];
    const Nets h = {nets, net, members, member, closed};
    const Turns turns = {kind, word, place};
    const i64 threads = (i64)gridDim.x * BLOCK, me = (i64)blockIdx.x * BLOCK + threadIdx.x;
    const i64 warps = threads / WARP, warp = (i64)Warp::index() * gridDim.x + blockIdx.x, set = (n + 31) / 32;
    unsigned* const marks = (unsigned*)(state + 1);
    int goal = 0, step = 0, own = 0;

    unsigned* const shared = state->counts[0];

    const List first = {items, capacity, 0, capacity, shared, marks + set};
    for (i64 base = (i64)blockIdx.x * BLOCK * EACH + threadIdx.x; base < n; base += threads * EACH) {
        int c[EACH];
#pragma unroll
        for (int q = 0; q < EACH; q++) c[q] = base + q * BLOCK < common ? old[base + q * BLOCK] : -1;
#pragma unroll
        for (int q = 0; q < EACH; q++) {
            const i64 v = base + q * BLOCK;
            if (v >= n) break;
            if (old != color) color[v] = c[q];
            if (c[q] < 0 || (form == FLAGS && ((const u8*)named)[v])) first.add((int)v);
        }
    }
    const i64 names = form == FLAGS ? 0 : counted ? *counted : count;
    for (i64 i = me; i < names; i += threads) {
        const i64 v = form == NUMBERS ? ((const int*)named)[i] : ((const i64*)named)[i];
        if (v < 0 || v >= n) store_relaxed(&state->outside, 1);
        else first.add((int)v);
    }
    grid_barrier(&state->arrived, goal);
    i64 size = load_relaxed(shared + step++);
    if (HOPS == 2 && widen) {
        const List more = {items, capacity, size, capacity - size, shared + step, first.marks};
        for (i64 i = warp; i < min(size, capacity); i += warps) {
            const int v = load_unfenced(items + i);
            const offset_t end = h.nets[v + 1];
            for (offset_t e = h.nets[v] + Warp::lane(); e < end; e += min((offset_t)WARP, (offset_t)(end - e)))
                more.add(h.net[e]);
        }
        grid_barrier(&state->arrived, goal);
        size += load_relaxed(shared + step++);
    }
    most = min(max(2 * (u64)size, least), most);

    Position at = {size, 0, 0, size, 1};
    const auto is_over = [&]() { return (u64)at.visits > most || at.round > rounds; };
    const auto place_of = [&](i64 i) { return i < 0 ? i + capacity : i < capacity ? i : i - capacity; };
    // Runs a round with all blocks, or with the first block.
    const auto run_round = [&](bool all) {
        unsigned *const then = marks + (at.round - 1) % 3 * set, *const now = marks + at.round % 3 * set;
        const int turn = all ? step++ : own++;
        unsigned *const counts = state->counts[!all], *const length = counts + turn % 3;
        const List next = {items, capacity, place_of(at.begin + at.size), capacity - at.size - at.before, length,
                           marks + (at.round + 1) % 3 * set};
        for (i64 i = me; i < at.before; i += all ? threads : BLOCK)
            store_relaxed(then + load_unfenced(items + place_of(at.begin - 1 - i)) / 32, 0u);
        for (i64 base = 0; base < at.size; base += all ? warps : BLOCK / WARP) {
            const i64 i = base + (all ? warp : Warp::index());
            const int v = i < at.size ? load_unfenced(items + place_of(at.begin + i)) : -1;
            const bool long_row = v >= 0 && entries_around(h, v) > longest;
            if (v >= 0 && !long_row) visit<Warp>(h, turns, v, words[Warp::index()], color, now, next);
            if (Warp::lane() == 0) left[Warp::index()] = long_row ? v : -1;
            __syncthreads();
            const int lane = Warp::lane();
            unsigned wait = __ballot_sync(ALL_LANES, lane < BLOCK / WARP && left[lane] >= 0);
            for (; wait; wait &= wait - 1)
                visit<Block>(h, turns, left[__ffs((int)wait) - 1], words[BLOCK / WARP], color, now, next);
            __syncthreads();
        }
        if (me == 0) store_relaxed(counts + (turn + 1) % 3, 0u);  // all threads have read it in the previous step
        if (all) grid_barrier(&state->arrived, goal);
        else __syncthreads();
        const i64 size = load_relaxed(length);
        at = {size, next.begin, at.size, at.visits + size, at.round + 1};
    };
    while (at.size && !is_over()) {
        const bool all = at.size > BLOCK / WARP;
        if (all || blockIdx.x == 0) {
            do run_round(all);
            while (!all && at.size && at.size <= BLOCK / WARP && !is_over());
        }
        if (all) continue;
        if (me == 0) state->at = at;  // the other blocks wait for vertices for all, or for the end
        grid_barrier(&state->arrived, goal);
#pragma unroll
        for (int k = 0; k < 5; k++) ((u64*)&at)[k] = load_relaxed((const u64*)&state->at + k);
    }
    if (me == 0) *found = {at.round - 1, at.visits, at.size && is_over(), load_relaxed(&state->outside)};
}

// Lists the rows that differ between two graphs, of the n common rows, in any order; *count begins at 0. A warp has 32
// rows: if their lengths are the same in both graphs, it compares them in one piece.
extern "C" __global__ void __launch_bounds__(ROWS_BLOCK)
    differing_rows(i64 n, const offset_t* __restrict__ a_rows, const int* __restrict__ a,
                   const offset_t* __restrict__ b_rows, const int* __restrict__ b, int* list, unsigned* count) {
    const i64 v = (i64)blockIdx.x * ROWS_BLOCK + threadIdx.x, at = min(v, n), after = min(v + 1, n);
    const offset_t from = a_rows[at], end = a_rows[after], other = b_rows[at];
    bool differs = end - from != b_rows[after] - other;
    // Returns whether entries e … end − 1 of a equal the entries of b from f on; the warp calls.
    const auto equal = [&](offset_t e, offset_t end, offset_t f) {
        int x[FLIGHT], y[FLIGHT];
        bool same = true;
        for (offset_t step; e < end && same; e += step, f += step) {
            step = min((offset_t)(FLIGHT * WARP), (offset_t)(end - e));
            read_row<Warp>(a, e, end, x);
            read_row<Warp>(b, f, (offset_t)(f + (end - e)), y);
            for (int q = 0; q < FLIGHT; q++) same &= x[q] == y[q];
            same = !Warp::any(!same);
        }
        return same;
    };
    const auto of_lane = [](offset_t x, int lane) { return __shfl_sync(ALL_LANES, x, lane); };
    const unsigned longer = __ballot_sync(ALL_LANES, differs);
    if (longer || !equal(of_lane(from, 0), of_lane(end, WARP - 1), of_lane(other, 0)))
        for (int lane = 0; lane < WARP; lane++) {
            if (longer >> lane & 1) continue;
            const bool same = equal(of_lane(from, lane), of_lane(end, lane), of_lane(other, lane));
            if (Warp::lane() == lane) differs |= !same;
        }
    const unsigned place = append_warp(differs, count);
    if (differs) list[place] = (int)v;
}

// Lists pairs (v, u) of one color that constrain each other, v in the list (null: all vertices), some in both
// directions or twice. At most `most` pairs are stored; *count becomes their number.
extern "C" __global__ void __launch_bounds__(ROWS_BLOCK)
    conflicts(i64 n, const int* __restrict__ list, const offset_t* __restrict__ nets, const int* __restrict__ net,
              const offset_t* __restrict__ members, const int* __restrict__ member, int closed,
              const int* __restrict__ color, unsigned most, int* pairs, unsigned* count) {
    const Nets h = {nets, net, members, member, closed};
    const i64 i = ((i64)blockIdx.x * ROWS_BLOCK + threadIdx.x) / WARP;
    if (i >= n) return;
    const int v = list ? list[i] : (int)i, mine = color[v];
    if (mine < 0) return;
    around<Warp>(h, v, [&](const int (&u)[FLIGHT]) {
        for (int q = 0; q < FLIGHT; q++) {
            if (u[q] < 0 || u[q] == v || color[u[q]] != mine || (!list && u[q] > v)) continue;
            const unsigned at = atomicAdd(count, 1u);
            if (at < most) pairs[2 * (i64)at] = v, pairs[2 * (i64)at + 1] = u[q];
        }
    });
}
