// Hashes of rows of vertices with the largest degree, seen from the vertex: what mesh.py counts the different ones of.
// A warp reads the rows of samples; bytes: 256 of offsets and a row each.
//
// variants: OFFSET_BITS=32,64
#include "device/include/group.cuh"
#include "device/include/hash.cuh"

#define BLOCK 1024
#define SAMPLES 64
#define STEPS 64
#define GOLDEN 0x9E3779B1u

// A word a sample, 0 where no vertex of this degree is near.
extern "C" __global__ void sample(long long n, int degree, const offset_t* indptr, const int* indices, u64* hashes) {
    for (int i = threadIdx.x / WARP; i < SAMPLES; i += BLOCK / WARP) {
        const long long start = (long long)((unsigned)(i + 1) * GOLDEN) * n >> 32;
        long long nearest = STEPS;
        for (int step = Warp::lane(); step < STEPS; step += WARP) {
            const long long v = start + step < n ? start + step : n - 1;
            if (indptr[v + 1] - indptr[v] == degree && step < nearest) nearest = step;
        }
        nearest = Warp::reduce<Least>(nearest);
        u64 hash = 0;
        if (nearest < STEPS) {
            const long long v = start + nearest < n ? start + nearest : n - 1;
            for (int e = Warp::lane(); e < degree; e += WARP) {
                const unsigned offset = (unsigned)(indices[indptr[v] + e] - (int)v);
                hash += (u64)mix(offset, (unsigned)e) << 32 | mix(offset + 0x9e3779b9u * (unsigned)(e + 1));
            }
            hash = Warp::reduce<Plus>(hash) | 1ull << 63;
        }
        if (Warp::lane() == 0) hashes[i] = hash;
    }
}
