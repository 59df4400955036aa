// Colorings by fixed priorities in few launches: a vertex waits for a larger neighbour, its blocker, until that one is
// settled, then looks on in its row from there. WHAT says what a vertex becomes when nobody is left to wait for:
//   SETS       one more than the largest color beside it: the round in which independent sets would color it
//   FIRST_FIT  the least color that nobody beside it has; its round comes along in the upper half of the state
//   RACE       a member of color class k; where a neighbour has joined, out of the race for it
//
// state[v] is p[v] until v has a color, then ~color. Beside a vertex without a color all colored ones are larger (SETS,
// FIRST_FIT: the smaller wait for it), so that one word tells all that there is to know of a neighbour.
// cursor[v] is the entry after the blocker: all before it is settled or smaller, for good (RACE: for this color), and
// `least`, `seen` are what it came to. So an entry is read once, in whatever order vertices are settled.
//
// A warp owns every so many-th stripe of 32 vertices, and keeps those that wait in a list in the same places, in order:
// it shares nothing with others but `state` and `out`, and nobody counts. A long row is looked through by the whole warp.
//
// Shared words change once (state: from p to ~color; out: to k + 1), so an old value only makes a vertex wait longer.
// A launch ends after `passes`, whatever the others do, and then may be repeated: the largest vertex that is not
// settled waits for nobody, and so is settled in any launch.
//
// Bytes: 4 an entry for its column and a sector for its state; 8 a vertex that waits and a sector for its blocker a
// pass; 20 to 40 a vertex when its blocker changes.
// variants: WHAT=0,1,2 OFFSET_BITS=32,64
#include "../../semirings/kernels/common.cuh"
#include "../device/include/offset.cuh"

#define SETS 0
#define FIRST_FIT 1
#define RACE 2

#if WHAT == FIRST_FIT
typedef i64 State;
typedef u64 Word;
#else
typedef int State;
typedef unsigned Word;
#endif

#ifndef ALONE
#define ALONE 16  // entries that a lane looks at before the warp helps
#endif
#ifndef IDLE
#define IDLE 100  // nanoseconds to wait after a pass that settled nothing
#endif
#ifndef POLL
#define POLL 2  // witnesses that a lane looks at at the same time
#endif
#ifndef UNROLL
#define UNROLL 2  // entries a lane in flight when the warp looks through a row
#endif
#ifndef STEP
#define STEP 4  // of them at the same time
#endif
#ifndef LEAST
#define LEAST (WHAT == FIRST_FIT ? 4 : 6)  // blocks that a multiprocessor has registers for
#endif
#ifndef CACHED
#define CACHED 0  // 1: a lane looks at states through L1; an old one is found out when the blocker is looked at
#endif
#define WINDOW (32 * WARP)  // colors that a warp notes at a time in shared memory
#define WARPS (BLOCK / WARP)

enum { SETTLED = -1, AGAIN = -2 };     // in waits_for: nothing to do; look on without a blocker
enum { PASSES, BLOCKS, FORBIDS };      // what a neighbour means
enum { GOES_ON, OPENS, OPENS_FIRST };  // stage of RACE; of the others: 0, or not 0 in the launch after `start`

__device__ inline State load_state(const State *at) { return (State)load_relaxed((const Word *)at); }
__device__ inline void put(State *at, State x) { store_relaxed((Word *)at, (Word)x); }
__device__ inline int color_of(State x) { return (int)~x; }

// Of the colored neighbours so far: the least round and the colors under 64.
struct Known {
    int least;
    u64 seen;
    __device__ inline void add(State x) {
#if WHAT == SETS
        if (~x >= least) least = ~x + 1;
#elif WHAT == FIRST_FIT
        const int round = (int)(~x >> 32), color = color_of(x);
        if (round >= least) least = round + 1;
        if (color < 64) seen |= u64(1) << color;
#endif
    }
};

// A look through the row of v: at entry e of those before `end`, what stopped it, and at which neighbour.
struct Search {
    int v, p, verdict, u;
    offset_t e, end;
    Known known;
};

#define RACE_PARAMETERS i64 k, const int *out
__device__ inline int judge(State x, int u, int p, Known &known, RACE_PARAMETERS) {
#if WHAT == RACE
    if (x < 0) return ~x == k ? FORBIDS : PASSES;
    return x > p && (int)load_relaxed((const unsigned *)out + u) != k + 1 ? BLOCKS : PASSES;
#else
    if (x >= 0) return x > p ? BLOCKS : PASSES;
    known.add(x);
    return PASSES;
#endif
}

// Some entries, STEP at a time; whether the others' lanes look as well does not matter.
__device__ inline void search_alone(Search &s, const int *indices, const State *state, RACE_PARAMETERS) {
#pragma unroll 1
    for (int step = 0; step < ALONE && s.verdict == PASSES && s.e < s.end; step += STEP) {
        int j[STEP];
        State x[STEP];
#pragma unroll
        for (int q = 0; q < STEP; q++) j[q] = q < s.end - s.e ? indices[s.e + q] : -1;
#pragma unroll
        for (int q = 0; q < STEP; q++) x[q] = j[q] < 0 ? State(0) : CACHED ? state[j[q]] : load_state(state + j[q]);
#pragma unroll
        for (int q = 0; q < STEP; q++)
            if (j[q] >= 0 && s.verdict == PASSES) {
                s.verdict = judge(x[q], j[q], s.p, s.known, k, out);
                s.u = j[q];
                s.e++;
            }
    }
}

// What is left of the rows of all lanes, one row after the other; the whole warp calls. What is seen after the entry that
// stops a search is seen again later, which changes nothing.
__device__ inline void search_together(Search &s, const int *indices, const State *state, RACE_PARAMETERS) {
    const int lane = threadIdx.x % WARP;
    for (unsigned more = __ballot_sync(ALL_LANES, s.verdict == PASSES && s.e < s.end); more; more &= more - 1) {
        const int leader = __ffs((int)more) - 1, p = shuffle(s.p, leader);
        const offset_t end = shuffle(s.end, leader);
        offset_t e = shuffle(s.e, leader);
        Known known = {0, 0};
        int verdict = PASSES, u = -1;
        while (verdict == PASSES && e < end) {
            int j[UNROLL], each[UNROLL], step = UNROLL * WARP;
            State x[UNROLL];
#pragma unroll
            for (int q = 0; q < UNROLL; q++) j[q] = q * WARP + lane < end - e ? indices[e + q * WARP + lane] : -1;
#pragma unroll
            for (int q = 0; q < UNROLL; q++) x[q] = j[q] >= 0 ? load_state(state + j[q]) : State(0);
#pragma unroll
            for (int q = 0; q < UNROLL; q++) each[q] = j[q] >= 0 ? judge(x[q], j[q], p, known, k, out) : PASSES;
#pragma unroll
            for (int q = 0; q < UNROLL; q++) {
                const unsigned stop = __ballot_sync(ALL_LANES, each[q] != PASSES);
                if (stop && verdict == PASSES) {
                    const int first = __ffs((int)stop) - 1;
                    verdict = shuffle(each[q], first);
                    u = shuffle(j[q], first);
                    step = q * WARP + first + 1;
                }
            }
            e = end - e > step ? e + step : end;  // never beyond: offsets may be near the greatest
        }
#pragma unroll
        for (int d = WARP / 2; d; d /= 2) {
            const int other = shuffle_xor(known.least, d);
            if (other > known.least) known.least = other;
            if (WHAT == FIRST_FIT) known.seen |= shuffle_xor(known.seen, d);
        }
        if (lane == leader) {
            s.verdict = verdict, s.u = u, s.e = e;
            if (known.least > s.known.least) s.known.least = known.least;
            s.known.seen |= known.seen;
        }
    }
}

__device__ inline int lowest_zero(u64 x) {
    const unsigned low = ~(unsigned)x;
    return low ? __ffs((int)low) - 1 : 31 + __ffs((int)~(unsigned)(x >> 32));
}

#if WHAT == FIRST_FIT
// The least color from 64 on that nobody beside v has; the whole warp calls.
__device__ inline int least_wide(int v, const offset_t *indptr, const int *indices, const State *state) {
    __shared__ unsigned notes[WARPS][WARP];
    unsigned *taken = notes[threadIdx.x / WARP];
    const int lane = threadIdx.x % WARP;
    const int *const row = indices + indptr[v];
    const int degree = (int)(indptr[v + 1] - indptr[v]);
    for (int base = 64;; base += WINDOW) {
        taken[lane] = 0;
        __syncwarp();
        for (int i = lane; i < degree; i += WARP) {
            const State x = load_state(state + row[i]);
            const unsigned c = x < 0 ? (unsigned)(color_of(x) - base) : WINDOW;
            if (c < WINDOW) atomicOr(taken + c / 32, 1u << c % 32);
        }
        __syncwarp();
        const unsigned word = taken[lane], free = __ballot_sync(ALL_LANES, word != ~0u);
        if (free) {
            const int first = __ffs((int)free) - 1;
            return base + 32 * first + __ffs((int)~shuffle(word, first)) - 1;
        }
    }
}
#endif

// The places of a warp in the arrays: its stripes one after the other.
struct Own {
    i64 warp, warps;
    __device__ inline i64 place(int i) const { return ((i64)(i / WARP) * warps + warp) * WARP + i % WARP; }
    __device__ inline int room(i64 n) const {
        const i64 stripes = (n + WARP - 1) / WARP;
        return warp < stripes ? (int)((stripes - 1 - warp) / warps + 1) * WARP : 0;
    }
};

#define LIST_PARAMETERS int *waiting, int *waits_for
#define KNOWN_PARAMETERS offset_t *cursor, int *least, u64 *seen

#if WHAT == RACE
// Opens the race for a color: all of the own vertices that have none wait to look; how many.
__device__ inline int open_race(const Own &own, i64 n, i64 stage, const State *state, LIST_PARAMETERS, int *left,
                                int *n_left) {
    const int lane = threadIdx.x % WARP, length = stage == OPENS_FIRST ? own.room(n) : n_left[own.warp];
    int kept = 0;
    for (int base = 0; base < length; base += WARP) {
        const i64 at = own.place(base + lane);
        const bool mine = base + lane < length && at < n;
        const int v = !mine ? -1 : stage == OPENS_FIRST ? (int)at : left[at];
        const unsigned stay = __ballot_sync(ALL_LANES, v >= 0 && load_state(state + v) >= 0);
        if (stay >> lane & 1) {
            const i64 to = own.place(kept + __popc(stay & ((1u << lane) - 1)));
            left[to] = waiting[to] = v;
            waits_for[to] = AGAIN;
        }
        kept += __popc(stay);
        __syncwarp();
    }
    if (lane == 0) n_left[own.warp] = kept;
    return kept;
}
#endif

// Looks on for v, whose blocker u has state x, and settles v where nobody is left; whether v goes on waiting, for u.
// The whole warp calls, with v = -1 for no vertex. `top` counts: RACE, those that joined; else the rounds.
__device__ inline bool waits_on(int v, int &u, State x, int &top, const offset_t *indptr, const offset_t *ends,
                                const int *indices, State *state, KNOWN_PARAMETERS, i64 k, int *out) {
    Search s = {v, 0, BLOCKS, u, 0, 0, {0, 0}};
    if (v >= 0) {
        s.verdict = PASSES, s.p = (int)state[v], s.end = ends[v];
#if WHAT == RACE
        s.e = u == AGAIN ? indptr[v] : cursor[v];
        if (x < 0 && ~x == k) s.verdict = FORBIDS;
#else
        s.e = cursor[v];
        s.known.least = least[v];
        if (WHAT == FIRST_FIT) s.known.seen = seen[v];
        if (x < 0) s.known.add(x);
#endif
        search_alone(s, indices, state, k, out);
    }
    __syncwarp();
    search_together(s, indices, state, k, out);
    const bool settled = s.verdict == PASSES && (WHAT == RACE || s.known.least < k);
#if WHAT == RACE
    if (settled) put(state + v, ~(State)k), top++;
    if (s.verdict == FORBIDS) store_relaxed((unsigned *)out + v, (unsigned)k + 1);
    if (v < 0 || s.verdict != BLOCKS) return false;
    cursor[v] = s.e, u = s.u;
    return true;
#else
    State own = s.known.least;
#if WHAT == FIRST_FIT
    int color = lowest_zero(s.known.seen);
    for (unsigned wide = __ballot_sync(ALL_LANES, settled && s.known.seen == ~u64(0)); wide; wide &= wide - 1) {
        const int leader = __ffs((int)wide) - 1;
        const int found = least_wide(shuffle(v, leader), indptr, indices, state);
        if ((int)(threadIdx.x % WARP) == leader) color = found;
    }
    own = own << 32 | color;
#endif
    if (settled) {
        put(state + v, ~own);
        if (s.known.least >= top) top = s.known.least + 1;
    }
    if (v < 0 || settled) return false;
    cursor[v] = s.e, least[v] = s.known.least;
    if (WHAT == FIRST_FIT) seen[v] = s.known.seen;
    u = s.verdict == BLOCKS ? s.u : AGAIN;  // AGAIN: its round is not before k
    return true;
#endif
}

// Those whose blocker is settled, until a warp is full of them: looking on takes several memory latencies.
struct Queue {
    int v[(POLL + 1) * WARP], u[(POLL + 1) * WARP];
    State x[(POLL + 1) * WARP];
};

// The first look of every vertex, by priorities alone. Those without a larger neighbour are settled; the others wait.
extern "C" __global__ void start(i64 n, const offset_t *__restrict__ indptr, const int *__restrict__ indices,
                                 const int *__restrict__ p, State *state, int *waits_for, KNOWN_PARAMETERS) {
    const i64 v = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if (v >= n) return;
    const offset_t end = indptr[v + 1];
    offset_t e = indptr[v];
    const offset_t stop = end - e > 2 * ALONE ? e + 2 * ALONE : end;  // a hub that dominates is left to a warp
    const int own = p[v];
    int u = SETTLED;
    while (e < stop && u < 0) {
        const int a = indices[e], b = e + 1 < stop ? indices[e + 1] : a;
        const bool first = p[a] > own, second = p[b] > own;
        if (first || second) u = first ? a : b;
        e += first || e + 1 >= stop ? 1 : 2;
    }
    if (u == SETTLED && e < end) u = AGAIN;
    waits_for[v] = u;
    state[v] = u == SETTLED ? ~State(0) : State(own);
    if (u == SETTLED) return;
    cursor[v] = e;
    least[v] = 0;
    if (WHAT == FIRST_FIT) seen[v] = 0;
}

// The list of a warp, written over while it is read: what is kept is never more than what has been read.
struct List {
    Own own;
    int *waiting, *waits_for, kept;
    // Appends each lane's v, which waits for u and stood at `was` (-1: not there); the whole warp calls.
    __device__ inline void append(bool stays, int v, int u, i64 was) {
        const unsigned stay = __ballot_sync(ALL_LANES, stays);
        const i64 to = own.place(kept + __popc(stay & ((1u << threadIdx.x % WARP) - 1)));
        if (stays && to != was) waiting[to] = v, waits_for[to] = u;
        kept += __popc(stay);
    }
};

// Passes over the own lists. ends[v]: where the row of v ends. k: RACE, the color; else how many rounds there may be. result[0]: how many wait in the end;
// result[1]: see `top`; both begin at 0.
extern "C" __global__ void __launch_bounds__(BLOCK, LEAST) settle(i64 n, const offset_t *indptr, const offset_t *ends, const int *indices,
                                  State *state, LIST_PARAMETERS, int *lengths, KNOWN_PARAMETERS, i64 k, i64 stage,
                                  i64 passes, int *out, int *left, int *n_left, int *result) {
    __shared__ Queue queues[WARPS];
    Queue &queue = queues[threadIdx.x / WARP];
    const int lane = threadIdx.x % WARP;
    const Own own = {(i64)blockIdx.x * WARPS + threadIdx.x / WARP, (i64)gridDim.x * WARPS};
    bool fresh = WHAT != RACE && stage;  // the list is all own vertices
    int length = fresh ? own.room(n) : lengths[own.warp], top = 0;
#if WHAT == RACE
    if (stage != GOES_ON) length = open_race(own, n, stage, state, waiting, waits_for, left, n_left);
#endif
    for (i64 pass = 0; pass < passes && length > 0; pass++) {
        List list = {own, waiting, waits_for, 0};
        int queued = 0;
        for (int base = 0; base < length; base += POLL * WARP) {
            int v[POLL], u[POLL];
            State x[POLL];
#pragma unroll
            for (int q = 0; q < POLL; q++) {
                const int i = base + q * WARP + lane;
                const i64 at = own.place(i);
                const bool there = i < length && at < n;
                u[q] = there ? waits_for[at] : SETTLED;
                v[q] = !there ? -1 : fresh ? (int)at : waiting[at];
            }
#pragma unroll
            for (int q = 0; q < POLL; q++) x[q] = u[q] >= 0 ? load_state(state + u[q]) : State(0);
#pragma unroll
            for (int q = 0; q < POLL; q++) {
                bool looks = u[q] == AGAIN || x[q] < 0;
#if WHAT == RACE
                if (u[q] >= 0 && !looks) looks = (int)load_relaxed((const unsigned *)out + u[q]) == k + 1;
#endif
                const i64 at = own.place(base + q * WARP + lane);
                list.append(u[q] != SETTLED && !looks, v[q], u[q], fresh ? -1 : at);
                const unsigned looking = __ballot_sync(ALL_LANES, looks);
                if (looks) {
                    const int to = queued + __popc(looking & ((1u << lane) - 1));
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
                int blocker = one ? queue.u[queued + lane] : SETTLED;
                const State of_it = one ? queue.x[queued + lane] : State(0);
                const bool stays =
                    waits_on(who, blocker, of_it, top, indptr, ends, indices, state, cursor, least, seen, k, out);
                list.append(stays, who, blocker, -1);
            }
            __syncwarp();
        }
#ifdef __CUDA_ARCH__
        if (IDLE && list.kept == length) __nanosleep(IDLE);
#endif
        length = list.kept;
        fresh = false;
    }
#pragma unroll
    for (int d = WARP / 2; d; d /= 2) {
        const int other = shuffle_xor(top, d);
        top = WHAT == RACE ? top + other : other > top ? other : top;
    }
    if (lane) return;
    lengths[own.warp] = length;
    if (length) atomicAdd(result, length);
    if (WHAT == RACE && top) atomicAdd(result + 1, top);
    if (WHAT != RACE && top > (int)load_relaxed((const unsigned *)result + 1)) atomicMax(result + 1, top);
}
