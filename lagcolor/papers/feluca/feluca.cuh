// What the kernels of Feluca share: initial colors, the top-down selection and lists by degree class.
//
// Within a phase no word is both written and read by different threads, but for marks and counters (atomics): colors
// are read from one array and written to another. Between phases is a grid barrier.
#pragma once
#include "device/include/grid.cuh"
#include "device/include/hash.cuh"
#include "device/include/palette.cuh"

#ifndef BLOCK
#define BLOCK 256  // threads; as in launch.py
#endif
#define BATCH 4  // gathers of a thread that are in flight together
#define CLASSES 3                          // of degree: a thread's, a warp's, a block's
enum { THREAD_MOST = 32, WARP_MOST = 2048 };  // largest degrees of the first two, as in launch.py

static __device__ __forceinline__ int class_of(i64 degree) {
    return degree_class(degree, THREAD_MOST, WARP_MOST);
}

// The color that a vertex draws from COLORS: as in recursion.py.
static __device__ __forceinline__ int initial_color(int v, unsigned word, i64 size) {
    return (int)((u64)mix((unsigned)v, word) * (u64)size >> 32);
}

// The color of a vertex: still the one it draws, or what an array says.
struct Drawn {
    unsigned word;
    i64 size;
    __device__ __forceinline__ int operator()(int v) const { return initial_color(v, word, size); }
};

struct Stored {
    const int* colors;
    __device__ __forceinline__ int operator()(int v) const { return colors[v]; }
};

// The word whose hashes draw gaps after round `r` of conflicts: as in recursion.py.
static __device__ __forceinline__ unsigned word_of_round(i64 word, i64 r) {
    return (unsigned)word ^ (unsigned)(r + 1) * 0x9e3779b9u;
}

// ---- what is known of the parents of one vertex, by however many threads --------------------

struct Parents {
    u64 low, near;  // bits of the colors 0 … 63, and of base … base + 63
    int greatest;
};

static __device__ __forceinline__ void include(Parents& a, int c, int base) {
    const unsigned up = (unsigned)c - (unsigned)base;
    if ((unsigned)c < 64) a.low |= 1ull << c;
    if (up < 64) a.near |= 1ull << up;
    a.greatest = c > a.greatest ? c : a.greatest;
}

static __device__ __forceinline__ Parents no_parents() { return {0, 0, -1}; }

// Colors around one's own are what one needs to know of, where there are many.
static __device__ __forceinline__ int base_of(int own) { return own > 32 ? own - 32 : 0; }

static __device__ __forceinline__ bool conflicts(const Parents& p, int own) { return p.near >> (own - base_of(own)) & 1; }

static __device__ __forceinline__ u64 below(int k) { return k < 64 ? (1ull << k) - 1 : ~0ull; }

static __device__ __forceinline__ u64 from_lowest(u64 x) { return x ? ~((x & -x) - 1) : 0; }

// What a short array shows of `seen`: all, or the lowest length - 1 and the bit of the greatest.
static __device__ __forceinline__ u64 shown(u64 seen, int greatest, int length) {
    if (__popcll(seen) < length) return seen;
    u64 rest = seen;
    for (int k = 1; k < length; k++) rest &= rest - 1;
    return seen ^ rest | (greatest < 64 ? 1ull << greatest : 0);
}

// A color for v, which has that of a parent: as in recursion.py.
static __device__ __forceinline__ int next_color(int v, int own, const Parents& p, int length, unsigned word) {
    const int base = base_of(own);
    int start = 0;
    u64 gaps = ~p.low & from_lowest(p.low);
    if (p.greatest < 64 && __popcll(p.low) <= length) {
        gaps &= below(p.greatest);
    } else if (length < 64) {
        start = own;
        gaps = ~shown(p.near >> (own - base), p.greatest - own, length) & below(p.greatest - own) & below(64 - (own - base));
    } else {
        const u64 here = ~p.near & below(p.greatest - base) & (p.low ? ~0ull : from_lowest(p.near));
        const int least = least_free(~p.low);
        const u64 wanted = p.low && least > base ? ~below(least - base) & here : here;
        if (wanted) gaps = wanted, start = base;
    }
    if (gaps == 0) return p.greatest + 1;
    for (int k = initial_color(v, word, __popcll(gaps)); k > 0; k--) gaps &= gaps - 1;
    return start + least_free(~gaps);
}

typedef Threads<BLOCK> Block;

static __device__ __forceinline__ Parents merged(const Parents& a, const Parents& b) {
    return {a.low | b.low, a.near | b.near, b.greatest > a.greatest ? b.greatest : a.greatest};
}

// What all threads of a group have found, known to every one.
template <class Group> static __device__ __forceinline__ Parents all_of(Parents a) {
    const unsigned lanes = Group::lanes();
    for (int d = (Group::SIZE < WARP ? Group::SIZE : WARP) / 2; d > 0; d /= 2)
        a = merged(a, {__shfl_xor_sync(lanes, a.low, d), __shfl_xor_sync(lanes, a.near, d),
                       __shfl_xor_sync(lanes, a.greatest, d)});
    if constexpr (Group::SIZE > WARP) {
        const Parents* parts = Group::of_warps(a);
        for (int w = 0; w < Group::SIZE / WARP; w++) a = merged(a, parts[w]);
    }
    return a;
}

// What this thread finds among the parents in entries `e` … `end` - 1 of a row; it stops at its first child.
template <class Group, class Color>
static __device__ __forceinline__ Parents parents_within(int v, int base, offset_t e, offset_t end, const int* indices,
                                                         Color color) {
    const offset_t size = Group::SIZE;
    Parents found = no_parents();
    for (e += Group::lane(); e < end; e += BATCH * size) {
        int u[BATCH], c[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++) u[k] = e + k * size < end ? indices[e + k * size] : v;
#pragma unroll
        for (int k = 0; k < BATCH; k++) c[k] = u[k] < v ? color(u[k]) : -1;
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            if (u[k] < v) include(found, c[k], base);
        if (u[BATCH - 1] >= v) break;
    }
    return found;
}

// The next color of v, known to all of the group; -1 where v has no parent's color.
template <class Group, class Color>
static __device__ __forceinline__ int select_color(int v, const offset_t* indptr, const int* indices, Color color,
                                                   int length, unsigned word) {
    const int own = color(v);
    const Parents found = parents_within<Group>(v, base_of(own), indptr[v], indptr[v + 1], indices, color);
    if (!Group::any(conflicts(found, own))) return -1;
    return next_color(v, own, all_of<Group>(found), length, word);
}

// ---- lists ------------------------------------------------------------------------------------

// A list has a part for each degree class, beginning at 0, begin_1 and begin_2; counts[part] are in it.
#define LIST_PARAMETERS int* list, i64 begin_1, i64 begin_2, int* counts
#define LIST list, begin_1, begin_2, counts
static __device__ __forceinline__ i64 begin_of(int part, i64 begin_1, i64 begin_2) {
    return part == 0 ? 0 : part == 1 ? begin_1 : begin_2;
}

// What the threads of a block find for a list, gathered in shared memory: one atomic per warp on the list's own counter
// costs 0.6 ns for each warp of the grid. What does not fit goes straight to the list.
#define FOUND_ROOM (4 * BLOCK)
struct Found {
    int items[FOUND_ROOM];
    int count, size[CLASSES], base[CLASSES];
};

static __device__ __forceinline__ void begin_found(Found& found) {
    if (threadIdx.x == 0) found.count = 0;
    __syncthreads();
}

static __device__ __forceinline__ void add_found(Found& found, int v, const offset_t* indptr, LIST_PARAMETERS) {
    const int at = atomicAdd(&found.count, 1);
    if (at < FOUND_ROOM) {
        found.items[at] = v;
        return;
    }
    const int part = class_of((i64)(indptr[v + 1] - indptr[v]));
    list[begin_of(part, begin_1, begin_2) + atomicAdd(counts + part, 1)] = v;
}

// The whole block calls; does nothing for up to `least` items.
static __device__ void flush_found(Found& found, int least, const offset_t* indptr, LIST_PARAMETERS) {
    __syncthreads();
    const int total = found.count < FOUND_ROOM ? found.count : FOUND_ROOM, lane = threadIdx.x % WARP;
    __syncthreads();  // no thread adds before all have seen the count
    if (total <= least) return;
    if (threadIdx.x < CLASSES) found.size[threadIdx.x] = 0;
    __syncthreads();
    int own[FOUND_ROOM / BLOCK], place[FOUND_ROOM / BLOCK];
#pragma unroll
    for (int k = 0; k < FOUND_ROOM / BLOCK; k++) {
        const int i = k * BLOCK + threadIdx.x, v = i < total ? found.items[i] : 0;
        own[k] = i < total ? class_of((i64)(indptr[v + 1] - indptr[v])) : -1;
        for (int part = 0; part < CLASSES; part++) {
            const unsigned votes = __ballot_sync(ALL_LANES, own[k] == part);
            if (votes == 0) continue;
            int base = 0;
            if (lane == 0) base = atomicAdd(&found.size[part], __popc(votes));
            base = __shfl_sync(ALL_LANES, base, 0);
            if (own[k] == part) place[k] = base + rank_in(votes);
        }
    }
    __syncthreads();
    if (threadIdx.x < CLASSES && found.size[threadIdx.x])
        found.base[threadIdx.x] = atomicAdd(counts + threadIdx.x, found.size[threadIdx.x]);
    if (threadIdx.x == 0) found.count = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < FOUND_ROOM / BLOCK; k++)
        if (own[k] >= 0)
            list[begin_of(own[k], begin_1, begin_2) + found.base[own[k]] + place[k]] = found.items[k * BLOCK + threadIdx.x];
    __syncthreads();
}

// Places from `begin` on, a block each. Hubs are far from alike: with `ticket`, which begins at 0, a block takes the next
// of them when it is through with one.
template <class Work>
static __device__ __forceinline__ void for_hubs(i64 begin, const int* counts, Work& work, int* ticket) {
    __shared__ int upcoming;
    const int hubs = load_relaxed(counts + 2);
    for (int i = blockIdx.x; i < hubs;) {
        int next = i;
        if (threadIdx.x == 0) next = (ticket ? atomicAdd(ticket, 1) : i) + (int)gridDim.x;
        work(Block(), begin + i);
        if (threadIdx.x == 0) upcoming = next;
        __syncthreads();
        i = upcoming;
        work.settle();
        __syncthreads();
    }
}

// The places of short rows, SIZE threads each; from the last block on.
template <int SIZE, class Work> static __device__ __forceinline__ void for_short(int rows, Work& work) {
    const i64 step = BLOCK / SIZE;
    for (i64 tile = (gridDim.x - 1 - blockIdx.x) * step; tile < rows; tile += gridDim.x * step) {
        const i64 at = tile + threadIdx.x / SIZE;
        if (at < rows) work(Threads<SIZE>(), at);
        work.settle();
    }
}

// The places of all but hubs: a warp for a long row and a thread for a short one or, with `adapt`, more where so few are
// left that some would be idle.
template <bool adapt, class Work>
static __device__ __forceinline__ void for_rows(i64 begin_1, const int* counts, Work& work) {
    const int rows = load_relaxed(counts + 1), short_rows = load_relaxed(counts);
    if (adapt && rows <= (int)gridDim.x) {
        const int i = gridDim.x - 1 - blockIdx.x;
        if (i < rows) work(Block(), begin_1 + i);
        work.settle();
    } else {
        const i64 warps = BLOCK / WARP;
        int turns = 0;
        for (i64 base = (gridDim.x - 1 - blockIdx.x) * warps; base < rows; base += gridDim.x * warps) {
            const i64 i = base + threadIdx.x / WARP;
            if (i < rows) work(Warp(), begin_1 + i);
            if (++turns % 4 == 0) work.settle();
        }
    }
    const i64 all = (i64)gridDim.x * BLOCK;
    if (adapt && (i64)short_rows * WARP <= all) for_short<WARP>(short_rows, work);
    else if (adapt && (i64)short_rows * 8 <= all) for_short<8>(short_rows, work);
    else for_short<1>(short_rows, work);
}

// Calls work(group, at) for every place of a list, by groups of threads that suit the degree of the vertex there; hubs
// first, and the rest from the other end, for the blocks that have had none. work.settle() is called by the whole block
// now and then.
template <class Work>
static __device__ __forceinline__ void for_list(i64 begin_1, i64 begin_2, const int* counts, Work& work) {
    for_hubs(begin_2, counts, work, nullptr);
    for_rows<false>(begin_1, counts, work);
}
