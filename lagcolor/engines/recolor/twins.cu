// Whether vertices of a sample have twins: a 1 for each that has one. A warp a vertex, a lane a neighbor; bytes: of each
// neighbor two offsets and two entries.
//
// variants: OFFSET_BITS=32,64
#include "device/include/group.cuh"

#define BLOCK 512
#define SAMPLES 16
#define NEAR 512
#define GOLDEN 0x9E3779B1u

extern "C" __global__ void sample(long long n, const offset_t* indptr, const int* indices, int* found) {
    const int i = threadIdx.x / WARP;
    const int v = (int)((long long)((unsigned)(i + 1) * GOLDEN) * n >> 32);
    const offset_t begin = indptr[v], end = indptr[v + 1];
    bool twin = false;
    for (offset_t e = begin + Warp::lane(); e < end && e < begin + NEAR; e += WARP) {
        const int u = indices[e];
        const offset_t b = indptr[u], last = indptr[u + 1];
        twin |= last - b == end - begin && min(indices[b], u) == min(indices[begin], v) &&
            max(indices[last - 1], u) == max(indices[end - 1], v);
    }
    if (Warp::any(twin) && Warp::lane() == 0) found[i] = 1;
}
