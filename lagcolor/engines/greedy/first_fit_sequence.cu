// variants: OFFSET_BITS=32,64 STATE_BITS=32 BLOCK=128 LOW=64 SYSTEM=0,1
// First-fit of the vertices of any sequence, around vertices that already have colors.
//
// state[v] is the color of v, or 2^32 - 1 - position of an uncolored vertex of the sequence, or UNCOLORED for an
// uncolored vertex that is not in it. UNCOLORED is later than all positions, so no vertex waits for such a vertex.
//
// A warp takes 32 consecutive vertices of degree under LOW, one per lane (first_fit_warp.cuh), or one vertex of higher
// degree (first_fit_row.cuh). Each kind has its own queue in the order of positions. Each block has warps for both
// kinds, in proportion to their edges. Progress: all earlier neighbors of the earliest uncolored vertex have colors. If
// no warp has taken this vertex, it is the first of its queue, and all vertices taken by warps of its kind are earlier
// and so colored; one of these warps takes it next. So one running block is enough.
//
// With SYSTEM=1 each of several GPUs colors its range of ids, from `first_id` on: `sequence` has only these vertices,
// and `places` their positions in the order of all; rows are indexed by position in the range. The states of the other
// GPUs' vertices are initialized before. The earliest uncolored vertex can always be colored by its own GPU.
//
// Bytes that must move: 8 per vertex of sequence, 8 of offsets, 8 of state, 4 per edge, one state per edge (from L2).
// Slower variants: positions taken by a block for its warps, which saves atomics, but a warp that waits for a position
// that no warp has begun waits for a whole batch (fd7-200 in natural order: 240 ms instead of 10.7; fem27-128 in random
// order: 3.7 instead of 0.55); 8 warps per block (rmat22 in the order largest_first_spread: 1.52 ms instead of 1.21);
// no sleep (kron in random order: 15.1 ms instead of 13.2).
#include "base/device/include/sequence.cuh"
#include "engines/greedy/first_fit_peers.cuh"
#include "engines/greedy/first_fit_row.cuh"
#include "engines/greedy/first_fit_warp.cuh"

#define WARPS (BLOCK / 32)
#define EACH 4  // vertices per thread in the kernels before the coloring
#define NONE_LEFT 0x7fffffffu  // the state of a vertex whose palette has no free color: neighbors ignore it

struct Head {  // initially 0
    unsigned low, high;     // tickets: positions, and entries of the list of high degrees, taken so far
    int n_high;             // vertices of degree LOW and over in the sequence
    unsigned blocks;        // blocks that have counted their vertices
    u64 entries;            // entries of the graph in rows of such degrees
};

// The turn of the vertex at a position of the sequence, from its position in the order of all.
static __device__ __forceinline__ unsigned turn_of(const int* __restrict__ places, i64 place) {
    return 0xffffffffu - (unsigned)(places ? places[place] : (int)place);
}

// Replace counts by the sums of the counts before them; return the sum of all. By one block.
static __device__ int sums_before(int* counts, int n) {
    const int t = threadIdx.x, each = (n + BLOCK - 1) / BLOCK, begin = min(n, t * each), end = min(n, begin + each);
    int sum = 0;
    for (int i = begin; i < end; i++) sum += load_relaxed(counts + i);
    int total, before = Threads<BLOCK>::sum_before(sum, total);
    for (int i = begin; i < end; i++) {
        const int count = load_relaxed(counts + i);
        store_relaxed(counts + i, before);
        before += count;
    }
    return total;
}

// Count the entries in rows of high degree, by reading offsets in the order of memory. If there are none, set_places
// does not read degrees, which would be in the order of the sequence.
extern "C" __global__ void __launch_bounds__(BLOCK)
    find_high(i64 n, const offset_t* __restrict__ indptr, Head* head) {
    __shared__ u64 entries;
    if (threadIdx.x == 0) entries = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const i64 v = ((i64)blockIdx.x * EACH + k) * BLOCK + threadIdx.x;
        const offset_t degree = v < n ? indptr[v + 1] - indptr[v] : 0;
        if (degree >= LOW) atomicAdd(&entries, (u64)degree);
    }
    __syncthreads();
    if (threadIdx.x == 0 && entries) atomicAdd(&head->entries, entries);
}

// Set the states of the vertices of the sequence, and counts[block] = number of high degrees before the block.
extern "C" __global__ void __launch_bounds__(BLOCK)
    set_places(i64 n, const int* __restrict__ sequence, const int* __restrict__ places,
               const offset_t* __restrict__ indptr, Head* head, int* counts, state_t* state, int first_id) {
    __shared__ int high;
    __shared__ bool last;
    const bool any = head->entries != 0;
    if (threadIdx.x == 0) high = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const i64 place = ((i64)blockIdx.x * EACH + k) * BLOCK + threadIdx.x;
        if (place >= n) continue;
        const int v = vertex_at(sequence, place);
        state[v] = turn_of(places, place);
        const int row = v - first_id;
        if (any && indptr[row + 1] - indptr[row] >= LOW) atomicAdd(&high, 1);
    }
    if (!any) return;
    __syncthreads();
    if (threadIdx.x == 0) {
        store_relaxed(counts + blockIdx.x, high);
        __threadfence();
        last = atomicAdd(&head->blocks, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    const int total = sums_before(counts, (int)gridDim.x);
    if (threadIdx.x == 0) head->n_high = total;
}

// List the positions of vertices of high degree, in ascending order.
extern "C" __global__ void __launch_bounds__(BLOCK)
    list_high(i64 n, const int* __restrict__ sequence, const offset_t* __restrict__ indptr, const Head* head,
              const int* __restrict__ counts, int* listed, int first_id) {
    if (head->n_high == 0) return;
    int base = counts[blockIdx.x];
    const int end = blockIdx.x + 1 < gridDim.x ? counts[blockIdx.x + 1] : head->n_high;
    for (int k = 0; k < EACH && base < end; k++) {
        const i64 place = ((i64)blockIdx.x * EACH + k) * BLOCK + threadIdx.x;
        const int row = place < n ? vertex_at(sequence, place) - first_id : -1;
        const bool high = row >= 0 && indptr[row + 1] - indptr[row] >= LOW;
        int total;
        const int at = base + Threads<BLOCK>::rank(high, total);
        if (high) listed[at] = (int)place;
        base += total;
    }
}

struct Graph {
    i64 m;
    const offset_t* __restrict__ indptr;
    const int* __restrict__ indices;
};

template <class Then> struct Limited {
    unsigned limit;  // of colors
    Then then;
    __device__ __forceinline__ unsigned operator()(int v, unsigned color) const {
        return then(v, color >= limit ? NONE_LEFT : color);
    }
};
template <class Then>
static __device__ __forceinline__ Limited<Then> limited(unsigned limit, Then then) {
    return {limit, then};
}

// Color the vertices of low degree at 32 positions from `first` on.
static __device__ __forceinline__ void color_low(i64 n, i64 first, const int* __restrict__ sequence,
                                                 const int* __restrict__ places, int first_id, Graph graph,
                                                 unsigned limit, Others others, Neighbors* warp, int* list,
                                                 state_t* state) {
    const i64 place = first + threadIdx.x % 32;
    int v = place < n ? vertex_at(sequence, place) : -1;
    const int r = v < 0 ? 0 : others.row_of(v, first_id);
    const offset_t row = v < 0 ? 0 : graph.indptr[r], end = v < 0 ? 0 : graph.indptr[r + 1];
    if (end - row >= LOW) v = -1;
    const int degree = v < 0 ? 0 : (int)(end - row);
    const unsigned mine = v < 0 ? 0 : turn_of(places, place);
    const auto order = [=](int, unsigned s) { return s > mine; };
    const auto palette = limited(limit, others.pushing(v, v < 0 ? end : row, end, graph.indices));
    const bool aligned = reinterpret_cast<u64>(graph.indices) % 16 == 0;
    const offset_t all = (offset_t)graph.m;
    if (__all_sync(ALL_LANES, degree <= FEW))
        color_warp<FEW, unsigned, true>(v, row, end, all, aligned, graph.indices, warp, list, state, nullptr, order, palette, others);
    else if (__all_sync(ALL_LANES, degree < 32))
        color_warp<LONGER, unsigned, true>(v, row, end, all, aligned, graph.indices, warp, list, state, nullptr, order, palette, others);
    else
        color_warp<LONGER, u64, true>(v, row, end, all, aligned, graph.indices, warp, list, state, nullptr, order, palette, others);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    color_in_sequence(i64 n, i64 m, const int* __restrict__ sequence, const int* __restrict__ places,
                      const int* __restrict__ listed, unsigned limit,
                      const offset_t* __restrict__ indptr, const int* __restrict__ indices, Head* head, state_t* state,
                      int first_id, const u64* __restrict__ table) {
    const Others others = {table};
    union Shared {
        Neighbors warp;
        Row row;
    };
    __shared__ Shared shared[WARPS];
    __shared__ int lists[LIST_SIZE][BLOCK];
    const int lane = threadIdx.x % 32, w = threadIdx.x / 32, n_high = head->n_high;
    // Share of warps for high degrees: their share of the edges.
    const int share = (int)((WARPS * head->entries + (u64)(m / 2)) / (u64)m);
    bool high = n_high > 0 && w < min(max(share, 1), WARPS - 1), changed = false;
    Row* row = &shared[w].row;
    clear_row(row);
    for (;;) {
        unsigned drawn = 0;
        if (lane == 0) drawn = high ? atomicAdd(&head->high, 1u) : atomicAdd(&head->low, 32u);
        if (lane == 0 && others.stopped()) drawn = 0x80000000u;
        drawn = __shfl_sync(ALL_LANES, drawn, 0);
        if ((i64)drawn >= (high ? (i64)n_high : n)) {
            if (changed || n_high == 0) return;
            high = !high, changed = true;  // the other queue may have more
            __syncwarp();
            clear_row(row);
        } else if (!high) {
            color_low(n, drawn, sequence, places, first_id, {m, indptr, indices}, limit, others, &shared[w].warp,
                      &lists[0][threadIdx.x], state);
        } else {
            const int place = listed[drawn], v = vertex_at(sequence, place), r = others.row_of(v, first_id);
            const offset_t begin = indptr[r], end = indptr[r + 1];
            const auto palette = limited(limit, others.pushing(v, begin, end, indices));
            const unsigned least = least_of_row(row, turn_of(places, place), begin, end, indices, state, others);
            if (lane == 0) store_relaxed(state + v, palette(v, least));
        }
    }
}

// Set public colors: -1 for uncolored vertices.
extern "C" __global__ void hide_uncolored(i64 n, state_t* state) {
    const i64 v = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && state[v] >= NONE_LEFT) state[v] = 0xffffffffu;
}
