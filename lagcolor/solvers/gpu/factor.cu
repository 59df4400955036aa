// Incomplete factors of a permuted matrix; launched by factors.py. Each launch computes the rows of a color, which
// depend only on rows of earlier colors.
//
// variants: OFFSET_BITS=32 LANES=1 BLOCK_SIZE=1 VALUE=double
// variants: OFFSET_BITS=64 LANES=8 BLOCK_SIZE=2 VALUE=float
// variants: OFFSET_BITS=32 LANES=32 BLOCK_SIZE=3 VALUE="Complex<double>"
// variants: OFFSET_BITS=32 LANES=4 BLOCK_SIZE=1 VALUE="Complex<float>"
#include "base/device/include/group.cuh"
#include "base/device/include/numbers.cuh"
#include "base/device/include/search.cuh"

#define BLOCK 128
enum { B = BLOCK_SIZE, BB = B * B };

typedef VALUE Number;
typedef Threads<LANES> Group;

// x ← x − y · z, for B × B matrices, row by row.
static __device__ __forceinline__ void subtract_product(Number* x, const Number* y, const Number* z) {
#pragma unroll
    for (int i = 0; i < B; i++)
#pragma unroll
        for (int j = 0; j < B; j++) {
            Number sum = x[i * B + j];
#pragma unroll
            for (int k = 0; k < B; k++) sum = sum - y[i * B + k] * z[k * B + j];
            x[i * B + j] = sum;
        }
}

static __device__ __forceinline__ void multiply(Number* x, const Number* y, const Number* z) {
#pragma unroll
    for (int i = 0; i < B; i++)
#pragma unroll
        for (int j = 0; j < B; j++) {
            Number sum = y[i * B] * z[j];
#pragma unroll
            for (int k = 1; k < B; k++) sum = sum + y[i * B + k] * z[k * B + j];
            x[i * B + j] = sum;
        }
}

static __device__ __forceinline__ void invert_at(Number* at) {
    Number x[BB];
#pragma unroll
    for (int e = 0; e < BB; e++) x[e] = at[e];
    invert<B>(x);
#pragma unroll
    for (int e = 0; e < BB; e++) at[e] = x[e];
}

static __device__ __forceinline__ int row_of(int first) {
    return first + (int)(blockIdx.x * (i64)(BLOCK / LANES)) + Group::index();
}

// ILU(0) of rows first … last − 1, in place: entries of `lower` are not divided by the pivot, and `pivot` is inverted.
// For each earlier column in order, the lanes of a group share its row, so that no two lanes update the same entry.
extern "C" __global__ void __launch_bounds__(BLOCK) ilu0(
    int first, int last, const offset_t* lower, const int* lower_columns, Number* below, const offset_t* upper,
    const int* upper_columns, Number* above, Number* pivot) {
    const int i = row_of(first);
    if (i >= last) return;
    const i64 low_end = lower[i + 1], high_begin = upper[i], high_end = upper[i + 1];
    for (i64 at = lower[i]; at < low_end; at++) {
        const int k = lower_columns[at];
        Number factor[BB];
        multiply(factor, below + at * BB, pivot + (i64)k * BB);
        const i64 end = upper[k + 1];
        for (i64 entry = (i64)upper[k] + Group::lane(); entry < end; entry += LANES) {
            const int j = upper_columns[entry];
            Number* target = pivot + (i64)i * BB;
            if (j < i) {
                const i64 place = place_among(lower_columns, at + 1, low_end, j);
                if (place < 0) continue;
                target = below + place * BB;
            } else if (j > i) {
                const i64 place = place_among(upper_columns, high_begin, high_end, j);
                if (place < 0) continue;
                target = above + place * BB;
            }
            subtract_product(target, factor, above + entry * BB);
        }
        Group::sync();
    }
    if (Group::lane() == 0) invert_at(pivot + (i64)i * BB);
}

// DILU's pivots of rows first … last − 1: a_ii − Σ a_ik pivot_k a_ki, inverted. mirror: the place of a_ki in `above`
// for each entry of `lower`, −1 for none.
extern "C" __global__ void __launch_bounds__(BLOCK) dilu(
    int first, int last, const offset_t* lower, const int* lower_columns, const Number* below, const i64* mirror,
    const Number* above, Number* pivot) {
    const int i = row_of(first);
    if (i >= last) return;
    Number sum[BB];
#pragma unroll
    for (int e = 0; e < BB; e++) sum[e] = Number(0);
    const i64 end = lower[i + 1];
    for (i64 at = (i64)lower[i] + Group::lane(); at < end; at += LANES) {
        if (mirror[at] < 0) continue;
        Number product[BB];
        multiply(product, below + at * BB, pivot + (i64)lower_columns[at] * BB);
        subtract_product(sum, product, above + mirror[at] * BB);
    }
#pragma unroll
    for (int step = LANES / 2; step; step /= 2)
#pragma unroll
        for (int e = 0; e < BB; e++) sum[e] = sum[e] + shuffle_in_group(sum[e], Group::lanes(), step);
    if (Group::lane() != 0) return;
#pragma unroll
    for (int e = 0; e < BB; e++) pivot[(i64)i * BB + e] = pivot[(i64)i * BB + e] + sum[e];
    invert_at(pivot + (i64)i * BB);
}

// Inverts each of the first `count` B × B matrices in place.
extern "C" __global__ void __launch_bounds__(BLOCK) inverses(i64 count, Number* blocks) {
    const i64 i = blockIdx.x * (i64)BLOCK + threadIdx.x;
    if (i < count) invert_at(blocks + i * BB);
}

// Sets `wrong` if one of the first `count` inverse pivots is not finite, zero or only rounding. `blocks` has the
// diagonal blocks.
extern "C" __global__ void __launch_bounds__(BLOCK)
    check(i64 count, const Number* blocks, const Number* pivots, int* wrong) {
    const i64 i = blockIdx.x * (i64)BLOCK + threadIdx.x;
    if (i >= count) return;
    Number x[BB], y[BB];
#pragma unroll
    for (int e = 0; e < BB; e++) x[e] = blocks[i * BB + e], y[e] = pivots[i * BB + e];
    if (!is_good_inverse<B>(x, y)) store_relaxed(wrong, 1);
}
