// Rows of very many entries in colored sweeps: a block per row. Launched by sweeps.py after the color's other rows.
//
// Each warp adds every 32nd batch of a row's entries. Lanes are summed up, and then warps, always in the same order.
//
// variants: LANES=1 BLOCK_SIZE=1 AHEAD=2 STORAGE=double VECTOR=double
// variants: LANES=4,32 BLOCK_SIZE=2 AHEAD=2 STORAGE=float VECTOR=double
// variants: LANES=8 BLOCK_SIZE=3 AHEAD=1 STORAGE="Complex<float>" VECTOR="Complex<double>"
#include "solvers/gpu/sweep.cuh"

static __device__ __forceinline__ void hub_of_color(const Arrays& a, Colors colors, Color color, int flags) {
    __shared__ Number parts[TOGETHER / WARP][B];
    const int s = color.slices - (int)gridDim.x + (int)blockIdx.x;  // hubs are the last slices
    const int warp = threadIdx.x / WARP, warps = blockDim.x / WARP, lane = threadIdx.x % WARP;
    const Place at(color, s);
    Number sum[B];
#pragma unroll
    for (int i = 0; i < B; i++) sum[i] = Number(0);
    if (flags & LOWER) add_entries(sum, LaneEntries(a.lower, at.slice), warp * AHEAD, a.w, warps * AHEAD);
    if (flags & UPPER) add_entries(sum, LaneEntries(a.upper, at.slice), warp * AHEAD, a.w, warps * AHEAD);
    sum_lanes(sum, WARP);
    if (lane == 0)
        for (int i = 0; i < B; i++) parts[warp][i] = sum[i];
    __syncthreads();
    if (warp) return;
#pragma unroll
    for (int i = 0; i < B; i++) sum[i] = lane < warps ? parts[lane][i] : Number(0);
    sum_lanes(sum, WARP);
    const Row row(a, at, flags);
    STORAGE scale[BB];
    row.load_scale(scale, a);
    row.update(a, scale, sum, flags);
    if (flags & OTHERS) others_out(a, colors, s);
}

extern "C" __global__ void __launch_bounds__(TOGETHER) hub_rows(ARRAY_PARAMETERS, COLOR_PARAMETERS, STEP_PARAMETERS) {
    hub_of_color(STEP, flags);
}
