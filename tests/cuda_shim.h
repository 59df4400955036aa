// Enough of CUDA C++ to run a kernel on the CPU: a block's threads are fibers that take turns, so that barriers,
// votes and shuffles do what they do on a GPU; blocks run one after another. For tests of logic, not of races.

#include <algorithm>
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

using std::max;
using std::min;

#define __device__
#define __global__
#define __shared__ static
#define __forceinline__ inline

struct int2 { int x, y; };
struct int4 { int x, y, z, w; };
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }

struct Dim { unsigned x, y, z; };
static Dim threadIdx, blockIdx, blockDim, gridDim;

namespace emulator {
enum { MAX = 1024, STACK = 65536, LANES = 32 };
// A fiber is made once, by ucontext, and lives as long as the library; switches are jumps, which make no system call.
static ucontext_t maker, fiber[MAX];
static jmp_buf scheduler, at[MAX];
static char stack[MAX][STACK];
static bool made[MAX], finished[MAX];
static unsigned running, alive;
static void (*body)(void **);
static void **arguments;

// A meeting of some threads: how many have come, and how often all have.
struct Meeting { unsigned arrived, generation; };
static Meeting of_block, of_lanes[MAX][LANES + 1];  // of_lanes: by the group's first lane and its size
static unsigned long long slot[MAX];

static void pause() {
    unsigned me = running;
    if (!_setjmp(at[me])) _longjmp(scheduler, 1);
    threadIdx.x = running = me;
}

static void stuck() {
    fprintf(stderr, "emulator: threads of a block wait for each other for ever\n");
    abort();
}

static void meet(Meeting &m, unsigned expected) {
    unsigned generation = m.generation;
    if (++m.arrived == expected) {
        m.arrived = 0;
        m.generation++;
        return;
    }
    for (long turns = 0; m.generation == generation; turns++) {
        if (turns > 100000) stuck();
        pause();
    }
}

static void meet_lanes(unsigned mask) {
    unsigned warp = running / LANES * LANES;
    if (!(mask >> (running % LANES) & 1)) {
        fprintf(stderr, "emulator: a thread calls with a mask that does not name it\n");
        abort();
    }
    unsigned live = 0;
    for (unsigned l = 0; l < LANES; l++)
        if (mask >> l & 1) live += warp + l < blockDim.x && !finished[warp + l];
    meet(of_lanes[warp + __builtin_ctz(mask)][__builtin_popcount(mask)], live);
}

static void live(unsigned me) {
    for (;;) {
        threadIdx.x = running = me;
        body(arguments);
        finished[me] = true;
        alive--;
        pause();  // until the next block
    }
}

static void take_turn(unsigned t) {
    if (_setjmp(scheduler)) return;
    if (made[t]) _longjmp(at[t], 1);
    made[t] = true;
    getcontext(&fiber[t]);
    fiber[t].uc_stack.ss_sp = stack[t];
    fiber[t].uc_stack.ss_size = STACK;
    makecontext(&fiber[t], (void (*)())live, 1, t);
    swapcontext(&maker, &fiber[t]);
}

static void run_block() {
    memset(&of_block, 0, sizeof of_block);
    memset(of_lanes, 0, sizeof of_lanes);
    memset(finished, 0, sizeof finished);
    alive = blockDim.x;
    while (alive)
        for (unsigned t = 0; t < blockDim.x; t++)
            if (!finished[t]) take_turn(t);
}
}  // namespace emulator

inline void __syncthreads() { emulator::meet(emulator::of_block, emulator::alive); }
inline bool __syncthreads_or(bool vote) {
    static bool any;
    __syncthreads();
    any = false;
    __syncthreads();
    any |= vote;
    __syncthreads();
    return any;
}
inline void __threadfence() {}
inline void __nanosleep(unsigned) {}
template <class T> inline T emulated_load(const T *at) { return *at; }
template <class T> inline void emulated_store(T *at, T x) { *at = x; }
inline void __syncwarp(unsigned mask = 0xffffffffu) { emulator::meet_lanes(mask); }

template <class T> inline T exchange(unsigned mask, T x, unsigned lane) {
    using namespace emulator;
    unsigned warp = running / LANES * LANES;
    memcpy(&slot[running], &x, sizeof x);
    meet_lanes(mask);
    T got;
    memcpy(&got, &slot[warp + lane % LANES], sizeof got);
    meet_lanes(mask);
    return got;
}
template <class T> inline T __shfl_xor_sync(unsigned mask, T x, int d) {
    return exchange(mask, x, (emulator::running % emulator::LANES) ^ (unsigned)d);
}
template <class T> inline T __shfl_sync(unsigned mask, T x, int lane) { return exchange(mask, x, (unsigned)lane); }
template <class T> inline T __shfl_up_sync(unsigned mask, T x, int d) {
    const unsigned lane = emulator::running % emulator::LANES;
    return exchange(mask, x, lane < (unsigned)d ? lane : lane - d);
}

inline unsigned __ballot_sync(unsigned mask, bool vote) {
    using namespace emulator;
    unsigned warp = running / LANES * LANES, all = 0;
    slot[running] = vote;
    meet_lanes(mask);
    for (unsigned l = 0; l < LANES; l++)
        if ((mask >> l & 1) && warp + l < blockDim.x && slot[warp + l]) all |= 1u << l;
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

template <class T, class U> inline T atomicAdd(T *p, U x) { T old = *p; *p = old + (T)x; return old; }
template <class T, class U> inline T atomicSub(T *p, U x) { T old = *p; *p = old - (T)x; return old; }
template <class T, class U> inline T atomicMin(T *p, U x) { T old = *p; if ((T)x < old) *p = (T)x; return old; }
template <class T, class U> inline T atomicMax(T *p, U x) { T old = *p; if ((T)x > old) *p = (T)x; return old; }
template <class T, class U> inline T atomicAnd(T *p, U x) { T old = *p; *p = old & (T)x; return old; }
template <class T, class U> inline T atomicOr(T *p, U x) { T old = *p; *p = old | (T)x; return old; }
template <class T, class U, class V> inline T atomicCAS(T *p, U expected, V x) {
    T old = *p;
    if (old == (T)expected) *p = (T)x;
    return old;
}
template <class T, class U> inline T atomicExch(T *p, U x) { T old = *p; *p = (T)x; return old; }
