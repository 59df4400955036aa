// Colored triangular sweeps and relaxations; launched by sweeps.py, which says what the steps of a sweep are.
//
// A step updates the rows of one color, each of a number w[slot] (or B of them):
//     w ← factor · w + scale · (rhs − Σ entries · w)
// where steps differ in which of these there are. Rows of one color read none of each other's, so that their order is
// free. Rows lie in slots and slots in slices of 32 lanes, as in slices.py: lane l of a slice reads entry 32 · k + l of it.
//
// Bytes of a sweep: 4 and the number per entry, read once; per row scale, rhs, its id twice, w and the result. w is read
// through the caches, all else past them.
//
// variants: LANES=1 BLOCK_SIZE=1 AHEAD=4 UNROLL=1 STORAGE=double VECTOR=double
// variants: LANES=4,32 BLOCK_SIZE=1 AHEAD=2 UNROLL=1 STORAGE=float VECTOR=double
// variants: LANES=1,2 BLOCK_SIZE=3 AHEAD=1 UNROLL=1 STORAGE=float VECTOR=float
// variants: LANES=8 BLOCK_SIZE=1 AHEAD=4 UNROLL=1 STORAGE="Complex<float>" VECTOR="Complex<float>"
// variants: LANES=1 BLOCK_SIZE=2 AHEAD=2 UNROLL=1 STORAGE="Complex<double>" VECTOR="Complex<double>"
// variants: LANES=16 BLOCK_SIZE=6 AHEAD=1 UNROLL=1 STORAGE=double VECTOR="Complex<double>"
#include "device/include/grid.cuh"
#include "device/include/numbers.cuh"

#define BLOCK 256
#define TOGETHER 1024  // threads of a block that does small colors alone
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

// Adds Σ entries · w of this lane's share of a row.
static __device__ __forceinline__ void add_entries(Number (&sum)[B], Triangle t, int slice, const Number* w) {
    const i64 begin = t.begin[slice];
    const int steps = (int)((t.begin[slice + 1] - begin) / WARP), lane = threadIdx.x % WARP;
    const int* columns = t.columns + begin + lane;
    const STORAGE* values = t.values + begin * BB + lane;
#pragma unroll UNROLL
    for (int k = 0; k < steps; k += AHEAD) {
        int column[AHEAD];
        STORAGE value[AHEAD][BB];
        Number x[AHEAD][B];
#pragma unroll
        for (int u = 0; u < AHEAD; u++) column[u] = k + u < steps ? load_once(columns + (i64)(k + u) * WARP) : -1;
#pragma unroll
        for (int u = 0; u < AHEAD; u++)
            if (k + u < steps) {
#pragma unroll
                for (int e = 0; e < BB; e++) value[u][e] = load_once(values + ((i64)(k + u) * BB + e) * WARP);
            }
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
}

// One slice, by a warp: L lanes per row, from `slot` on.
template <int L> static __device__ __forceinline__ void rows_of_slice(const Arrays& a, int slice, int slot, int flags) {
    const int lane = threadIdx.x % WARP;
    slot += lane / L;
    const int row = a.rows[slot];
    const bool mine = lane % L == 0 && row >= 0;
    Number rhs[B], sum[B];
#pragma unroll
    for (int i = 0; i < B; i++) {
        rhs[i] = mine && flags & RHS ? a.rhs[(i64)row * B + i] : Number(0);
        sum[i] = Number(0);
    }
    if (flags & LOWER) add_entries(sum, a.lower, slice, a.w);
    if (flags & UPPER) add_entries(sum, a.upper, slice, a.w);
#pragma unroll
    for (int step = L / 2; step; step /= 2)
#pragma unroll
        for (int i = 0; i < B; i++) sum[i] = sum[i] + shuffle_in_group(sum[i], ALL_LANES, step);
    if (!mine) return;
    const Number factor = flags & (KEEP | TIMES) ? a.scalars[flags & RELAX ? 1 : 0] : Number(1);
    const STORAGE* scale = a.scale + (i64)(slot / WARP) * WARP * BB + slot % WARP;
    Number* w = a.w + (i64)slot * B;
#pragma unroll
    for (int i = 0; i < B; i++) {
        Number x = flags & KEEP ? factor * w[i] : Number(0);
#pragma unroll
        for (int j = 0; j < B; j++) x = x + converted<Number>(load_once(scale + (i * B + j) * WARP)) * (rhs[j] - sum[j]);
        if (flags & TIMES) x = factor * x;
        if (flags & SLOT) w[i] = x;
        if (flags & OUT) a.out[(i64)row * B + i] = x;
    }
}

// `out` of the other colors' rows: the warp of a slice has the s-th part of each, which is near its own rows where colors
// are spread evenly. So the sectors of `out` are written as a whole, and once, not in part by each color.
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

static __device__ __forceinline__ void slice_of_color(const Arrays& a, Colors colors, Color color, int s, int flags) {
    if (s < color.thin) rows_of_slice<LANES>(a, color.slice + s, color.slot + s * (WARP / LANES), flags);
    else rows_of_slice<WARP>(a, color.slice + s, color.slot + color.thin * (WARP / LANES) + s - color.thin, flags);
    if (flags & OTHERS) others_out(a, colors, s);
}

#define ARRAY_PARAMETERS const i64* lower_begin, const int* lower_columns, const STORAGE* lower_values, const i64* upper_begin, const int* upper_columns, const STORAGE* upper_values, const STORAGE* scale, const int* rows, const Number* scalars, Number* w, const Number* const_rhs, Number* out
#define ARRAYS {{lower_begin, lower_columns, lower_values}, {upper_begin, upper_columns, upper_values}, scale, rows, scalars, w, const_rhs, out}

// Of a captured graph, whose launches keep their arguments: `rhs` and `out` are in memory, put there by `aim`.
extern "C" __global__ void aim(u64* buffers, u64 rhs, u64 out) {
    buffers[0] = rhs;
    buffers[1] = out;
}

static __device__ __forceinline__ Arrays aimed(Arrays a, const u64* buffers) {
    if (buffers) {
        a.rhs = (const Number*)buffers[0];
        a.out = (Number*)buffers[1];
    }
    return a;
}

#define COLOR_PARAMETERS const u64* buffers, const int* table, const u64* shares, int count

// One step: a warp per slice. Three kernels, for what a step does not do then takes no registers.
static __device__ __forceinline__ void one_color(const Arrays& a, Colors colors, Color color, int flags) {
    const int s = (int)((blockIdx.x * (i64)BLOCK + threadIdx.x) / WARP);
    if (s < color.slices) slice_of_color(a, colors, color, s, flags);
}

#define STEP_PARAMETERS int slot, int slice, int thin, int slices, int flags
#define STEP aimed(ARRAYS, buffers), {table, shares, count}, {slot, slice, thin, slices}

extern "C" __global__ void __launch_bounds__(BLOCK) lower_color(ARRAY_PARAMETERS, COLOR_PARAMETERS, STEP_PARAMETERS) {
    one_color(STEP, flags & ~(UPPER | KEEP | RELAX));
}

extern "C" __global__ void __launch_bounds__(BLOCK) upper_color(ARRAY_PARAMETERS, COLOR_PARAMETERS, STEP_PARAMETERS) {
    one_color(STEP, flags & ~(LOWER | TIMES | RELAX));
}

extern "C" __global__ void __launch_bounds__(BLOCK) any_color(ARRAY_PARAMETERS, COLOR_PARAMETERS, STEP_PARAMETERS) {
    one_color(STEP, flags);
}

static __device__ __forceinline__ void run_steps(
    const Arrays& a, Colors colors, const int* steps, int first, int last, int* arrived) {
    const int warps = blockDim.x / WARP;
    int goal = 0;
    for (int i = first; i < last; i++) {
        const Color color = colors[steps[2 * i]];
        const int flags = steps[2 * i + 1];
        const bool alone = flags & ALONE;
        if (!alone || blockIdx.x == 0) {
            const int of = alone ? warps : gridDim.x * warps;
            for (int s = (alone ? 0 : blockIdx.x * warps) + threadIdx.x / WARP; s < color.slices; s += of)
                slice_of_color(a, colors, color, s, flags);
        }
        if (i + 1 == last) break;
        if (gridDim.x == 1 || flags & LOCAL) __syncthreads();
        else grid_barrier(arrived, goal);
    }
    if (gridDim.x > 1 && threadIdx.x == 0 && goal) {  // the last block leaves 0 for the next launch
        const int target = goal + gridDim.x - 1;
        if (atomicAdd(arrived, 1) == target) store_relaxed(arrived, 0);
    }
}

#define STEPS_PARAMETERS const int* steps, int first, int last, int* arrived

// Several steps by all blocks of a cooperative launch.
extern "C" __global__ void __launch_bounds__(BLOCK) all_colors(ARRAY_PARAMETERS, COLOR_PARAMETERS, STEPS_PARAMETERS) {
    run_steps(aimed(ARRAYS, buffers), {table, shares, count}, steps, first, last, arrived);
}

// Several steps of few slices each, by one block.
extern "C" __global__ void __launch_bounds__(TOGETHER) small_colors(ARRAY_PARAMETERS, COLOR_PARAMETERS, STEPS_PARAMETERS) {
    run_steps(aimed(ARRAYS, buffers), {table, shares, count}, steps, first, last, arrived);
}

// w of each slot from a vector.
extern "C" __global__ void __launch_bounds__(BLOCK) enter(int slots, const int* rows, const Number* x, Number* w) {
    const int slot = (int)(blockIdx.x * (i64)BLOCK + threadIdx.x);
    if (slot >= slots || rows[slot] < 0) return;
    for (int i = 0; i < B; i++) w[(i64)slot * B + i] = x[(i64)rows[slot] * B + i];
}
