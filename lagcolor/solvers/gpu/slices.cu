// Where rows and entries of a colored triangle lie, so that a warp reads them in whole sectors; launched by slices.py.
//
// Bytes: keys 12 per row; slots 16 per row; widths 8 per row; columns and values read and write each entry once.
//
// variants: OFFSET_BITS=32 LANES=1 BLOCK_SIZE=1 STORAGE=double
// variants: OFFSET_BITS=64 LANES=4,32 BLOCK_SIZE=2 STORAGE=float
// variants: OFFSET_BITS=32 LANES=8 BLOCK_SIZE=1 STORAGE="Complex<double>"
#include "device/include/numbers.cuh"

#define BLOCK 256
enum { B = BLOCK_SIZE, BB = B * B };
#define WINDOW_BITS 12  // rows of a color are sorted by length within so many
#define LENGTH_BITS 8
#define MOST_LENGTH 255

struct Color {
    int slot, slice, thin, slices;
};

// The last color that begins at or before x; `begin` rises.
static __device__ int color_at(const int* begin, int stride, int colors, int x) {
    int low = 0, high = colors - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (begin[middle * stride] <= x) low = middle;
        else high = middle - 1;
    }
    return low;
}

// By which rows are sorted: color, whether it is a long row, window, entries of both triangles.
extern "C" __global__ void __launch_bounds__(BLOCK) keys(
    int n, int colors, const int* offsets, const offset_t* lower, const offset_t* upper, int long_from, i64* found) {
    const int p = (int)(blockIdx.x * (i64)BLOCK + threadIdx.x);
    if (p >= n) return;
    const int color = color_at(offsets, 1, colors, p);
    const offset_t below = lower[p + 1] - lower[p], above = upper[p + 1] - upper[p];
    const bool is_long = (below > above ? below : above) >= long_from;
    const i64 window = (p - offsets[color]) >> WINDOW_BITS;
    i64 key = (i64)color * 2 + is_long;
    key = key << (31 - WINDOW_BITS) | window;
    key = key << LENGTH_BITS | (below < MOST_LENGTH ? below : MOST_LENGTH);
    found[p] = key << LENGTH_BITS | (above < MOST_LENGTH ? above : MOST_LENGTH);
}

// Slot of each place, and place and row of each slot, from the places in the order of their keys.
extern "C" __global__ void __launch_bounds__(BLOCK) slots(
    int n, int colors, const int* offsets, const int* long_from, const int* table, const i64* sorted, const int* order,
    int* slot_of, int* place_of, int* rows) {
    const int p = (int)(blockIdx.x * (i64)BLOCK + threadIdx.x);
    if (p >= n) return;
    const int color = color_at(offsets, 1, colors, p);
    const int* at = table + 4 * color;
    const int slot = p < long_from[color] ? at[0] + p - offsets[color] : at[0] + at[2] * (WARP / LANES) + p - long_from[color];
    const int place = (int)sorted[p];
    slot_of[place] = slot;
    place_of[slot] = place;
    rows[slot] = order[place];
}

// The place of this lane's row in a slice, −1 for none; lane and lanes within the row.
struct Share {
    int place, lane, lanes;
    __device__ __forceinline__ Share(int slice, int colors, const int* table, const int* place_of) {
        const int* at = table + 4 * color_at(table + 1, 4, colors, slice);
        const int s = slice - at[1], in_warp = threadIdx.x % WARP;
        lanes = s < at[2] ? LANES : WARP;
        lane = in_warp % lanes;
        const int first = s < at[2] ? s * (WARP / LANES) : at[2] * (WARP / LANES) + s - at[2];
        place = place_of[at[0] + first + in_warp / lanes];
    }
};

static __device__ __forceinline__ int slice_here() { return (int)((blockIdx.x * (i64)BLOCK + threadIdx.x) / WARP); }

// begin[slice + 1]: entries of each slice of a triangle, padded; sums of these are where it begins.
extern "C" __global__ void __launch_bounds__(BLOCK) widths(
    int slices, int colors, const int* table, const int* place_of, const offset_t* indptr, i64* begin) {
    const int slice = slice_here();
    if (slice >= slices) return;
    const Share share(slice, colors, table, place_of);
    const offset_t length = share.place < 0 ? 0 : indptr[share.place + 1] - indptr[share.place];
    const i64 steps = reduce_warp<Most>((i64)((length + share.lanes - 1) / share.lanes));
    if (threadIdx.x % WARP == 0) {
        begin[slice + 1] = steps * WARP;
        if (slice == 0) begin[0] = 0;
    }
}

// Columns of the entries of a triangle, as slots; −1 where a row has no more.
extern "C" __global__ void __launch_bounds__(BLOCK) columns(
    int slices, int colors, const int* table, const int* place_of, const offset_t* indptr, const int* indices,
    const int* slot_of, const i64* begin, int* found) {
    const int slice = slice_here();
    if (slice >= slices) return;
    const Share share(slice, colors, table, place_of);
    const offset_t end = share.place < 0 ? 0 : indptr[share.place + 1];
    i64 j = share.place < 0 ? 0 : (i64)indptr[share.place] + share.lane;
    for (i64 at = begin[slice] + threadIdx.x % WARP; at < begin[slice + 1]; at += WARP, j += share.lanes)
        found[at] = j < end ? slot_of[indices[j]] : -1;
}

// Their values.
extern "C" __global__ void __launch_bounds__(BLOCK) values(
    int slices, int colors, const int* table, const int* place_of, const offset_t* indptr, const STORAGE* given,
    const i64* begin, STORAGE* found) {
    const int slice = slice_here();
    if (slice >= slices) return;
    const Share share(slice, colors, table, place_of);
    const offset_t end = share.place < 0 ? 0 : indptr[share.place + 1];
    i64 j = share.place < 0 ? 0 : (i64)indptr[share.place] + share.lane;
    for (i64 at = begin[slice]; at < begin[slice + 1]; at += WARP, j += share.lanes)
        for (int e = 0; e < BB; e++)
            found[at * BB + e * WARP + threadIdx.x % WARP] = j < end ? given[j * BB + e] : STORAGE(0);
}

// The B × B numbers of each slot, 32 slots side by side, from those of each place.
extern "C" __global__ void __launch_bounds__(BLOCK)
    by_slot(int slots, const int* place_of, const STORAGE* given, STORAGE* found) {
    const int slot = (int)(blockIdx.x * (i64)BLOCK + threadIdx.x);
    if (slot >= slots) return;
    const int place = place_of[slot];
    for (int e = 0; e < BB; e++)
        found[((i64)(slot / WARP) * BB + e) * WARP + slot % WARP] = place < 0 ? STORAGE(0) : given[(i64)place * BB + e];
}
