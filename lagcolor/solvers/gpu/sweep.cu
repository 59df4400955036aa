// Colored triangular sweeps and relaxations: a warp per slice of rows, and one or several steps per launch. Launched by
// sweeps.py.
//
// variants: LANES=1 BLOCK_SIZE=1 AHEAD=4 STORAGE=double VECTOR=double
// variants: LANES=4,32 BLOCK_SIZE=1 AHEAD=2 STORAGE=float VECTOR=double
// variants: LANES=1,2 BLOCK_SIZE=3 AHEAD=1 STORAGE=float VECTOR=float
// variants: LANES=8 BLOCK_SIZE=1 AHEAD=4 STORAGE="Complex<float>" VECTOR="Complex<float>"
// variants: LANES=1 BLOCK_SIZE=2 AHEAD=2 STORAGE="Complex<double>" VECTOR="Complex<double>"
// variants: LANES=16 BLOCK_SIZE=6 AHEAD=1 STORAGE=double VECTOR="Complex<double>"
#include "solvers/gpu/sweep.cuh"

// For a captured graph, whose launches always have the same arguments: sets the addresses `rhs` and `out` in memory.
extern "C" __global__ void aim(u64* buffers, u64 rhs, u64 out) {
    buffers[0] = rhs;
    buffers[1] = out;
}

// Updates the rows of a slice, by a warp.
static __device__ __forceinline__ void slice_of_color(const Arrays& a, Colors colors, Color color, int s, int flags) {
    const Place at(color, s);
    const Row row(a, at, flags);
    Number sum[B];
#pragma unroll
    for (int i = 0; i < B; i++) sum[i] = Number(0);
    if (flags & LOWER) add_entries(sum, LaneEntries(a.lower, at.slice), 0, a.w);
    if (flags & UPPER) add_entries(sum, LaneEntries(a.upper, at.slice), 0, a.w);
    sum_lanes(sum, at.lanes);
    STORAGE scale[BB];
    row.load_scale(scale, a);
    row.update(a, scale, sum, flags);
    if (flags & OTHERS) others_out(a, colors, s);
}

// One step: a warp per slice. There are three kernels, so that unused terms take no registers.
static __device__ __forceinline__ void one_color(const Arrays& a, Colors colors, Color color, int flags) {
    const int s = (int)((blockIdx.x * (i64)BLOCK + threadIdx.x) / WARP);
    if (s < color.slices) slice_of_color(a, colors, color, s, flags);
}

extern "C" __global__ void __launch_bounds__(BLOCK) lower_color(ARRAY_PARAMETERS, COLOR_PARAMETERS, STEP_PARAMETERS) {
    one_color(STEP, flags & ~(UPPER | KEEP | RELAX));
}

extern "C" __global__ void __launch_bounds__(BLOCK) upper_color(ARRAY_PARAMETERS, COLOR_PARAMETERS, STEP_PARAMETERS) {
    one_color(STEP, flags & ~(LOWER | TIMES | RELAX));
}

extern "C" __global__ void __launch_bounds__(BLOCK) any_color(ARRAY_PARAMETERS, COLOR_PARAMETERS, STEP_PARAMETERS) {
    one_color(STEP, flags);
}

// This warp's part of one of several steps: slices first, first + stride …
struct Step {
    Color color;
    int flags, first, stride;
    __device__ __forceinline__ Step(Colors colors, const int* at) : color(colors[at[0]]), flags(at[1]) {
        const int warps = blockDim.x / WARP;
        const bool alone = flags & ALONE;
        first = alone ? (blockIdx.x ? color.slices : threadIdx.x / WARP) : (int)(blockIdx.x * warps + threadIdx.x / WARP);
        stride = alone ? warps : gridDim.x * warps;
    }
};

// The data of a warp's first slice that no step writes, loaded before the barrier at which the step waits.
struct Ready {
    LaneEntries entries;
    Batch batch;
    Row row;
    STORAGE scale[BB];
    int lanes;
    __device__ __forceinline__ Ready(const Arrays& a, const Step& step)
        : Ready(a, Place(step.color, step.first < step.color.slices ? step.first : 0), step) {}
    __device__ __forceinline__ Ready(const Arrays& a, Place at, const Step& step)
        : entries(step.flags & LOWER ? a.lower : a.upper, at.slice), batch(read(entries, step), 0), row(a, at, step.flags),
          lanes(at.lanes) {
        row.load_scale(scale, a);
    }
    static __device__ __forceinline__ LaneEntries& read(LaneEntries& entries, const Step& step) {
        if (!(step.flags & (LOWER | UPPER)) || step.first >= step.color.slices) entries.steps = 0;
        return entries;
    }
    __device__ __forceinline__ void update(const Arrays& a, const Step& step) const {
        Number sum[B];
#pragma unroll
        for (int i = 0; i < B; i++) sum[i] = Number(0);
        batch.add(sum, a.w);
        add_entries(sum, entries, AHEAD, a.w);
        if ((step.flags & LOWER) && (step.flags & UPPER))
            add_entries(sum, LaneEntries(a.upper, step.color.slice + step.first), 0, a.w);
        sum_lanes(sum, lanes);
        row.update(a, scale, sum, step.flags);
    }
};

static __device__ __forceinline__ void run_steps(
    const Arrays& a, Colors colors, const int* steps, int first, int last, int* arrived) {
    int goal = 0;
    for (int i = first; i < last; i++) {
        const Step step(colors, steps + 2 * i);
        const Ready ready(a, step);
        if (i > first) {  // wait for the last step; if it was LOCAL, only within this block
            if (gridDim.x == 1 || steps[2 * i - 1] & LOCAL) __syncthreads();
            else grid_barrier(arrived, goal);
        }
        if (step.first < step.color.slices) {
            ready.update(a, step);
            if (step.flags & OTHERS) others_out(a, colors, step.first);
        }
        for (int s = step.first + step.stride; s < step.color.slices; s += step.stride)
            slice_of_color(a, colors, step.color, s, step.flags);
    }
    if (gridDim.x > 1 && threadIdx.x == 0 && goal) {  // the last block resets the counter for the next launch
        const int target = goal + gridDim.x - 1;
        if (atomicAdd(arrived, 1) == target) store_relaxed(arrived, 0);
    }
}

#define STEPS_PARAMETERS const int* steps, int first, int last, int* arrived

// Runs several steps by all blocks of a cooperative launch.
extern "C" __global__ void __launch_bounds__(BLOCK) all_colors(ARRAY_PARAMETERS, COLOR_PARAMETERS, STEPS_PARAMETERS) {
    run_steps(aimed(ARRAYS, buffers), {table, shares, count}, steps, first, last, arrived);
}

// Runs several steps of few slices each by one block.
extern "C" __global__ void __launch_bounds__(TOGETHER) small_colors(ARRAY_PARAMETERS, COLOR_PARAMETERS, STEPS_PARAMETERS) {
    run_steps(aimed(ARRAYS, buffers), {table, shares, count}, steps, first, last, arrived);
}

// Copies a vector to w, in the order of slots.
extern "C" __global__ void __launch_bounds__(BLOCK) enter(int slots, const int* rows, const Number* x, Number* w) {
    const int slot = (int)(blockIdx.x * (i64)BLOCK + threadIdx.x);
    if (slot >= slots || rows[slot] < 0) return;
    for (int i = 0; i < B; i++) w[(i64)slot * B + i] = x[(i64)rows[slot] * B + i];
}
