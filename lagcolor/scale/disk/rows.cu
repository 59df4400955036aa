// variants: OFFSET_BITS=64 STATE_BITS=32 BLOCK=128 LOW=64
// Rows of a graph that is too large for the device, colored by first-fit around the colors of all vertices.
//
// Rows are in the order of coloring and belong to vertices first, first + 1 … or to `ids`. state[v] is the color of v,
// or 2^32 - 1 less its place in the order of all vertices. All states are set before the first block, so that a kernel
// of an earlier block that still runs takes no later vertex for an earlier one. Entries of rows are in range.
//
// As in engines/greedy/first_fit_sequence.cu, a warp takes 32 rows of degrees under LOW from one queue, or a row of a
// higher degree from another queue, in their order. `listed` has the places of rows of high degree.
//
// Progress: the earliest vertex without a color is in a block whose kernel was launched, and all rows before it in that
// block are done. So a warp has it, or the next draw from its queue takes it. A kernel has at most half of the warps
// that a device can run, so that two blocks can run at the same time: the later one leaves resources to the earlier.
//
// Bytes that must move: 8 per row, 4 per entry over the bus and twice from memory, one state per entry (from L2).
#include "engines/greedy/first_fit_row.cuh"
#include "engines/greedy/first_fit_warp.cuh"

#define WARPS (BLOCK / 32)

struct Rows {
    i64 count, first;
    const int* __restrict__ ids;  // null: first, first + 1 …
    const offset_t* __restrict__ offsets;
    i64 m;  // entries that may be read
    const int* __restrict__ indices;
    __device__ __forceinline__ int vertex(i64 row) const { return ids ? ids[row] : (int)(first + row); }
    __device__ __forceinline__ offset_t begin(i64 row) const { return offsets[row]; }
};

// 32 rows from a place on, of low degree.
static __device__ __forceinline__ void color_low(Rows rows, i64 first, Neighbors* warp, int* list, state_t* state) {
    const i64 row = first + threadIdx.x % 32;
    const bool mine = row < rows.count;
    const offset_t begin = mine ? rows.begin(row) : 0, end = mine ? rows.begin(row + 1) : 0;
    const int v = mine && end - begin < LOW ? rows.vertex(row) : -1;
    const int degree = v < 0 ? 0 : (int)(end - begin);
    const unsigned turn = v < 0 ? 0 : load_relaxed(state + v);
    const auto order = [=](int, unsigned s) { return s > turn; };
    const bool aligned = reinterpret_cast<u64>(rows.indices) % 16 == 0;
    const offset_t all = (offset_t)rows.m;
    if (__all_sync(ALL_LANES, degree <= FEW))
        color_warp<FEW, unsigned, true>(v, begin, end, all, aligned, rows.indices, warp, list, state, nullptr, order);
    else if (__all_sync(ALL_LANES, degree < 32))
        color_warp<LONGER, unsigned, true>(v, begin, end, all, aligned, rows.indices, warp, list, state, nullptr,
        order);
    else
        color_warp<LONGER, u64, true>(v, begin, end, all, aligned, rows.indices, warp, list, state, nullptr, order);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    color_rows(i64 count, i64 first, const int* __restrict__ ids, const offset_t* __restrict__ offsets, i64 m,
               const int* __restrict__ indices, int n_high, const int* __restrict__ listed, int high_warps,
               unsigned* tickets, state_t* state) {
    const Rows rows = {count, first, ids, offsets, m, indices};
    union Shared {
        Neighbors warp;
        Row row;
    };
    __shared__ Shared shared[WARPS];
    __shared__ int lists[LIST_SIZE][BLOCK];
    const int lane = threadIdx.x % 32, w = threadIdx.x / 32;
    bool high = n_high > 0 && w < high_warps, changed = false;
    Row* row = &shared[w].row;
    clear_row(row);
    for (;;) {
        unsigned drawn = 0;
        if (lane == 0) drawn = high ? atomicAdd(tickets + 1, 1u) : atomicAdd(tickets, 32u);
        drawn = __shfl_sync(ALL_LANES, drawn, 0);
        if ((i64)drawn >= (high ? (i64)n_high : count)) {
            if (changed || n_high == 0) return;
            high = !high, changed = true;  // the other queue may have more
            __syncwarp();
            clear_row(row);
        } else if (!high) {
            color_low(rows, drawn, &shared[w].warp, &lists[0][threadIdx.x], state);
        } else {
            const i64 at = listed[drawn];
            const int v = rows.vertex(at);
            const unsigned color =
                least_of_row(row, load_relaxed(state + v), rows.begin(at), rows.begin(at + 1), indices, state);
            if (lane == 0) store_relaxed(state + v, color);
        }
    }
}
