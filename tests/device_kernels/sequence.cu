// The vertex at each place, with and without a sequence, and the places of vertices.
#include "base/device/include/sequence.cuh"
#include "engines/two_hop/places.cuh"

extern "C" __global__ void vertices(const int* sequence, int* given, int* by_id) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    given[i] = vertex_at(sequence, i);
    by_id[i] = vertex_at(nullptr, i);
}
