// Deterministic sum of a vector's entries in two steps: a partial sum per block, then one block adds these.
// U_TYPE is the type of the vector; see monoid.cuh for the other macros.

// variants: Z_TYPE=int ADD="x > y ? x : y" IDENTITY=0 TERMINAL=9 STOP=1 ATOMIC=3 U_TYPE=float
// variants: Z_TYPE=bool ADD=x IDENTITY=0 TERMINAL=0 STOP=2 ATOMIC=0 U_TYPE=float
// variants: Z_TYPE=double ADD="x * y" IDENTITY=0x3ff0000000000000 TERMINAL=0 STOP=0 ATOMIC=0 U_TYPE=float

#include "common.cuh"
#include "monoid.cuh"

typedef U_TYPE U;

extern "C" __global__ void reduce(i64 n, const U *u_values, const u8 *u_present, Z *partial, u8 *partial_has) {
    Sum s;
    for (i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x; i < n && !s.done(); i += (i64)gridDim.x * BLOCK)
        if (u_present == nullptr || u_present[i]) s.add_value(cast<Z>(u_values[i]));
    __syncwarp();
    add_up_block(s);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s.value;
        partial_has[blockIdx.x] = s.has;
    }
}

extern "C" __global__ void reduce_partials(i64 count, const Z *partial, const u8 *partial_has, Z *total) {
    Sum s;
    for (i64 i = threadIdx.x; i < count; i += BLOCK) s.add_sum(partial[i], partial_has[i]);
    __syncwarp();
    add_up_block(s);
    if (threadIdx.x == 0) *total = s.value;
}
