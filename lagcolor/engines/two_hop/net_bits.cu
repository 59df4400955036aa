// variants: OFFSET_BITS=32,64 BLOCK=128 GROUP=1,8,32,128 WIDE=0,1
// First-fit of vertices in nets, in any order; each net stores its colors as bits.
//
// Vertices of one net get different colors, in order. So v can be colored when its nets together have `earlier[v]`
// colors: the number of earlier vertices in them. No vertex reads another vertex, so the time is proportional to one
// hop, not two. While v has no color, none of its nets has more colors than earlier vertices, so comparing the sums is
// enough.
//
// WIDE=0: at most 64 colors. A net is a word, and the number of its colors is the number of its bits. WIDE=1: a net has
// `words` words, a multiple of 4, and a counter, which counts a color after its bit is set. If a vertex finds all
// bits set, *full is 1, all warps end, and the colors are not valid.
//
// Progress: GROUP lanes have one vertex at a time, never wait within a pass of their loop, and take the next vertex of
// the sequence when theirs is colored. Vertices are taken in order, so running lanes have the earliest uncolored
// vertex, which need not wait. So one running block is enough.
//
// place[v] is the position of v in the sequence, or its id without a sequence. color may be the same array, because
// only count_earlier reads positions.
//
// Bytes that must move: per entry its net, 8 of the net's bits read and 8 written; per vertex 8 of offsets, its number
// of earlier vertices, its color.
#include "base/device/include/clock.cuh"
#include "base/device/include/neighbors.cuh"
#include "base/device/include/nets.cuh"
#include "base/device/include/palette.cuh"
#include "engines/two_hop/places.cuh"

#define EACH 4     // nets of a vertex per lane at a time
#define CHUNK 4    // words of a net at a time: a sector of memory
#define SLOPE 32u  // nanoseconds of sleep per missing color
#define NAP 512u   // nanoseconds of the longest sleep
#define WAIT 8u    // a vertex is skipped for one pass per this number of missing colors,
#define TURNS 32u  // and for at most this number of passes
#define LOOK 32u   // passes between two reads of *full

typedef Threads<GROUP> Group;
typedef Threads<(GROUP > WARP ? GROUP : WARP)> Turn;  // threads that pass through the loop together

struct NetBits : Nets {  // `members` and `member` are null
    int words;           // of a net
    u64* bits;
    unsigned* number;  // colors of a net
};

struct Vertex {
    int id;  // -1: none
    offset_t begin, end;
    unsigned earlier;
};

// Count the earlier vertices of each vertex of a net. Nets are small: GROUP lanes compare all pairs.
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

// The next positions of the sequence, one for each group that wants one; all groups of a `Turn` call.
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

// The total number of colors of the nets of v and, for WIDE=0, these colors, in all lanes; the group calls.
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
// Add words w … w + 3 of one net, which are final.
static __device__ __forceinline__ void add_words(const NetBits& h, int net, int w, u64 (&taken)[CHUNK]) {
    const ulonglong2* at = reinterpret_cast<const ulonglong2*>(h.bits + (i64)net * h.words + w);
#pragma unroll
    for (int q = 0; q < CHUNK / 2; q++) {
        const ulonglong2 two = __ldcg(at + q);
        taken[2 * q] |= two.x, taken[2 * q + 1] |= two.y;
    }
}

// The least of the colors 64 w … 64 w + 255 that no net of v has, or -1, in all lanes; the group calls.
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

// The least color that no net of v has, or -1 if there are no bits for it; the group calls.
static __device__ __forceinline__ int least_around(const Vertex& v, const NetBits& h, u64 taken) {
#if WIDE
    __threadfence();  // the bits of counted colors are visible
    int least = -1;
    for (int w = 0; least < 0 && w < h.words; w += CHUNK) least = least_in_words(v, h, w);
    return least;
#else
    return least_free(taken);
#endif
}

// Set a color in one net.
static __device__ __forceinline__ void set_in(const NetBits& h, int net, int c) {
    atomicOr(h.bits + (WIDE ? (i64)net * h.words + c / 64 : (i64)net), (u64)1 << c % 64);
}

// Set a color in all nets of v, then count it; the group calls.
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

// Color v if all earlier vertices of its nets have colors; else return the number of missing colors. The group calls.
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
