// variants: OFFSET_BITS=32,64 STATE_BITS=8,32 BLOCK=128,256
// First-fit in the order largest_first_spread for vertices of degree under 64, a thread each.
//
// A block draws the next places of the sequence, so that a vertex waits only for vertices that a running block has
// in hand, and only for those that are not done: of 8 M vertices some 200 thousand are in flight. A row is read
// once, in aligned pieces of 16 bytes, eight edges at a time; a neighbour that has a color is earlier (a later one
// would have waited for this vertex), and the state of one that has none says whether it is.
//
// Bytes that must move: 8 a vertex of sequence, 4 an edge, a state an edge (from L2), 4 a vertex of output.
// Lost: a warp that draws 128 places and takes them 32 by 32: the last wait for the first, warp after warp (fd7-200:
// 278 ms). A state of 16 bits that holds the group, too: no hash to compute, but it leaves L2 (r4-2e23: 1.78 ms against
// 1.45). Waiting before the next eight edges are read (fem27-128: 0.96 ms).
#include "in_order.cuh"

#define FULL 0xffffffffu
#define LOW 64
#define BATCH 8
#define ROOM 12  // neighbours that a thread can wait for at a time

// Edges e … e + 3 where `wanted` has their bits, −1 elsewhere; e is a multiple of 4 if the array is aligned.
static __device__ __forceinline__ void read_four(int* u, const int* __restrict__ indices, offset_t e, unsigned wanted,
                                                 bool whole) {
    int4 four = make_int4(0, 0, 0, 0);
    if (whole) {
        if (wanted & 15) four = __ldcs(reinterpret_cast<const int4*>(indices + e));
    } else {  // the array ends within these 16 bytes, or is not aligned
        if (wanted & 1) four.x = indices[e];
        if (wanted & 2) four.y = indices[e + 1];
        if (wanted & 4) four.z = indices[e + 2];
        if (wanted & 8) four.w = indices[e + 3];
    }
    u[0] = four.x, u[1] = four.y, u[2] = four.z, u[3] = four.w;
}

// Whether u is before v, whose states say the same.
static __device__ __forceinline__ bool before(int u, int v, int degree, unsigned group, unsigned seed) {
#if STATE_BITS == 8
    const unsigned other = tie_group(u, degree, seed);
    return other < group || (other == group && u < v);
#else
    return u < v;
#endif
}

// Color 32 vertices, one a lane (-1: none), in rows that end before `m`; `list` has room for ROOM times BLOCK.
template <class Mask>
static __device__ __forceinline__ void color_warp(int v, offset_t row, int degree, unsigned seed, offset_t m,
                                                  bool aligned, const int* __restrict__ indices, int* list,
                                                  state_t* state, int* colors) {
    const unsigned group = tie_group(v, degree, seed);
    const unsigned mine = UNCOLORED + (STATE_BITS == 8 ? degree : low_turn(degree, group));
    const offset_t end = row + degree;
    offset_t at = row & ~(offset_t)3;
    Mask used = 0;
    int waiting = 0;
    bool done = v < 0;
    while (!__all_sync(FULL, done)) {
        if (done) continue;
        while (at < end && waiting <= ROOM - BATCH) {
            int u[BATCH];
            unsigned s[BATCH];
            const int skip = at < row ? (int)(row - at) : 0, left = end - at < BATCH ? (int)(end - at) : BATCH;
            const unsigned wanted = (1u << left) - (1u << skip);
            read_four(u, indices, at, wanted, aligned && at + 4 <= m);
            read_four(u + 4, indices, at + 4, wanted >> 4, aligned && at + 8 <= m);
#pragma unroll
            for (int k = 0; k < BATCH; k++) s[k] = wanted >> k & 1 ? look(state + u[k]) : 64u;
#pragma unroll
            for (int k = 0; k < BATCH; k++) {
                used |= bit(s[k], used);
                if (s[k] > mine || (s[k] == mine && before(u[k], v, degree, group, seed)))
                    list[BLOCK * waiting++] = u[k];
            }
            at += BATCH;
        }
        int left = 0;
        for (int i = 0; i < waiting; i += 4) {
            int u[4];
            unsigned s[4];
#pragma unroll
            for (int k = 0; k < 4; k++) u[k] = i + k < waiting ? list[BLOCK * (i + k)] : -1;
#pragma unroll
            for (int k = 0; k < 4; k++) s[k] = u[k] >= 0 ? look(state + u[k]) : 64u;
#pragma unroll
            for (int k = 0; k < 4; k++) {
                used |= bit(s[k], used);
                if (s[k] >= UNCOLORED) list[BLOCK * left++] = u[k];
            }
        }
        waiting = left;
        if (!waiting && at >= end) {
            const unsigned color = least_free(used);
            tell(state + v, color);
            if (colors) colors[v] = (int)color;
            done = true;
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    color_low(long long n, long long m, int expected_high, const int* __restrict__ starts,
              const int2* __restrict__ sequence, const offset_t* __restrict__ indptr, const int* __restrict__ indices,
              unsigned seed, unsigned* ticket, state_t* state, int* colors) {
    __shared__ int first_of[LOW], lists[ROOM][BLOCK];
    __shared__ unsigned drawn;
    if (starts[LOW + 1] != expected_high) return;  // launched on the guess that there is no vertex of high degree
    for (int d = threadIdx.x; d < LOW; d += BLOCK) first_of[d] = starts[d];
    const int lane = threadIdx.x % 32;
    const bool aligned = reinterpret_cast<unsigned long long>(indices) % 16 == 0;
    for (;;) {
        if (threadIdx.x == 0) drawn = atomicAdd(ticket, BLOCK);
        __syncthreads();
        const long long block_first = expected_high + (long long)drawn;
        __syncthreads();
        if (block_first >= n) return;
        const int first = (int)(block_first + threadIdx.x - lane), place = first + lane;
        if (first >= n) continue;
        const int2 entry = place < n ? __ldcs(sequence + place) : make_int2(-1, 0);
        // Degrees fall along the sequence: that of the warp's first vertex is counted together.
        const int most = LOW - __popc(__ballot_sync(FULL, first_of[lane] <= first)) -
                         __popc(__ballot_sync(FULL, first_of[lane + 32] <= first));
        int degree = most;
        while (degree > 0 && first_of[degree - 1] <= place) degree--;
#if OFFSET_BITS == 64
        const offset_t row = entry.x < 0 ? 0 : indptr[entry.x];
#else
        const offset_t row = entry.y;
#endif
        int* list = &lists[0][threadIdx.x];
        if (most < 32)
            color_warp<unsigned>(entry.x, row, degree, seed, (offset_t)m, aligned, indices, list, state, colors);
        else
            color_warp<unsigned long long>(entry.x, row, degree, seed, (offset_t)m, aligned, indices, list, state,
                                           colors);
    }
}

extern "C" __global__ void write_colors(long long n, const state_t* __restrict__ state, int* colors) {
    for (long long v = (long long)blockIdx.x * blockDim.x + threadIdx.x; v < n; v += (long long)gridDim.x * blockDim.x)
        colors[v] = (int)state[v];
}
