// variants: OFFSET_BITS=32,64 BLOCK=128 GROUP=1,8,32,128 WIDE=0,1
// First-fit of vertices in nets, in any order, where each net keeps the colors that it has as bits.
//
// Vertices of one net get different colors, and they get them in their order. So the nets of v have as many colors in
// all as v has earlier vertices in them, `earlier[v]`, when v may be colored, and no vertex looks at another one: the
// time is proportional to one hop, not to two. While v has no color none of its nets has more, so that sums can be
// compared.
//
// WIDE=0: at most 64 colors. A net is a word, and the number of its colors is the number of its bits. WIDE=1: a net has
// `words` words, a multiple of 4, and a counter, which counts a color after its bit is set. Where a vertex finds all
// bits set, *full is 1, all warps end, and the colors mean nothing.
//
// Progress: GROUP lanes have one vertex at a time, never wait within a turn of their loop, and draw the next one of the
// sequence when theirs is done. The earliest vertex without a color was drawn before all that are left, so that running
// lanes have it, and it need not wait. So a single block that runs is enough.
//
// place[v] is the place of v in the sequence; without a sequence it is its id. color may be the same array: places are
// read by count_earlier only.
//
// Bytes that must move: per entry its net, 8 of the net's bits read and 8 written; per vertex 8 of offsets, its number
// of earlier ones, its color.
#include "base/device/include/clock.cuh"
#include "base/device/include/neighbors.cuh"
#include "base/device/include/nets.cuh"
#include "base/device/include/palette.cuh"
#include "engines/two_hop/places.cuh"

#define EACH 4     // nets of a vertex per lane at a time
#define CHUNK 4    // words of a net at a time: a sector of memory
#define SLOPE 32u  // nanoseconds of sleep per color that has yet to come
#define NAP 512u   // of the longest sleep
#define WAIT 8u    // a vertex is left alone for a turn per so many colors that have yet to come,
#define TURNS 32u  // and for this number of turns at most
#define LOOK 32u   // turns between two looks at *full

typedef Threads<GROUP> Group;
typedef Threads<(GROUP > WARP ? GROUP : WARP)> Turn;  // threads that go through the loop together

struct NetBits : Nets {  // without their members
    int words;           // of a net
    u64* bits;
    unsigned* number;  // colors of a net
};

struct Vertex {
    int id;  // -1: none
    offset_t begin, end;
    unsigned earlier;
};

// Counts, for all vertices of a net, its earlier vertices. Nets are small: GROUP lanes compare all pairs.
extern "C" __global__ void __launch_bounds__(BLOCK)
    count_earlier(i64 n, const int* __restrict__ place, const offset_t* __restrict__ members,
                  const int* __restrict__ member, int closed, unsigned* earlier) {
    const i64 net = ((i64)blockIdx.x * BLOCK + threadIdx.x) / GROUP;
    if (net >= n) return;
    const offset_t begin = members[net], size = members[net + 1] - begin;
    for (offset_t i = Group::lane(); i < size + closed; i += GROUP) {
        const int u = i < size ? member[begin + i] : (int)net, mine = place ? place[u] : u;
        unsigned before = 0;
        for (offset_t j = 0; j < size; j++) before += (place ? place[member[begin + j]] : member[begin + j]) < mine;
        if (closed) before += (place ? place[net] : (int)net) < mine;
        if (before) atomicAdd(earlier + u, before);
    }
}

// The next places of the sequence, one for each group that wants one; all groups of a turn call.
static __device__ __forceinline__ unsigned draw(bool wants, unsigned* head) {
    if constexpr (GROUP <= WARP) {
        const unsigned mine = append_warp(wants && Group::lane() == 0, head);
        return __shfl_sync(ALL_LANES, mine, threadIdx.x % WARP - Group::lane());
    } else {
        __shared__ unsigned mine;
        Group::sync();  // all have read the last one
        if (wants && Group::lane() == 0) mine = atomicAdd(head, 1u);
        Group::sync();
        return mine;
    }
}

// How many colors the nets of v have, in all, and for WIDE=0 which; known to the group, which calls.
static __device__ __forceinline__ unsigned colors_around(const Vertex& v, const NetBits& h, u64& taken) {
    unsigned count = 0;
    taken = 0;
    for (offset_t e = v.begin; e < v.end; e += min((offset_t)(EACH * GROUP), (offset_t)(v.end - e))) {
        int net[EACH];
        read_row<Group, EACH>(h.net, e, v.end, net);
#if WIDE
        unsigned its[EACH];
        read_words(h.number, net, 0u, its);
#pragma unroll
        for (int q = 0; q < EACH; q++) count += its[q];
#else
        u64 its[EACH];
        read_words(h.bits, net, (u64)0, its);
#pragma unroll
        for (int q = 0; q < EACH; q++) taken |= its[q], count += __popcll(its[q]);
#endif
    }
    if (h.closed && Group::lane() == 0) {
#if WIDE
        count += load_unfenced(h.number + v.id);
#else
        const u64 its = load_unfenced(h.bits + v.id);
        taken |= its, count += __popcll(its);
#endif
    }
#if !WIDE
    taken = Group::template reduce<Either>(taken);
#endif
    return Group::template reduce<Plus>(count);
}

#if WIDE
// Words w … w + 3 of one net, which change no more.
static __device__ __forceinline__ void add_words(const NetBits& h, int net, int w, u64 (&taken)[CHUNK]) {
    const ulonglong2* at = reinterpret_cast<const ulonglong2*>(h.bits + (i64)net * h.words + w);
#pragma unroll
    for (int q = 0; q < CHUNK / 2; q++) {
        const ulonglong2 two = __ldcg(at + q);
        taken[2 * q] |= two.x, taken[2 * q + 1] |= two.y;
    }
}

// Of the colors 64 w … 64 w + 255, the least that no net of v has, or -1; known to the group, which calls.
static __device__ __forceinline__ int least_in_words(const Vertex& v, const NetBits& h, int w) {
    u64 taken[CHUNK] = {0};
    for (offset_t e = v.begin; e < v.end; e += min((offset_t)(EACH * GROUP), (offset_t)(v.end - e))) {
        int net[EACH];
        read_row<Group, EACH>(h.net, e, v.end, net);
#pragma unroll
        for (int q = 0; q < EACH; q++)
            if (net[q] >= 0) add_words(h, net[q], w, taken);
    }
    if (h.closed && Group::lane() == 0) add_words(h, v.id, w, taken);
    int least = -1;
#pragma unroll
    for (int q = CHUNK - 1; q >= 0; q--) {
        taken[q] = Group::template reduce<Either>(taken[q]);
        if (~taken[q]) least = 64 * (w + q) + least_free(taken[q]);
    }
    return least;
}
#endif

// The least color that no net of v has, or -1 where there are no bits for it; the group calls.
static __device__ __forceinline__ int least_around(const Vertex& v, const NetBits& h, u64 taken) {
#if WIDE
    __threadfence();  // what was counted is set
    int least = -1;
    for (int w = 0; least < 0 && w < h.words; w += CHUNK) least = least_in_words(v, h, w);
    return least;
#else
    return least_free(taken);
#endif
}

// Sets a color in one net.
static __device__ __forceinline__ void set_in(const NetBits& h, int net, int c) {
    atomicOr(h.bits + (WIDE ? (i64)net * h.words + c / 64 : (i64)net), (u64)1 << c % 64);
}

// Sets a color in all nets of v, and then counts it; the group calls.
static __device__ __forceinline__ void set_around(const Vertex& v, const NetBits& h, int c) {
    for (offset_t e = v.begin + Group::lane(); e < v.end; e += min((offset_t)GROUP, (offset_t)(v.end - e)))
        set_in(h, h.net[e], c);
    if (h.closed && Group::lane() == 0) set_in(h, v.id, c);
#if WIDE
    __threadfence();  // by each lane, after its own bits
    for (offset_t e = v.begin + Group::lane(); e < v.end; e += min((offset_t)GROUP, (offset_t)(v.end - e)))
        atomicAdd(h.number + h.net[e], 1u);
    if (h.closed && Group::lane() == 0) atomicAdd(h.number + v.id, 1u);
#endif
}

// Colors v if its turn has come, or says how many colors its nets have yet to get before; the group calls.
static __device__ __forceinline__ unsigned try_to_color(const Vertex& v, const NetBits& h, int* color, unsigned* full) {
    u64 taken;
    const unsigned missing = v.earlier - colors_around(v, h, taken);
    if (missing) return missing;
    const int c = least_around(v, h, taken);
    if (c < 0) {
        store_relaxed(full, 1u);
        return 1;
    }
    set_around(v, h, c);
    if (Group::lane() == 0) color[v.id] = c;
    return 0;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    color_by_bits(i64 n, const int* __restrict__ sequence, const offset_t* __restrict__ nets,
                  const int* __restrict__ net, int closed, int words, const unsigned* __restrict__ earlier, u64* bits,
                  unsigned* number, unsigned* head, unsigned* full, int* color) {
    const NetBits h = {{nets, net, nullptr, nullptr, closed}, words, bits, number};
    Vertex v = {-1, 0, 0, 0};
    bool over = false;
    unsigned skip = 0;
    for (unsigned idle = 0;;) {
        const unsigned at = draw(v.id < 0 && !over, head);
        if (v.id < 0 && !over) {
            over = (i64)at >= n;
            if (!over) {
                v.id = vertex_at(sequence, at);
                v.begin = nets[v.id], v.end = nets[v.id + 1], v.earlier = earlier[v.id];
            }
        }
        if (!Turn::any(v.id >= 0)) return;
        unsigned missing = ~0u;
        if (v.id >= 0 && !skip) {
            missing = try_to_color(v, h, color, full);
            skip = min(missing / WAIT, TURNS);
        } else if (skip) {
            skip--;
        }
        if (missing == 0) v.id = -1;
        const unsigned least = reduce_warp<Least>(missing);
        idle = least == 0 ? 0 : idle + 1;
        if (idle % LOOK == LOOK - 1 && Turn::any(load_relaxed(full) != 0)) return;
        if (least > 1 && least != ~0u) nap(min(NAP, SLOPE * (min(least, NAP) - 1)));
    }
}
