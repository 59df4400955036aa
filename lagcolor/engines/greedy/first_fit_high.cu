// variants: OFFSET_BITS=32,64 STATE_BITS=32 GROUP=32,256
// First-fit in the order largest_first_spread for vertices of degree 64 and over: GROUP threads a vertex.
//
// A group draws the next vertex of the sequence and reads its row once: colors of neighbours go to a bitmap in
// shared memory, earlier neighbours without a color to a list, which is polled until all have one. As in
// first_fit_low.cu, a neighbour that has a color is earlier, and a vertex waits only for vertices that others have
// in hand.
//
// Bytes that must move: 4 an edge and a state an edge (from L2).
#include "engines/greedy/first_fit.cuh"

#define UNROLL 4
#if GROUP == 32
#define BLOCK 256
#define WINDOW 2048
#define ROOM 256
static __device__ __forceinline__ void sync() { __syncwarp(); }
static __device__ __forceinline__ bool any(bool x) { return __any_sync(ALL_LANES, x); }
#else
#define BLOCK GROUP
#define WINDOW 65536
#define ROOM 2048
static __device__ __forceinline__ void sync() { __syncthreads(); }
static __device__ __forceinline__ bool any(bool x) { return __syncthreads_or(x); }
#endif
#define GROUPS (BLOCK / GROUP)

// Poll the listed vertices until each has a color; the list is empty then.
static __device__ __forceinline__ void drain(int lane, int* list, int* count, unsigned* bitmap, unsigned window,
                                             const state_t* state) {
    const int all = *count;
    bool waits;
    do {
        waits = false;
        for (int i = lane; i < all; i += GROUP) {
            if (list[i] < 0) continue;
            const unsigned s = load_state(state + list[i]);
            if (s < UNCOLORED) {
                list[i] = -1;
                if (s - window < WINDOW) atomicOr(bitmap + (s - window) / 32, 1u << s % 32);
            } else {
                waits = true;
            }
        }
    } while (any(waits));
    sync();  // a vote orders no memory
    if (lane == 0) *count = 0;
    sync();
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    color_high(int begin_place, int end_place, const int* __restrict__ sequence, const offset_t* __restrict__ indptr,
               const int* __restrict__ indices, unsigned* ticket, state_t* state) {
    __shared__ unsigned bitmaps[GROUPS][WINDOW / 32];
    __shared__ int lists[GROUPS][ROOM], counts[GROUPS], answers[GROUPS];
    const int g = threadIdx.x / GROUP, lane = threadIdx.x % GROUP;
    unsigned* bitmap = bitmaps[g];
    int *list = lists[g], *count = counts + g, *answer = answers + g;
    for (int i = lane; i < WINDOW / 32; i += GROUP) bitmap[i] = 0;
    if (lane == 0) *count = 0;
    for (;;) {
        if (lane == 0) *answer = (int)atomicAdd(ticket, 1u);
        sync();
        const int place = begin_place + *answer;
        sync();
        if (place >= end_place) return;
        const int v = sequence[place];
        const offset_t begin = indptr[v], end = indptr[v + 1];
        const unsigned mine = 0xffffffffu - (unsigned)place;
        unsigned color = ~0u;
        for (unsigned window = 0; color == ~0u; window += WINDOW) {
            for (offset_t e = begin; e < end; e += GROUP * UNROLL) {
                int u[UNROLL];
                unsigned s[UNROLL];
#pragma unroll
                for (int k = 0; k < UNROLL; k++) u[k] = e + k * GROUP + lane < end ? indices[e + k * GROUP + lane] : -1;
#pragma unroll
                for (int k = 0; k < UNROLL; k++) s[k] = u[k] >= 0 ? load_state(state + u[k]) : mine;
#pragma unroll
                for (int k = 0; k < UNROLL; k++) {
                    if (s[k] - window < WINDOW) atomicOr(bitmap + (s[k] - window) / 32, 1u << s[k] % 32);
                    if (s[k] > mine) list[atomicAdd(count, 1)] = u[k];
                }
                sync();
                const bool full = *count > ROOM - GROUP * UNROLL;
                sync();
                if (full) drain(lane, list, count, bitmap, window, state);
            }
            drain(lane, list, count, bitmap, window, state);
            // The least color that the bitmap lacks; the bitmap is cleared for the next use.
            if (lane == 0) *answer = 0x7fffffff;
            sync();
            for (int i = lane; i < WINDOW / 32; i += GROUP) {
                const unsigned word = bitmap[i];
                bitmap[i] = 0;
                if (word != ~0u) {
                    atomicMin(answer, i * 32 + __ffs(~word) - 1);
                    // later words of this thread cannot win, but must be cleared
                }
            }
            sync();
            if (*answer != 0x7fffffff) color = window + (unsigned)*answer;
            sync();
        }
        if (lane == 0) store_state(state + v, color);
    }
}

// The states of all vertices of degree under 64, from their rows.
extern "C" __global__ void set_low(long long n, const offset_t* __restrict__ indptr, unsigned seed, state_t* state) {
    for (long long v = (long long)blockIdx.x * blockDim.x + threadIdx.x; v < n;
         v += (long long)gridDim.x * blockDim.x) {
        const offset_t d = indptr[v + 1] - indptr[v];
        if (d < 64) state[v] = UNCOLORED + low_turn((int)d, tie_group((int)v, (int)d, seed));
    }
}

extern "C" __global__ void set_turns(int high, const int* __restrict__ sequence, state_t* state) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < high) state[sequence[i]] = 0xffffffffu - (unsigned)i;
}
