// t(u(i)) = x(i), or a scalar; the monoid (monoid.cuh) combines entries with equal u(i). U_TYPE, X_TYPE are the types
// of u and x. Values of u outside 0 … n − 1 are ignored.

// variants: Z_TYPE=int ADD="x > y ? x : y" IDENTITY=0 TERMINAL=9 STOP=1 ATOMIC=3 U_TYPE="unsigned int" X_TYPE=double
// variants: Z_TYPE=bool ADD=x IDENTITY=0 TERMINAL=0 STOP=2 ATOMIC=0 U_TYPE="unsigned int" X_TYPE=double
// variants: Z_TYPE=double ADD="x * y" IDENTITY=0x3ff0000000000000 TERMINAL=0 STOP=0 ATOMIC=0 U_TYPE="unsigned int" X_TYPE=double

#include "common.cuh"
#include "monoid.cuh"

typedef U_TYPE U;
typedef X_TYPE X;

extern "C" __global__ void scatter(i64 count, const U *u_values, const u8 *u_present, const X *x_values,
                                   const u8 *x_present, i64 scalar_bits, Word *sums, u8 *t_present, i64 n) {
    i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= count || (u_present != nullptr && !u_present[i]) || (x_present != nullptr && !x_present[i])) return;
    i64 to = (i64)u_values[i];  // an unsigned number that does not fit becomes negative
    if (to < 0 || to >= n) return;
    X x = x_values != nullptr ? x_values[i] : from_bits<X>(scalar_bits);
    add_to_entry(sums, t_present, to, cast<Z>(x));
}

extern "C" __global__ void finish_scatter(const Word *sums, Z *t_values, i64 n) {
    i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) t_values[i] = from_word<Z>(sums[i]);
}
