// Pull by a matrix with hubs, unmasked, of a full vector: rows and columns come by falling degree, and the columns that are
// read most in bands, so many that a band of the vector fits into shared memory. See bands.py.
//
// A block of 1024 threads loads its band and sums segments: the band's part of a row, cut into pieces where it is long.
// Columns are 16 bits, counted within the band; a lane reads 8 at a time. What lies in no band is a matrix of its own.
// Bytes: 2 an entry, 4 to 5 a segment for its start and its sum.
//
// variants: Z_TYPE=int ADD="x > y ? x : y" IDENTITY=0 TERMINAL=9 STOP=1 ATOMIC=3 D_TYPE=int U_TYPE=int A_TYPE=bool OFFSET_TYPE=int MULTIPLY=x USES_U=1 USES_A=0 ISO=1 SWAP=0
// variants: Z_TYPE=double ADD="x * y" IDENTITY=0x3ff0000000000000 TERMINAL=0 STOP=0 ATOMIC=0 D_TYPE=double U_TYPE=float A_TYPE=float OFFSET_TYPE="long long" MULTIPLY="x * y" USES_U=1 USES_A=1 ISO=0 SWAP=1

#include "rows.cuh"

#define THREADS 1024
#define EIGHT 8  // columns in 16 bytes
#ifndef BAND_UNROLL
#define BAND_UNROLL 2  // of them a lane has in flight
#endif

struct alignas(16) Eight { unsigned x[4]; };

// Where column c of a band lies in shared memory: the 8 columns of a lane must not be in the banks of all others'. bands.py
// has written columns so.
__device__ inline int place_of(int c) { return c ^ (c >> 5 & 7); }

__device__ inline Eight load_eight(const Eight *p) {
#ifdef __CUDA_ARCH__
    Eight e;
    asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(e.x[0]), "=r"(e.x[1]), "=r"(e.x[2]), "=r"(e.x[3])
        : "l"(p));
    return e;
#else
    return *p;
#endif
}

// Adds those of 8 entries, the first of which is number k, that lie between `first` and `last`.
__device__ inline void add_eight(Sum &s, const Eight &e, Offset k, Offset first, Offset last, const U *band,
                                 const A *a_values) {
    U u[EIGHT];
#pragma unroll
    for (int q = 0; q < EIGHT; q++) u[q] = USES_U ? band[e.x[q / 2] >> 16 * (q % 2) & 0xffff] : U(0);
    if (k >= first && k + EIGHT <= last) {
#pragma unroll
        for (int q = 0; q < EIGHT; q++) s.add_value(product(u[q], a_values, k + q));
    } else {
#pragma unroll
        for (int q = 0; q < EIGHT; q++)
            if (k + q >= first && k + q < last) s.add_value(product(u[q], a_values, k + q));
    }
}

// Block b: band block_band[b], segments block_first[b] … block_first[b + 1], block_width[b] lanes to one.
extern "C" __global__ void pull_bands(const Offset *segments, const Eight *columns, const A *a_values, const U *u_values,
                                      i64 n, i64 band_width, const int *block_band, const int *block_first,
                                      const int *block_width, Z *sums, u8 *sums_has) {
#ifdef __CUDA_ARCH__
    extern __shared__ unsigned char memory[];
#else
    static unsigned char memory[1 << 18];
#endif
    U *band = (U *)memory;
    const i64 start = block_band[blockIdx.x] * band_width;
    const int here = n - start < band_width ? (int)(n - start) : (int)band_width;
    if (USES_U)
#pragma unroll 8
        for (int c = threadIdx.x; c < band_width; c += THREADS) band[place_of(c)] = c < here ? u_values[start + c] : U(0);
    __syncthreads();
    const int width = block_width[blockIdx.x], groups = THREADS / width, lane = threadIdx.x & (width - 1);
    const int stop = block_first[blockIdx.x + 1];
    for (int base = block_first[blockIdx.x]; base < stop; base += groups) {
        const int segment = base + (int)threadIdx.x / width;
        const Offset first = segment < stop ? segments[segment] : Offset(0), last = segment < stop ? segments[segment + 1] : Offset(0);
        Sum s;
        for (Offset v = first / EIGHT + lane; EIGHT * v < last; v += BAND_UNROLL * width) {
            Eight e[BAND_UNROLL];
#pragma unroll
            for (int q = 0; q < BAND_UNROLL; q++)
                e[q] = EIGHT * (v + q * width) < last ? load_eight(columns + v + q * width) : Eight{{0, 0, 0, 0}};
#pragma unroll
            for (int q = 0; q < BAND_UNROLL; q++) {
                const Offset k = EIGHT * (v + q * width);
                if (k < last) add_eight(s, e[q], k, first, last, band, a_values);
            }
        }
        __syncwarp();
        add_up(s, width);
        if (segment < stop && lane == 0) sums[segment] = s.value, sums_has[segment] = s.has;
    }
}

// A thread to a row: adds its segments to what lies in no band, and writes the sum where the row was before. Of band b
// row i < table[4b] has segments table[t + i] … table[t + i + 1], t = table[4b + 1]; the others one, table[4b + 2] + i.
extern "C" __global__ void finish_bands(i64 n, const int *rows, const Z *rest, const u8 *rest_has, i64 bands,
                                        const int *table, const Z *sums, const u8 *sums_has, Z *t_values, u8 *t_present) {
    const i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    Sum s;
    if (rest_has != nullptr) s.add_sum(rest[i], rest_has[i]);
    for (i64 b = 0; b < bands; b++) {
        const int *own = table + 4 * b;
        int segment = own[2] + (int)i, stop = segment + 1;
        if (i < own[0]) segment = table[own[1] + i], stop = table[own[1] + i + 1];
        for (; segment < stop; segment++) s.add_sum(sums[segment], sums_has[segment]);
    }
    if (s.has) t_values[rows[i]] = s.value;
    if (t_present != nullptr) t_present[rows[i]] = s.has;
}
