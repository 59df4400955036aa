// t(at(k)) = x(k), or a scalar, for assign with indices, which are distinct. If x(k) is absent, the entry of t is
// deleted. U_TYPE is the type of x, T_TYPE the type of t.

// variants: U_TYPE=float,bool T_TYPE=int

#include "common.cuh"

typedef U_TYPE U;
typedef T_TYPE T;

extern "C" __global__ void place(i64 count, const i64 *at, const U *x_values, const u8 *x_present, i64 scalar_bits,
                                 T *t_values, u8 *t_present, i64 n) {
    i64 k = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if (k >= count || at[k] < 0 || at[k] >= n) return;
    bool there = x_present == nullptr || x_present[k];
    if (there) t_values[at[k]] = cast<T>(x_values != nullptr ? x_values[k] : from_bits<U>(scalar_bits));
    if (t_present != nullptr) t_present[at[k]] = there;
}
