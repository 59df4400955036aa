// Whether vertices of a sample have twins: a 1 for each that has one. One warp per vertex, one lane per neighbor.
// Bytes: two offsets and two entries for each neighbor, and the row of a twin.
//
// variants: OFFSET_BITS=32,64
#include "device/include/group.cuh"

#define BLOCK 512
#define SAMPLES 16
#define LONG 512
#define GOLDEN 0x9E3779B1u

extern "C" __global__ void sample(long long n, const offset_t* indptr, const int* indices, int* found) {
    const int i = threadIdx.x / WARP;
    const int v = (int)((long long)((unsigned)(i + 1) * GOLDEN) * n >> 32);
    const offset_t begin = indptr[v];
    const int degree = (int)(indptr[v + 1] - begin);
    bool twin = false;
    for (int e = Warp::lane(); e < degree && degree <= LONG; e += WARP) {
        const int u = indices[begin + e];
        const offset_t b = indptr[u];
        if (indptr[u + 1] - b != degree || min(indices[b], u) != min(indices[begin], v)) continue;
        if (max(indices[b + degree - 1], u) != max(indices[begin + degree - 1], v)) continue;
        long long difference = u - v;
        for (int j = 0; j < degree; j++) difference += indices[b + j] - indices[begin + j];
        twin |= difference == 0;
    }
    if (Warp::any(twin) && Warp::lane() == 0) found[i] = 1;
}
