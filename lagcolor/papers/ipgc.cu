// variants: OFFSET_BITS=32,64
// IPGC: speculative first-fit, all rounds in one cooperative launch, with a worklist kept in both modes. ipgc.py says
// what a round is, why it ends, and what was counted.
//
// words[v], relaxed atomics throughout:
//   color                        settled: never changes again
//   LISTED | weight | color      has a color, but is on the worklist and may change it
//   LISTED | BARE | turn         has none yet; turn grows in the order in which the first round takes vertices
// Within a round a word is written once, by the one group that is coloring the vertex; the proof in ipgc.py needs
// only that a reader sees the word from before or after that, and, of settled ones, that they stay.
//
// Bytes: first round 4 n offsets + 4 m columns + 4 m words (mostly L2) + 8 n; a later round the same of its vertices.
#include "device/include/clock.cuh"
#include "papers/ipgc_turns.cuh"
#include "engines/speculative.cuh"

#define LISTED 0x80000000u
#define BARE 0x40000000u
#define COLOR 0x01ffffffu     // color c of first-fit needs c²/2 edges around it: 2^25 colors are out of reach
#define WEIGHT 0x3e000000u    // 5 bits: log2 of the degree
#define HUBS_FIRST 0x00000000u  // what a turn begins with, by class
#define MIDS_NEXT 0x10000000u
#define SMALL_LAST 0x20000000u
#define PIECE 8               // vertices of middle degree that a warp takes at a time
#define CLASSES 3             // of degree: small, middle, hub: a thread's, a warp's, a block's

struct Shape {  // what is known before the first round
    const offset_t* __restrict__ indptr;
    const int* __restrict__ indices;
    int n;
    unsigned* words;
    int* heavy;     // hubs, then vertices of middle degree, each by rising id
    int* lists;     // two worklists in turn, n each; parts begin at start(part)
    int hubs, mids; // how many
    int log_steps;  // a warp takes 32 << log_steps neighbouring vertices of the first round, 32 at a time
    __device__ int start(int part) const { return part == 0 ? hubs + mids : part == 1 ? hubs : 0; }
    __device__ int* list(i64 round, int part) const { return lists + (round & 1) * (i64)n + start(part); }
};

struct Record {  // of a round, in global memory; zeros before it
    u64 active[CLASSES], tickets[CLASSES], conflicts, topology, begun, unused[7];
};

// ---- who goes when in the first round -----------------------------------------------------------------------------

static __device__ __forceinline__ Turns turns_of_small(const Shape& s) {
    const int tile = BLOCK << s.log_steps;
    return Turns((int)(((i64)s.n + tile - 1) / tile), gridDim.x);
}

static __device__ __forceinline__ Turns turns_of_mids(const Shape& s) {
    return Turns((s.mids + PIECE - 1) / PIECE, gridDim.x * WARPS);
}

static __device__ __forceinline__ int class_of(offset_t degree) {
    return degree_class(degree, SMALL_MOST, WARP_MOST);
}

// ---- the two orders ---------------------------------------------------------------------------------------------

// First round: colors count, and a neighbour without one is a possible conflict if its turn is before v's.
struct FirstLook {
    int v;
    unsigned own;      // v's bare word
    int fellow_bits;   // ids of vertices that this very warp colors now differ from v in these bits only
    unsigned fellows;  // the lanes that have neighbours of v
    __device__ unsigned look_at(Seen& seen, int u, unsigned w) {
        if (!(w & BARE)) return w & COLOR;
        if ((u | fellow_bits) == (v | fellow_bits) && (w & SMALL_LAST)) fellows |= 1u << (u & 31);
        else if (w < own || (w == own && mix(u >> 5) < mix(v >> 5))) seen.possible_conflict = true;
        // Of one word and one 32, they are fellows, or of middle degree and in turn by id.
        else if (w == own && u >> 5 == v >> 5 && u < v) seen.possible_conflict = true;
        return NO_COLOR;
    }
};

// Later rounds: of two listed neighbours the one of larger weight is first, then that of smaller hash; settled
// neighbours are before all listed ones.
struct LaterLook {
    int v;
    unsigned own;
    __device__ unsigned look_at(Seen& seen, int u, unsigned w) {
        const unsigned c = w & COLOR;
        const bool same = c == (own & COLOR);
        if (!(w & LISTED)) {
            seen.conflict |= same;
        } else {
            const unsigned wu = w & WEIGHT, wv = own & WEIGHT;
            if (wu > wv || (wu == wv && mix(u) < mix(v))) {
                seen.possible_conflict = true;
                seen.conflict |= same;
            }
        }
        return c;
    }
};

// The word that v gets: its color and, where an earlier neighbour may still take the same, the mark.
static __device__ __forceinline__ unsigned word_of(unsigned color, bool stays, offset_t degree) {
    unsigned weight = 0;
    while (degree >> (weight + 1) && weight < 31) weight++;
    return stays ? LISTED | weight << 25 | color : color;
}

// What a look at all neighbours comes to; true if v stays on the worklist.
static __device__ __forceinline__ bool settle(const Shape& s, int v, unsigned own, Seen seen, unsigned least,
                                              offset_t degree, bool writer, unsigned& conflicts) {
    const bool moves = (own & BARE) || seen.conflict;
    const bool stays = moves && seen.possible_conflict;
    if (writer) {
        store_relaxed(s.words + v, moves ? word_of(least, stays, degree) : own & COLOR);
        conflicts += moves && !(own & BARE);
    }
    return stays;
}

static __device__ __forceinline__ unsigned look_by_warp(const Shape& s, int v, unsigned own, Seen& seen,
                                                        unsigned* bitmap, offset_t begin, offset_t end) {
    if (own & BARE) {
        FirstLook rule = {v, own, 0, 0};
        return look_as_warp(rule, seen, begin, end, s.indices, s.words, bitmap);
    }
    LaterLook rule = {v, own};
    return look_as_warp(rule, seen, begin, end, s.indices, s.words, bitmap);
}

// ---- before the first round -----------------------------------------------------------------------------------------

struct Share {  // of the vertices: a block's own piece, for counting and listing in order
    int begin, end;
    __device__ Share(int n) {
        const int each = (int)(((i64)n + gridDim.x - 1) / gridDim.x);
        begin = (int)min_of((i64)blockIdx.x * each, n);
        end = (int)min_of((i64)begin + each, n);
    }
    static __device__ i64 min_of(i64 a, i64 b) { return a < b ? a : b; }
};

// Words of small vertices; counts[2·block + (0, 1)]: hubs and vertices of middle degree among the block's share.
static __device__ void survey(const Shape& s, unsigned* counts, bool fill_list) {
    __shared__ unsigned found[2];
    if (threadIdx.x < 2) found[threadIdx.x] = 0;
    __syncthreads();
    const Turns turns = turns_of_small(s);
    const Share share(s.n);
    unsigned hubs = 0, mids = 0;
    for (i64 i = share.begin + (i64)threadIdx.x; i < share.end; i += BLOCK) {
        const int v = (int)i;
        const int part = class_of(s.indptr[v + 1] - s.indptr[v]);
        hubs += part == 2;
        mids += part == 1;
        const int step = v >> 5 & ((1 << s.log_steps) - 1);
        if (part == 0) {
            const unsigned turn = turns.turn(v >> (8 + s.log_steps)) << s.log_steps | step;
            store_relaxed(s.words + v, LISTED | BARE | SMALL_LAST | turn);
        }
        if (fill_list) s.lists[v] = v;
    }
    if (hubs) atomicAdd(found + 0, hubs);
    if (mids) atomicAdd(found + 1, mids);
    __syncthreads();
    if (threadIdx.x < 2) store_relaxed(counts + 2 * blockIdx.x + threadIdx.x, found[threadIdx.x]);
}

// Hubs and vertices of middle degree into `heavy`, by rising id, and their words. Sets s.hubs and s.mids.
static __device__ void list_heavy(Shape& s, const unsigned* counts) {
    __shared__ unsigned before[2], total[2], warp_counts[2][WARPS];
    if (threadIdx.x < 2) before[threadIdx.x] = total[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 2 * gridDim.x; i += BLOCK) {
        const unsigned k = load_unfenced(counts + i);
        if (k) atomicAdd(total + i % 2, k);
        if (k && i / 2 < blockIdx.x) atomicAdd(before + i % 2, k);
    }
    __syncthreads();
    s.hubs = total[0];
    s.mids = total[1];
    const Turns turns = turns_of_mids(s);
    const Share share(s.n);
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const bool any = load_unfenced(counts + 2 * blockIdx.x) + load_unfenced(counts + 2 * blockIdx.x + 1) != 0;
    for (i64 first = share.begin; any && first < share.end; first += BLOCK) {
        const i64 v = first + threadIdx.x;
        const int part = v < share.end ? class_of(s.indptr[v + 1] - s.indptr[v]) : 0;
        const unsigned votes[2] = {__ballot_sync(ALL_LANES, part == 2), __ballot_sync(ALL_LANES, part == 1)};
        if (lane < 2) warp_counts[lane][warp] = __popc(votes[lane]);
        __syncthreads();
        if (part) {
            const int k = part == 2 ? 0 : 1;
            unsigned i = before[k] + rank_in(votes[k]);
            for (int w = 0; w < warp; w++) i += warp_counts[k][w];
            s.heavy[k ? s.hubs + i : i] = (int)v;
            const unsigned turn = k ? MIDS_NEXT | (turns.turn(i / PIECE) * PIECE + i % PIECE) : HUBS_FIRST | i;
            store_relaxed(s.words + v, LISTED | BARE | turn);
        }
        __syncthreads();
        if (threadIdx.x < 2)
            for (int w = 0; w < WARPS; w++) before[threadIdx.x] += warp_counts[threadIdx.x][w];
        __syncthreads();
    }
}

// ---- worklists -------------------------------------------------------------------------------------------------------

// Vertices of a tile that stay: gathered in shared memory, so that the length in global memory has one atomic per tile.
struct Stage {
    int *items, *count;
    __device__ void add(bool stays, int v) {  // the whole warp calls
        const int place = append_warp(stays, count);
        if (stays) items[place] = v;
    }
    __device__ void flush(int* list, u64* length) {  // the whole block calls
        __shared__ u64 begin;
        __syncthreads();
        const int k = *count;
        __syncthreads();  // all have read it before any thread adds to the next tile
        if (k == 0) return;
        if (threadIdx.x == 0) begin = atomicAdd(length, (u64)k);
        __syncthreads();
        for (int i = threadIdx.x; i < k; i += BLOCK) list[begin + i] = items[i];
        __syncthreads();
        if (threadIdx.x == 0) *count = 0;
        __syncthreads();
    }
};

static __device__ __forceinline__ int next_ticket(u64* tickets) {  // the whole block calls
    __shared__ int ticket;
    __syncthreads();
    if (threadIdx.x == 0) ticket = (int)atomicAdd(tickets, (u64)1);
    __syncthreads();
    return ticket;
}

// ---- hubs and middle degrees: the same in every round ---------------------------------------------------------------

// `all`: the list has every vertex of the class, and those that are settled are passed over.
static __device__ void color_hubs(const Shape& s, const int* list, int count, bool all, i64 round, Record* records,
                                  unsigned& conflicts) {
    while (count) {
        const int i = next_ticket(records[round].tickets + 2);
        if (i >= count) return;
        const int v = list[i];
        const unsigned own = load_unfenced(s.words + v);
        if (all && !(own & LISTED)) continue;
        const offset_t begin = s.indptr[v], end = s.indptr[v + 1];
        Seen seen = {false, false};
        unsigned least;
        if (own & BARE) {
            FirstLook rule = {v, own, 0, 0};
            least = look_as_block(rule, seen, begin, end, s.indices, s.words);
        } else {
            LaterLook rule = {v, own};
            least = look_as_block(rule, seen, begin, end, s.indices, s.words);
        }
        const bool writer = threadIdx.x == 0;
        const bool stays = settle(s, v, own, seen, least, end - begin, writer, conflicts);
        if (stays && writer) s.list(round + 1, 2)[atomicAdd(records[round + 1].active + 2, (u64)1)] = v;
    }
}

// The same by warps, for vertices of middle degree and the last few small ones: those at list[first … first + length).
static __device__ void color_piece(const Shape& s, const int* list, int first, int length, int part, bool all,
                                   i64 round, Record* records, unsigned* bitmap, unsigned& conflicts) {
    const int lane = threadIdx.x % WARP;
    int kept = -1, stayed = 0;
    for (int j = 0; j < length; j++) {
        const int v = list[first + j];
        const unsigned own = load_unfenced(s.words + v);
        if (all && !(own & LISTED)) continue;
        const offset_t begin = s.indptr[v], end = s.indptr[v + 1];
        Seen seen = {false, false};
        const unsigned least = look_by_warp(s, v, own, seen, bitmap, begin, end);
        if (settle(s, v, own, seen, least, end - begin, lane == 0, conflicts)) {
            if (lane == stayed) kept = v;
            stayed++;
        }
        __syncwarp();
    }
    if (stayed == 0) return;
    u64 place = 0;
    if (lane == 0) place = atomicAdd(records[round + 1].active + part, (u64)stayed);
    place = __shfl_sync(ALL_LANES, place, 0);
    if (lane < stayed) s.list(round + 1, part)[place + lane] = kept;
}

static __device__ void color_by_warps(const Shape& s, const int* list, int count, int part, bool all, i64 round,
                                      Record* records, unsigned* bitmap, unsigned& conflicts) {
    const int warps = gridDim.x * WARPS, warp = blockIdx.x + gridDim.x * (threadIdx.x / WARP);
    int length = (count + warps - 1) / warps;
    length = length < 1 ? 1 : length > PIECE ? PIECE : length;
    for (i64 first = (i64)warp * length; first < count; first += (i64)warps * length)
        color_piece(s, list, (int)first, (int)Share::min_of(length, count - first), part, all, round, records, bitmap,
                    conflicts);
}

// First round: pieces by tickets, in their turns.
static __device__ void color_mids_first(const Shape& s, Record* records, unsigned* bitmap, unsigned& conflicts) {
    const Turns turns = turns_of_mids(s);
    while (s.mids) {
        int ticket = 0;
        if (threadIdx.x % WARP == 0) ticket = (int)atomicAdd(records[0].tickets + 1, (u64)1);
        ticket = __shfl_sync(ALL_LANES, ticket, 0);
        if (ticket >= turns.tickets()) return;
        const int first = turns.piece(ticket) * PIECE;
        if (first < s.mids)
            color_piece(s, s.heavy + s.hubs, first, (int)Share::min_of(PIECE, s.mids - first), 1, false, 0, records,
                        bitmap, conflicts);
    }
}

// ---- small vertices -------------------------------------------------------------------------------------------------

// Lanes that take colors before this one: even lanes before odd ones, of those of one kind in turn the even halves …
// (by reversed bits), so that a warp of a mesh, in which neighbours are a lane apart, is done in two steps, not in 32.
static __device__ unsigned lanes_before() {
    unsigned before = 0;
    for (unsigned lane = threadIdx.x % WARP, bit = 1; bit < WARP; bit *= 2)
        for (unsigned l = 0; l < WARP; l++)
            if ((lane & bit) && !(l & bit) && (l & (bit - 1)) == (lane & (bit - 1))) before |= 1u << l;
    return before;
}

// The 32 vertices of a warp have all looked around; now they take colors as if one after another, by that order.
static __device__ __forceinline__ unsigned take_in_turn(bool mine, unsigned taken, unsigned fellows, unsigned before) {
    unsigned waiting = __ballot_sync(ALL_LANES, mine), color = 0;
    while (waiting) {  // the first in order that waits is ready
        const bool waits = waiting >> threadIdx.x % WARP & 1, ready = waits && !(fellows & waiting & before);
        if (ready) color = (unsigned)least_free(taken);
        const unsigned done = __ballot_sync(ALL_LANES, ready);
        waiting &= ~done;
        unsigned news = waits && !ready ? fellows & done : 0;
        while (__any_sync(ALL_LANES, news != 0)) {
            const unsigned c = __shfl_sync(ALL_LANES, color, news ? __ffs((int)news) - 1 : 0);
            if (news) taken |= 1u << c;
            news &= news - 1;
        }
    }
    return color;
}

// First round, a tile a ticket; `list`, where there is one, holds the numbers 0 … n − 1.
static __device__ void color_small_first(const Shape& s, const int* list, Record* records, Stage stage) {
    const Turns turns = turns_of_small(s);
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, steps = 1 << s.log_steps;
    const unsigned before = lanes_before();
    for (;;) {
        const int ticket = next_ticket(records[0].tickets + 0);
        if (ticket >= turns.tickets()) return;
        const i64 tile = turns.piece(ticket);
        for (int step = 0; step < steps; step++) {
            const i64 i = ((tile * WARPS + warp) * steps + step) * WARP + lane;
            const int v = i < s.n ? list ? list[i] : (int)i : 0;
            unsigned own = 0, taken = 0;
            offset_t begin = 0, end = 0;
            if (i < s.n) {
                begin = s.indptr[v];
                end = s.indptr[v + 1];
            }
            const bool mine = i < s.n && end - begin <= SMALL_MOST;
            FirstLook rule = {v, 0, 31, 0};
            Seen seen = {false, false};
            if (mine) {
                rule.own = own = load_unfenced(s.words + v);
                taken = look_alone(rule, seen, begin, end, s.indices, s.words);
            }
            const unsigned color = take_in_turn(mine, taken, rule.fellows, before);
            unsigned none = 0;
            const bool stays = mine && settle(s, v, own, seen, color, end - begin, true, none);
            stage.add(stays, v);
            __syncwarp();  // the next 32 see these colors
        }
        stage.flush(s.list(1, 0), records[1].active + 0);
    }
}

// Later rounds: one thread per vertex of the worklist or, topology-driven, of the graph.
static __device__ void color_small(const Shape& s, const int* list, i64 count, i64 round, Record* records, Stage stage,
                                   unsigned& conflicts) {
    for (i64 first = (i64)blockIdx.x * BLOCK; first < count; first += (i64)gridDim.x * BLOCK) {
        const i64 i = first + threadIdx.x;
        const int v = i < count ? list ? list[i] : (int)i : 0;
        const unsigned own = i < count ? load_unfenced(s.words + v) : 0;
        bool stays = false;
        if (own & LISTED) {
            const offset_t begin = s.indptr[v], end = s.indptr[v + 1];
            if (end - begin <= SMALL_MOST) {
                LaterLook rule = {v, own};
                Seen seen = {false, false};
                const unsigned taken = look_alone(rule, seen, begin, end, s.indices, s.words);
                stays = settle(s, v, own, seen, (unsigned)least_free(taken), end - begin, true, conflicts);
            }
        }
        stage.add(stays, v);
        if (list == nullptr && first + (i64)gridDim.x * BLOCK < count) {
            // Few stay of a sweep over the graph: the stage is emptied when it might not hold another tile.
            __syncthreads();
            const bool full = *stage.count > (BLOCK << 2) - BLOCK;
            __syncthreads();
            if (!full) continue;
        }
        stage.flush(s.list(round + 1, 0), records[round + 1].active + 0);
    }
}

// ---- the launch ---------------------------------------------------------------------------------------------------------

static __device__ void first_round(const Shape& s, bool topology, Record* records, unsigned* bitmap, Stage stage,
                                   unsigned& conflicts) {
    color_hubs(s, s.heavy, s.hubs, false, 0, records, conflicts);
    color_mids_first(s, records, bitmap, conflicts);
    color_small_first(s, topology ? nullptr : s.lists, records, stage);
}

static __device__ void later_round(const Shape& s, i64 round, bool topology, Record* records, unsigned* bitmap,
                                   Stage stage, unsigned& conflicts) {
    const int small = (int)load_relaxed(records[round].active), mids = (int)load_relaxed(records[round].active + 1);
    const int hubs = (int)load_relaxed(records[round].active + 2);
    if (topology) {
        color_hubs(s, s.heavy, hubs ? s.hubs : 0, true, round, records, conflicts);
        color_by_warps(s, s.heavy + s.hubs, mids ? s.mids : 0, 1, true, round, records, bitmap, conflicts);
        color_small(s, nullptr, small ? s.n : 0, round, records, stage, conflicts);
        return;
    }
    color_hubs(s, s.list(round, 2), hubs, false, round, records, conflicts);
    color_by_warps(s, s.list(round, 1), mids, 1, false, round, records, bitmap, conflicts);
    if (small <= gridDim.x * BLOCK / 8)  // threads are idle anyway
        color_by_warps(s, s.list(round, 0), small, 0, false, round, records, bitmap, conflicts);
    else
        color_small(s, s.list(round, 0), small, round, records, stage, conflicts);
}

// Rounds until none is active, `most` at most (an even number: lists change places); fresh: no round was before them.
// limit: topology-driven where more vertices are active. head, zeros at first: counter of the grid barrier, rounds done, hubs,
// vertices of middle degree, grid barriers so far. all_records: most + 1; counts: two words per block.
extern "C" __global__ void __launch_bounds__(BLOCK, 4)
    ipgc_rounds(const offset_t* indptr, const int* indices, i64 n, unsigned* words, int* heavy, int* lists,
                i64 log_steps, i64 limit, i64 fresh, i64 most, u64* head, u64* all_records, unsigned* counts) {
    __shared__ unsigned bitmaps[WARPS][WARP_WORDS];
    __shared__ int staged[BLOCK << 2];
    __shared__ int n_staged;
    __shared__ unsigned n_conflicts;
    if (threadIdx.x == 0) n_staged = n_conflicts = 0;
    Shape s = {indptr, indices, (int)n, words, heavy, lists, (int)head[2], (int)head[3], (int)log_steps};
    Record* records = (Record*)all_records;
    unsigned* bitmap = bitmaps[threadIdx.x / WARP];
    const Stage stage = {staged, &n_staged};
    int goal = (int)head[4], *arrived = (int*)head;
    if (fresh) {
        if (blockIdx.x == 0 && threadIdx.x == 0) records[0].begun = nanoseconds();
        survey(s, counts, n <= limit);
        grid_barrier(arrived, goal);
        list_heavy(s, counts);
        grid_barrier(arrived, goal);
    }
    i64 round = 0;
    for (; round < most; round++) {
        const bool first = fresh && round == 0;
        i64 active = first ? n : 0;
        for (int part = 0; part < CLASSES; part++) active += (i64)load_relaxed(records[round].active + part);
        if (active == 0) break;
        const bool topology = active > limit;
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            if (!first) records[round].begun = nanoseconds();
            records[round].topology = topology;
        }
        unsigned conflicts = 0;
        if (first) first_round(s, topology, records, bitmap, stage, conflicts);
        else later_round(s, round, topology, records, bitmap, stage, conflicts);
        if (conflicts) atomicAdd(&n_conflicts, conflicts);
        __syncthreads();
        if (threadIdx.x == 0)  // by an exchange: the compiler lets all lanes read a plain word ahead of the branch
            if (const unsigned k = atomicExch(&n_conflicts, 0)) atomicAdd(&records[round].conflicts, (u64)k);
        grid_barrier(arrived, goal);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        records[round].begun = nanoseconds();
        head[1] = round;
        head[2] = s.hubs;
        head[3] = s.mids;
        head[4] = (unsigned)goal;
    }
}
