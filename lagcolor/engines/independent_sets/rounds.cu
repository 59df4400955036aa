// Rounds of independent sets (jpl and Che et al.), many in one launch; all blocks must run at the same time. HYBRID: of degree
// labelling first, then of random labelling.
//
// Each warp has its own vertices, every so many groups of 32, and its own list of those left, which it keeps in order
// and compacts in place; so a round needs no counter that all add to, and neighbouring lanes take neighbouring
// vertices. The static shares are what che_work_stealing balances.
//
// A vertex that is tied is looked at for random labelling at once, while its row is at hand, and goes to a list for that
// phase, which then needs no first round over all vertices.
//
// Bytes that must move: 12 per edge over all rounds (column, value, and the color where the value is larger), and a
// round 8 for each vertex in a list and 4 for the color of the one that it waits for.
// variants: OFFSET_BITS=32,64 HYBRID=0,1 BLOCK=512
#include "engines/independent_sets/rounds.cuh"

#define AHEAD (OFFSET_BITS == 64 ? 2 : 4)  // groups whose loads are under way at once: 64 registers a thread

struct Share {
    u64* list;        // of this warp
    u64* later;       // of vertices that are tied, for random labelling
    int length, n_later;
    int first, step;  // groups of 32 vertices: first, first + step …
};

// Keeps the entries of a group that stay, behind those of the groups before.
static __device__ __forceinline__ void keep(const Outcome& o, bool stay, int v, Hubs& hubs, u64* list, int& kept,
                                            int& colored) {
    const unsigned stays = __ballot_sync(ALL_LANES, stay);
    u64* place = list + kept + rank_in(stays);
    __syncwarp();  // all lanes have read what is written over
    if (stay) *place = entry_of(v, o.u);
    if (o.slot >= 0) hubs.places[o.slot] = place;
    kept += __popc(stays);
    colored += __popc(__ballot_sync(ALL_LANES, o.colored));
}

// The vertex that v waits for in random labelling, as far as one thread looks while its row is at hand; else NOTHING.
static __device__ __forceinline__ u64 search_later(const ByDegree& s, int v, int k) {
    const offset_t begin = s.indptr[v], end = s.indptr[v + 1], near = end - begin <= SHORT ? end : begin + ALONE;
    const offset_t e = search_alone(ByPriority(s, s.p), s.p[v], k, begin, near);
    s.cursor[v] = e < near ? e : e - 1;
    return entry_of(v, e < near ? s.indices[e] : NOTHING);
}

static __device__ __forceinline__ void put_off(Share& mine, bool wanted, u64 entry) {
    const unsigned votes = __ballot_sync(ALL_LANES, wanted);
    if (wanted) mine.later[mine.n_later + rank_in(votes)] = entry;
    mine.n_later += __popc(votes);
}

static __device__ __forceinline__ bool is_tied(const ByPriority&, const Outcome&, int, Share&, int) { return false; }

// Whether a vertex leaves degree labelling without a color; all of random labelling's first look is then done.
static __device__ __forceinline__ bool is_tied(const ByDegree& s, const Outcome& o, int v, Share& mine, int k) {
    const bool tied = o.keep && o.u == v;
    if (s.p && __any_sync(ALL_LANES, tied)) put_off(mine, tied, tied ? search_later(s, v, k) : 0);
    return tied;
}

// AHEAD groups of 32 vertices, one a lane in each (v < 0: none), which wait for u of color c. What each lane needs is
// fetched for all groups before any of them is searched.
template <class V>
static __device__ __forceinline__ void look_at_groups(const V& s, Hubs& hubs, const int (&v)[AHEAD],
                                                      const int (&u)[AHEAD], const int (&c)[AHEAD], bool fresh, Share& mine,
                                                      int& kept, int& colored, int k) {
    Row row[AHEAD];
    int first[AHEAD];
#pragma unroll
    for (int a = 0; a < AHEAD; a++) row[a] = row_of(s, v[a], c[a], fresh, k);
#pragma unroll
    for (int a = 0; a < AHEAD; a++) first[a] = first_neighbor(s, row[a]);
#pragma unroll
    for (int a = 0; a < AHEAD; a++) first_step(s, row[a], first[a]);
#pragma unroll
    for (int a = 0; a < AHEAD; a++) {
        const Outcome o = look_at(s, hubs, v[a], u[a], c[a], row[a], k);
        const bool tied = is_tied(s, o, v[a], mine, k);  // the whole warp calls
        keep(o, o.keep && !tied, v[a], hubs, mine.list, kept, colored);
    }
}

// The first round of a phase: every vertex without a color. The number colored, by this warp.
template <class V>
static __device__ int enter(const V& s, Hubs& hubs, Share& mine, i64 n, int k) {
    int kept = 0, colored = 0;
    for (i64 group = mine.first; group * WARP < n; group += (i64)AHEAD * mine.step) {
        int v[AHEAD], none[AHEAD], c[AHEAD];
#pragma unroll
        for (int a = 0; a < AHEAD; a++) {
            const i64 i = (group + (i64)a * mine.step) * WARP + threadIdx.x % WARP;
            v[a] = i < n && load_relaxed(s.colors + i) < 0 ? (int)i : -1;
            none[a] = c[a] = NOTHING;
        }
        look_at_groups(s, hubs, v, none, c, true, mine, kept, colored, k);
    }
    mine.length = kept;
    return colored;
}

// Any other round: the list. Entries that stay are written behind those read: never over one that is still to be read.
template <class V>
static __device__ int go_through(const V& s, Hubs& hubs, Share& mine, int k) {
    const int length = mine.length, lane = threadIdx.x % WARP;
    int kept = 0, colored = 0;
    for (int base = 0; base < length; base += AHEAD * WARP) {
        int v[AHEAD], u[AHEAD], c[AHEAD];
#pragma unroll
        for (int a = 0; a < AHEAD; a++) {
            const u64 entry = base + a * WARP + lane < length ? mine.list[base + a * WARP + lane] : GONE;
            v[a] = (int)entry;
            u[a] = (int)(entry >> 32);
        }
#pragma unroll
        for (int a = 0; a < AHEAD; a++) c[a] = v[a] < 0 || u[a] == NOTHING ? NOTHING : load_relaxed(s.colors + u[a]);
        look_at_groups(s, hubs, v, u, c, false, mine, kept, colored, k);
    }
    mine.length = kept;
    return colored;
}

// From degree labelling to random labelling: whoever still waits is looked at from the start of its row.
static __device__ void change_over(const Vertices& s, Share& mine) {
    for (int base = 0; base < mine.length; base += WARP) {
        const int i = base + threadIdx.x % WARP, v = i < mine.length ? (int)mine.list[i] : -1;
        if (v >= 0) s.cursor[v] = s.indptr[v] - 1;
        put_off(mine, v >= 0, entry_of(v, NOTHING));
    }
    __syncwarp();  // the list is as all see it
    mine.list = mine.later;
    mine.length = mine.n_later;
}

// Vertices without a color, the next color, how many the last round colored, and grid barriers so far.
struct State {
    int left, k, last, met;
};

// Up to `rounds` rounds, until all have colors or one colors fewer than `least`; how many. fresh: the first one starts
// the phase.
template <class V>
static __device__ int label(const V& s, Hubs& hubs, int& colored, Share& mine, State& state, u64* arrivals, i64 n,
                            bool fresh, int rounds, int least) {
    int round = 0;
    bool ends = false;
    for (; round < rounds && state.left > 0 && !ends; round++) {
        const int k = state.k, here = fresh && round == 0 ? enter(s, hubs, mine, n, k) : go_through(s, hubs, mine, k);
        if (threadIdx.x % WARP == 0) atomicAdd(&colored, here);
        __syncthreads();
        const int by_block = look_at_hubs(s, hubs, k);
        state.last = (int)barrier_and_sum(arrivals, state.met++, threadIdx.x == 0 ? (u64)(colored + by_block) : 0);
        if (threadIdx.x == 0) hubs.count = colored = 0;
        __syncthreads();
        ends = state.last < least;
        state.left -= state.last;
        state.k += state.last > 0;
    }
    return round;
}

// p: of random labelling, or null where none follows. items, later: `room` entries per warp, lengths: used ones, which are in
// `later` where random labelling has followed; fresh: the first round starts a phase.
// Degree labelling ends after `rounds`, or after a round that colors fewer than `least`; random labelling after `more`.
// kept: vertices without a color, the next color; and out: rounds of random labelling, vertices that the last round colored,
// rounds and colors of degree labelling.
extern "C" __global__ void __launch_bounds__(BLOCK, 2)
    label_rounds(const offset_t* indptr, const int* indices, const int* p, int* colors, offset_t* cursor, u64* items, u64* later,
               i64 room, int* lengths, u64* arrivals, i64* kept, i64 n, i64 fresh, i64 rounds, i64 least, i64 more) {
    __shared__ Hubs hubs;
    __shared__ int colored;
    const Vertices s = {indptr, indices, colors, cursor};
    const int warp = blockIdx.x + gridDim.x * (threadIdx.x / WARP);
    Share mine = {items + warp * room, later + warp * room, fresh ? 0 : lengths[warp], 0, warp, (int)gridDim.x * WARPS};
    State state = {(int)kept[0], (int)kept[1], 0, 0};
    if (threadIdx.x == 0) hubs.count = colored = 0;
    __syncthreads();
    int by_degree = 0, colors_by_degree = 0;
    if (HYBRID) {
        by_degree = label(ByDegree(s, p), hubs, colored, mine, state, arrivals, n, fresh, (int)rounds, (int)least);
        colors_by_degree = state.k;
        if (p) change_over(s, mine);
    }
    const int done = label(ByPriority(s, p), hubs, colored, mine, state, arrivals, n, fresh && !HYBRID, (int)more, 0);
    if (threadIdx.x % WARP == 0) lengths[warp] = mine.length;
    if (blockIdx.x == 0 && threadIdx.x == 0 && by_degree + done > 0) {
        kept[0] = state.left;
        kept[1] = state.k;
        kept[2] = done;
        kept[3] = state.last;
        kept[4] = by_degree;
        kept[5] = colors_by_degree;
    }
}
