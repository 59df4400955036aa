// What the kernels of in-order coloring do for other GPUs that color the same graph (SYSTEM=1), and nothing otherwise.
//
// Each GPU has the rows of a range of ids, and an array of the states of all vertices, which is right for its own and for
// their neighbors. A color is stored to each GPU that has a neighbor of the vertex.
#pragma once
#include "engines/greedy/first_fit.cuh"

#if SYSTEM
#include "base/device/include/peers.cuh"

#ifndef WATCH
#define WATCH 0
#endif

// Notes whether a neighbor is another GPU's.
struct Watching {
    int first;
    unsigned count;
    bool& outside;
    __device__ __forceinline__ void operator()(int u) const {
        if (WATCH) outside |= (unsigned)(u - first) >= count;
    }
};

struct Pushing {
    Peers<state_t> peers;
    const int* __restrict__ indices;
    offset_t row, end;
    const bool& outside;
    int low, high;  // first and last neighbor
    __device__ __forceinline__ unsigned operator()(int v, unsigned color) const {
        if (!WATCH) peers.push(v, color, low, high);
        else if (outside) peers.push(v, color, indices[row], indices[end - 1]);
        return color;
    }
};

struct Others {
    const u64* __restrict__ table;
    __device__ __forceinline__ bool stopped() const { return Peers<state_t>{table}.stopped(); }
    __device__ __forceinline__ bool operator()(unsigned idle) const { return Peers<state_t>{table}.stopped_after(idle); }
    __device__ __forceinline__ int row_of(int v, int first_id) const { return v - first_id; }
    __device__ __forceinline__ Watching watching(bool& outside) const {
        const Peers<state_t> peers = {table};
        const int mine = (int)table[2], first = peers.first(mine);
        return {first, (unsigned)(peers.first(mine + 1) - first), outside};
    }
    __device__ __forceinline__ Pushing pushing(int v, offset_t row, offset_t end, const int* __restrict__ indices,
                                               const bool& outside) const {
        const bool any = !WATCH && row < end;
        return {{table}, indices, row, end, outside, any ? indices[row] : v, any ? indices[end - 1] : v};
    }
};
#else
struct Others {
    const u64* __restrict__ table;
    __device__ __forceinline__ bool stopped() const { return false; }
    __device__ __forceinline__ bool operator()(unsigned) const { return false; }
    __device__ __forceinline__ int row_of(int v, int) const { return v; }
    __device__ __forceinline__ Unseen watching(bool&) const { return {}; }
    __device__ __forceinline__ AnyColor pushing(int, offset_t, offset_t, const int* __restrict__, const bool&) const {
        return {};
    }
};
#endif
