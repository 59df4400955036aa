// t(u(i)) = x(i), or a scalar, where u(i) may repeat: the monoid (monoid.cuh) combines. U_TYPE, X_TYPE are the types
// of u and x. Values of u outside 0 … n − 1 are dropped.

typedef U_TYPE U;
typedef X_TYPE X;

extern "C" __global__ void scatter(i64 count, const U *u_values, const u8 *u_present, const X *x_values,
                                   const u8 *x_present, i64 scalar_bits, Word *sums, u8 *t_present, i64 n) {
    i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= count || (u_present != nullptr && !u_present[i]) || (x_present != nullptr && !x_present[i])) return;
    U to = u_values[i];
    if (to < U(0) || (u64)to >= (u64)n) return;
    X x = x_values != nullptr ? x_values[i] : from_bits<X>(scalar_bits);
    add_to_entry(sums, t_present, (i64)to, cast<Z>(x));
}

extern "C" __global__ void finish_scatter(const Word *sums, Z *t_values, i64 n) {
    i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) t_values[i] = from_word<Z>(sums[i]);
}
