// Reading a row by a group of threads, several entries of each in flight. Every thread of the group that calls gets its
// own entries.
#pragma once
#include "base/device/include/group.cuh"

// u[q]: entry e + q · SIZE + lane of a row that ends at `end`, or −1 where there is none. Counts from e on, so that
// nothing wraps around at the last of almost 2^31 entries.
template <class Group, int N, class Offset>
__device__ __forceinline__ void read_row(const int* __restrict__ indices, Offset e, Offset end, int (&u)[N]) {
#pragma unroll
    for (int q = 0; q < N; q++) {
        const Offset at = q * Group::SIZE + Group::lane();
        u[q] = at < end - e ? indices[e + at] : -1;
    }
}

// The shared words of those neighbors, or `none`, which all have where they are not `wanted`.
template <class Word, int N>
__device__ __forceinline__ void read_words(const Word* words, const int (&u)[N], Word none, Word (&w)[N],
                                                  bool wanted = true) {
#pragma unroll
    for (int q = 0; q < N; q++) w[q] = wanted && u[q] >= 0 ? load_unfenced(words + u[q]) : none;
}
