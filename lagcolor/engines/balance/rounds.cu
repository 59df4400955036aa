// Rounds of balancing on a GPU, in three launches each; launched by rounds.py, which says what a round does.
//
// wish: a block takes a tile of consecutive vertices. Of those that try a thread reads a row of up to 64 entries, a warp
// longer ones; `wishes` has the place of the sink among those of the round, or -1, and `sums` the weight wished for by tile
// and sink. scan: for each sink the weight wished for in earlier tiles. admit: a warp goes through a tile in order, so that
// each vertex knows what those of smaller number wish for.
//
// Shared state: colors are written in `admit` alone, and a mover's neighbors are read in `wish`. Sums by atomic additions, in
// any order.
//
// Bytes of a round: 16 per vertex, 16 and 8 per entry for one that tries, 3 counters per tile and sink.
//
// variants: OFFSET_BITS=32,64
#include "device/include/hash.cuh"
#include "device/include/neighbors.cuh"

#define BLOCK 256
#define WARPS (BLOCK / WARP)
#define THREAD_MOST 64  // entries of a row that one thread reads
#define IN_FLIGHT 8
#define SLOTS 64
#define SLOT_BITS 6
#define GOLDEN 0x9e3779b9u

struct Graph {
    const offset_t* indptr;
    const int *indices, *colors, *code;
};

// The bits of the sinks of class c that neighbors are in, of a row by a group; only this thread's part.
template <class Group> static __device__ u64 taken_in_row(const Graph& G, i64 v, int c) {
    u64 taken = 0;
    for (offset_t e = G.indptr[v], end = G.indptr[v + 1]; e < end; e += Group::SIZE * IN_FLIGHT) {
        int u[IN_FLIGHT];
        read_row<Group>(G.indices, e, end, u);
#pragma unroll
        for (int q = 0; q < IN_FLIGHT; q++) u[q] = u[q] >= 0 ? G.colors[u[q]] : -1;
#pragma unroll
        for (int q = 0; q < IN_FLIGHT; q++) {
            const int x = u[q] >= 0 ? G.code[u[q]] : -1;
            if (x >> SLOT_BITS == c) taken |= 1ull << (x & (SLOTS - 1));
        }
        if (end - e <= Group::SIZE * IN_FLIGHT) break;
    }
    return taken;
}

// The first slot not taken, from one on that a hash says; -1 where all are.
static __device__ int pick(u64 taken, int sinks, unsigned h) {
    int slot = (int)((u64)mix(h + GOLDEN) * sinks >> 32);
    for (int i = 0; i < sinks; i++) {
        if (!(taken >> slot & 1)) return slot;
        if (++slot == sinks) slot = 0;
    }
    return -1;
}

static __device__ __forceinline__ u64 weight_of(const i64* weights, i64 v) { return weights ? (u64)weights[v] : 1; }

// until, first, count: by class, as in plan.py; sums: [place][tile].
extern "C" __global__ void __launch_bounds__(BLOCK)
    wish(const offset_t* indptr, const int* indices, const int* colors, const int* code, const i64* until, const i64* first,
         const i64* count, const i64* weights, int* wishes, u64* sums, i64 n, i64 tile, unsigned salt) {
    __shared__ u64 taken[BLOCK];
    __shared__ int longer[BLOCK], n_longer;
    const Graph G = {indptr, indices, colors, code};
    const i64 begin = blockIdx.x * tile, end = begin + tile < n ? begin + tile : n;
    for (i64 base = begin; base < end; base += BLOCK) {
        const i64 v = base + threadIdx.x;
        const int c = v < end ? colors[v] : -1;
        const bool tries = c >= 0 && (i64)mix((unsigned)v, salt) < until[c];
        if (threadIdx.x == 0) n_longer = 0;
        __syncthreads();
        if (tries) {
            if (indptr[v + 1] - indptr[v] <= THREAD_MOST) taken[threadIdx.x] = taken_in_row<SingleThread>(G, v, c);
            else longer[atomicAdd(&n_longer, 1)] = threadIdx.x;
        }
        __syncthreads();
        for (int j = threadIdx.x / WARP; j < n_longer; j += WARPS) {
            const i64 u = base + longer[j];
            const u64 of_row = Warp::reduce<Either>(taken_in_row<Warp>(G, u, colors[u]));
            if (Warp::lane() == 0) taken[longer[j]] = of_row;
        }
        __syncthreads();
        const int slot = tries ? pick(taken[threadIdx.x], (int)count[c], mix((unsigned)v, salt)) : -1;
        const int place = slot >= 0 ? (int)first[c] + slot : -1;
        if (place >= 0) atomicAdd(sums + (i64)place * gridDim.x + blockIdx.x, weight_of(weights, v));
        if (v < end) wishes[v] = place;
    }
}

// Sums of earlier tiles, in place; a block for each sink.
extern "C" __global__ void __launch_bounds__(BLOCK) scan(u64* sums, i64 tiles) {
    u64 *const mine = sums + blockIdx.x * tiles, before = 0;
    for (i64 base = 0; base < tiles; base += BLOCK) {
        const i64 t = base + threadIdx.x;
        u64 total;
        const u64 in_block = Threads<BLOCK>::sum_before(t < tiles ? mine[t] : 0, total);
        if (t < tiles) mine[t] = before + in_block;
        before += total;
    }
}

// Those within the quotas move; `moved`: the weight that each sink gets.
extern "C" __global__ void __launch_bounds__(BLOCK)
    admit(const int* wishes, const i64* sinks, const i64* quotas, const i64* weights, u64* sums, int* colors, u64* moved,
          i64 n, i64 tile, i64 tiles) {
    const i64 t = (i64)blockIdx.x * WARPS + threadIdx.x / WARP, end = (t + 1) * tile < n ? (t + 1) * tile : n;
    for (i64 base = t * tile; t < tiles && base < end; base += WARP) {
        const i64 v = base + Warp::lane();
        const int place = v < end ? wishes[v] : -1;
        unsigned rest = __ballot_sync(ALL_LANES, place >= 0);
        while (rest) {  // each turn takes all lanes with the place of the first
            const i64 p = __shfl_sync(ALL_LANES, place, __ffs((int)rest) - 1);
            const u64 asks = place == p ? weight_of(weights, v) : 0, until = sum_until(asks);
            u64* const sum = sums + p * tiles + t;
            const u64 before = *sum;
            const bool gets = place == p && before + until <= (u64)quotas[p];
            if (gets) colors[v] = (int)sinks[p];
            const u64 all = __shfl_sync(ALL_LANES, until, WARP - 1), got = reduce_warp<Plus>(gets ? asks : 0);
            __syncwarp();  // all lanes have read *sum
            if (Warp::lane() == 0) {
                *sum = before + all;
                if (got) atomicAdd(moved + p, got);
            }
            __syncwarp();
            rest &= ~__ballot_sync(ALL_LANES, place == p);
        }
    }
}
