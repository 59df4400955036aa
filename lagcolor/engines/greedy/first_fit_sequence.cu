// variants: OFFSET_BITS=32,64 STATE_BITS=32 BLOCK=128 LOW=64 SYSTEM=0,1
// First-fit of the vertices of any sequence, around vertices that have their colors.
//
// state[v] is the color of v where it has one, 2^32 - 1 less its place where it is in the sequence, and UNCOLORED where
// it is not: that is later than all of them, so no vertex waits for it.
//
// A warp takes 32 vertices of degree under LOW in a row, one per lane (first_fit_warp.cuh), or one of a higher degree
// (first_fit_row.cuh). Each kind has a queue of its own in the order of places, and each block has warps for both, as
// many as the kind has of the edges. Progress: of the earliest vertex without a color all earlier neighbors have
// theirs; if no warp has it, it is the first of its queue, and all that warps of its kind hold is earlier, hence done,
// so that one of them draws it next. So a single block that runs is enough.
//
// With SYSTEM=1 one of several GPUs colors the vertices of its range of ids, from `first_id` on: `sequence` has these
// alone, and `places` the place of each in the order of all; rows are its own, by place in the range. The states of
// other GPUs' vertices are there before. The earliest vertex without a color always continues on its own GPU.
//
// Bytes that must move: 8 per vertex of sequence, 8 of offsets, 8 of state, 4 per edge, one state per edge (from L2).
// Lost: places drawn by the block and handed to its warps, which spares atomics, but a warp that waits for one that is
// drawn and not handed out waits for a whole batch (fd7-200 in natural order: 240 ms for 10.7; fem27-128 in a random
// one: 3.7 for 0.55); 8 warps per block (rmat22 in the order largest_first_spread: 1.52 ms for 1.21); no sleep (kron in
// random order: 15.1 ms for 13.2).
#include "base/device/include/sequence.cuh"
#include "engines/greedy/first_fit_peers.cuh"
#include "engines/greedy/first_fit_row.cuh"
#include "engines/greedy/first_fit_warp.cuh"

#define WARPS (BLOCK / 32)
#define EACH 4  // vertices per thread in the kernels before the coloring
#define NONE_LEFT 0x7fffffffu  // the state of a vertex whose palette has no color left: no neighbor waits for it or minds

struct Head {  // zeros before
    unsigned low, high;     // tickets: places, and entries of the list of high degrees, drawn so far
    int n_high;             // vertices of degree LOW and over in the sequence
    unsigned blocks;        // that have counted theirs
    u64 entries;            // of rows of such degrees in the graph
};

// The place in the order of all, of the vertex at a place of the sequence.
static __device__ __forceinline__ unsigned turn_of(const int* __restrict__ places, i64 place) {
    return 0xffffffffu - (unsigned)(places ? places[place] : (int)place);
}

// Counts become the sums of those before; the number of them all. By one block.
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

// Entries of rows of high degree, by reading offsets in the order of memory: where there are none, set_places need not
// look up the degrees of a sequence that jumps about.
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

// The states of the vertices of the sequence, and counts[block] = high degrees in places before this block's.
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

// The places of vertices of high degree, rising.
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

// 32 places from `first` on, of low degree.
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
    __shared__ int lists[ROOM][BLOCK];
    const int lane = threadIdx.x % 32, w = threadIdx.x / 32, n_high = head->n_high;
    // As many of the warps for high degrees as those have of the edges.
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

// Public colors: -1 where a vertex has none.
extern "C" __global__ void hide_uncolored(i64 n, state_t* state) {
    const i64 v = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && state[v] >= NONE_LEFT) state[v] = 0xffffffffu;
}
