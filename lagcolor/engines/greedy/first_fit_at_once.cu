// variants: OFFSET_BITS=32 STATE_BITS=8 BLOCK=256 EACH=1,4
// First-fit in the order largest_first_spread for small graphs of no degree over 31: all vertices are in flight at once,
// EACH a thread, so that nothing need be sorted over the whole graph.
//
// A thread looks at the rows of its vertices, notes which of their neighbours are earlier and have no color yet, and
// comes back to the first of these until it has one. No vertices wait in a circle, and each has a thread that runs
// (cooperative launch). A block takes its own vertices roughly in the order, so that the early ones are done when the
// others look: counted by degree and three bits of the group.
//
// Lost, in ms on delaunay_n20 and 2d-2e20, beside 0.121 and 0.064: one sweep over what waits in place of three (0.141 and
// 0.061), vertices as they are numbered (0.183 and 0.063; with one sweep 0.154 and 0.058), the sort (0.147 and 0.084).
//
// Bytes that must move: 8 per vertex of offsets, 4 per edge, one state per edge (from L2) and again for each that is waited
// for, 4 per vertex of output.
#include "engines/greedy/first_fit.cuh"

#define TOO_HIGH 32  // neighbours that one word distinguishes
#define EACH_STATE 4
#define BINS 256
#if __CUDA_ARCH__ == 800 || __CUDA_ARCH__ >= 900
#define RESIDENT 8  // blocks per multiprocessor
#else
#define RESIDENT 4
#endif
#define SWEEPS 3  // over what waits, for each vertex that comes in

// state[v] = "no color yet", and wide[block] = whether a degree is too high; then also *found, in memory of the host.
extern "C" __global__ void __launch_bounds__(BLOCK)
    set_states(int n, const int* __restrict__ indptr, state_t* state, int* wide, int* found) {
    bool high = false;
#pragma unroll
    for (int i = 0; i < EACH_STATE; i++) {
        const int v = (blockIdx.x * EACH_STATE + i) * BLOCK + threadIdx.x;
        if (v >= n) continue;
        const int degree = indptr[v + 1] - indptr[v];
        state[v] = (state_t)(UNCOLORED + min(degree, TOO_HIGH));
        high |= degree >= TOO_HIGH;
    }
    const bool any = __syncthreads_or(high);
    if (threadIdx.x == 0) {
        wide[blockIdx.x] = any;
        if (any) *found = 1;
    }
}

// The block's vertices base … base + EACH · BLOCK − 1 roughly in the order, as places after `base`.
static __device__ void order_roughly(int n, int base, const int* __restrict__ indptr, unsigned seed,
                                     unsigned short* ordered) {
    __shared__ unsigned bins[BINS];
    unsigned key[EACH], rank[EACH];
    for (int b = threadIdx.x; b < BINS; b += BLOCK) bins[b] = 0;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const int v = base + j * BLOCK + (int)threadIdx.x;
        const int degree = v < n ? min(indptr[v + 1] - indptr[v], TOO_HIGH - 1) : 0;
        const unsigned group = tie_group(v, degree, seed) << 3 >> tie_bits(degree);
        key[j] = v < n ? (TOO_HIGH - 1 - degree) * 8 + group : BINS - 1;
        rank[j] = atomicAdd(&bins[key[j]], 1u);
    }
    __syncthreads();
    if (threadIdx.x < 32) {  // sums of the bins before
        unsigned sum = 0;
        for (int b = 0; b < BINS / 32; b++) sum += bins[threadIdx.x * (BINS / 32) + b];
        unsigned before = sum_until(sum) - sum;
        for (int b = 0; b < BINS / 32; b++) {
            unsigned* bin = bins + threadIdx.x * (BINS / 32) + b;
            const unsigned count = *bin;
            *bin = before;
            before += count;
        }
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < EACH; j++) ordered[bins[key[j]] + rank[j]] = (unsigned short)(j * BLOCK + threadIdx.x);
    __syncthreads();
}

static __device__ __forceinline__ void settle(int v, unsigned used, state_t* state, int* colors) {
    const unsigned color = least_free(used);
    store_relaxed(state + v, color);
    colors[v] = (int)color;
}

// Colors that v's neighbours have; `pending` becomes the places in its row of those that are earlier and have none.
static __device__ __forceinline__ unsigned look_around(int v, int row, int degree, const int* __restrict__ indices,
                                                       unsigned seed, const state_t* state, unsigned& pending) {
    const unsigned mine = UNCOLORED + degree, group = tie_group(v, degree, seed);
    unsigned used = 0;
    pending = 0;
    for (int k = 0; k < degree; k += 4) {
        int u[4];
        unsigned s[4];
#pragma unroll
        for (int i = 0; i < 4; i++) u[i] = k + i < degree ? indices[row + k + i] : -1;
#pragma unroll
        for (int i = 0; i < 4; i++) s[i] = u[i] >= 0 ? load_unfenced(state + u[i]) : 64u;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            used |= bit(s[i], used);
            if (s[i] < mine) continue;
            bool earlier = s[i] > mine;
            if (!earlier) {
                const unsigned other = tie_group(u[i], degree, seed);
                earlier = other < group || (other == group && rank_of(u[i]) < rank_of(v));
            }
            if (earlier) pending |= 1u << (k + i);
        }
    }
    return used;
}

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
    color_at_once(int n, int flags, const int* __restrict__ indptr, const int* __restrict__ indices, unsigned seed,
                  const int* __restrict__ wide, state_t* state, int* colors) {
    __shared__ unsigned used[EACH][BLOCK], waits[EACH][BLOCK];
    __shared__ int rows[EACH][BLOCK];
    __shared__ unsigned short ordered[EACH * BLOCK];
    const int t = threadIdx.x, base = blockIdx.x * (EACH * BLOCK);
    bool high = false;
    for (int i = t; i < flags; i += BLOCK) high |= wide[i] != 0;
    if (__syncthreads_or(high)) return;
    if (EACH > 1) order_roughly(n, base, indptr, seed, ordered);
    const auto vertex = [&](int j) { return base + (EACH > 1 ? (int)ordered[j * BLOCK + t] : j * BLOCK + t); };
    unsigned open = 0;  // which of this thread's vertices wait
    for (int j = 0;; j++) {
        if (j < EACH) {
            const int v = vertex(j), row = v < n ? indptr[v] : 0, degree = v < n ? indptr[v + 1] - row : 0;
            unsigned pending;
            const unsigned taken = look_around(v, row, degree, indices, seed, state, pending);
            if (pending) {
                used[j][t] = taken, waits[j][t] = pending, rows[j][t] = row;
                open |= 1u << j;
            } else if (v < n) {
                settle(v, taken, state, colors);
            }
        } else if (!__any_sync(ALL_LANES, open != 0)) {
            return;
        }
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
#pragma unroll 1
            for (int i = 0; i < EACH; i++) {
                __syncwarp();
                if (!(open >> i & 1)) continue;
                unsigned pending = waits[i][t], fresh = 0;
                const int row = rows[i][t];
                do {
                    const unsigned s = load_unfenced(state + indices[row + __ffs((int)pending) - 1]);
                    if (s >= UNCOLORED) break;
                    fresh |= bit(s, fresh);
                    pending &= pending - 1;
                } while (pending);
                if (!fresh) continue;
                waits[i][t] = pending;
                fresh = used[i][t] |= fresh;
                if (pending) continue;
                settle(vertex(i), fresh, state, colors);
                open &= ~(1u << i);
            }
        }
    }
}
