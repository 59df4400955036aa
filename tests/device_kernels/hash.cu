// The hash of every number, with and without a seed.
#include "base/device/include/hash.cuh"

extern "C" __global__ void hashes(const unsigned* x, const unsigned* seed, unsigned* alone, unsigned* seeded) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    alone[i] = mix(x[i]);
    seeded[i] = mix(x[i], seed[i]);
}
