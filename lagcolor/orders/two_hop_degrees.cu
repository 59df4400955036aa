// variants: OFFSET_BITS=32,64 BLOCK=128 SLOTS=256,2048 GROUP=4,8,32
// Number of other vertices that share a net with each vertex, each counted once.
//
// count_few: a warp processes one vertex after the other and inserts the vertices of its nets into a hash table in
// shared memory. If the nets have more entries than 3/4 of the table, it lists the vertex for count_many. There a block
// counts around a vertex with bits in shared memory, for a window of ids at a time; bisection finds the part of each
// net in the window.
//
// Bytes that must move: 8 of offsets per vertex and per net read, 4 per entry of each net read.
#include "base/device/include/hash.cuh"
#include "base/device/include/neighbors.cuh"
#include "base/device/include/nets.cuh"
#include "base/device/include/palette.cuh"
#include "base/device/include/search.cuh"

#define WARPS (BLOCK / WARP)
#define MANY 512       // threads of a block of count_many; the nets of a hub of an R-MAT graph have almost all vertices
#define EACH 4         // entries per lane at a time
#define FREE ~0u       // empty slot of the table
#ifndef WORDS
#define WORDS 8192  // of bits: 262,144 vertices
#endif
#ifndef MOST
#define MOST (SLOTS / 4 * 3)  // largest number of entries of nets, plus the vertex itself, for the table
#endif

typedef Threads<GROUP> Reader;
typedef Threads<MANY> Block;

// Number of entries of the nets of v, plus the vertices of closed nets, plus v; all lanes of the warp call it.
static __device__ __forceinline__ i64 entries_around(const Nets& h, offset_t begin, offset_t end) {
    i64 sum = 0;
    for (i64 e = begin + Warp::lane(); e < end; e += WARP) {
        const int net = h.net[e];
        sum += (i64)(h.members[net + 1] - h.members[net]) + h.closed;
    }
    return Warp::reduce<Plus>(sum) + 1;
}

// Insert u into the table, which has a free slot; 1 if u is new.
static __device__ __forceinline__ int insert(unsigned* table, unsigned mask, unsigned u) {
    for (unsigned at = mix(u) & mask;; at = (at + 1) & mask) {
        const unsigned old = atomicCAS(table + at, FREE, u);
        if (old == u) return 0;
        if (old == FREE) return 1;
    }
}

// Count other vertices in the nets of v, in a table of mask + 1 slots; all lanes of the warp call it.
static __device__ __forceinline__ int count_in_table(unsigned* table, unsigned mask, const Nets& h, int v,
                                                     offset_t begin, offset_t end) {
    for (unsigned at = Warp::lane(); at <= mask; at += WARP) table[at] = FREE;
    Warp::sync();
    if (Warp::lane() == 0) insert(table, mask, v);
    Warp::sync();
    int count = 0;
    for (i64 e = begin + Warp::lane() / GROUP; e < end; e += WARP / GROUP) {
        const int net = h.net[e];
        if (h.closed && Reader::lane() == 0) count += insert(table, mask, net);
        const offset_t last = h.members[net + 1];
        for (i64 k = h.members[net]; k < last; k += EACH * GROUP) {
            int u[EACH];
            read_row<Reader, EACH>(h.member, k, (i64)last, u);
#pragma unroll
            for (int q = 0; q < EACH; q++)
                if (u[q] >= 0) count += insert(table, mask, u[q]);
        }
    }
    Warp::sync();  // all lanes are done with the table
    return Warp::reduce<Plus>(count);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    count_few(i64 n, const offset_t* __restrict__ nets, const int* __restrict__ net,
              const offset_t* __restrict__ members, const int* __restrict__ member, int closed, int* degree, int* many,
              unsigned* length) {
    __shared__ unsigned tables[WARPS][SLOTS];
    const Nets h = {nets, net, members, member, closed};
    for (i64 v = (i64)blockIdx.x * WARPS + threadIdx.x / WARP; v < n; v += (i64)gridDim.x * WARPS) {
        const offset_t begin = nets[v], end = nets[v + 1];
        const i64 entries = entries_around(h, begin, end);
        if (entries > MOST) {
            if (Warp::lane() == 0) many[atomicAdd(length, 1u)] = (int)v;
            continue;
        }
        unsigned slots = WARP;
        while (slots / 4 * 3 < entries) slots *= 2;
        const int count = count_in_table(tables[threadIdx.x / WARP], slots - 1, h, (int)v, begin, end);
        if (Warp::lane() == 0) degree[v] = count;
    }
}

// Set the bits of the vertices low … low + 32 · WORDS − 1 that are in a net; all lanes of the warp call it.
static __device__ __forceinline__ void mark_net(unsigned* words, const Nets& h, int net, i64 low) {
    const i64 last = h.members[net + 1];
    for (i64 k = first_from(h.member, (i64)h.members[net], last, low); k < last; k += EACH * WARP) {
        int u[EACH];
        read_row<Warp, EACH>(h.member, k, last, u);
#pragma unroll
        for (int q = 0; q < EACH; q++)
            if (u[q] >= low && u[q] - low < 32 * WORDS) take_color(words, (unsigned)(u[q] - low));
        if (__any_sync(ALL_LANES, u[EACH - 1] >= low + 32 * WORDS)) return;
    }
}

extern "C" __global__ void __launch_bounds__(MANY)
    count_many(i64 n, const offset_t* __restrict__ nets, const int* __restrict__ net,
               const offset_t* __restrict__ members, const int* __restrict__ member, int closed,
               const int* __restrict__ many, const unsigned* __restrict__ length, unsigned* head, int* degree) {
    __shared__ unsigned words[WORDS], drawn;
    const Nets h = {nets, net, members, member, closed};
    for (;;) {
        if (threadIdx.x == 0) drawn = atomicAdd(head, 1u);
        __syncthreads();
        if (drawn >= *length) return;
        const int v = many[drawn];
        const offset_t begin = nets[v], end = nets[v + 1];
        int count = 0;
        for (i64 low = 0; low < n; low += 32 * WORDS) {
            for (int w = threadIdx.x; w < WORDS; w += MANY) words[w] = 0;
            __syncthreads();
            for (i64 e = begin + threadIdx.x / WARP; e < end; e += MANY / WARP) {
                const i64 own = net[e] - low;  // the vertex of a closed net
                if (closed && Warp::lane() == 0 && own >= 0 && own < 32 * WORDS) take_color(words, (unsigned)own);
                mark_net(words, h, net[e], low);
            }
            __syncthreads();
            for (int w = threadIdx.x; w < WORDS; w += MANY) count += __popc(words[w]);
            __syncthreads();
        }
        count = Block::reduce<Plus>(count);
        if (threadIdx.x == 0) degree[v] = count - 1;  // v is in each of its nets
        __syncthreads();                              // all threads have read `drawn`
    }
}
