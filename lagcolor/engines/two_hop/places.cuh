// Set the positions of vertices in a sequence.
//
// place[v] is the position of v in the sequence. With flip = 2^32 - 1 it is 2^32 - 1 - position, which is larger than
// any color, and larger for earlier vertices. Entries of vertices that are not in the sequence do not change.
#pragma once
#include "base/device/include/sequence.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
    set_places(i64 n, const int* __restrict__ sequence, unsigned flip, unsigned* place) {
    const i64 at = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if (at < n) place[vertex_at(sequence, at)] = (unsigned)at ^ flip;
}
