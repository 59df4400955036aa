// Monoid of a kernel: Z_TYPE, ADD (an expression in x and y), IDENTITY and TERMINAL (bits), and STOP, when a sum may
// stop: 0 never, 1 at the terminal value, 2 at the first entry (monoid any).
// ATOMIC selects the instruction that adds: 0 a loop of compare-and-swap, 1 add (of integers, on words), 2 min, 3 max,
// 4 add (of floats).

#pragma once
#include "common.cuh"

typedef Z_TYPE Z;
typedef WordOf<sizeof(Z)>::type Word;
#define ANY (STOP == 2)

__device__ inline Z add(Z x, Z y) {
    typedef Z D;
    (void)sizeof(D);
    return cast<Z>(ADD);
}

__device__ inline bool terminal(Z x) { return STOP == 1 && x == from_bits<Z>(TERMINAL); }

// Partial sum: a value, or the identity if it `has` none.
struct Sum {
    Z value;
    bool has;
    __device__ inline Sum() : value(from_bits<Z>(IDENTITY)), has(false) {}
    __device__ inline void add_value(Z x) {
        if (!(ANY && has)) value = ANY ? x : add(value, x);
        has = true;
    }
    __device__ inline void add_sum(Z x, bool there) {
        if (there) add_value(x);
    }
    __device__ inline bool done() const { return has && (ANY || terminal(value)); }
};

// Sum over each group of `width` lanes (a power of two), for all its lanes; all lanes of the warp call it.
__device__ inline void add_up(Sum &s, int width) {
    unsigned lane = threadIdx.x % WARP;
    unsigned group = (width == WARP ? ALL_LANES : ((1u << width) - 1)) << (lane & ~(unsigned)(width - 1));
    unsigned having = __ballot_sync(ALL_LANES, s.has) & group;
#if STOP == 2
    s.value = shuffle(s.value, having ? __ffs((int)having) - 1 : (int)lane);
#else
    for (int d = width / 2; d; d /= 2) s.value = add(s.value, shuffle_xor(s.value, d));
#endif
    s.has = having != 0;
}

// Sum over a block, for its first thread; all threads of the block call it.
__device__ inline void add_up_block(Sum &s) {
    __shared__ Z values[BLOCK / WARP];
    __shared__ bool has[BLOCK / WARP];
    add_up(s, WARP);
    if (threadIdx.x % WARP == 0) {
        values[threadIdx.x / WARP] = s.value;
        has[threadIdx.x / WARP] = s.has;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        for (int w = 1; w < BLOCK / WARP; w++) s.add_sum(values[w], has[w]);
    __syncthreads();
}

// *p = add(*p, x), atomically. Sums only move towards the terminal value, so a relaxed load of the old value can save a
// write, but never lose one.
__device__ inline void add_atomically(Word *p, Z x) {
#if STOP == 2
    store_relaxed(p, to_word(x));
#elif ATOMIC == 1
    atomicAdd(p, to_word(x));
#elif ATOMIC == 4
    atomicAdd((Z *)p, x);
#else
    Word old = load_relaxed(p);
    for (;;) {
        Word sum = to_word(add(from_word<Z>(old), x));
        if (sum == old) return;
#if ATOMIC == 2
        atomicMin((Z *)p, x);
        return;
#elif ATOMIC == 3
        atomicMax((Z *)p, x);
        return;
#else
        Word seen = atomicCAS(p, old, sum);
        if (seen == old) return;
        old = seen;
#endif
    }
#endif
}

// Add x to entry k of a vector to which all threads add. Presence only changes from 0 to 1.
__device__ inline void add_to_entry(Word *sums, u8 *present, i64 k, Z x) {
    bool there = load_relaxed(present + k);
    if (there && ANY) return;
    add_atomically(sums + k, x);
    if (!there) store_relaxed(present + k, 1);
}
