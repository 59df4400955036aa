// One set of functions for real and complex numbers, for kernels that are compiled for each type: float, double,
// Complex<float>, Complex<double>. No header of CUDA is included. Any thread may call.
#pragma once
#include "base/device/include/common.cuh"

template <class T> struct alignas(2 * sizeof(T)) Complex {
    T re, im;
    Complex() = default;
    __device__ __forceinline__ Complex(T re, T im = 0) : re(re), im(im) {}
    template <class S> __device__ __forceinline__ explicit Complex(Complex<S> x) : re((T)x.re), im((T)x.im) {}
};
template <class T> __device__ __forceinline__ Complex<T> operator+(Complex<T> x, Complex<T> y) {
    return {x.re + y.re, x.im + y.im};
}
template <class T> __device__ __forceinline__ Complex<T> operator-(Complex<T> x, Complex<T> y) {
    return {x.re - y.re, x.im - y.im};
}
template <class T> __device__ __forceinline__ Complex<T> operator*(Complex<T> x, Complex<T> y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

// |re| + |im|: as good as the modulus for the choice of a pivot.
__device__ __forceinline__ float size_of(float x) { return x < 0 ? -x : x; }
__device__ __forceinline__ double size_of(double x) { return x < 0 ? -x : x; }
template <class T> __device__ __forceinline__ T size_of(Complex<T> x) { return size_of(x.re) + size_of(x.im); }

// 1 / x; infinite or not a number for 0. For complex x, Smith's formula neither overflows nor underflows early.
__device__ __forceinline__ float reciprocal(float x) { return 1 / x; }
__device__ __forceinline__ double reciprocal(double x) { return 1 / x; }
template <class T> __device__ __forceinline__ Complex<T> reciprocal(Complex<T> x) {
    if (size_of(x.re) >= size_of(x.im)) {
        const T q = x.im / x.re, d = x.re + x.im * q;
        return {1 / d, -q / d};
    }
    const T q = x.re / x.im, d = x.re * q + x.im;
    return {q / d, -1 / d};
}

// Converts a number: from real to complex, or to another precision.
template <class To, class From> __device__ __forceinline__ To converted(From x) { return To(x); }
template <> __device__ __forceinline__ Complex<double> converted(float x) { return {(double)x}; }
template <> __device__ __forceinline__ Complex<float> converted(double x) { return {(float)x}; }

// The number of another of these lanes; all these lanes call.
template <class T> __device__ __forceinline__ T shuffle_in_group(T x, unsigned lanes, int step) {
    return __shfl_xor_sync(lanes, x, step);
}
template <class T> __device__ __forceinline__ Complex<T> shuffle_in_group(Complex<T> x, unsigned lanes, int step) {
    return {__shfl_xor_sync(lanes, x.re, step), __shfl_xor_sync(lanes, x.im, step)};
}

// Loads a number that is read only once: the caches prefer to keep other lines.
template <class T> __device__ __forceinline__ T load_once(const T* at) { return __ldcs(at); }
#ifdef __CUDA_ARCH__
template <> __device__ __forceinline__ Complex<float> load_once(const Complex<float>* at) {
    const float2 x = __ldcs((const float2*)at);
    return {x.x, x.y};
}
template <> __device__ __forceinline__ Complex<double> load_once(const Complex<double>* at) {
    const double2 x = __ldcs((const double2*)at);
    return {x.x, x.y};
}
#endif

// Replaces a B × B matrix, row by row in `x`, by its inverse, by Gauss-Jordan elimination with row pivots. The inverse
// of a singular matrix is not finite.
template <int B, class T> __device__ __forceinline__ void invert(T (&x)[B * B]) {
    if constexpr (B == 1) {
        x[0] = reciprocal(x[0]);
    } else {
        int from[B];
#pragma unroll
        for (int k = 0; k < B; k++) {
            int best = k;
            for (int i = k + 1; i < B; i++)
                if (size_of(x[i * B + k]) > size_of(x[best * B + k])) best = i;
            from[k] = best;
            if (best != k)
                for (int j = 0; j < B; j++) {
                    const T y = x[k * B + j];
                    x[k * B + j] = x[best * B + j];
                    x[best * B + j] = y;
                }
            const T pivot = reciprocal(x[k * B + k]);
            x[k * B + k] = T(1);
            for (int j = 0; j < B; j++) x[k * B + j] = x[k * B + j] * pivot;
            for (int i = 0; i < B; i++) {
                if (i == k) continue;
                const T factor = x[i * B + k];
                x[i * B + k] = T(0);
                for (int j = 0; j < B; j++) x[i * B + j] = x[i * B + j] - factor * x[k * B + j];
            }
        }
        for (int k = B - 1; k >= 0; k--)  // undo the exchanges of rows by exchanges of columns
            for (int i = 0; i < B && from[k] != k; i++) {
                const T y = x[i * B + k];
                x[i * B + k] = x[i * B + from[k]];
                x[i * B + from[k]] = y;
            }
    }
}

template <class T> __device__ __forceinline__ bool is_finite(T x) { return size_of(x) - size_of(x) == 0; }

// Whether y, which should be a multiple of the inverse of a B × B matrix x, is finite, not all zero, and has correct
// digits left; Σ_j |y_ij x_ji| estimates the lost digits (solvers/pivots.py).
template <int B, class T> __device__ __forceinline__ bool is_good_inverse(const T (&x)[B * B], const T (&y)[B * B]) {
    typedef decltype(size_of(T())) Real;
    bool zero = true, good = true;
    for (int e = 0; e < B * B; e++) zero &= size_of(y[e]) == 0, good &= is_finite(y[e]);
    for (int i = 0; i < B; i++) {
        Real digits = 0;
        for (int j = 0; j < B; j++) digits += size_of(y[i * B + j]) * size_of(x[j * B + i]);
        good &= digits * Real(sizeof(Real) == 4 ? 1.1920929e-7 : 2.220446049250313e-16) <= Real(0.25);
    }
    return good && !zero;
}
