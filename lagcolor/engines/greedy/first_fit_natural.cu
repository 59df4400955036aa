// variants: OFFSET_BITS=32,64 STATE_BITS=8 BLOCK=256
// variants: OFFSET_BITS=64 STATE_BITS=32 BLOCK=256
// First-fit in the order of ids, one thread per vertex, for graphs with degrees up to 63: structured meshes, which
// need few colors in this order and have wide wavefronts.
//
// As in first_fit_low.cu a block takes the next vertices. Only the neighbors of lower id in a row are read, all
// of them before any lane waits. A vertex mostly waits for a vertex shortly before it, so colors of the warp come from
// shared memory. Warps without work sleep, and leave the processor to warps at the front of the wave.
//
// Chains may be as long as the graph (a strip, a path): after `patience` nanoseconds all threads stop and set
// *timed_out.
//
// With STATE_BITS=32 the graph is larger than the device, and the arrays have only the rows of vertices first_id,
// first_id + 1 …; offsets count from `base`. (Otherwise part_id and part_base are 0.) The states of all vertices are
// on the device and become their colors. Another block of rows may be in flight; its vertices are later than these, or
// already taken (scale/disk/rows.cu).
//
// Slower variants, in ms on fem27-128: colors of the whole block in shared memory (7.3, without 6.4), a list of 16
// (6.9; a list of 24 has space for the 13 of a row), six blocks per multiprocessor (6.4 instead of 5.8), blocks of 128
// (7.1) or 512 (7.8) threads, and no sleep (8.5).
//
// Bytes that must move: 4 per vertex of offsets, 4 per edge, half a state per edge (from L2), 4 per vertex of output.
#include "base/device/include/grid.cuh"
#include "engines/greedy/first_fit.cuh"

#ifndef LIST_SIZE
#define LIST_SIZE 24  // neighbors outside the warp that a thread can wait for at a time
#endif
#if __CUDA_ARCH__ == 800 || __CUDA_ARCH__ >= 900
#define RESIDENT 8  // blocks per multiprocessor
#else
#define RESIDENT 4
#endif
#define BATCH 8
#define LOOKS 64  // passes between two reads of the clock

// Neighbors that a thread waits for, by rising id: entries begin … end − 1 of its column of shared memory.
struct List {
    int* at;
    int begin, end;
    __device__ __forceinline__ bool empty() const { return begin == end; }
    __device__ __forceinline__ void add(int u) { at[BLOCK * end++] = u; }
};

// Colors of the listed neighbors, read four at a time. Colored ones leave the list. While the last of four has no
// color, the other three are not read. The first ones are colored early, so that only the last four remain when the
// wave arrives.
static __device__ __forceinline__ u64 poll(List& list, const state_t* state) {
    u64 used = 0;
    while (!list.empty()) {
        const int count = min(4, list.end - list.begin), last = list.begin + count - 1;
        int u[4];
        unsigned s[4];
        u[0] = list.at[BLOCK * last];
        s[0] = load_unfenced(state + u[0]);
        if (s[0] >= UNCOLORED) return used;
#pragma unroll
        for (int k = 1; k < 4; k++) u[k] = k < count ? list.at[BLOCK * (last - k)] : -1;
#pragma unroll
        for (int k = 1; k < 4; k++) s[k] = u[k] >= 0 ? load_unfenced(state + u[k]) : 64u;
        list.begin += count;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            used |= bit(s[k], used);
            if (s[k] >= UNCOLORED) list.at[BLOCK * --list.begin] = u[k];
        }
    }
    list.begin = list.end = 0;
    return used;
}

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
    color_natural(long long n, long long m, long long patience, const offset_t* __restrict__ indptr,
                  const int* __restrict__ indices, unsigned* ticket, u64* begun, int* timed_out, state_t* state,
                  int* colors, long long part_id, long long part_base) {
    const long long first_id = STATE_BITS == 32 ? part_id : 0, base = STATE_BITS == 32 ? part_base : 0;
    __shared__ int lists[LIST_SIZE][BLOCK];
    __shared__ state_t near[BLOCK];  // states of the lanes of each warp
    __shared__ unsigned drawn;
    __shared__ u64 deadline;
    const bool aligned = reinterpret_cast<u64>(indices) % 16 == 0;
    const int lane = threadIdx.x % 32;
    List list = {&lists[0][threadIdx.x], 0, 0};
    if (threadIdx.x == 0) {
        const u64 now = nanoseconds(), first = atomicCAS(begun, 0ull, now);
        deadline = (first ? first : now) + (u64)patience;
    }
    for (;;) {
        if (threadIdx.x == 0) drawn = load_unfenced(timed_out) ? ~0u : atomicAdd(ticket, (unsigned)BLOCK);
        __syncthreads();
        const long long first = drawn;
        __syncthreads();
        if (first >= n) return;
        state_t* const of_warp = near + (threadIdx.x - lane);
        of_warp[lane] = UNCOLORED;
        __syncwarp();
        const int warp_first = (int)(first_id + first) + (int)threadIdx.x - lane;
        const int v = first + threadIdx.x < n ? warp_first + lane : -1;
        const offset_t row = v < 0 ? 0 : indptr[v - first_id] - (offset_t)base;
        const offset_t end = v < 0 ? 0 : indptr[v + 1 - first_id] - (offset_t)base;
        offset_t at = row & ~(offset_t)3;
        u64 used = 0;
        list.begin = list.end = 0;
        unsigned lanes = 0, idle = 0;  // lanes of this warp that this lane waits for; passes without a change
        bool done = v < 0;
        for (unsigned turn = 1;; turn++) {
            while (!done && at < end && list.end <= LIST_SIZE - BATCH) {
                int u[BATCH];
                unsigned s[BATCH];
                const int skip = at < row ? (int)(row - at) : 0, left = end - at < BATCH ? (int)(end - at) : BATCH;
                const unsigned wanted = (1u << left) - (1u << skip);
                read_four(u, indices, at, wanted, aligned && at + 4 <= m);
                read_four(u + 4, indices, at + 4, wanted >> 4, aligned && at + 8 <= m);
                at += BATCH;
#pragma unroll
                for (int k = 0; k < BATCH; k++) {
                    const bool mine = wanted >> k & 1;
                    if (mine && u[k] > v) at = end;  // columns rise along a row
                    s[k] = !mine || u[k] > v    ? 64u
                           : u[k] >= warp_first ? (unsigned)of_warp[u[k] - warp_first]
                                                : load_unfenced(state + u[k]);
                }
#pragma unroll
                for (int k = 0; k < BATCH; k++) {
                    used |= bit(s[k], used);
                    if (s[k] < UNCOLORED) continue;
                    if (u[k] >= warp_first) lanes |= 1u << (u[k] - warp_first);
                    else list.add(u[k]);
                }
            }
            __syncwarp();
            bool change = false;
            for (;;) {
                const bool now = !done && list.empty() && !lanes && at >= end;
                if (now) {
                    const unsigned color = least_free(used);
                    of_warp[lane] = (state_t)color;
                    store_relaxed(state + v, color);
#if STATE_BITS == 8
                    colors[v] = (int)color;
#endif
                    done = true;
                }
                const unsigned fresh = __ballot_sync(ALL_LANES, now);
                if (!fresh) break;
                change = true;
                __syncwarp();
                for (unsigned some = lanes & fresh; some; some &= some - 1)
                    used |= bit(of_warp[__ffs((int)some) - 1], used);
                lanes &= ~fresh;
            }
            if (__all_sync(ALL_LANES, done)) break;
            const int before = list.end - list.begin;
            if (!done) used |= poll(list, state);
            change = __any_sync(ALL_LANES, change || list.end - list.begin < before);
            idle = change ? 0 : idle + 1;
            doze(idle);
            if (turn % LOOKS == 0 && __any_sync(ALL_LANES, nanoseconds() > deadline)) {
                store_relaxed(timed_out, 1);
                break;
            }
        }
    }
}
