// variants: OFFSET_BITS=32,64 STATE_BITS=8 BLOCK=64,512 RESIDENT=1536 LIST_SIZE=12
// variants: OFFSET_BITS=32,64 STATE_BITS=8 BLOCK=64,512 RESIDENT=1280 LIST_SIZE=20
// variants: OFFSET_BITS=32,64 STATE_BITS=32 BLOCK=64,512 RESIDENT=1280 LIST_SIZE=12 SYSTEM=0,1
// variants: OFFSET_BITS=32,64 STATE_BITS=8 BLOCK=64,512 RESIDENT=1280 LIST_SIZE=20 SYSTEM=1
// First-fit in the order largest_first_spread for vertices of degree under 64, a thread each.
//
// A block takes the next positions of the sequence. So a vertex waits only for vertices that a running block is
// coloring: of 8 M vertices about 200 thousand are in flight. A row is read once, in aligned pieces of 16 bytes, eight
// edges at a time. A neighbor with a color is earlier, because a later one would have waited for this vertex; the state
// of an uncolored neighbor shows whether it is earlier.
//
// With SYSTEM=1 each of several GPUs colors its range of ids, first … first + n − 1, and has the rows of this range.
// Ids of neighbors and states refer to the whole graph, and a color goes to the GPUs that have a neighbor (peers.cuh).
// The states of the other GPUs' vertices are initialized before. Each GPU takes its vertices in order, so that the
// earliest uncolored vertex can always be colored, and no GPU waits forever.
//
// Bytes that must move: 8 per vertex of sequence, 4 per edge, one state per edge (from L2), 4 per vertex of output.
// Slower variants: a warp that takes 128 positions and colors them 32 by 32: the last wait for the first, warp after
// warp (fd7-200: 278 ms). A state of 16 bits with the group: no hash to compute, but it does not fit in L2 (r4-2e23:
// 1.78 ms against 1.45). Waiting before the next eight edges are read (fem27-128: 0.96 ms).
#include "engines/greedy/first_fit_peers.cuh"
#include "engines/greedy/first_fit_warp.cuh"

#define LOW 64
#if __CUDA_ARCH__ == 750 || __CUDA_ARCH__ == 860  // at most 16 resident blocks
#define FIT 1024
#else
#define FIT RESIDENT  // threads per multiprocessor
#endif

// Whether u is before v, if their states and so their degrees are equal.
static __device__ __forceinline__ bool before(int u, int v, int degree, unsigned seed) {
#if STATE_BITS == 8
    if ((u ^ v) >> 5) {  // in different runs of 32 ids
        const unsigned mine = tie_group(v, degree, seed), other = tie_group(u, degree, seed);
        if (other != mine) return other < mine;
    }
#endif
    return rank_of(u) < rank_of(v);
}

extern "C" __global__ void __launch_bounds__(BLOCK, FIT / BLOCK)
    color_low(long long n, long long m, int expected_high, const int* __restrict__ starts,
              const int2* __restrict__ sequence, const offset_t* __restrict__ indptr, const int* __restrict__ indices,
              unsigned seed, unsigned* ticket, state_t* state, int* colors, int part_bits, int first_id,
              const u64* __restrict__ table) {
    __shared__ int first_of[LOW], lists[LIST_SIZE][BLOCK];
    __shared__ unsigned drawn;
    __shared__ Neighbors warps[BLOCK / 32];
    Neighbors* warp = warps + threadIdx.x / 32;
    int* list = &lists[0][threadIdx.x];
    if (starts[LOW] != expected_high) return;  // the guess of the number of high degrees was wrong
    for (int d = threadIdx.x; d < LOW; d += BLOCK) first_of[d] = starts[d];
    const int lane = threadIdx.x % 32;
    const bool aligned = reinterpret_cast<unsigned long long>(indices) % 16 == 0;
    const Others others = {table};
    for (;;) {
        if (threadIdx.x == 0) drawn = others.stopped() ? (unsigned)n : atomicAdd(ticket, (unsigned)BLOCK);
        __syncthreads();
        const long long block_first = expected_high + (long long)drawn;
        __syncthreads();
        if (block_first >= n) return;
        const int first = (int)(block_first + threadIdx.x - lane), place = first + lane;
        if (first >= n) continue;
        const int2 entry = place < n ? __ldcs(sequence + place) : make_int2(-1, 0);
        // Degrees fall along the sequence: vertices with the degree of the warp's first vertex are counted together.
        const int most = LOW - __popc(__ballot_sync(ALL_LANES, first_of[lane] <= first)) -
                         __popc(__ballot_sync(ALL_LANES, first_of[lane + 32] <= first));
        int degree = most;
        while (degree > 0 && first_of[degree - 1] <= place) degree--;
#if OFFSET_BITS == 64
        const offset_t row = entry.x < 0 ? 0 : indptr[others.row_of(entry.x, first_id)];
#else
        const offset_t row = entry.y;
#endif
        const int v = entry.x;
        const unsigned mine = UNCOLORED + (STATE_BITS == 8 ? turn_in_byte(degree, place, part_bits)
                                                           : low_turn(degree, tie_group(v, degree, seed)));
        const auto order = [=](int u, unsigned s) { return s > mine || (s == mine && before(u, v, degree, seed)); };
        const offset_t end = row + degree;
        const offset_t all = (offset_t)m;
        const auto take = others.pushing(v, row, end, indices);
        if (most <= FEW)
            color_warp<FEW, unsigned>(v, row, end, all, aligned, indices, warp, list, state, colors, order, take, others);
        else if (most <= SEVERAL)
            color_warp<SEVERAL, unsigned>(v, row, end, all, aligned, indices, warp, list, state, colors, order, take, others);
        else if (most < 32)
            color_warp<LONGER, unsigned>(v, row, end, all, aligned, indices, warp, list, state, colors, order, take, others);
        else
            color_warp<LONGER, unsigned long long>(v, row, end, all, aligned, indices, warp, list, state, colors, order, take, others);
    }
}

// Write the public colors, 16 bytes per thread at a time.
extern "C" __global__ void write_colors(long long n, const state_t* __restrict__ state, int* colors) {
    const long long stride = 4ll * gridDim.x * blockDim.x;
    for (long long v = 4 * ((long long)blockIdx.x * blockDim.x + threadIdx.x); v < n; v += stride) {
        int c[4];
#pragma unroll
        for (int k = 0; k < 4; k++) c[k] = v + k < n ? (int)state[v + k] : 0;
        if (v + 4 <= n) {
            *reinterpret_cast<int4*>(colors + v) = make_int4(c[0], c[1], c[2], c[3]);
            continue;
        }
        for (int k = 0; v + k < n; k++) colors[v + k] = c[k];
    }
}
