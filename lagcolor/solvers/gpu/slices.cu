// The layout of rows and entries of a colored matrix, so that a warp reads whole sectors; launched by slices.py.
//
// Bytes: bounds a few; slots 16 per row; widths 12 per row; columns 16 per entry; fill 4 per entry, which is read and
// written.
//
// variants: OFFSET_BITS=32 LANES=1 BLOCK_SIZE=1 SOURCE=int INPUT=double STORAGE=double
// variants: OFFSET_BITS=64 LANES=4,32 BLOCK_SIZE=2 SOURCE="long long" INPUT=double STORAGE=float
// variants: OFFSET_BITS=32 LANES=8 BLOCK_SIZE=1 SOURCE=int INPUT="Complex<double>" STORAGE="Complex<float>"
// variants: OFFSET_BITS=32 LANES=16 BLOCK_SIZE=3 SOURCE=int INPUT="Complex<float>" STORAGE="Complex<float>"
#include "base/device/include/numbers.cuh"

#define BLOCK 256
enum { B = BLOCK_SIZE, BB = B * B };
// As in slices.py: lower bits have the kind of a row (short, long, hub), its window and lengths.
#define KEY_COLOR_SHIFT 36
#define KINDS 3

// The last color that begins at or before x; `begin` ascends.
static __device__ int color_at(const int* begin, int stride, int colors, int x) {
    int low = 0, high = colors - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (begin[middle * stride] <= x) low = middle;
        else high = middle - 1;
    }
    return low;
}

// The places in `sorted` at which the rows of each color, its long rows and its hubs begin: KINDS numbers per color,
// also for the host.
extern "C" __global__ void __launch_bounds__(BLOCK)
    bounds(int n, int colors, const i64* keys, const i64* sorted, int* found, int* host) {
    const int t = (int)(blockIdx.x * (i64)BLOCK + threadIdx.x);
    if (t >= KINDS * colors) return;
    const i64 key = (i64)(t / KINDS * 4 + t % KINDS) << (KEY_COLOR_SHIFT - 2);
    int low = 0, high = n;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (keys[sorted[middle]] < key) low = middle + 1;
        else high = middle;
    }
    found[t] = host[t] = low;
}

// The row of each slot, −1 for none, and the slot of each row. table: the first slot, first slice, number of slices of
// short rows, and number of slices of each color.
extern "C" __global__ void __launch_bounds__(BLOCK) slots(
    int slots, int n, int colors, const int* table, const int* bounds, const i64* sorted, int* rows, int* slot_of) {
    const int slot = (int)(blockIdx.x * (i64)BLOCK + threadIdx.x);
    if (slot >= slots) return;
    const int color = color_at(table, 4, colors, slot);
    const int* at = table + 4 * color;
    const int s = slot - at[0], thin = at[2] * (WARP / LANES), begin_long = bounds[KINDS * color + 1];
    const int i = s < thin ? bounds[KINDS * color] + s : begin_long + s - thin;
    const int end = s < thin ? begin_long : color + 1 < colors ? bounds[KINDS * (color + 1)] : n;
    const int row = i < end ? (int)sorted[i] : -1;
    rows[slot] = row;
    if (row >= 0) slot_of[row] = slot;
}

// The row of this lane in a slice, −1 for none; the number of the lane, and the number of lanes, of the row.
struct Share {
    int row, lane, lanes;
    __device__ __forceinline__ Share(int slice, int colors, const int* table, const int* rows) {
        const int* at = table + 4 * color_at(table + 1, 4, colors, slice);
        const int s = slice - at[1], in_warp = threadIdx.x % WARP;
        lanes = s < at[2] ? LANES : WARP;
        lane = in_warp % lanes;
        const int first = s < at[2] ? s * (WARP / LANES) : at[2] * (WARP / LANES) + s - at[2];
        row = rows[at[0] + first + in_warp / lanes];
    }
};

static __device__ __forceinline__ int slice_here() { return (int)((blockIdx.x * (i64)BLOCK + threadIdx.x) / WARP); }

// begin[slice + 1]: padded number of entries of each slice of the lower triangle, and then of the upper triangle. Sums
// of these are the beginnings of slices.
extern "C" __global__ void __launch_bounds__(BLOCK) widths(
    int slices, int colors, const int* table, const int* rows, const int* below, const int* above, i64* begin) {
    const int slice = slice_here();
    if (slice >= slices) return;
    const Share share(slice, colors, table, rows);
    const int lengths[2] = {share.row < 0 ? 0 : below[share.row], share.row < 0 ? 0 : above[share.row]};
    for (int t = 0; t < 2; t++) {
        const int steps = reduce_warp<Most>((lengths[t] + share.lanes - 1) / share.lanes);
        if (threadIdx.x % WARP == 0) begin[1 + t * slices + slice] = (i64)steps * WARP;
    }
    if (slice == 0 && threadIdx.x == 0) begin[0] = 0;
}

// Columns of the entries of both triangles, as slots, and their numbers in the matrix; −1 for padding. An entry is in
// the lower triangle if its column's color, and hence slot, is before its row's.
extern "C" __global__ void __launch_bounds__(BLOCK) columns(
    int slices, int colors, const int* table, const int* rows, const offset_t* indptr, const int* indices,
    const int* slot_of, const i64* begin, int* found, SOURCE* source) {
    const int slice = slice_here();
    if (slice >= slices) return;
    const Share share(slice, colors, table, rows);
    const int mine = share.row < 0 ? -1 : slot_of[share.row], first_lane = threadIdx.x % WARP - share.lane;
    const unsigned before = ((1u << share.lane) - 1) << first_lane, group = ~0u >> (WARP - share.lanes) << first_lane;
    offset_t base = share.row < 0 ? 0 : indptr[share.row];
    const offset_t end = share.row < 0 ? 0 : indptr[share.row + 1];
    int done[2] = {0, 0};
    for (; __any_sync(ALL_LANES, base < end); base += share.lanes) {
        const offset_t j = base + share.lane;
        const int slot = j < end ? slot_of[indices[j]] : mine;
        for (int t = 0; t < 2; t++) {
            const bool has = t ? slot > mine : slot < mine;
            const unsigned votes = __ballot_sync(ALL_LANES, has) & group;
            if (has) {
                const int k = done[t] + __popc(votes & before);
                const i64 at = begin[t * slices + slice] + (i64)(k / share.lanes) * WARP + first_lane + k % share.lanes;
                found[at] = slot;
                source[at] = (SOURCE)j;
            }
            done[t] += __popc(votes);
        }
    }
    for (int t = 0; t < 2; t++) {
        const i64 first = begin[t * slices + slice] + threadIdx.x % WARP, last = begin[t * slices + slice + 1];
        int k = share.lane;
        for (i64 at = first; at < last; at += WARP, k += share.lanes)
            if (k >= done[t]) found[at] = -1, source[at] = -1;
    }
}

// The value of each entry, 0 for padding; 32 first of the B × B numbers are adjacent, then 32 second ones … Without
// `found`, only sets `lost` if a value is too large for its type.
extern "C" __global__ void __launch_bounds__(BLOCK)
    fill(i64 entries, const SOURCE* source, const INPUT* input, STORAGE* found, int* lost) {
    const i64 at = blockIdx.x * (i64)BLOCK + threadIdx.x;
    if (at >= entries) return;
    const i64 from = source[at];
    for (int e = 0; e < BB; e++) {
        const STORAGE x = from < 0 ? STORAGE(0) : converted<STORAGE>(input[from * BB + e]);
        if (found) found[(at / WARP * BB + e) * WARP + at % WARP] = x;
        else if (!is_finite(x)) store_relaxed(lost, 1);
    }
}

// The B × B numbers of each slot, from the numbers of each row; in the order of `fill`.
extern "C" __global__ void __launch_bounds__(BLOCK)
    by_slot(int slots, const int* rows, const INPUT* input, STORAGE* found) {
    const int slot = (int)(blockIdx.x * (i64)BLOCK + threadIdx.x);
    if (slot >= slots) return;
    const int row = rows[slot];
    for (int e = 0; e < BB; e++)
        found[((i64)(slot / WARP) * BB + e) * WARP + slot % WARP] =
            row < 0 ? STORAGE(0) : converted<STORAGE>(input[(i64)row * BB + e]);
}

// omega, in the bits of a double, times the inverse of each slot's diagonal block, in the order of `by_slot`. Sets
// `wrong` if an inverse is not finite, zero or only rounding.
extern "C" __global__ void __launch_bounds__(BLOCK) pivots(
    int slots, const int* rows, const SOURCE* diagonal, const INPUT* input, i64 omega, STORAGE* found, int* wrong) {
    const int slot = (int)(blockIdx.x * (i64)BLOCK + threadIdx.x);
    if (slot >= slots) return;
    const int row = rows[slot];
    INPUT x[BB], y[BB];
    STORAGE stored[BB];
    // The least normal number of narrow storage: smaller numbers may become zero.
    const double LEAST = sizeof(STORAGE) < sizeof(INPUT) ? 1.1754943508222875e-38 : 4.9406564584124654e-324;
    bool zero = true, finite = true;
    for (int e = 0; e < BB; e++) y[e] = x[e] = row < 0 ? INPUT(0) : input[(i64)diagonal[row] * BB + e];
    if (row >= 0) {
        invert<B>(y);
        for (int e = 0; e < BB; e++) y[e] = y[e] * converted<INPUT>(__longlong_as_double(omega));
    }
    for (int e = 0; e < BB; e++) {
        stored[e] = converted<STORAGE>(y[e]);
        zero &= size_of(stored[e]) < LEAST, finite &= is_finite(stored[e]);
        found[((i64)(slot / WARP) * BB + e) * WARP + slot % WARP] = stored[e];
    }
    if (row >= 0 && (zero || !finite || !is_good_inverse<B>(x, y))) store_relaxed(wrong, 1);
}
