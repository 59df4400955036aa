// variants: OFFSET_BITS=32,64 KEY=1 HASHED=0,1 TRACE=0
// variants: OFFSET_BITS=32,64 KEY=2 HASHED=0 TRACE=0
// variants: OFFSET_BITS=32 KEY=0 HASHED=0,1 TRACE=0
// variants: OFFSET_BITS=32 KEY=1,2 HASHED=0 TRACE=1
// ECL-GC, Algorithms 1 to 3 in one cooperative launch. ecl_gc_gpu.py says what was changed; ecl_gc.cuh, what a word is.
//
//   prepare   a word for every vertex as if all of its neighbours were earlier; lists of those of high degree
//   orient    their earlier neighbours, compacted by a warp or a block (Algorithm 1)
//   color     every warp visits its own vertices until all have colors, and waits for nobody:
//             `visit_high` (Algorithm 2) by a warp or a block, `visit_first` and `visit_again` (Algorithm 3) by a thread
//
// Blocks meet after the first two. The third is a race of words that only lose colors (ecl_gc.cuh); everything else
// belongs to one warp or block. It ends: the earliest vertex without a color finds at its next visit that all of its
// earlier neighbours have theirs, and every warp visits each of its vertices again within PATIENCE sweeps.
#include "ecl_gc.cuh"

#ifndef BLOCKS
#define BLOCKS 4  // a multiprocessor has room for
#endif
#ifndef DEEP_HIGH
#define DEEP_HIGH 4  // neighbours of a high vertex that a thread has in hand
#endif
#ifndef REFRESH
#define REFRESH 16  // sweeps after which a high vertex is visited though one that it waits for still blocks it
#endif
#ifndef PATIENCE
#define PATIENCE 32  // sweeps over high vertices for one over low ones that colors none
#endif
#ifndef NAP
#define NAP 200  // nanoseconds after a sweep without success
#endif
#define CUT 0x80000000u  // in the mask of a low vertex: Shortcut 2 has been of use
#define COUNT_SHIFT 33   // `head.high`: a count, and below it the words of bitmaps given away

struct High {  // a vertex with more than WORD_MOST earlier neighbours
    int vertex;
    int left;         // of these, in dag[indptr[vertex] …]
    int witness;      // one of them that kept it from its best color; −1: look at all
    unsigned bitmap;  // its place in `bitmaps`: bit c set, color c taken; 32 bits do for 2^36 entries
};

struct Head {  // zeros
    u64 high;
    int hubs, moved, arrived, unused;
    u64 tally[4];  // colored at initialization, by shortcut, conventionally; visits
};

struct Tally {
    unsigned count[4];
    __device__ __forceinline__ void add(int k) {
#if TRACE
        count[k]++;
#endif
    }
};
enum { INITIALLY, BY_SHORTCUT, CONVENTIONALLY, VISITS };

struct Run {
    long long n, m;
    const offset_t* __restrict__ indptr;
    const int* __restrict__ indices;
    unsigned* state;
    int* colors;
    int2* list;  // low vertices that wait, and which places of their rows; 32 by 32, by warp
    int* dag;
    unsigned* bitmaps;
    High *high, *hubs;
    Head* head;
    Order order;
    bool sc1, sc2, aligned;
};

static __device__ __forceinline__ int warp_index() { return (blockIdx.x * BLOCK + threadIdx.x) / WARP; }
static __device__ __forceinline__ int warp_count() { return gridDim.x * WARPS; }

// ---- prepare -----------------------------------------------------------------------------------------------------------

// Sum of `mine` over the threads before this one, and of the whole block in `total`.
static __device__ u64 sum_before(u64 mine, u64& total) {
    const int lane = threadIdx.x % WARP;
    u64 sum = mine;
    for (int step = 1; step < WARP; step *= 2) {
        const u64 other = __shfl_sync(ALL_LANES, sum, (lane - step) & (WARP - 1));
        if (lane >= step) sum += other;
    }
    const u64* sums = Block::of_warps(__shfl_sync(ALL_LANES, sum, WARP - 1));
    u64 before = sum - mine;
    total = 0;
    for (int w = 0; w < WARPS; w++) {
        if (w < threadIdx.x / WARP) before += sums[w];
        total += sums[w];
    }
    return before;
}

// A place in the list of high vertices, and in the bitmaps, for each thread that is `wide`: one atomic a block.
static __device__ void list_high(const Run& g, int v, offset_t degree, bool wide) {
    __shared__ u64 base;
    const u64 words = wide ? degree / 32 + 1 : 0;
    u64 total;
    const u64 before = sum_before(wide ? (u64)1 << COUNT_SHIFT | words : 0, total);
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

// ---- orient -----------------------------------------------------------------------------------------------------------

// The number of earlier neighbours of v, which go to `dag`; its word, and its bitmap where it needs one.
template <class Group>
static __device__ int orient(const Run& g, int v, unsigned bitmap) {
    const offset_t begin = g.indptr[v], degree = g.indptr[v + 1] - begin;
    const Place at = place_of(g.order, v, degree);
    int* row = g.dag + begin;
    int kept = 0;
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
            const int place = kept + Group::rank(before >> k & 1, total);
            if (before >> k & 1) row[place] = u[k];
            kept += total;
        }
    }
    if (kept > WORD_MOST)
        for (offset_t i = Group::lane(); i <= degree / 32; i += Group::SIZE) g.bitmaps[bitmap + i] = 0;
    if (Group::lane() == 0) g.state[v] = kept > WORD_MOST ? interval_word((unsigned)kept) : first_colors(kept + 1);
    return kept;
}

// Orients this block's hubs and this warp's other high vertices. Those that stay high close up in their lists, where
// thing k of a worker is at worker + workers * k; numbers of them in `hubs` and `high`.
static __device__ void orient_all(const Run& g, int& hubs, int& high) {
    for (int i = blockIdx.x; i < g.head->hubs; i += gridDim.x) {
        High h = g.hubs[i];
        h.left = orient<OneBlock>(g, h.vertex, h.bitmap);
        __syncthreads();  // all have read what may be written now
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
        h.left = orient<OneWarp>(g, h.vertex, h.bitmap);
        __syncwarp();
        if (h.left <= WORD_MOST) continue;
        if (Warp::lane() == 0) g.high[warp_index() + (size_t)warps * high] = h;
        high++;
    }
}

// This warp's share of the hubs that turned out to have few earlier neighbours.
static __device__ void take_moved(const Run& g, int& high) {
    const int warps = warp_count(), first = (int)(g.head->high >> COUNT_SHIFT), stop = first + g.head->moved;
    for (int i = first + (warp_index() + warps - first % warps) % warps; i < stop; i += warps) {
        const High h = g.high[i];
        __syncwarp();
        if (Warp::lane() == 0) g.high[warp_index() + (size_t)warps * high] = h;
        high++;
    }
    __syncwarp();  // the list is as all see it
}

// ---- high vertices (Algorithm 2) --------------------------------------------------------------------------------------

// The least color from `from` on that a bitmap of so many words lacks; there is one. Whole warps call.
static __device__ unsigned first_free(const unsigned* bitmap, offset_t words, unsigned from) {
    for (offset_t word = from / 32;; word += WARP) {
        const offset_t mine = word + Warp::lane();
        unsigned free = mine < words ? ~look(bitmap + mine) : 0;
        if (mine == from / 32) free &= ~0u << from % 32;
        const unsigned ballot = __ballot_sync(ALL_LANES, free != 0);
        if (ballot) {
            const int lane = __ffs((int)ballot) - 1;
            return (unsigned)(word + lane) * 32 + __ffs((int)__shfl_sync(ALL_LANES, free, lane)) - 1;
        }
    }
}

// Looks at all neighbours that are left: those with a color leave, and mark it. One that blocks `color`, or −1.
template <class Group>
static __device__ int look_at_all(const Run& g, int* row, int& left, unsigned* bitmap, offset_t words, unsigned color) {
    int kept = 0, blocker = -1;
    for (int first = 0; first < left; first += Group::SIZE * DEEP_HIGH) {
        int u[DEEP_HIGH];
        unsigned w[DEEP_HIGH];
#pragma unroll
        for (int k = 0; k < DEEP_HIGH; k++) {
            const int place = first + k * Group::SIZE + Group::lane();
            u[k] = place < left ? row[place] : -1;
        }
#pragma unroll
        for (int k = 0; k < DEEP_HIGH; k++) w[k] = u[k] >= 0 ? look(g.state + u[k]) : ~0u;
        Group::sync();  // all have read the places that are written now
#pragma unroll
        for (int k = 0; k < DEEP_HIGH; k++) {
            const bool stays = !has_color(w[k]);
            if (!stays && u[k] >= 0) {
                const unsigned c = color_of(w[k]);
                if (c / 32 < words) atomicOr(bitmap + c / 32, 1u << c % 32);
            }
            if (blocks(w[k], color, g.sc1)) blocker = u[k];
            int total;
            const int place = kept + Group::rank(stays, total);
            if (stays && place != first + k * Group::SIZE + Group::lane()) row[place] = u[k];
            kept += total;
        }
    }
    left = kept;
    Group::sync();  // marks and row are there for all
    return Group::most(blocker);
}

// One visit of a vertex by all threads of a group; whether it still waits.
template <class Group>
static __device__ bool visit_high(const Run& g, High& h, Tally& tally) {
    const offset_t begin = g.indptr[h.vertex], words = (g.indptr[h.vertex + 1] - begin) / 32 + 1;
    unsigned* bitmap = g.bitmaps + h.bitmap;
    unsigned word = look(g.state + h.vertex);
    for (;;) {
        const unsigned best = best_of(word);
        h.witness = look_at_all<Group>(g, g.dag + begin, h.left, bitmap, words, best);
        const unsigned next = first_free(bitmap, words, best);
        if (h.left == 0 || (g.sc1 && next == best && h.witness < 0)) {
            if (Group::lane() == 0) {
                put(g.state + h.vertex, colored_word(next));
                g.colors[h.vertex] = (int)next;
                tally.add(h.left ? BY_SHORTCUT : CONVENTIONALLY);
            }
            return false;
        }
        if (next == best) return true;
        word = with_best(word, next);
        if (Group::lane() == 0) put(g.state + h.vertex, word);
        if (!g.sc1) return true;  // with another best color, it is worth to look again: every time fewer are left
    }
}

// Whether a vertex should be visited: what kept it from its best color does so no more, or it is time to look at all.
static __device__ __forceinline__ bool is_due(const Run& g, const High& h, int sweep) {
    if (h.witness < 0 || sweep % REFRESH == 0) return true;
    const unsigned mine = look(g.state + h.vertex), theirs = look(g.state + h.witness);
    return !blocks(theirs, best_of(mine), g.sc1);
}

// Visits this warp's high vertices; how many still wait.
static __device__ int sweep_high(const Run& g, int count, int sweep, Tally& tally) {
    High* const mine = g.high + warp_index();
    const size_t stride = warp_count();
    int kept = 0;
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
            if (visit_high<OneWarp>(g, one, tally)) stay |= 1u << lane;
            if (Warp::lane() == lane) h.left = one.left, h.witness = one.witness;
            if (Warp::lane() == 0) tally.add(VISITS);
        }
        if (stay >> Warp::lane() & 1) mine[stride * (kept + __popc(stay & below()))] = h;
        kept += __popc(stay);
        __syncwarp();  // the list is as all see it
    }
    return kept;
}

// The same with this block's hubs.
static __device__ int sweep_hubs(const Run& g, int count, int sweep, Tally& tally) {
    High* const mine = g.hubs + blockIdx.x;
    int kept = 0;
    for (int i = 0; i < count; i++) {
        High h = mine[(size_t)gridDim.x * i];
        const bool due = __syncthreads_or(threadIdx.x == 0 && is_due(g, h, sweep + i));  // one look for all
        const bool waits = !due || visit_high<OneBlock>(g, h, tally);
        if (threadIdx.x == 0 && due) tally.add(VISITS);
        if (waits && threadIdx.x == 0) mine[(size_t)gridDim.x * kept] = h;
        kept += waits;
        __syncthreads();
    }
    return kept;
}

// ---- low vertices (Algorithm 3) --------------------------------------------------------------------------------------

// Entries e … e + 7 of a row whose bits are set, 0 elsewhere; e is a multiple of 4, and `whole` says that pieces of 16
// bytes may be read there.
static __device__ __forceinline__ void read_eight(int* u, const int* entries, offset_t e, unsigned wanted, bool whole) {
#pragma unroll
    for (int half = 0; half < 8; half += 4) {
        const unsigned bits = wanted >> half & 15;
        int4 four = {0, 0, 0, 0};
        if (whole) {
            if (bits) four = *reinterpret_cast<const int4*>(entries + e + half);
        } else {
            if (bits & 1) four.x = entries[e + half];
            if (bits & 2) four.y = entries[e + half + 1];
            if (bits & 4) four.z = entries[e + half + 2];
            if (bits & 8) four.w = entries[e + half + 3];
        }
        u[half] = four.x, u[half + 1] = four.y, u[half + 2] = four.z, u[half + 3] = four.w;
    }
}

// Writes what a visit found out; whether v still waits. `seen`: colors that neighbours without a color consider.
static __device__ __forceinline__ bool settle(const Run& g, int v, unsigned possible, unsigned before, bool alone,
                                              unsigned seen) {
    const unsigned best = FIRST_COLOR >> __clz((int)possible);
    const bool done = alone || (g.sc1 && !(seen & best));
    if (done) possible = best;
    if (possible != before) put(g.state + v, possible);
    return !done;
}

// Orients v and visits it for the first time; if it waits, the neighbours it waits for are in `mask`, as places from the
// multiple of 4 on where its row begins.
static __device__ bool visit_first(const Run& g, int v, offset_t begin, int degree, unsigned& mask, Tally& tally) {
    const offset_t end = begin + degree, base = begin & ~(offset_t)3;
    const Place at = place_of(g.order, v, degree);
    unsigned taken = 0, seen = 0;
    int earlier_ones = 0;
    mask = 0;
    for (offset_t e = base; e < end; e += 8) {
        int u[8];
        unsigned w[8];
        const int skip = e < begin ? (int)(begin - e) : 0, stop = end - e < 8 ? (int)(end - e) : 8;
        const unsigned wanted = (1u << stop) - (1u << skip);
        read_eight(u, g.indices, e, wanted, g.aligned && e + 8 <= g.m);
        const unsigned before = earlier<8>(g.order, u, wanted, at);
#pragma unroll
        for (int k = 0; k < 8; k++) w[k] = before >> k & 1 ? look(g.state + u[k]) : 1u;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            if (!(before >> k & 1)) continue;
            if (has_color(w[k])) {
                taken |= colors_in(w[k]);
            } else {
                seen |= colors_in(w[k]);
                mask |= 1u << (int)(e - base + k);
            }
        }
        earlier_ones += __popc(before);
    }
    const int left = __popc(mask);
    unsigned possible = first_colors(earlier_ones + 1) & ~taken;
    if (g.sc2)  // as many colors as can be needed
        for (int more = __popc(possible) - left - 1; more > 0; more--) possible &= possible - 1;
    const bool waits = settle(g, v, possible, first_colors(degree + 1), left == 0, seen);
    tally.add(VISITS);
    if (!waits) tally.add(earlier_ones == 0 ? INITIALLY : left == 0 ? CONVENTIONALLY : BY_SHORTCUT);
    return waits;
}

// Visits v again: Shortcut 2 drops neighbours, Shortcut 1 may give it a color.
static __device__ bool visit_again(const Run& g, int v, unsigned& mask, Tally& tally) {
    const offset_t begin = g.indptr[v], base = begin & ~(offset_t)3;
    const bool low = g.indptr[v + 1] - begin <= WORD_MOST;
    const int* entries = low ? g.indices : g.dag;
    const unsigned before = look(g.state + v);
    unsigned possible = before, seen = 0;
    for (unsigned rest = mask & ~CUT; rest;) {
        int u[8];
        unsigned w[8];
        const int place = (__ffs((int)rest) - 1) & ~3;
        const unsigned wanted = rest >> place & 255;
        rest &= ~(255u << place);
        read_eight(u, entries, base + place, wanted, low ? g.aligned && base + place + 8 <= g.m : true);
#pragma unroll
        for (int k = 0; k < 8; k++) w[k] = wanted >> k & 1 ? look(g.state + u[k]) : 1u;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            if (!(wanted >> k & 1)) continue;
            const unsigned theirs = colors_in(w[k]);
            const bool done = has_color(w[k]), apart = !(theirs & possible);
            if (apart && g.sc2) {
                possible &= possible - 1;  // one neighbour less, one color less: the worst
                if (!done) mask |= CUT;
            } else if (done) {
                possible &= ~theirs;
            } else {
                seen |= theirs;
                continue;
            }
            mask &= ~(1u << (place + k));
        }
    }
    const bool alone = !(mask & ~CUT), waits = settle(g, v, possible, before, alone, seen);
    tally.add(VISITS);
    if (!waits) tally.add(alone && !(mask & CUT) ? CONVENTIONALLY : BY_SHORTCUT);
    return waits;
}

// Place k of what this warp has: 32 by 32, as its vertices are.
static __device__ __forceinline__ long long low_place(int k) {
    return ((long long)(k / WARP) * warp_count() + warp_index()) * WARP + k % WARP;
}

static __device__ __forceinline__ int keep_low(const Run& g, int kept, bool waits, int v, unsigned mask) {
    const unsigned ballot = __ballot_sync(ALL_LANES, waits);
    if (waits) g.list[low_place(kept + __popc(ballot & below()))] = make_int2(v, (int)mask);
    return kept + __popc(ballot);
}

// The first visit of all vertices of this warp; how many wait.
static __device__ int first_sweep(const Run& g, Tally& tally) {
    int kept = 0;
    for (int k = Warp::lane(); low_place(k) - Warp::lane() < g.n; k += WARP) {
        const long long v = low_place(k);
        bool waits = false;
        unsigned mask = 0;
        if (v < g.n) {
            const offset_t begin = g.indptr[v], degree = g.indptr[v + 1] - begin;
            if (degree <= WORD_MOST) {
                waits = visit_first(g, (int)v, begin, (int)degree, mask, tally);
            } else {
                const unsigned w = look(g.state + v);
                waits = !(w & 1) && !has_color(w);
                if (waits) mask = ((1u << (__popc(w) - 1)) - 1) << (int)(begin & 3);
                if (!(w & 1) && !waits) tally.add(INITIALLY);
            }
        }
        kept = keep_low(g, kept, waits, (int)v, mask);
    }
    __syncwarp();
    return kept;
}

// Visits those that wait; how many still do.
static __device__ int sweep_low(const Run& g, int count, Tally& tally) {
    int kept = 0;
    for (int first = 0; first < count; first += WARP) {
        const int k = first + Warp::lane();
        const int2 entry = k < count ? g.list[low_place(k)] : make_int2(-1, 0);
        unsigned mask = (unsigned)entry.y;
        const bool waits = entry.x >= 0 && visit_again(g, entry.x, mask, tally);
        __syncwarp();  // all have read the places that are written now
        kept = keep_low(g, kept, waits, entry.x, mask);
    }
    __syncwarp();
    return kept;
}

// The colors of this warp's vertices, but for high ones, which have them.
static __device__ void write_colors(const Run& g) {
    for (int k = Warp::lane(); low_place(k) < g.n; k += WARP) {
        const unsigned w = look(g.state + low_place(k));
        if (!(w & 1)) g.colors[low_place(k)] = (int)color_of(w);
    }
}

// ---- all ------------------------------------------------------------------------------------------------------------

static __device__ __forceinline__ void nap() {
#if defined(__CUDA_ARCH__) && NAP
    __nanosleep(NAP);
#endif
}

// High vertices come first, since in most orders nobody else keeps them waiting. Low ones are visited more often the
// more of them take colors.
static __device__ void color_all(const Run& g, int hubs, int high, Tally& tally) {
    int low = -1, patience = PATIENCE, waited = 0;  // low: not visited yet
    for (int sweep = 1; hubs || high || low; sweep++) {
        bool news = false;
        if (hubs) {  // the same for all threads of the block
            const int before = hubs;
            hubs = sweep_hubs(g, hubs, sweep, tally);
            news |= hubs < before;
        }
        if (high) {
            const int before = high;
            high = sweep_high(g, high, sweep, tally);
            news |= high < before;
        }
        if (low && (!(high || hubs) || ++waited >= patience)) {
            const int before = low;
            low = before < 0 ? first_sweep(g, tally) : sweep_low(g, before, tally);
            const bool success = low < before || before < 0;
            patience = success ? max(patience / 2, 1) : min(patience * 2, PATIENCE);
            waited = 0;
            news |= success;
        }
        if (!news) nap();
    }
}

static __device__ void report(const Run& g, const Tally& tally) {
#if TRACE
    for (int k = 0; k < 4; k++) {
        const int sum = Warp::sum((int)tally.count[k]);
        if (Warp::lane() == 0 && sum) atomicAdd(&g.head->tally[k], (u64)sum);
    }
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS)
    ecl_gc(long long n, long long m, const offset_t* indptr, const int* indices, const int* p, int seed, int sc1, int sc2,
           unsigned* state, unsigned char* codes, int2* list, int* dag, unsigned* bitmaps, High* high_list, High* hub_list,
           Head* head, int* colors) {
    const bool aligned = reinterpret_cast<u64>(indices) % 16 == 0;
    const Run g = {n, m, indptr, indices, state, colors, list, dag, bitmaps, high_list, hub_list, head,
                   {indptr, p, codes, (unsigned)seed}, sc1 != 0, sc2 != 0, aligned};
    Tally tally = {};
    int goal = 0, hubs = 0, high = 0;
    prepare(g);
    meet(&head->arrived, goal);
    if (head->high) {
        orient_all(g, hubs, high);
        meet(&head->arrived, goal);
        take_moved(g, high);
    }
    color_all(g, hubs, high, tally);
    write_colors(g);
    report(g, tally);
}
