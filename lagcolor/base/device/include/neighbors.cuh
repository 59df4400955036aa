// A group of threads reads a row, with several loads of each thread in flight. Every thread of the group that calls
// gets its own entries.
#pragma once
#include "base/device/include/group.cuh"

// u[q]: entry e + q · SIZE + lane of a row that ends at `end`, or −1 past the end. Differences from e are compared, so
// that nothing wraps around near entry 2^31.
template <class Group, int N, class Offset>
__device__ __forceinline__ void read_row(const int* __restrict__ indices, Offset e, Offset end, int (&u)[N]) {
#pragma unroll
    for (int q = 0; q < N; q++) {
        const Offset at = q * Group::SIZE + Group::lane();
        u[q] = at < end - e ? indices[e + at] : -1;
    }
}

// The words of these neighbors, or `none` if there is no neighbor or no word is `wanted`.
template <class Word, int N>
__device__ __forceinline__ void read_words(const Word* words, const int (&u)[N], Word none, Word (&w)[N],
                                                  bool wanted = true) {
#pragma unroll
    for (int q = 0; q < N; q++) w[q] = wanted && u[q] >= 0 ? load_unfenced(words + u[q]) : none;
}
