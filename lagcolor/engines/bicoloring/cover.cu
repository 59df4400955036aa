// variants: OFFSET_BITS=32,64
// For each degree, how many rows of that degree or more a column has at most.
#include "device/include/common.cuh"

// keys has, column by column, `step` times the column and how much the degree of an entry's row is below the largest, each
// column's in rising order. The last of equal keys has all rows of its degree or more before it. most is zero at first, and
// only rises, so that a look first spares the atomic, on which all threads of a mesh would queue.
extern "C" __global__ void most_rows(i64 m, i64 step, const i64* __restrict__ keys, const offset_t* __restrict__ indptr,
                                     int* most) {
    const i64 e = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    const i64 key = keys[e];
    if (e + 1 < m && keys[e + 1] == key) return;
    const int rows = (int)(e + 1 - (i64)indptr[key / step]);
    if (load_relaxed(most + key % step) < rows) atomicMax(most + key % step, rows);
}
