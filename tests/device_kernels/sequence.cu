// The vertex at each place, with and without a sequence, and the places of vertices.
#include "base/device/include/sequence.cuh"
#include "engines/two_hop/places.cuh"

extern "C" __global__ void vertices(const int* sequence, int* by_place, int* by_id) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    by_place[i] = vertex_at(sequence, i);
    by_id[i] = vertex_at(nullptr, i);
}
