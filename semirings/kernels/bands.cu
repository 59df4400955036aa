// Pull by a matrix with hubs, unmasked, of a full vector: rows and columns come by falling degree, and the columns that are
// read most in bands, so many that a band of the vector fits into shared memory. See bands.py.
//
// A block to a multiprocessor loads its band, and its warps sum segments: the band's part of a row, cut into pieces where it is
// long. Columns are 16 bits, counted within the band; a lane reads 8 at a time, of several segments, for so few
// warps hide little latency. What lies in no band is a matrix of its own.
// Bytes: 2 per entry, 4 to 5 a segment for its start and its sum.
//
// variants: Z_TYPE=int ADD="x > y ? x : y" IDENTITY=0 TERMINAL=9 STOP=1 ATOMIC=3 D_TYPE=int U_TYPE=int A_TYPE=bool OFFSET_TYPE=int MULTIPLY=x USES_U=1 USES_A=0 ISO=1 SWAP=0
// variants: Z_TYPE=double ADD="x * y" IDENTITY=0x3ff0000000000000 TERMINAL=0 STOP=0 ATOMIC=0 D_TYPE=double U_TYPE=float A_TYPE=float OFFSET_TYPE="long long" MULTIPLY="x * y" USES_U=1 USES_A=1 ISO=0 SWAP=1

#include "rows.cuh"

#ifndef THREADS
#define THREADS 512  // of a block; with these the rest of the multiprocessor is free for concurrent kernels
#endif
#define EIGHT 8  // columns in 16 bytes
#ifndef SEGMENTS
#define SEGMENTS 4  // that a lane has in flight
#endif

struct alignas(16) Eight { unsigned x[4]; };

// Where column c of a band lies in shared memory: the 8 columns of a lane must not be in the banks of all others'.
// bands.py has written columns so.
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

// Adds the entries among 8 (the first is number k) that lie between `first` and `last`.
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

// `count` segments from `start` on, `width` lanes to one, SEGMENTS of them in flight.
__device__ inline void sum_segments(int start, int count, int width, const Offset *segments, const Eight *columns,
                                    const A *a_values, const U *band, Z *sums, u8 *sums_has) {
    const int groups = WARP / width, here = threadIdx.x % WARP, lane = here & (width - 1);
    for (int base = 0; base < count; base += SEGMENTS * groups) {
        Offset first[SEGMENTS], last[SEGMENTS], v[SEGMENTS];
        Sum s[SEGMENTS];
#pragma unroll
        for (int q = 0; q < SEGMENTS; q++) {
            const int k = base + q * groups + here / width;
            first[q] = k < count ? segments[start + k] : Offset(0);
            last[q] = k < count ? segments[start + k + 1] : Offset(0);
            v[q] = first[q] / EIGHT + lane;
        }
        for (bool more = true; more;) {
            Eight e[SEGMENTS];
            more = false;
#pragma unroll
            for (int q = 0; q < SEGMENTS; q++) e[q] = EIGHT * v[q] < last[q] ? load_eight(columns + v[q]) : Eight{{0, 0,
            0, 0}};
#pragma unroll
            for (int q = 0; q < SEGMENTS; q++) {
                if (EIGHT * v[q] < last[q]) add_eight(s[q], e[q], EIGHT * v[q], first[q], last[q], band, a_values);
                v[q] += width;
                more = more || EIGHT * v[q] < last[q];
            }
        }
        __syncwarp();
#pragma unroll
        for (int q = 0; q < SEGMENTS; q++) {
            const int k = base + q * groups + here / width;
            add_up(s[q], width);
            if (k < count && lane == 0) sums[start + k] = s[q].value, sums_has[start + k] = s[q].has;
        }
    }
}

// Band b has blocks shares[2b] … shares[2b + 2] and tasks shares[2b + 1] … shares[2b + 3], and a warp takes every so
// many-th: task t is segments task_first[t] … task_first[t + 1], task_width[t] lanes to one.
extern "C" __global__ void __launch_bounds__(THREADS) pull_bands(
    const Offset *segments, const Eight *columns, const A *a_values, const U *u_values, i64 n, i64 band_width,
    const int *shares, const int *task_first, const int *task_width, Z *sums, u8 *sums_has) {
#ifdef __CUDA_ARCH__
    extern __shared__ unsigned char memory[];
#else
    static unsigned char memory[1 << 18];
#endif
    U *band = (U *)memory;
    int b = 0;
    while ((int)blockIdx.x >= shares[2 * b + 2]) b++;
    const i64 start = b * band_width;
    const int here = n - start < band_width ? (int)(n - start) : (int)band_width;
    if (USES_U)
#pragma unroll 8
        for (int c = threadIdx.x; c < band_width; c += THREADS) band[place_of(c)] = c < here ? u_values[start + c] :
        U(0);
    __syncthreads(); const int warps = (shares[2 * b + 2] - shares[2 * b]) * (THREADS / WARP), stop = shares[2 * b + 3];
    int task = shares[2 * b + 1] + ((int)blockIdx.x - shares[2 * b]) + (int)(threadIdx.x / WARP) * (warps / (THREADS /
    WARP)); for (; task < stop; task += warps)
        sum_segments(task_first[task], task_first[task + 1] - task_first[task], task_width[task], segments, columns,
                     a_values, band, sums, sums_has);
}

// A thread to a row: adds its segments to what lies in no band, and writes the sum where the row was before. Of band b
// row i < table[4b] has segments table[t + i] … table[t + i + 1], t = table[4b + 1]; the others one, table[4b + 2] + i.
extern "C" __global__ void finish_bands(i64 n, const int *rows, const Z *rest, const u8 *rest_has, i64 bands,
                                        const int *table, const Z *sums, const u8 *sums_has, Z *t_values, u8 *t_present)
                                        {
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
