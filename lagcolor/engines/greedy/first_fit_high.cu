// variants: OFFSET_BITS=32,64 STATE_BITS=32 BLOCK=128
// First-fit in the order largest_first_spread for vertices of degree 64 and over: a warp draws the next of the sequence.
//
// As in first_fit_low.cu, a neighbor that has a color is earlier, and a vertex waits only for vertices that others are
// coloring. Its state says its turn and, in the last bits, its bound (first_fit_row.cuh).
//
// Bytes that must move: 4 per edge and one state per edge (from L2).
// Lost: a block for each hub (kron_g500-logn21: 10.3 ms for 5); as many warps as a GPU holds, most of which wait
// (kron_g500-logn21 12.8 ms, social-4M 2.1 for 1.5); too few (uniform:200000,80 with 4 per multiprocessor: 1.2 for 0.6).
#include "engines/greedy/first_fit_row.cuh"

// The state of a vertex at a place of the sequence; over those of degrees under 64.
static __device__ __forceinline__ unsigned state_at(int place, int bound_bits) {
    return 0xffffffffu - (((unsigned)place << bound_bits) | ((1u << bound_bits) - 1));
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    color_high(int n, const int* __restrict__ sequence, const offset_t* __restrict__ indptr,
               const int* __restrict__ indices, unsigned* ticket, state_t* state, int bound_bits) {
    __shared__ Row rows[BLOCK / 32];
    Row* row = rows + threadIdx.x / 32;
    clear_row(row);
    for (;;) {
        int place = 0;
        if (threadIdx.x % 32 == 0) place = (int)atomicAdd(ticket, 1u);
        place = __shfl_sync(ALL_LANES, place, 0);
        if (place >= n) return;
        const int v = sequence[place];
        const unsigned mine = state_at(place, bound_bits), mask = (1u << bound_bits) - 1;
        const unsigned color = least_of_row(row, indptr[v], indptr[v + 1], indices, state, Never(), ByState{mine},
                                            Bounded{state + v, mine, mask});
        if (threadIdx.x % 32 == 0) store_relaxed(state + v, color);
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

extern "C" __global__ void set_turns(int high, const int* __restrict__ sequence, state_t* state,
                                    int bound_bits) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < high) state[sequence[i]] = state_at(i, bound_bits);
}
