// Types, operators, casts and masks of all kernels.
//
// semirings/codegen.py puts macros in front that specialize a kernel. No header of CUDA is included, so NVRTC needs
// only these files.

#pragma once
#include "atomics.cuh"
#include "warp.cuh"

#define BLOCK 256

// ---- types ---------------------------------------------------------------------------------

template <class T> struct Traits { static constexpr bool floating = false; };
template <> struct Traits<float> { static constexpr bool floating = true; };
template <> struct Traits<double> { static constexpr bool floating = true; };

template <class T> struct Limits;
template <> struct Limits<int> { static constexpr int least = -2147483647 - 1, greatest = 2147483647; };
template <> struct Limits<unsigned> { static constexpr unsigned least = 0, greatest = 4294967295u; };
template <> struct Limits<i64> { static constexpr i64 least = -9223372036854775807LL - 1, greatest = ~least; };
template <> struct Limits<u64> { static constexpr u64 least = 0, greatest = 18446744073709551615ULL; };

template <class A, class B> struct Same { static constexpr bool value = false; };
template <class A> struct Same<A, A> { static constexpr bool value = true; };

// GraphBLAS's cast: to bool is "not zero", integers wrap, floats saturate and NaN becomes 0.
template <class To, class From> __device__ inline To cast(From x) {
    if constexpr (Same<To, From>::value) {
        return x;
    } else if constexpr (Same<To, bool>::value) {
        return x != From(0);
    } else if constexpr (Traits<From>::floating && !Traits<To>::floating) {
        if (x != x) return To(0);
        if (x >= From(Limits<To>::greatest)) return Limits<To>::greatest;
        if (x <= From(Limits<To>::least)) return Limits<To>::least;
        return To(x);
    } else {
        return To(x);
    }
}

// Word of an atomic: 4 or 8 bytes; a bool uses a word of 4 bytes.
template <int bytes> struct WordOf { typedef unsigned type; };
template <> struct WordOf<8> { typedef u64 type; };

template <class T> __device__ inline T from_word(typename WordOf<sizeof(T)>::type w) {
    if constexpr (Same<T, bool>::value) {
        return w != 0;
    } else {
        union { typename WordOf<sizeof(T)>::type w; T x; } both;
        both.w = w;
        return both.x;
    }
}

template <class T> __device__ inline typename WordOf<sizeof(T)>::type to_word(T x) {
    if constexpr (Same<T, bool>::value) {
        return x ? 1u : 0u;
    } else {
        union { typename WordOf<sizeof(T)>::type w; T x; } both;
        both.x = x;
        return both.w;
    }
}

// Number that the host passes as the bits of a 64-bit integer.
template <class T> __device__ inline T from_bits(i64 bits) {
    return from_word<T>((typename WordOf<sizeof(T)>::type)(u64)bits);
}

// ---- operators -----------------------------------------------------------------------------

namespace ops {
// Signed arithmetic wraps, because it is computed in the unsigned type.
template <class T> struct Modular { typedef T type; };
template <> struct Modular<int> { typedef unsigned type; };
template <> struct Modular<i64> { typedef u64 type; };

template <class T> __device__ inline T plus(T x, T y) {
    typedef typename Modular<T>::type M;
    return T(M(x) + M(y));
}
template <class T> __device__ inline T minus(T x, T y) {
    typedef typename Modular<T>::type M;
    return T(M(x) - M(y));
}
template <class T> __device__ inline T times(T x, T y) {
    typedef typename Modular<T>::type M;
    return T(M(x) * M(y));
}
template <class T> __device__ inline T min(T x, T y) { return x < y ? x : y; }
template <class T> __device__ inline T max(T x, T y) { return x > y ? x : y; }
template <class T> __device__ inline T ainv(T x) {
    if constexpr (Traits<T>::floating) return -x;
    else return minus(T(0), x);
}
template <class T> __device__ inline T abs(T x) { return x < T(0) ? ainv(x) : x; }

__device__ inline bool plus(bool x, bool y) { return x || y; }
__device__ inline bool minus(bool x, bool y) { return x != y; }
__device__ inline bool times(bool x, bool y) { return x && y; }
__device__ inline bool min(bool x, bool y) { return x && y; }
__device__ inline bool max(bool x, bool y) { return x || y; }
__device__ inline bool ainv(bool x) { return x; }
__device__ inline bool abs(bool x) { return x; }
__device__ inline float min(float x, float y) { return fminf(x, y); }
__device__ inline float max(float x, float y) { return fmaxf(x, y); }
__device__ inline float abs(float x) { return fabsf(x); }
__device__ inline double min(double x, double y) { return fmin(x, y); }
__device__ inline double max(double x, double y) { return fmax(x, y); }
__device__ inline double abs(double x) { return fabs(x); }
}  // namespace ops

// ---- masks ---------------------------------------------------------------------------------

// mask_flags: the size in bytes of the mask's values, 0 if only its structure counts, and two flags.
enum { MASK_BYTES = 15, MASK_COMPLEMENT = 16, MASK_PASSED = 32 };

#define MASK_PARAMETERS const void *mask_values, const u8 *mask_present, i64 mask_flags
#define MASK mask_values, mask_present, mask_flags

__device__ inline bool holds(i64 i, MASK_PARAMETERS) {
    bool m = true;
    if (mask_flags & MASK_PASSED) {
        m = mask_present == nullptr || mask_present[i];
        if (m) switch (mask_flags & MASK_BYTES) {
            case 1: m = ((const u8 *)mask_values)[i] != 0; break;
            case 4: m = ((const unsigned *)mask_values)[i] != 0; break;
            case 8: m = ((const u64 *)mask_values)[i] != 0; break;
        }
    }
    return m != bool(mask_flags & MASK_COMPLEMENT);
}

// ---- memory --------------------------------------------------------------------------------

#ifndef INDEX_LOAD
#define INDEX_LOAD ".L1::no_allocate"
#endif

// Load an index past L1: indices are read once, and L1 remains for the vector from which entries are gathered.
__device__ inline int load_once(const int *p) {
#ifdef __CUDA_ARCH__
    int x;
    asm("ld.global.nc" INDEX_LOAD ".s32 %0, [%1];" : "=r"(x) : "l"(p));
    return x;
#else
    return *p;
#endif
}

struct Four { int x[4]; };

// Load four indices; the address p is a multiple of 16.
__device__ inline Four load_four(const int *p) {
#ifdef __CUDA_ARCH__
    Four f;
    asm("ld.global.nc.L1::no_allocate.v4.s32 {%0, %1, %2, %3}, [%4];"
        : "=r"(f.x[0]), "=r"(f.x[1]), "=r"(f.x[2]), "=r"(f.x[3])
        : "l"(p));
    return f;
#else
    return *(const Four *)p;
#endif
}

template <class T> __device__ inline T shuffle_xor(T x, int distance) {
    return from_word<T>(__shfl_xor_sync(ALL_LANES, to_word(x), distance));
}
template <class T> __device__ inline T shuffle(T x, int lane) {
    return from_word<T>(__shfl_sync(ALL_LANES, to_word(x), lane));
}

// Append the items with `keep` to a list in shared memory; all lanes of the warp call it.
template <int items> __device__ inline void append(const bool *keep, const int *item, int *list, int *count) {
    int total = 0, before[items];
#pragma unroll
    for (int q = 0; q < items; q++) {
        unsigned votes = __ballot_sync(ALL_LANES, keep[q]);
        before[q] = total + rank_in(votes);
        total += __popc(votes);
    }
    int base = 0;
    if (threadIdx.x % WARP == 0 && total) base = atomicAdd(count, total);
    base = __shfl_sync(ALL_LANES, base, 0);
#pragma unroll
    for (int q = 0; q < items; q++)
        if (keep[q]) list[base + before[q]] = item[q];
}
