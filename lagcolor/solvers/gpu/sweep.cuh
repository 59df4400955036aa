// Steps of colored triangular sweeps and relaxations, for the kernels in sweep.cu and hubs.cu; sweeps.py says what the
// steps of a sweep are.
//
// A step updates the rows of one color, each of a number w[slot] (or B of them):
//     w ← factor · w + scale · (rhs − Σ entries · w)
// where steps differ in the terms that they have. Rows of one color do not read one another, so that their order is
// free. Rows lie in slots and slots in slices of 32 lanes, as in slices.py: lane l of a slice reads entry 32 · k + l of
// it.
//
// Bytes of a sweep: 4 and the number per entry, read once; per row scale, rhs, its id twice, w and the result. w is
// read through the caches, all else past them.
#pragma once
#include "base/device/include/grid.cuh"
#include "base/device/include/numbers.cuh"

#define BLOCK 256
#define TOGETHER 1024  // threads of a block that does small colors alone, or a hub
enum { B = BLOCK_SIZE, BB = B * B };

typedef VECTOR Number;

// Of a step, as in sweeps.py.
enum Flags {
    RHS = 1,      // from `rhs`, at the row's own place
    KEEP = 2,     // factor · w, by scalars[0]
    TIMES = 4,    // the result, by scalars[0]
    LOWER = 8, UPPER = 16,
    SLOT = 32,    // to w
    OUT = 64,     // to `out`, at the row's own place
    RELAX = 128,  // the factor is scalars[1] instead
    ALONE = 256,  // for one block
    LOCAL = 512,  // and the next one is, too
    OTHERS = 1024  // w of all other colors goes to `out`, too
};

struct Triangle {
    const i64* begin;  // of each slice, in entries
    const int* columns;  // slots; −1: none
    const STORAGE* values;  // of B × B numbers: 32 first ones, 32 second ones …
};

struct Arrays {
    Triangle lower, upper;
    const STORAGE* scale;  // by slot, 32 at a time as values
    const int* rows;  // by slot; −1: none
    const Number* scalars;
    Number* w;
    const Number* rhs;
    Number* out;
};

struct Color {
    int slot, slice, thin, slices;  // where its slots and slices begin; how many are of LANES lanes per row, and in all
};

struct Colors {
    const int* table;  // of all: slot, slice, thin, slices
    const u64* shares;  // of all: 2^32 times 32 slots per slice of the last step's color, rounded up; 0 for that one
    int count;
    __device__ __forceinline__ Color operator[](int c) const {
        const int* at = table + 4 * c;
        return {at[0], at[1], at[2], at[3]};
    }
};

// This lane's entries of a slice: every 32nd number from these on.
struct Walk {
    const int* columns;
    const STORAGE* values;
    int steps;
    __device__ __forceinline__ Walk(Triangle t, int slice) {
        const i64 begin = t.begin[slice];
        steps = (int)((t.begin[slice + 1] - begin) / WARP);
        columns = t.columns + begin + threadIdx.x % WARP;
        values = t.values + begin * BB + threadIdx.x % WARP;
    }
};

// Some of them, on their way from memory at the same time.
struct Batch {
    int column[AHEAD];
    STORAGE value[AHEAD][BB];
    __device__ __forceinline__ Batch(const Walk& walk, int k) {
#pragma unroll
        for (int u = 0; u < AHEAD; u++)
            column[u] = k + u < walk.steps ? load_once(walk.columns + (i64)(k + u) * WARP) : -1;
#pragma unroll
        for (int u = 0; u < AHEAD; u++)
            if (k + u < walk.steps) {
#pragma unroll
                for (int e = 0; e < BB; e++) value[u][e] = load_once(walk.values + ((i64)(k + u) * BB + e) * WARP);
            }
    }
    // Adds their products with w.
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

// From step k on, all of them or a batch in `stride` steps.
static __device__ __forceinline__ void add_entries(
    Number (&sum)[B], const Walk& walk, int k, const Number* w, int stride = AHEAD) {
#pragma unroll 1
    for (; k < walk.steps; k += stride) Batch(walk, k).add(sum, w);
}

// Of a slice by number within its color: where its slots begin, and the lanes of a row.
struct Place {
    int slice, slot, lanes;
    __device__ __forceinline__ Place(Color color, int s) {
        const bool thin = s < color.thin;
        lanes = thin ? LANES : WARP;
        slice = color.slice + s;
        slot = color.slot + (thin ? s * (WARP / LANES) : color.thin * (WARP / LANES) + s - color.thin);
    }
};

// What a step reads of a row that no step writes.
struct Row {
    int slot, row;
    bool mine;  // this lane's to write
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
    // From this lane's sum to the new w.
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

// `out` of the other colors' rows: the warp of a slice has the s-th part of each, which is near its own rows where
// colors are spread evenly. So the sectors of `out` are written as a whole, and once, not in part by each color.
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

// With `rhs` and `out` from memory, where that is given (sweep.cu).
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
