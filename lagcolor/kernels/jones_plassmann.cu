// variants: OFFSET_BITS=32,64 GROUP=1,32,256
// One round of Jones-Plassmann: an active vertex whose earlier neighbours all have colors takes the
// least color that none of them has; the others go to the next round's list.
//
// GROUP threads work on a vertex: 1 with a 64-bit mask in a register, a warp or a block with a bitmap
// of 1024 colors in shared memory; more colors mean another pass over the row with the next window.
//
// cursor[v] is the first edge of v not known to lead to a colored or later vertex: an edge is looked at once
// while v waits, and once more when it is its turn. Without it, kron_g500 of scale 18 took 159 ms.
//
// Shared state: colors[] goes from -1 to its final value once (monotone), so a color read early in the
// same launch is as good as one of an earlier launch, and the result does not depend on the schedule.
//
// Bytes that must move: twice 8 to 12 an edge (column, priority of the neighbour, its color where that comes
// earlier) over all rounds, and 20 a vertex a round while it is active.
#include "common.cuh"

#define NONE 0x7fffffff
#define WINDOW 1024

#if GROUP == 1

static __device__ __forceinline__ bool try_color(int v, offset_t begin, offset_t end, const int* __restrict__ indices,
                                                 const int* __restrict__ p, int* colors, offset_t* cursor) {
    const int pv = p[v];
    offset_t e = cursor[v];
    for (; e < end; e++) {
        const int u = indices[e];
        if (p[u] > pv && load_relaxed(colors + u) < 0) break;
    }
    if (e < end) {
        cursor[v] = e;
        return false;
    }
    unsigned long long seen = ~0ull;
    int base = -64;
    while (seen == ~0ull) {  // every color of the last window is taken: look at the next 64
        base += 64;
        seen = 0;
        for (e = begin; e < end; e++) {
            const int u = indices[e];
            const unsigned c = p[u] > pv ? (unsigned)(load_relaxed(colors + u) - base) : 64u;
            if (c < 64u) seen |= 1ull << c;
        }
    }
    store_relaxed(colors + v, base + __ffsll(~seen) - 1);
    return true;
}

extern "C" __global__ void color_round(const int* __restrict__ active, const int* __restrict__ n_active,
                                       const offset_t* __restrict__ indptr, const int* __restrict__ indices,
                                       const int* __restrict__ p, int* colors, offset_t* cursor, int* next,
                                       int* n_next) {
    const int count = *n_active;
    for (int first = blockIdx.x * blockDim.x; first < count; first += gridDim.x * blockDim.x) {
        const bool mine = first + threadIdx.x < count;
        const int v = mine ? active[first + threadIdx.x] : 0;
        const bool waits = mine && !try_color(v, indptr[v], indptr[v + 1], indices, p, colors, cursor);
        const int place = append(waits, n_next);
        if (waits) next[place] = v;
    }
}

#else

#if GROUP == 32
#define BLOCK 128
static __device__ __forceinline__ void sync() { __syncwarp(); }
static __device__ __forceinline__ bool any(bool x) { return __any_sync(0xffffffffu, x); }
#else
#define BLOCK GROUP
static __device__ __forceinline__ void sync() { __syncthreads(); }
static __device__ __forceinline__ bool any(bool x) { return __syncthreads_or(x); }
#endif
#define GROUPS (BLOCK / GROUP)

extern "C" __global__ void __launch_bounds__(BLOCK)
    color_round(const int* __restrict__ active, const int* __restrict__ n_active, const offset_t* __restrict__ indptr,
                const int* __restrict__ indices, const int* __restrict__ p, int* colors, offset_t* cursor, int* next,
                int* n_next) {
    __shared__ unsigned bitmaps[GROUPS][WINDOW / 32];
    __shared__ int answers[GROUPS];
    const int group = threadIdx.x / GROUP, lane = threadIdx.x % GROUP;
    unsigned* bitmap = bitmaps[group];
    const int count = *n_active;
    for (int i = blockIdx.x * GROUPS + group; i < count; i += gridDim.x * GROUPS) {
        const int v = active[i], pv = p[v];
        const offset_t begin = indptr[v], end = indptr[v + 1];
        offset_t e = cursor[v];
        for (; e < end; e += GROUP) {
            bool waits = false;
            if (e + lane < end) {
                const int u = indices[e + lane];
                waits = p[u] > pv && load_relaxed(colors + u) < 0;
            }
            if (any(waits)) break;
        }
        if (e < end) {
            if (lane == 0) {
                cursor[v] = e;
                next[atomicAdd(n_next, 1)] = v;
            }
            continue;
        }
        int answer = NONE;
        for (int base = 0; answer == NONE; base += WINDOW) {
            if (lane < WINDOW / 32) bitmap[lane] = 0;
            sync();
            for (e = begin + lane; e < end; e += GROUP) {
                const int u = indices[e];
                const unsigned k = p[u] > pv ? (unsigned)(load_relaxed(colors + u) - base) : WINDOW;
                if (k < WINDOW) atomicOr(bitmap + k / 32, 1u << k % 32);
            }
            sync();
            if (lane < WINDOW / 32) {
                const unsigned word = bitmap[lane];
                int least = word == ~0u ? NONE : base + lane * 32 + __ffs(~word) - 1;
                for (int step = 16; step > 0; step /= 2) least = min(least, __shfl_xor_sync(0xffffffffu, least, step));
                if (lane == 0) answers[group] = least;
            }
            sync();
            answer = answers[group];
            sync();  // answers and bitmap are free for the next window or vertex
        }
        if (lane == 0) store_relaxed(colors + v, answer);
    }
}

#endif
