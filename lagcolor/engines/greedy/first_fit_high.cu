// variants: OFFSET_BITS=32,64 STATE_BITS=32 BLOCK=128 SYSTEM=0,1
// First-fit in the order largest_first_spread for vertices of degree 64 and over: each warp takes the next vertex of
// the sequence.
//
// As in first_fit_low.cu, a neighbor with a color is earlier, and a vertex waits only for vertices that other warps are
// coloring. Its state is its turn and, in the last bits, its bound (first_fit_row.cuh).
//
// With SYSTEM=1 each of several GPUs colors its range of ids, from `first_id` on: `sequence` has only these vertices,
// and `places` their positions in the order of all. Colors and bounds go to the GPUs that have a neighbor.
//
// Bytes that must move: 4 per edge and one state per edge (from L2). Slower variants: a block per hub
// (kron_g500-logn21: 10.3 ms instead of 5); all warps that fit on a GPU, because most wait (kron_g500-logn21 12.8
// ms, social-4M 2.1 instead of 1.5); too few warps (uniform:200000,80 with 4 per multiprocessor: 1.2 instead of 0.6).
#include "engines/greedy/first_fit_peers.cuh"
#include "engines/greedy/first_fit_row.cuh"

// The uncolored state of a vertex by its position in the sequence, above the states of degrees under 64.
static __device__ __forceinline__ unsigned state_at(int place, int bound_bits) {
    return 0xffffffffu - (((unsigned)place << bound_bits) | ((1u << bound_bits) - 1));
}

// Bounds that are stored to other GPUs, too.
template <class Push> struct BoundedOnPeers : Bounded {
    int v;
    Push push;
    __device__ __forceinline__ void say(unsigned least) const {
        if (threadIdx.x % 32 == 0) store_relaxed(state_of_v, push(v, mine | min(least, mask)));
    }
};
template <class Push>
static __device__ __forceinline__ BoundedOnPeers<Push> on_peers(state_t* state, unsigned mine, unsigned mask, int v, Push push) {
    return {{state + v, mine, mask}, v, push};
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    color_high(int n, const int* __restrict__ sequence, const int* __restrict__ places,
               const offset_t* __restrict__ indptr, const int* __restrict__ indices, unsigned* ticket, state_t* state,
               int bound_bits, int first_id, const u64* __restrict__ table) {
    __shared__ Row rows[BLOCK / 32];
    const Others others = {table};
    Row* row = rows + threadIdx.x / 32;
    clear_row(row);
    for (;;) {
        int drawn = 0;
        if (threadIdx.x % 32 == 0) drawn = others.stopped() ? n : (int)atomicAdd(ticket, 1u);
        drawn = __shfl_sync(ALL_LANES, drawn, 0);
        if (drawn >= n) return;
        const int v = sequence[drawn], r = others.row_of(v, first_id);
        const offset_t begin = indptr[r], end = indptr[r + 1];
        const unsigned mine = state_at(places ? places[drawn] : drawn, bound_bits), mask = (1u << bound_bits) - 1;
        const auto push = others.pushing(v, begin, end, indices);
        const unsigned color = least_of_row(row, begin, end, indices, state, others, ByState{mine},
                                            on_peers(state, mine, mask, v, push));
        if (threadIdx.x % 32 == 0) store_relaxed(state + v, push(v, color));
    }
}

// Set the states of all vertices of degree under 64.
extern "C" __global__ void set_low(long long n, const offset_t* __restrict__ indptr, unsigned seed, state_t* state,
                                   int first_id) {
    for (long long r = (long long)blockIdx.x * blockDim.x + threadIdx.x; r < n;
         r += (long long)gridDim.x * blockDim.x) {
        const offset_t d = indptr[r + 1] - indptr[r];
        const int v = first_id + (int)r;
        if (d < 64) state[v] = UNCOLORED + low_turn((int)d, tie_group(v, (int)d, seed));
    }
}

extern "C" __global__ void set_turns(int high, const int* __restrict__ sequence, const int* __restrict__ places,
                                     state_t* state, int bound_bits) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < high) state[sequence[i]] = state_at(places ? places[i] : i, bound_bits);
}
