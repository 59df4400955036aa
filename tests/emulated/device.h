// Enough of CUDA C++ for the C++ compiler: threads are fibers (scheduler.h), so that barriers, votes and shuffles do what
// they do on a GPU, and threads that share memory can be interleaved at will.
#include "scheduler.h"

#include <algorithm>
#include <math.h>
#include <stdlib.h>
#include <string.h>

using std::max;
using std::min;

#define __device__
#define __global__
#define __shared__ static
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))

struct int2 { int x, y; };
struct int4 { int x, y, z, w; };
struct ulonglong2 { unsigned long long x, y; };
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }

// What the headers of the library call where they would load or store with a relaxed instruction.
template <class T> inline T emulated_load(const T *at) {
    emulator::turn();
    return *(const volatile T *)at;
}
template <class T> inline T emulated_near(const T *at) {
    emulator::turn();
    return (T)emulator::first_seen(at, (unsigned long long)*(const volatile T *)at);
}
template <class T> inline void emulated_store(T *at, T x) {
    emulator::turn();
    emulator::stored(at);
    if (*at != x) emulator::progress();
    *(volatile T *)at = x;
}

inline void __syncthreads() { emulator::meet_block(); }
inline bool __syncthreads_or(bool vote) {
    static bool any;
    __syncthreads();
    any = false;
    __syncthreads();
    any |= vote;
    __syncthreads();
    return any;
}
inline void __threadfence() { emulator::fence(); }
inline void __nanosleep(unsigned) { emulator::turn(); }
inline void __syncwarp(unsigned mask = 0xffffffffu) { emulator::meet_lanes(mask); }

template <class T> inline T exchange(unsigned mask, T x, unsigned lane) {
    using namespace emulator;
    const unsigned warp = running - threadIdx.x % LANES;
    memcpy(&slots[running], &x, sizeof x);
    meet_lanes(mask);
    T got;
    memcpy(&got, &slots[warp + lane % LANES], sizeof got);
    meet_lanes(mask);
    return got;
}
template <class T> inline T __shfl_xor_sync(unsigned mask, T x, int d) {
    return exchange(mask, x, (threadIdx.x % emulator::LANES) ^ (unsigned)d);
}
template <class T> inline T __shfl_sync(unsigned mask, T x, int lane) { return exchange(mask, x, (unsigned)lane); }
template <class T> inline T __shfl_up_sync(unsigned mask, T x, int d) {
    const unsigned lane = threadIdx.x % emulator::LANES;
    return exchange(mask, x, lane < (unsigned)d ? lane : lane - d);
}

inline unsigned __ballot_sync(unsigned mask, bool vote) {
    using namespace emulator;
    const unsigned warp = running - threadIdx.x % LANES;
    slots[running] = vote;
    meet_lanes(mask);
    unsigned all = 0;
    for (unsigned in = mask & live_lanes(); in; in &= in - 1)
        if (slots[warp + __builtin_ctz(in)]) all |= in & -in;
    meet_lanes(mask);
    return all;
}
inline bool __any_sync(unsigned mask, bool vote) { return __ballot_sync(mask, vote) != 0; }
inline bool __all_sync(unsigned mask, bool vote) { return __ballot_sync(mask, !vote) == 0; }

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
inline unsigned __brev(unsigned x) {
    unsigned y = 0;
    for (int i = 0; i < 32; i++) y |= (x >> i & 1) << (31 - i);
    return y;
}
inline double __dmul_rn(double x, double y) { return x * y; }
inline double __ddiv_rn(double x, double y) { return x / y; }
inline double __longlong_as_double(long long x) { double y; memcpy(&y, &x, 8); return y; }
template <class T> inline T __ldcs(const T *p) { return *p; }
template <class T> inline T __ldcg(const T *p) { return *p; }

// Read, compute and write with nothing between; other threads may come before.
template <class T, class F> inline T atomic(T *p, F update) {
    emulator::turn();
    emulator::stored(p);
    const T old = *p, now = update(old);
    if (now != old) emulator::progress();
    *p = now;
    return old;
}
template <class T, class U> inline T atomicAdd(T *p, U x) { return atomic(p, [=](T old) { return (T)(old + (T)x); }); }
template <class T, class U> inline T atomicSub(T *p, U x) { return atomic(p, [=](T old) { return (T)(old - (T)x); }); }
template <class T, class U> inline T atomicMin(T *p, U x) { return atomic(p, [=](T old) { return min(old, (T)x); }); }
template <class T, class U> inline T atomicMax(T *p, U x) { return atomic(p, [=](T old) { return max(old, (T)x); }); }
template <class T, class U> inline T atomicAnd(T *p, U x) { return atomic(p, [=](T old) { return (T)(old & (T)x); }); }
template <class T, class U> inline T atomicOr(T *p, U x) { return atomic(p, [=](T old) { return (T)(old | (T)x); }); }
template <class T, class U> inline T atomicXor(T *p, U x) { return atomic(p, [=](T old) { return (T)(old ^ (T)x); }); }
template <class T, class U> inline T atomicExch(T *p, U x) { return atomic(p, [=](T) { return (T)x; }); }
template <class T, class U, class V> inline T atomicCAS(T *p, U expected, V x) {
    return atomic(p, [=](T old) { return old == (T)expected ? (T)x : old; });
}
