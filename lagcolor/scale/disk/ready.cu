// variants: OFFSET_BITS=64 GROUP=8,32
// What is ready in a block of rows, in any order: vertices whose earlier neighbors all have their colors.
//
// state[v] is as in rows.cu. Rounds, each a launch: a row of which an earlier neighbor has no color goes to the list of the
// next round, any other is colored. When a round colors nothing the rest depends on other blocks. Nothing waits, so that
// rows that cannot be colored cost no more than others; memory of the device is read some 50 times faster than rows come.
// The neighbors of a row that is left are earlier where they have a color: a later one would have waited for it.
//
// A colored vertex keeps its color, so that a state read late is at worst one more round.
//
// Bytes that must move: per round 4 per entry of what is left, one state each (from L2), 20 per row.
#include "device/include/group.cuh"

#define BLOCK 256
#define EDGES 4  // that a lane has in flight
#define UNCOLORED 0x80000000u
typedef Threads<GROUP> Group;

struct Rows {
    i64 first;
    const offset_t* __restrict__ offsets;
    offset_t base;
    const int* __restrict__ indices;
    __device__ __forceinline__ offset_t begin(i64 row) const { return offsets[row] - base; }
};

static __device__ __forceinline__ bool is_earlier(unsigned s, unsigned mine) { return s < UNCOLORED || s > mine; }

// Whether an earlier neighbor has no color; else the row's vertex gets its own. The group calls.
static __device__ __forceinline__ bool is_pending(Rows rows, int row, unsigned* state) {
    const int v = (int)(rows.first + row);
    const unsigned mine = load_relaxed(state + v);
    const offset_t begin = rows.begin(row), end = rows.begin(row + 1);
    for (unsigned window = 0;; window += 64) {
        u64 taken = 0;
        bool pending = false;
        for (offset_t e = begin; e < end && !pending; e += GROUP * EDGES) {
            unsigned s[EDGES];
#pragma unroll
            for (int k = 0; k < EDGES; k++) {
                const offset_t at = e + k * GROUP + Group::lane();
                s[k] = at < end ? load_unfenced(state + rows.indices[at]) : UNCOLORED;
            }
#pragma unroll
            for (int k = 0; k < EDGES; k++) {
                pending |= s[k] > mine;
                if (s[k] - window < 64) taken |= 1ull << (s[k] - window);
            }
            pending = Group::any(pending);
        }
        if (pending) return true;
        taken = Group::template reduce<Either>(taken);
        if (taken != ~0ull) {
            const unsigned color = window + (unsigned)__ffsll((long long)~taken) - 1;
            if (Group::lane() == 0) store_relaxed(state + v, color);
            return false;
        }
    }
}

// One round over the rows of a list (null: all); those that stay go to `next`.
extern "C" __global__ void __launch_bounds__(BLOCK)
    color_ready(i64 count, const unsigned* __restrict__ n_listed, const int* __restrict__ listed, i64 first,
                const offset_t* __restrict__ offsets, i64 base, const int* __restrict__ indices, unsigned* n_next,
                int* next, unsigned* state) {
    const Rows rows = {first, offsets, (offset_t)base, indices};
    const i64 n = listed ? (i64)*n_listed : count, warps = (i64)gridDim.x * (BLOCK / WARP);
    const int each = WARP / GROUP, mine = threadIdx.x % WARP / GROUP;
    for (i64 at = ((i64)blockIdx.x * BLOCK + threadIdx.x) / WARP * each; at < n; at += warps * each) {
        const int row = at + mine >= n ? -1 : listed ? listed[at + mine] : (int)(at + mine);
        const bool stays = row >= 0 && is_pending(rows, row, state);
        __syncwarp();
        const bool listing = stays && Group::lane() == 0;
        const unsigned place = append_warp(listing, n_next);
        if (listing) next[place] = row;
    }
}

// ``visit(i, mine, begin, end)`` for each of some rows: its place in the list, the state of its vertex, and its entries.
// A group each.
template <class Visit>
static __device__ __forceinline__ void each_listed(i64 n, const int* __restrict__ listed, Rows rows,
                                                   const unsigned* __restrict__ state, Visit visit) {
    const i64 groups = (i64)gridDim.x * (BLOCK / GROUP);
    for (i64 i = ((i64)blockIdx.x * BLOCK + threadIdx.x) / GROUP; i < n; i += groups) {
        const int row = listed[i];
        visit(i, state[rows.first + row], rows.begin(row), rows.begin(row + 1));
    }
}

// How many earlier neighbors each of some rows has.
extern "C" __global__ void __launch_bounds__(BLOCK)
    count_earlier(i64 n, const int* __restrict__ listed, i64 first, const offset_t* __restrict__ offsets, i64 base,
                  const int* __restrict__ indices, const unsigned* __restrict__ state, i64* counts) {
    const auto count_row = [=](i64 i, unsigned mine, offset_t begin, offset_t end) {
        i64 count = 0;
        for (offset_t e = begin + Group::lane(); e < end; e += GROUP) count += is_earlier(state[indices[e]], mine);
        count = Group::template reduce<Plus>(count);
        if (Group::lane() == 0) counts[i] = count;
    };
    each_listed(n, listed, {first, offsets, (offset_t)base, indices}, state, count_row);
}

// These neighbors, of row i until place ends[i].
extern "C" __global__ void __launch_bounds__(BLOCK)
    copy_earlier(i64 n, const int* __restrict__ listed, i64 first, const offset_t* __restrict__ offsets, i64 base,
                 const int* __restrict__ indices, const unsigned* __restrict__ state, const i64* __restrict__ ends,
                 int* out) {
    const auto copy_row = [=](i64 i, unsigned mine, offset_t begin, offset_t end) {
        i64 to = i ? ends[i - 1] : 0;
        for (offset_t e = begin; e < end; e += GROUP) {
            const offset_t at = e + Group::lane();
            const int u = at < end ? indices[at] : -1;
            const bool kept = u >= 0 && is_earlier(state[u], mine);
            const unsigned votes = __ballot_sync(Group::lanes(), kept);
            if (kept) out[to + rank_in(votes)] = u;
            to += __popc(votes);
        }
    };
    each_listed(n, listed, {first, offsets, (offset_t)base, indices}, state, copy_row);
}
