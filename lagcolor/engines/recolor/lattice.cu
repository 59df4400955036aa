// Colors of box lattices (lattice.py): every vertex by the parities of its coordinates, and whether that is right.
//
// Bytes that must move: 4 per edge, 4 per vertex of offsets, 4 per vertex of output. Lanes of a group share a row, so that they
// read it in whole sectors.
//
// variants: OFFSET_BITS=32,64 DIMENSIONS=2,3
#include "device/include/common.cuh"

#define BLOCK 256
#define SAMPLES 1024
#define GOLDEN 0x9E3779B1u  // multiples of it, as fractions of 2^32, are spread evenly
#if DIMENSIONS == 2
#define GROUP 4  // lanes per row
#define AHEAD 2  // entries that a lane reads at a time
#else
#define GROUP 8
#define AHEAD 4
#endif
#define CORNERS (1 << DIMENSIONS)  // of a cell

// found: degree, id and row of the first of some vertices all over the graph with 26 neighbours, else with 8; else 0. In the
// middle of the row must be v − 1 and v + 1: where the lattice is joined at its ends, these have all neighbours, too.
extern "C" __global__ void __launch_bounds__(BLOCK)
    sample(long long n, const offset_t* indptr, const int* indices, int* found) {
    __shared__ unsigned best;
    if (threadIdx.x == 0) best = 2 * SAMPLES;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < SAMPLES; i += BLOCK) {
        const int v = (int)((unsigned long long)(i * GOLDEN) * (unsigned long long)n >> 32);
        const offset_t row = indptr[v], degree = indptr[v + 1] - row;
        if (degree != 26 && degree != 8) continue;
        const int* middle = indices + row + degree / 2;
        if (middle[-1] == v - 1 && middle[0] == v + 1) atomicMin(&best, (degree == 26 ? 0 : SAMPLES) + i);
    }
    __syncthreads();
    if (best == 2 * SAMPLES) return;
    const int degree = best < SAMPLES ? 26 : 8;
    const int v = (int)((unsigned long long)(best % SAMPLES * GOLDEN) * (unsigned long long)n >> 32);
    if (threadIdx.x == 0) found[0] = degree, found[1] = v;
    if (threadIdx.x < degree) found[2 + threadIdx.x] = indices[indptr[v] + threadIdx.x];
}

// Division by multiplication (Granlund, Montgomery 1994), for numbers under 2^31.
struct Divisor {
    unsigned by, magic, shift;
    __device__ __forceinline__ unsigned divide(unsigned x) const {
        return ((unsigned)((unsigned long long)x * magic >> 32) + x) >> shift;
    }
};

// Vertex x + width · (y + height · z); its color is the parities of x, y and z.
static __device__ __forceinline__ unsigned parities(unsigned v, Divisor width, Divisor height) {
    const unsigned row = width.divide(v), x = v ^ (row & width.by);
    if (DIMENSIONS == 2) return (x & 1) | (row & 1) << 1;
    const unsigned plane = height.divide(row), y = row ^ (plane & height.by);
    return (x & 1) | (y & 1) << 1 | (plane & 1) << 2;
}

// wrong, in memory of the host: set where an edge joins two of one color, or where the corners of the cell at vertex
// `corner` are no clique, which shows that fewer colors do not do.
extern "C" __global__ void __launch_bounds__(BLOCK)
    color_lattice(long long n, const offset_t* __restrict__ indptr, const int* __restrict__ indices, unsigned by_x,
                  unsigned magic_x, unsigned shift_x, unsigned by_y, unsigned magic_y, unsigned shift_y, unsigned corner,
                  int* colors, int* wrong) {
    const Divisor width = {by_x, magic_x, shift_x}, height = {by_y, magic_y, shift_y};
    const long long v = ((long long)blockIdx.x * BLOCK + threadIdx.x) / GROUP;
    const unsigned lane = threadIdx.x % GROUP;
    bool bad = false;
    if (v < n) {
        const offset_t row = indptr[v], degree = indptr[v + 1] - row;
        const unsigned color = parities((unsigned)v, width, height);
        if (lane == 0) colors[v] = (int)color;
        for (offset_t k = lane; k < degree; k += GROUP * AHEAD) {
            int u[AHEAD];
#pragma unroll
            for (int i = 0; i < AHEAD; i++) u[i] = k + GROUP * i < degree ? indices[row + k + GROUP * i] : -1;
#pragma unroll
            for (int i = 0; i < AHEAD; i++) bad |= u[i] >= 0 && parities((unsigned)u[i], width, height) == color;
        }
    }
    if (blockIdx.x == 0 && threadIdx.x < CORNERS * CORNERS) {
        const auto id = [&](unsigned i) {
            return corner + (i & 1) + by_x * ((i >> 1 & 1) + (DIMENSIONS == 3 ? by_y * (i >> 2) : 0));
        };
        const unsigned a = id(threadIdx.x / CORNERS), b = id(threadIdx.x % CORNERS);
        bool joined = a == b;
        for (offset_t e = indptr[a]; e < indptr[a + 1]; e++) joined |= (unsigned)indices[e] == b;
        bad |= !joined;
    }
    if (__syncthreads_or(bad) && threadIdx.x == 0) *wrong = 1;
}
