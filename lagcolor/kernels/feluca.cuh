// What the kernels of Feluca share: initial colors, the top-down selection, groups of threads, lists by degree class,
// and the meeting of all blocks.
//
// Within a phase no word is both written and read by different threads, but for marks and counters (atomics): colors
// are read from one array and written to another. Between phases all blocks meet.
#pragma once

typedef long long i64;
typedef unsigned long long u64;
#if OFFSET_BITS == 64
typedef i64 offset_t;
#else
typedef int offset_t;
#endif

#ifndef BLOCK
#define BLOCK 256  // threads; as in gpu.py
#endif
#define WARP 32
#define ALL_LANES 0xffffffffu
#define CLASSES 3                          // of degree: a thread's, a warp's, a block's
enum { THREAD_MOST = 32, WARP_MOST = 2048 };  // largest degrees of the first two, as in gpu.py

static __device__ __forceinline__ int class_of(i64 degree) {
    return degree > WARP_MOST ? 2 : degree > THREAD_MOST ? 1 : 0;
}

// Relaxed, device scope: what another block may be writing.
static __device__ __forceinline__ int look(const int* at) {
#ifdef __CUDA_ARCH__
    int x;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(x) : "l"(at) : "memory");
    return x;
#else
    return *at;
#endif
}

static __device__ __forceinline__ unsigned char look(const unsigned char* at) {
#ifdef __CUDA_ARCH__
    unsigned x;
    asm volatile("ld.relaxed.gpu.global.u8 %0, [%1];" : "=r"(x) : "l"(at) : "memory");
    return (unsigned char)x;
#else
    return *at;
#endif
}

static __device__ __forceinline__ void put(int* at, int x) {
#ifdef __CUDA_ARCH__
    asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(at), "r"(x) : "memory");
#else
    *at = x;
#endif
}

static __device__ __forceinline__ void put(unsigned char* at, unsigned char x) {
#ifdef __CUDA_ARCH__
    asm volatile("st.relaxed.gpu.global.u8 [%0], %1;" ::"l"(at), "r"((unsigned)x) : "memory");
#else
    *at = x;
#endif
}

static __device__ __forceinline__ int leading_zeros(unsigned x) {  // of a word that is not 0
#ifdef __CUDA_ARCH__
    return __clz((int)x);
#else
    return __builtin_clz(x);
#endif
}

static __device__ __forceinline__ int trailing_zeros(u64 x) {  // 64 for 0
#ifdef __CUDA_ARCH__
    return x ? __ffsll((i64)x) - 1 : 64;
#else
    return x ? __builtin_ctzll(x) : 64;
#endif
}

// The color that a vertex draws from COLORS: as in recursion.py.
static __device__ __forceinline__ int initial_color(int v, i64 word, i64 size) {
    unsigned h = (unsigned)v ^ (unsigned)word;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    h ^= h >> 16;
    return (int)((u64)h * (u64)size >> 32);
}

// Bit b of `seen`: a parent has color start + b, bit 0 always. NeighborColors holds the lowest length - 1 of these and
// the greatest of all parents' colors: the first gap that it shows, or the color after the greatest.
static __device__ __forceinline__ int next_color(int start, u64 seen, int greatest, int length) {
    const int run = trailing_zeros(~seen), c = start + (run < length - 1 ? run : length - 1);
    return c == greatest ? c + 1 : c;
}

// ---- what is known of the parents of one vertex, by however many threads --------------------

struct Parents {
    u64 seen;
    int least, greatest;
    bool hit;  // one has the vertex's own color
};

static __device__ __forceinline__ void include(Parents& a, int c, int own, int start) {
    const u64 above = (u64)((i64)c - start);
    if (above < 64) a.seen |= 1ull << above;
    a.least = c < a.least ? c : a.least;
    a.greatest = c > a.greatest ? c : a.greatest;
    a.hit |= c == own;
}

static __device__ __forceinline__ void join(Parents& a, const Parents& b) {
    a.seen |= b.seen;
    a.least = b.least < a.least ? b.least : a.least;
    a.greatest = b.greatest > a.greatest ? b.greatest : a.greatest;
    a.hit |= b.hit;
}

static __device__ __forceinline__ Parents nobody() { return {0, 0x7fffffff, -1, false}; }

static __device__ __forceinline__ Parents all_of_warp(Parents a) {
    for (int d = WARP / 2; d > 0; d /= 2) {
        Parents b;
        b.seen = __shfl_xor_sync(ALL_LANES, a.seen, d);
        b.least = __shfl_xor_sync(ALL_LANES, a.least, d);
        b.greatest = __shfl_xor_sync(ALL_LANES, a.greatest, d);
        b.hit = __shfl_xor_sync(ALL_LANES, (int)a.hit, d);
        join(a, b);
    }
    return a;
}

// A group of threads that work on a row together: a thread, a warp or a block.
struct Alone {
    static __device__ __forceinline__ int size() { return 1; }
    static __device__ __forceinline__ int lane() { return 0; }
    static __device__ __forceinline__ Parents all(Parents a) { return a; }
    static __device__ __forceinline__ int sum(int x) { return x; }
};

struct Warp {
    static __device__ __forceinline__ int size() { return WARP; }
    static __device__ __forceinline__ int lane() { return threadIdx.x % WARP; }
    static __device__ __forceinline__ Parents all(Parents a) { return all_of_warp(a); }
    static __device__ __forceinline__ int sum(int x) {
        for (int d = WARP / 2; d > 0; d /= 2) x += __shfl_xor_sync(ALL_LANES, x, d);
        return x;
    }
};

struct Block {
    static __device__ __forceinline__ int size() { return blockDim.x; }
    static __device__ __forceinline__ int lane() { return threadIdx.x; }
    static __device__ Parents all(Parents a) {
        __shared__ u64 seen[WARP];
        __shared__ int least[WARP], greatest[WARP], hit[WARP];
        const int warp = threadIdx.x / WARP;
        a = all_of_warp(a);
        if (threadIdx.x % WARP == 0) seen[warp] = a.seen, least[warp] = a.least, greatest[warp] = a.greatest, hit[warp] = a.hit;
        __syncthreads();
        for (int w = 0; w < (int)blockDim.x / WARP; w++) join(a, {seen[w], least[w], greatest[w], hit[w] != 0});
        __syncthreads();
        return a;
    }
    static __device__ int sum(int x) {
        __shared__ int sums[WARP];
        x = Warp::sum(x);
        if (threadIdx.x % WARP == 0) sums[threadIdx.x / WARP] = x;
        __syncthreads();
        x = 0;
        for (int w = 0; w < (int)blockDim.x / WARP; w++) x += sums[w];
        __syncthreads();
        return x;
    }
};

// Where the parents of v end in its row: a step looks at 32 places; the whole warp calls.
static __device__ __forceinline__ offset_t end_of_parents(int v, offset_t low, offset_t high, const int* indices) {
    while (low < high) {
        const offset_t step = (high - low + WARP - 1) / WARP, at = low + step * (threadIdx.x % WARP);
        const int parents = __popc(__ballot_sync(ALL_LANES, at < high && indices[at] < v));
        if (parents == 0) return low;
        if (low + parents * step < high) high = low + parents * step;
        low += (parents - 1) * step + 1;
    }
    return low;
}

// What is known of the parents of v, to all of the group. Where a thread is alone it stops at the first child.
template <class Group, class Color>
static __device__ __forceinline__ Parents parents_of(int v, int own, int start, const offset_t* indptr,
                                                     const int* indices, Color color) {
    const offset_t begin = indptr[v];
    offset_t end = indptr[v + 1];
    Parents found = nobody();
    if (Group::size() == 1) {
        for (offset_t e = begin; e < end; e++) {
            const int u = indices[e];
            if (u >= v) break;
            include(found, color(u), own, start);
        }
        return found;
    }
    end = end_of_parents(v, begin, end, indices);
    const int size = Group::size();
    offset_t e = begin + Group::lane();
    for (; e + 3 * (offset_t)size < end; e += 4 * (offset_t)size) {  // four gathers under way
        const int a = color(indices[e]), b = color(indices[e + size]), c = color(indices[e + 2 * (offset_t)size]),
                  d = color(indices[e + 3 * (offset_t)size]);
        include(found, a, own, start);
        include(found, b, own, start);
        include(found, c, own, start);
        include(found, d, own, start);
    }
    for (; e < end; e += size) include(found, color(indices[e]), own, start);
    return Group::all(found);
}

// The next color of v, known to all of the group; -1 where v has no parent's color. The first round starts at the
// parents' least color, the others at the vertex's own.
template <class Group, bool first, class Color>
static __device__ __forceinline__ int select_color(int v, const offset_t* indptr, const int* indices, Color color,
                                                   int length) {
    const int own = color(v);
    Parents found = parents_of<Group>(v, own, first ? 0 : own, indptr, indices, color);
    if (!found.hit) return -1;
    const int start = first ? found.least : own;
    if (first && start > 0) found = parents_of<Group>(v, own, start, indptr, indices, color);
    return next_color(start, found.seen, found.greatest, length);
}

// ---- lists, and the meeting of blocks ---------------------------------------------------------

// A list has a part for each degree class, beginning at 0, begin_1 and begin_2; counts[part] are in it.
#define LIST_PARAMETERS int* list, i64 begin_1, i64 begin_2, int* counts
#define LIST list, begin_1, begin_2, counts
static __device__ __forceinline__ i64 begin_of(int part, i64 begin_1, i64 begin_2) {
    return part == 0 ? 0 : part == 1 ? begin_1 : begin_2;
}

// What the threads of a block find for a list, gathered in shared memory: an atomic a warp on the list's own counter
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
    __syncthreads();  // nobody adds before all have seen the count
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
            if (own[k] == part) place[k] = base + __popc(votes & ((1u << lane) - 1));
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

// Calls work(group, at) for every place of a list, by groups of threads that suit the degree of the vertex there; hubs
// first, and the rest from the other end, for the blocks that have had none. work.settle() is called by the whole block
// after each tile of its threads. Hubs are far from alike: with `ticket`, which begins at 0, a block takes the next of
// them when it is through with one.
template <class Work>
static __device__ __forceinline__ void for_list(i64 begin_1, i64 begin_2, const int* counts, Work& work,
                                                int* ticket = nullptr) {
    __shared__ int upcoming;
    const int hubs = look(counts + 2), rows = look(counts + 1), threads = look(counts);
    for (int i = blockIdx.x; i < hubs;) {
        int next = i;
        if (threadIdx.x == 0) next = (ticket ? atomicAdd(ticket, 1) : i) + (int)gridDim.x;
        work(Block(), begin_2 + i);
        if (threadIdx.x == 0) upcoming = next;
        __syncthreads();
        i = upcoming;
        __syncthreads();
    }
    const i64 back = (i64)(gridDim.x - 1 - blockIdx.x);
    for (i64 i = back + (i64)gridDim.x * (threadIdx.x / WARP); i < rows; i += (i64)gridDim.x * (BLOCK / WARP))
        work(Warp(), begin_1 + i);
    for (i64 tile = back * BLOCK; tile < threads; tile += (i64)gridDim.x * BLOCK) {
        if (tile + threadIdx.x < threads) work(Alone(), tile + threadIdx.x);
        work.settle();
    }
}

// All blocks wait for each other, and must run at the same time; what one wrote before, all see after. `arrived` and
// `goal` begin at 0.
static __device__ void meet(int* arrived, int& goal) {
    __syncthreads();
    if (threadIdx.x == 0) {
        goal += gridDim.x;
        __threadfence();
        atomicAdd(arrived, 1);
        while (look(arrived) < goal) {}
        __threadfence();
    }
    __syncthreads();
}
