// variants: OFFSET_BITS=32,64 KEY=0,1,2
// Rounds of Jones-Plassmann: an active vertex whose earlier neighbours all have colors takes its own; the others go to
// the next round's lists, one for each number of threads that work on a vertex, which the first round finds out.
//
// all_rounds: a grid barrier between rounds, and the host waits once. On small graphs launches take longer than what they
// do; from 2^25 entries on one launch per round won in falling order of degrees (4.3 ms for 5.3 on rgg:22).
//
// Counts and places in lists are unsigned: a step of a whole grid past 2^31 vertices does not wrap around.
//
// Bytes that must move: 8 per edge (column, color of the neighbour where that comes earlier; 12 if priorities come from
// an array) over all rounds, again for degrees over LOW, and 24 per vertex a round while it is active.
#include "papers/jones_plassmann.cuh"

#define MOST 8192  // rounds in a launch, lest a long chain keep the device and the host for long

#define ROWS_PARAMETERS const offset_t *__restrict__ indptr, const int *__restrict__ indices
#define ORDER_PARAMETERS const int *__restrict__ p, unsigned seed
#define STATE_PARAMETERS int *colors, u64 *progress
#define WORK {indptr, indices, p, seed, colors, progress}

// Every thread of the block calls it.
static __device__ __forceinline__ void list(bool wanted, int v, int* next, int* n_next) {
    const int place = append_block(wanted, n_next);
    if (wanted) next[place] = v;
}

// All n vertices as they are numbered: low ones are tried, the others only listed.
static __device__ __forceinline__ void begin_with(const Work& w, unsigned n, int* low, int* warps, int* blocks,
                                                  int* lengths) {
    for (unsigned first = blockIdx.x * BLOCK; first < n; first += gridDim.x * BLOCK) {
        const bool mine = first + threadIdx.x < n;
        const int v = (int)(first + threadIdx.x);
        const offset_t begin = mine ? w.indptr[v] : 0;
        const unsigned degree = mine ? (unsigned)(w.indptr[v + 1] - begin) : 0;
        list(mine && degree <= LOW && !try_low(w, v, begin, degree, 0, false), v, low, lengths);
        if (!__syncthreads_or(degree > LOW)) continue;
        if (degree > LOW) w.progress[v] = 0;
        list(degree > LOW && degree <= HIGH, v, warps, lengths + 1);
        list(degree > HIGH, v, blocks, lengths + 2);
    }
}

static __device__ __forceinline__ void go_on_low(const Work& w, const int* active, unsigned count, int* next,
                                                 int* n_next) {
    for (unsigned first = blockIdx.x * BLOCK; first < count; first += gridDim.x * BLOCK) {
        bool waits = false;
        int v = 0;
        if (first + threadIdx.x < count) {
            v = active[first + threadIdx.x];
            const offset_t begin = w.indptr[v];
            waits = !try_low(w, v, begin, (unsigned)(w.indptr[v + 1] - begin), w.progress[v], true);
        }
        list(waits, v, next, n_next);
    }
}

template <class Group>
static __device__ __forceinline__ void go_on(const Work& w, const int* active, unsigned count, int* next, int* n_next) {
    const unsigned groups = BLOCK / Group::SIZE;
    for (unsigned i = blockIdx.x * groups + Group::index(); i < count; i += gridDim.x * groups) {
        const int v = active[i];
        if (!try_together<Group>(w, v) && Group::lane() == 0) next[atomicAdd(n_next, 1)] = v;
    }
}

static __device__ __forceinline__ void take_colors_away(unsigned n, int* colors) {
    for (unsigned v = blockIdx.x * BLOCK + threadIdx.x; v < n; v += gridDim.x * BLOCK) colors[v] = -1;
}

extern "C" __global__ void __launch_bounds__(BLOCK) uncolor(unsigned n, int* colors) { take_colors_away(n, colors); }

extern "C" __global__ void __launch_bounds__(BLOCK)
    first_round(ROWS_PARAMETERS, ORDER_PARAMETERS, STATE_PARAMETERS, unsigned n, int* low, int* warps, int* blocks,
                int* lengths) {
    const Work w = WORK;
    begin_with(w, n, low, warps, blocks, lengths);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    low_round(ROWS_PARAMETERS, ORDER_PARAMETERS, STATE_PARAMETERS, const int* __restrict__ active,
              const int* __restrict__ length, int* next, int* n_next) {
    const Work w = WORK;
    go_on_low(w, active, (unsigned)*length, next, n_next);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    warp_round(ROWS_PARAMETERS, ORDER_PARAMETERS, STATE_PARAMETERS, const int* __restrict__ active,
               const int* __restrict__ length, int* next, int* n_next) {
    const Work w = WORK;
    go_on<Warp>(w, active, (unsigned)*length, next, n_next);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    block_round(ROWS_PARAMETERS, ORDER_PARAMETERS, STATE_PARAMETERS, const int* __restrict__ active,
                const int* __restrict__ length, int* next, int* n_next) {
    const Work w = WORK;
    go_on<Threads<BLOCK>>(w, active, (unsigned)*length, next, n_next);
}

// Rounds from `begun` on, MOST at most. `lists`: two in turn for each number of threads, of n, n_warps and n_blocks
// places. `head`: counter of the grid barrier, 0 at each launch, and three sets of lengths, 0 at first: this round's, the next
// one's, and zeros for the one after. `told`, in memory of the host: rounds so far, and whether any vertex waits.
extern "C" __global__ void __launch_bounds__(BLOCK, 4)
    all_rounds(ROWS_PARAMETERS, ORDER_PARAMETERS, STATE_PARAMETERS, unsigned n, int* lists, unsigned n_warps,
               unsigned n_blocks, int* head, unsigned begun, int* told) {
    const Work w = WORK;
    int *low = lists, *warps = low + 2 * n, *blocks = warps + 2 * n_warps;
    int *arrived = head, *lengths = head + 1, goal = 0;
    unsigned round = begun;
    if (begun == 0) {
        take_colors_away(n, colors);
        grid_barrier(arrived, goal);
        begin_with(w, n, low, warps, blocks, lengths);
        round = 1;
    }
    for (;; round++) {
        grid_barrier(arrived, goal);
        const int* here = lengths + (round - 1) % 3 * 3;
        int *there = lengths + round % 3 * 3, *after = lengths + (round + 1) % 3 * 3;
        const unsigned n_low = load_unfenced(here), n_warp = load_unfenced(here + 1), n_block = load_unfenced(here + 2);
        const bool any_waits = n_low + n_warp + n_block != 0;
        if (!any_waits || round == begun + MOST) {
            if (blockIdx.x == 0 && threadIdx.x == 0) told[0] = (int)round, told[1] = any_waits;
            return;
        }
        if (blockIdx.x == 0 && threadIdx.x < 3) store_relaxed(after + threadIdx.x, 0);
        const unsigned odd = round % 2, even = 1 - odd;
        go_on_low(w, low + even * n, n_low, low + odd * n, there);
        if (n_warp) go_on<Warp>(w, warps + even * n_warps, n_warp, warps + odd * n_warps, there + 1);
        if (n_block) go_on<Threads<BLOCK>>(w, blocks + even * n_blocks, n_block, blocks + odd * n_blocks, there + 2);
    }
}
