// Code that the operators share: helpers of functors, and lists with vertices by degree class.
#pragma once
#include "semirings/kernels/common.cuh"
#include "base/device/include/append.cuh"
#include "base/device/include/group.cuh"
#include "base/device/include/search.cuh"

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

// Values only decrease, so reading the old value may save the write.
template <class T, class X> __device__ inline void least(T *a, i64 i, X x) {
    if (T(x) < load(a, i)) atomicMin(a + i, T(x));
}

template <class T, class X> __device__ inline void join(T *a, i64 i, X x) {
    if ((load(a, i) & T(x)) != T(x)) atomicOr(a + i, T(x));  // other threads only add bits
}

// ---- lists -----------------------------------------------------------------------------------

// A list is `items` (null: an item is its own position). Its part `part` starts at `begin` and has length
// counts[part], at most `bound`, which the host knows. A part has the vertices of one degree class.
#define LIST_PARAMETERS const Item *items, i64 begin, const u64 *counts, i64 part, i64 bound
#define COUNT (counts[part] < (u64)bound ? i64(counts[part]) : bound)
#define ITEM(i) (items == nullptr ? Item(i) : items[begin + (i)])

// Output of selected elements, in the same part.
#define SELECTED_PARAMETERS Item *selected, i64 selected_begin, u64 *selected_counts

// Output of vertices of any degree: part k of `out` extends from out_begin k to out_begin k+1. The count of a full part
// still increases, so that the host can detect it.
#define OUT_PARAMETERS int *out, u64 *out_counts, i64 out_begin_0, i64 out_begin_1, i64 out_begin_2, i64 out_end

enum { THREAD_MOST = 32, WARP_MOST = 2048 };  // largest degrees of the first two classes

__device__ inline int class_of(i64 degree) { return degree_class(degree, THREAD_MOST, WARP_MOST); }

// Append the item of each thread with `keep`, up to the capacity; the whole warp calls.
template <class T> __device__ inline void put_by_warp(bool keep, T item, T *list, i64 capacity, u64 *count) {
    if (!__any_sync(ALL_LANES, keep)) return;
    const i64 at = i64(append_warp(keep, count));
    if (keep && at < capacity) list[at] = item;
}

// Append items that all fit, in the order of the threads; the whole block calls.
template <class T> __device__ inline void put_by_block(bool keep, T item, T *list, u64 *count) {
    const u64 at = append_block(keep, count);
    if (keep) list[at] = item;
}

// Append a vertex to the part of its degree class; the whole warp calls.
__device__ inline void append_by_class(bool keep, int v, const offset_t *indptr, OUT_PARAMETERS) {
#if CLASSES == 1
    put_by_warp(keep, v, out + out_begin_0, out_begin_1 - out_begin_0, out_counts);
#else
    int own = keep ? class_of(indptr[v + 1] - indptr[v]) : -1;
    put_by_warp(own == 0, v, out + out_begin_0, out_begin_1 - out_begin_0, out_counts);
    put_by_warp(own == 1, v, out + out_begin_1, out_begin_2 - out_begin_1, out_counts + 1);
    put_by_warp(own == 2, v, out + out_begin_2, out_end - out_begin_2, out_counts + 2);
#endif
}
#define OUT out, out_counts, out_begin_0, out_begin_1, out_begin_2, out_end

// ---- merge: the edges of a list, numbered consecutively ---------------------------------------------

// The position in a list of the vertex of each thread's edge, base + threadIdx.x of `total`; `ends` is the running sum
// of the degrees. The whole block calls.
__device__ inline i64 position_in_tile(const i64 *ends, i64 bound, i64 base, i64 total) {
    const i64 last = base + BLOCK < total ? base + BLOCK - 1 : total - 1, k = base + threadIdx.x;
    const Bounds<i64> tile = bounds_of_tile(ends, i64(0), bound - 1, base, last);
    return first_over(ends, tile.from, tile.to, k < last ? k : last);
}
