// Exchange with other GPUs that color the same graph (SYSTEM=1), for the kernels of in-order coloring; else nothing.
//
// Each GPU has the rows of a range of ids, and an array of the states of all vertices. The array is correct for its own
// vertices and their neighbors. A color is stored to each GPU that has a neighbor of the vertex.
#pragma once
#include "engines/greedy/first_fit.cuh"

#if SYSTEM
#include "base/device/include/peers.cuh"

struct Pushing {
    Peers<state_t> peers;
    int low, high;  // first and last neighbor
    __device__ __forceinline__ unsigned operator()(int v, unsigned color) const {
        peers.push(v, color, low, high);
        return color;
    }
};

struct Others {
    const u64* __restrict__ table;
    __device__ __forceinline__ bool stopped() const { return Peers<state_t>{table}.stopped(); }
    __device__ __forceinline__ bool operator()(unsigned idle) const { return Peers<state_t>{table}.stopped_after(idle); }
    __device__ __forceinline__ int row_of(int v, int first_id) const { return v - first_id; }
    __device__ __forceinline__ Pushing pushing(int v, offset_t row, offset_t end,
                                               const int* __restrict__ indices) const {
        return {{table}, row < end ? indices[row] : v, row < end ? indices[end - 1] : v};
    }
};
#else
struct Others {
    const u64* __restrict__ table;
    __device__ __forceinline__ bool stopped() const { return false; }
    __device__ __forceinline__ bool operator()(unsigned) const { return false; }
    __device__ __forceinline__ int row_of(int v, int) const { return v; }
    __device__ __forceinline__ AnyColor pushing(int, offset_t, offset_t, const int* __restrict__) const { return {}; }
};
#endif
