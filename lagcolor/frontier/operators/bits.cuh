// How neighbor_reduce with one cursor per bit looks at one neighbourhood; reduce_bits.cu says what the cursors mean.
#pragma once
#include "frontier.cuh"
#include "functors.cuh"

typedef int Item;
#define GRAPH_PARAMETERS const offset_t *indptr, const int *indices, int *cursor, i64 n
#define EVERY_BIT ((1u << BITS) - 1)

// The bits whose blocking neighbors still stand, and what else these show; the neighbors are fetched before one is looked at.
__device__ inline unsigned check_cursors(int v, GRAPH_PARAMETERS ARGUMENT_PARAMETERS) {
    const offset_t row = indptr[v], end = indptr[v + 1];
    offset_t e[BITS];
    int u[BITS];
    unsigned found = 0;
#pragma unroll
    for (int bit = 0; bit < BITS; bit++) e[bit] = row + cursor[bit * n + v];
#pragma unroll
    for (int bit = 0; bit < BITS; bit++) u[bit] = e[bit] < end ? indices[e[bit]] : v;
#pragma unroll
    for (int bit = 0; bit < BITS; bit++)
        if (e[bit] < end) found |= value(v, u[bit], e[bit] ARGUMENTS) & EVERY_BIT;
    return found;
}

// How a group looks at `deep` edges per thread in one step: x[q] is the value of edge base + q·size + lane. Adds the bits
// that any of them has; `first` becomes the first of them with the bit `wanted`, if one has it. Known to all.
struct WarpVotes {
    static const int size = WARP, deep = 4;
    __device__ static int lane() { return threadIdx.x % WARP; }
    template <int deep> __device__ static void count(const unsigned *x, int wanted, offset_t base, int stride,
                                                     unsigned &found, offset_t &first) {
#pragma unroll
        for (int q = 0; q < deep; q++)
            for (int bit = 0; bit < BITS; bit++) {
                const unsigned having = __ballot_sync(ALL_LANES, x[q] >> bit & 1);
                if (having) found |= 1u << bit;
                const offset_t e = base + q * stride + __ffs((int)having) - 1;
                if (bit == wanted && having && e < first) first = e;
            }
    }
    template <int deep> __device__ static void vote(const unsigned *x, int wanted, offset_t base, unsigned &found,
                                                    offset_t &first) {
        count<deep>(x, wanted, base, size, found, first);
    }
};

struct BlockVotes {
    static const int size = BLOCK, deep = 8;
    __device__ static int lane() { return threadIdx.x; }
    template <int deep> __device__ static void vote(const unsigned *x, int wanted, offset_t base, unsigned &found,
                                                    offset_t &first) {
        __shared__ unsigned founds[BLOCK / WARP];
        __shared__ offset_t firsts[BLOCK / WARP];
        const int warp = threadIdx.x / WARP;
        unsigned mine = 0;
        offset_t here = first;
        WarpVotes::count<deep>(x, wanted, base + warp * WARP, size, mine, here);
        if (threadIdx.x % WARP == 0) {
            founds[warp] = mine;
            firsts[warp] = here;
        }
        __syncthreads();
        for (int w = 0; w < BLOCK / WARP; w++) {
            found |= founds[w];
            first = firsts[w] < first ? firsts[w] : first;
        }
        __syncthreads();
    }
};

// One step: of the edges from `base` on, `deep` a thread. Neighbours, then values, are fetched all at once: past the end
// the last edge stands in, so that there is no branch.
template <class Votes, int deep>
__device__ inline void look_at_several(int v, int bit, offset_t base, offset_t end, unsigned &found, offset_t &first,
                                       const int *indices ARGUMENT_PARAMETERS) {
    int u[deep];
    unsigned x[deep];
#pragma unroll
    for (int q = 0; q < deep; q++) {
        const offset_t e = base + q * Votes::size + Votes::lane();
        u[q] = indices[e < end ? e : end - 1];
    }
#pragma unroll
    for (int q = 0; q < deep; q++) {
        const offset_t e = base + q * Votes::size + Votes::lane();
        x[q] = value(v, u[q], e < end ? e : end - 1 ARGUMENTS);
        if (e >= end) x[q] = 0;
    }
    Votes::template vote<deep>(x, bit, base, found, first);
}

// The bits of the whole neighbourhood, where `found` are known; the whole group calls. Mostly the next blocker is near,
// and the first step finds it; it takes an edge a thread, any other `deep`.
template <class Votes>
__device__ inline unsigned search(int v, unsigned found, GRAPH_PARAMETERS ARGUMENT_PARAMETERS) {
    const offset_t row = indptr[v], end = indptr[v + 1];
    for (int bit = 0; bit < BITS; bit++) {
        if (found >> bit & 1) continue;
        offset_t first = end;
        offset_t base = row + cursor[bit * n + v];
        if (base < end) look_at_several<Votes, 1>(v, bit, base, end, found, first, indices ARGUMENTS);
        for (base += Votes::size; base < end && first == end; base += Votes::deep * Votes::size)
            look_at_several<Votes, Votes::deep>(v, bit, base, end, found, first, indices ARGUMENTS);
        if (Votes::lane() == 0) cursor[bit * n + v] = int(first - row);
    }
    return found;
}

// The same, by one thread.
__device__ inline unsigned search_alone(int v, GRAPH_PARAMETERS ARGUMENT_PARAMETERS) {
    const offset_t row = indptr[v], end = indptr[v + 1];
    unsigned found = check_cursors(v, indptr, indices, cursor, n ARGUMENTS);
    for (int bit = 0; bit < BITS; bit++) {
        if (found >> bit & 1) continue;
        offset_t e = row + cursor[bit * n + v];
        if (e == end) continue;
        for (e++; e < end; e++) {  // the blocker before is none any more
            found |= value(v, indices[e], e ARGUMENTS);
            if (found >> bit & 1) break;
        }
        cursor[bit * n + v] = int(e - row);
    }
    return found;
}
