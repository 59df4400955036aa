// variants: OFFSET_BITS=32,64 BLOCK=128 GROUP=32,128 HOPS=1,2
// First-fit again where a change makes it necessary, and rows that a change made different.
//
// A round computes the least color that no earlier neighbor has for all vertices of a list, and lists, for the next, the
// later neighbors of those whose color changed, as far as they are affected: a color that goes from a to b affects those
// that have b, or a color over a. A neighbor of this round's list has no color yet to tell by, and is listed always.
// mark[v] is the last round that has v, so that none is listed twice. At the end of a round a vertex that is not listed
// has the right color for those around it.
//
// Progress: the earliest vertex of a list gets its last color, for all earlier ones have theirs; so each round settles
// one, and the last list is empty. `most` visits end it before, with *given_up = 1.
//
// Bytes that must move: per visit its row, and a color and a mark per entry.
#include "device/include/grid.cuh"
#include "device/include/hash.cuh"
#include "device/include/neighbors.cuh"
#include "device/include/nets.cuh"
#include "device/include/palette.cuh"

#define WORDS 32

typedef Threads<GROUP> Group;
typedef Palette<Group, WORDS> Colors;

enum { BY_ID, BY_HASH, BY_PLACE };  // settle.py

struct Turns {
    int kind;
    unsigned word;
    const int* place;
    // Smaller for an earlier vertex.
    __device__ __forceinline__ unsigned of(int v) const {
        return kind == BY_ID ? (unsigned)v : kind == BY_HASH ? ~mix((unsigned)v, word) : (unsigned)place[v];
    }
};

// Every vertex that constrains v, some twice, each to one lane; v itself may be among them.
template <class Visit> static __device__ __forceinline__ void around(const Nets& h, int v, Visit visit) {
    const offset_t begin = h.nets[v], end = h.nets[v + 1];
#if HOPS == 1
    for (offset_t e = begin + Group::lane(); e < end; e += min((offset_t)GROUP, (offset_t)(end - e))) visit(h.net[e]);
#else
    for (offset_t e = begin; e < end + h.closed; e++) {
        const int net = e < end ? h.net[e] : v;
        const offset_t last = h.members[net + 1];
        for (offset_t f = h.members[net] + Group::lane(); f < last; f += min((offset_t)GROUP, (offset_t)(last - f)))
            visit(h.member[f]);
        if (h.closed && Group::lane() == 0) visit(net);
    }
#endif
}

// The least color that no earlier vertex around v has; the group calls.
static __device__ __forceinline__ int least_around(const Nets& h, const Turns& turns, int v, unsigned mine,
                                                   const int* color, const Colors& taken) {
    for (int base = 0;; base += Colors::COLORS) {
        taken.clear();
        around(h, v, [&](int u) {
            if (turns.of(u) < mine) taken.take((unsigned)(load_unfenced(color + u) - base));
        });
        const int least = taken.least();
        if (least >= 0) return base + least;
    }
}

// list: two of `stride` vertices in turn, of which the second has the first round's. counts: three in turn, of which
// counts[1] is the first round's and the others are 0. found: rounds, visits, whether it gave up; zeros.
extern "C" __global__ void __launch_bounds__(BLOCK)
    settle(i64 stride, u64 most, const offset_t* __restrict__ nets, const int* __restrict__ net,
           const offset_t* __restrict__ members, const int* __restrict__ member, int closed, int kind, unsigned word,
           const int* __restrict__ place, int* list, unsigned* counts, unsigned* mark, int* color, u64* found,
           int* arrived) {
    __shared__ unsigned words[BLOCK / GROUP][WORDS];
    const Nets h = {nets, net, members, member, closed};
    const Turns turns = {kind, word, place};
    const Colors taken = {words[threadIdx.x / GROUP]};
    const u64 groups = (u64)gridDim.x * (BLOCK / GROUP), group = (u64)blockIdx.x * (BLOCK / GROUP) + threadIdx.x / GROUP;
    const bool speaks = blockIdx.x == 0 && threadIdx.x == 0;
    int goal = 0;
    u64 visits = 0;
    unsigned round = 1;
    for (;; round++) {
        const unsigned count = load_unfenced(counts + round % 3);
        visits += count;
        if (count == 0 || visits > most) break;
        const int* here = list + (round & 1) * stride;
        int* there = list + (~round & 1) * stride;
        unsigned* next = counts + (round + 1) % 3;
        for (u64 i = group; i < count; i += groups) {
            const int v = load_unfenced(here + i), old = load_unfenced(color + v);
            const unsigned mine = turns.of(v);
            const int c = least_around(h, turns, v, mine, color, taken);
            Group::sync();
            if (c == old) continue;
            if (Group::lane() == 0) store_relaxed(color + v, c);
            around(h, v, [&](int u) {
                if (turns.of(u) <= mine) return;
                const unsigned its = (unsigned)load_unfenced(color + u);
                const bool affected = its == (unsigned)c || its > (unsigned)old || load_unfenced(mark + u) == round;
                if (affected && atomicMax(mark + u, round + 1) <= round) there[atomicAdd(next, 1u)] = u;
            });
        }
        if (speaks) store_relaxed(counts + (round + 2) % 3, 0u);  // all have read it a round ago
        grid_barrier(arrived, goal);
    }
    if (speaks) found[0] = round - 1, found[1] = visits, found[2] = visits > most;
}

// The rows that differ between two graphs, of those that both have, in any order; *count begins at 0.
extern "C" __global__ void __launch_bounds__(BLOCK)
    differing_rows(i64 n, const offset_t* __restrict__ a_rows, const int* __restrict__ a, const offset_t* __restrict__ b_rows,
                   const int* __restrict__ b, int* list, unsigned* count) {
    const i64 v = ((i64)blockIdx.x * BLOCK + threadIdx.x) / GROUP;
    if (v >= n) return;
    const offset_t from = a_rows[v], size = a_rows[v + 1] - from, other = b_rows[v];
    bool differs = size != b_rows[v + 1] - other;
    if (!differs)
        for (offset_t i = Group::lane(); i < size; i += min((offset_t)GROUP, (offset_t)(size - i)))
            differs |= a[from + i] != b[other + i];
    differs = Group::any(differs);
    if (differs && Group::lane() == 0) list[atomicAdd(count, 1u)] = (int)v;
}

// Pairs (v, u) of one color that constrain each other, v of the list (null: all vertices), some in both directions or
// twice: up to `most` of them, and in *count how many there are.
extern "C" __global__ void __launch_bounds__(BLOCK)
    conflicts(i64 n, const int* __restrict__ list, const offset_t* __restrict__ nets, const int* __restrict__ net,
              const offset_t* __restrict__ members, const int* __restrict__ member, int closed,
              const int* __restrict__ color, unsigned most, int* pairs, unsigned* count) {
    const Nets h = {nets, net, members, member, closed};
    const i64 i = ((i64)blockIdx.x * BLOCK + threadIdx.x) / GROUP;
    if (i >= n) return;
    const int v = list ? list[i] : (int)i, mine = color[v];
    if (mine < 0) return;
    around(h, v, [&](int u) {
        if (u == v || color[u] != mine || (!list && u > v)) return;
        const unsigned at = atomicAdd(count, 1u);
        if (at < most) pairs[2 * (i64)at] = v, pairs[2 * (i64)at + 1] = u;
    });
}
