// Steps of colored triangular sweeps and relaxations, for the kernels in sweep.cu and hubs.cu. sweeps.py has the steps
// of a sweep.
//
// A step updates a number w[slot] (or B numbers) for each row of a color:
//     w ← factor · w + scale · (rhs − Σ entries · w)
// Steps differ in the terms that they have. Rows of one color do not read each other, so that their order is free. Rows
// have slots, and slots are in slices of 32 lanes, as in slices.py: lane l of a slice reads entries 32 · k + l.
//
// Bytes of a sweep: 4 and the number per entry, read once; per row scale, rhs, its id twice, w and the result. w is
// read through the caches, everything else past them.
#pragma once
#include "base/device/include/grid.cuh"
#include "base/device/include/numbers.cuh"

#define BLOCK 256
#define TOGETHER 1024  // threads of a block that updates small colors alone, or a hub
enum { B = BLOCK_SIZE, BB = B * B };

typedef VECTOR Number;

// Flags of a step, as in sweeps.py.
enum Flags {
    RHS = 1,      // read `rhs`, at the row's number
    KEEP = 2,     // add factor · w, with the factor scalars[0]
    TIMES = 4,    // multiply the result by scalars[0]
    LOWER = 8, UPPER = 16,  // subtract the entries of this triangle
    SLOT = 32,    // write w
    OUT = 64,     // write `out`, at the row's number
    RELAX = 128,  // the factor is scalars[1] instead
    ALONE = 256,  // one block runs this step
    LOCAL = 512,  // and the next step, too
    OTHERS = 1024  // also write w of all other colors to `out`
};

struct Triangle {
    const i64* begin;  // first entry of each slice
    const int* columns;  // slots; −1: none
    const STORAGE* values;  // of B × B numbers: 32 first numbers, 32 second numbers …
};

struct Arrays {
    Triangle lower, upper;
    const STORAGE* scale;  // by slot, in the order of values
    const int* rows;  // by slot; −1: none
    const Number* scalars;
    Number* w;
    const Number* rhs;
    Number* out;
};

struct Color {
    int slot, slice, thin, slices;  // first slot and slice; number of slices with LANES lanes per row, and of all
};

struct Colors {
    const int* table;  // slot, slice, thin, slices of each color
    // 2^32 times the warps of slots of each color per slice of the last step's color, rounded up; 0 for the latter
    const u64* shares;
    int count;
    __device__ __forceinline__ Color operator[](int c) const {
        const int* at = table + 4 * c;
        return {at[0], at[1], at[2], at[3]};
    }
};

// This lane's entries of a slice: every 32nd entry from these addresses on.
struct LaneEntries {
    const int* columns;
    const STORAGE* values;
    int steps;
    __device__ __forceinline__ LaneEntries(Triangle t, int slice) {
        const i64 begin = t.begin[slice];
        steps = (int)((t.begin[slice + 1] - begin) / WARP);
        columns = t.columns + begin + threadIdx.x % WARP;
        values = t.values + begin * BB + threadIdx.x % WARP;
    }
};

// AHEAD entries of a lane, whose loads are in flight at the same time.
struct Batch {
    int column[AHEAD];
    STORAGE value[AHEAD][BB];
    __device__ __forceinline__ Batch(const LaneEntries& entries, int k) {
#pragma unroll
        for (int u = 0; u < AHEAD; u++)
            column[u] = k + u < entries.steps ? load_once(entries.columns + (i64)(k + u) * WARP) : -1;
#pragma unroll
        for (int u = 0; u < AHEAD; u++)
            if (k + u < entries.steps) {
#pragma unroll
                for (int e = 0; e < BB; e++) value[u][e] = load_once(entries.values + ((i64)(k + u) * BB + e) * WARP);
            }
    }
    // Adds the products of the entries with w.
    __device__ __forceinline__ void add(Number (&sum)[B], const Number* w) const {
        Number x[AHEAD][B];
#pragma unroll
        for (int u = 0; u < AHEAD; u++)
            if (column[u] >= 0) {
#pragma unroll
                for (int j = 0; j < B; j++) x[u][j] = w[(i64)column[u] * B + j];
            }
#pragma unroll
        for (int u = 0; u < AHEAD; u++)
            if (column[u] >= 0) {
#pragma unroll
                for (int i = 0; i < B; i++)
#pragma unroll
                    for (int j = 0; j < B; j++) sum[i] = sum[i] + converted<Number>(value[u][i * B + j]) * x[u][j];
            }
    }
};

// Adds the products of a lane's entries with w, from entry k on: all of them, or a batch in each `stride` entries.
static __device__ __forceinline__ void add_entries(
    Number (&sum)[B], const LaneEntries& entries, int k, const Number* w, int stride = AHEAD) {
#pragma unroll 1
    for (; k < entries.steps; k += stride) Batch(entries, k).add(sum, w);
}

// A slice of a color: its number in all slices, its first slot, and the lanes per row.
struct Place {
    int slice, slot, lanes;
    __device__ __forceinline__ Place(Color color, int s) {
        const bool thin = s < color.thin;
        lanes = thin ? LANES : WARP;
        slice = color.slice + s;
        slot = color.slot + (thin ? s * (WARP / LANES) : color.thin * (WARP / LANES) + s - color.thin);
    }
};

// The data of a row that no step writes.
struct Row {
    int slot, row;
    bool mine;  // whether this lane writes the row's result
    Number rhs[B];
    __device__ __forceinline__ Row(const Arrays& a, Place at, int flags) {
        const int lane = threadIdx.x % WARP;
        slot = at.slot + (LANES == 1 && at.lanes == 1 ? lane : lane / at.lanes);
        row = a.rows[slot];
        mine = lane % at.lanes == 0 && row >= 0;
#pragma unroll
        for (int i = 0; i < B; i++) rhs[i] = mine && flags & RHS ? a.rhs[(i64)row * B + i] : Number(0);
    }
    __device__ __forceinline__ void load_scale(STORAGE (&scale)[BB], const Arrays& a) const {
        const STORAGE* at = a.scale + (i64)(slot / WARP) * WARP * BB + slot % WARP;
#pragma unroll
        for (int e = 0; e < BB; e++) scale[e] = mine ? load_once(at + e * WARP) : STORAGE(0);
    }
    // Computes the new w from this lane's sum.
    __device__ __forceinline__ void update(const Arrays& a, const STORAGE (&scale)[BB], const Number (&sum)[B], int flags) const {
        if (!mine) return;
        const Number factor = flags & (KEEP | TIMES) ? a.scalars[flags & RELAX ? 1 : 0] : Number(1);
        Number* w = a.w + (i64)slot * B;
#pragma unroll
        for (int i = 0; i < B; i++) {
            Number x = flags & KEEP ? factor * w[i] : Number(0);
#pragma unroll
            for (int j = 0; j < B; j++) x = x + converted<Number>(scale[i * B + j]) * (rhs[j] - sum[j]);
            if (flags & TIMES) x = factor * x;
            if (flags & SLOT) w[i] = x;
            if (flags & OUT) a.out[(i64)row * B + i] = x;
        }
    }
};

static __device__ __forceinline__ void sum_lanes(Number (&sum)[B], int lanes) {
    for (int step = lanes / 2; step; step /= 2)
#pragma unroll
        for (int i = 0; i < B; i++) sum[i] = sum[i] + shuffle_in_group(sum[i], ALL_LANES, step);
}

// Writes `out` of the other colors' rows: the warp of a slice writes the s-th part of each color, which is near its own
// rows if colors are spread evenly. So each sector of `out` is written once, instead of partly by each color.
static __device__ __forceinline__ void others_out(const Arrays& a, Colors colors, int s) {
    for (int c = 0; c < colors.count; c++) {
        const u64 share = colors.shares[c];
        const int first = colors.table[4 * c] + threadIdx.x % WARP;
        const int end = first + (int)((s + 1) * share >> 32) * WARP;
        for (int slot = first + (int)(s * share >> 32) * WARP; slot < end; slot += WARP) {
            const int row = a.rows[slot];
            if (row < 0) continue;
#pragma unroll
            for (int i = 0; i < B; i++) a.out[(i64)row * B + i] = a.w[(i64)slot * B + i];
        }
    }
}

#define ARRAY_PARAMETERS const i64* lower_begin, const int* lower_columns, const STORAGE* lower_values, const i64* upper_begin, const int* upper_columns, const STORAGE* upper_values, const STORAGE* scale, const int* rows, const Number* scalars, Number* w, const Number* const_rhs, Number* out
#define ARRAYS {{lower_begin, lower_columns, lower_values}, {upper_begin, upper_columns, upper_values}, scale, rows, scalars, w, const_rhs, out}

// Replaces `rhs` and `out` by addresses in memory, if there are `buffers` (sweep.cu).
static __device__ __forceinline__ Arrays aimed(Arrays a, const u64* buffers) {
    if (buffers) {
        a.rhs = (const Number*)buffers[0];
        a.out = (Number*)buffers[1];
    }
    return a;
}

#define COLOR_PARAMETERS const u64* buffers, const int* table, const u64* shares, int count

#define STEP_PARAMETERS int slot, int slice, int thin, int slices, int flags
#define STEP aimed(ARRAYS, buffers), {table, shares, count}, {slot, slice, thin, slices}
