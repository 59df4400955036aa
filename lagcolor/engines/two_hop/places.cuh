// The kernel that begins a coloring in an order whose vertices look up each other's places.
//
// place[v] is the place of v in the sequence, as a kernel that draws vertices one by one counts them; with flip = 2^32 - 1
// it is 2^32 - 1 less the place, which is larger than any color and the larger the earlier. Vertices that are not in the
// sequence keep what they have.
#pragma once
#include "base/device/include/sequence.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
    set_places(i64 n, const int* __restrict__ sequence, unsigned flip, unsigned* place) {
    const i64 at = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if (at < n) place[vertex_at(sequence, at)] = (unsigned)at ^ flip;
}
