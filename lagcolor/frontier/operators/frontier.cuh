// What the operators share: the helpers of functors, and lists that keep vertices by degree class.
#pragma once
#include "../../../semirings/kernels/common.cuh"
#include "../../device/include/offset.cuh"

// ---- for functors: relaxed, device scope; see functor.py ------------------------------------

template <class T> __device__ inline T load(const T *a, i64 i) {
    static_assert(sizeof(T) == 1 || sizeof(T) == 4 || sizeof(T) == 8, "load: of 1, 4 or 8 bytes");
    if constexpr (sizeof(T) == 1) return T(load_relaxed((const u8 *)(a + i)));
    else return from_word<T>(load_relaxed((const typename WordOf<sizeof(T)>::type *)(a + i)));
}

template <class T, class X> __device__ inline void store(T *a, i64 i, X x) {
    static_assert(sizeof(T) == 1 || sizeof(T) == 4 || sizeof(T) == 8, "store: of 1, 4 or 8 bytes");
    if constexpr (sizeof(T) == 1) store_relaxed((u8 *)(a + i), u8(T(x)));
    else store_relaxed((typename WordOf<sizeof(T)>::type *)(a + i), to_word(T(x)));
}

template <class T, class E, class X> __device__ inline bool claim(T *a, i64 i, E expected, X x) {
    typedef typename WordOf<sizeof(T)>::type Word;
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "claim: of 4 or 8 bytes");
    Word was = to_word(T(expected));
    return atomicCAS((Word *)(a + i), was, to_word(T(x))) == was;
}

template <class T, class X> __device__ inline T add(T *a, i64 i, X x) {
    if constexpr (Same<T, i64>::value) return T(atomicAdd((u64 *)(a + i), u64(x)));
    else return atomicAdd(a + i, T(x));
}

// Values only fall, so that a look at the old one may spare the write.
template <class T, class X> __device__ inline void least(T *a, i64 i, X x) {
    if (T(x) < load(a, i)) atomicMin(a + i, T(x));
}

template <class T, class X> __device__ inline void join(T *a, i64 i, X x) {
    if ((load(a, i) & T(x)) != T(x)) atomicOr(a + i, T(x));  // bits are only ever added meanwhile
}

// ---- lists -----------------------------------------------------------------------------------

// A list is `items` (none: the item is its own position), of which part `part` starts at `begin`; its length is
// in counts[part], the host knows that it is at most `bound`. A part holds the vertices of one degree class.
#define LIST_PARAMETERS const Item *items, i64 begin, const u64 *counts, i64 part, i64 bound
#define COUNT (counts[part] < (u64)bound ? i64(counts[part]) : bound)
#define ITEM(i) (items == nullptr ? Item(i) : items[begin + (i)])

// Where the elements that stay go, into the same part.
#define KEPT_PARAMETERS Item *kept, i64 kept_begin, u64 *kept_counts

// Where vertices of any degree go: part k of `out` has room from out_begin k to out_begin k+1. The count runs on
// when a part is full, so that the host can tell.
#define OUT_PARAMETERS int *out, u64 *out_counts, i64 out_begin_0, i64 out_begin_1, i64 out_begin_2, i64 out_end

enum { THREAD_MOST = 32, WARP_MOST = 2048 };  // largest degrees of the first two classes

__device__ inline int class_of(i64 degree) { return degree > WARP_MOST ? 2 : degree > THREAD_MOST ? 1 : 0; }

// Appends the item of each thread that keeps it; one atomic addition a warp; the whole warp calls.
template <class T> __device__ inline void append_warp(bool keep, T item, T *list, i64 room, u64 *count) {
    unsigned lane = threadIdx.x % WARP, kept = __ballot_sync(ALL_LANES, keep);
    if (kept == 0) return;
    u64 base = 0;
    if (lane == 0) base = atomicAdd(count, (u64)__popc(kept));
    i64 at = i64(__shfl_sync(ALL_LANES, base, 0)) + __popc(kept & ((1u << lane) - 1));
    if (keep && at < room) list[at] = item;
}

// The same with one atomic addition a block, which also keeps a block's items in their order; the whole block calls.
template <class T> __device__ inline void append_block(bool keep, T item, T *list, u64 *count) {
    __shared__ int before[BLOCK / WARP];
    __shared__ u64 base;
    unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, kept = __ballot_sync(ALL_LANES, keep);
    if (lane == 0) before[warp] = __popc(kept);
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int w = 0; w < BLOCK / WARP; w++) {
            int here = before[w];
            before[w] = sum;
            sum += here;
        }
        base = sum ? atomicAdd(count, (u64)sum) : 0;
    }
    __syncthreads();
    if (keep) list[base + before[warp] + __popc(kept & ((1u << lane) - 1))] = item;
    __syncthreads();
}

// Appends a vertex to the part of its degree's class; the whole warp calls.
__device__ inline void append_by_class(bool keep, int v, const offset_t *indptr, OUT_PARAMETERS) {
#if CLASSES == 1
    append_warp(keep, v, out + out_begin_0, out_begin_1 - out_begin_0, out_counts);
#else
    int own = keep ? class_of(indptr[v + 1] - indptr[v]) : -1;
    append_warp(own == 0, v, out + out_begin_0, out_begin_1 - out_begin_0, out_counts);
    append_warp(own == 1, v, out + out_begin_1, out_begin_2 - out_begin_1, out_counts + 1);
    append_warp(own == 2, v, out + out_begin_2, out_end - out_begin_2, out_counts + 2);
#endif
}
#define OUT out, out_counts, out_begin_0, out_begin_1, out_begin_2, out_end

// ---- merge: the edges of a list, numbered through ---------------------------------------------

// The first of low … high whose `ends` is over k: the position in the list of the vertex that edge k belongs to.
__device__ inline i64 position_of(const i64 *ends, i64 low, i64 high, i64 k) {
    while (low < high) {
        i64 middle = (low + high) / 2;
        if (ends[middle] > k) high = middle;
        else low = middle + 1;
    }
    return low;
}

// The same for the edges base, base + 1 … that the threads of a block take, where there are `total` in all.
__device__ inline i64 position_in_tile(const i64 *ends, i64 bound, i64 base, i64 total) {
    __shared__ i64 edges_of_tile[2];
    i64 last = base + BLOCK < total ? base + BLOCK - 1 : total - 1, k = base + threadIdx.x;
    if (threadIdx.x < 2) edges_of_tile[threadIdx.x] = position_of(ends, 0, bound - 1, threadIdx.x ? last : base);
    __syncthreads();
    i64 i = position_of(ends, edges_of_tile[0], edges_of_tile[1], k < last ? k : last);
    __syncthreads();
    return i;
}
