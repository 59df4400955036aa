// Work of a push: add the number of entries of u and of their edges to *work.

// variants: OFFSET_TYPE=int,"long long"

#include "common.cuh"

typedef OFFSET_TYPE Offset;

extern "C" __global__ void push_work(const Offset *indptr, const u8 *u_present, i64 n, u64 *work) {
    u64 mine = 0;
    for (i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (i64)gridDim.x * BLOCK)
        if (u_present[i]) mine += (u64)(indptr[i + 1] - indptr[i]) + 1;
    __syncwarp();
    add_from_warp(work, mine);
}
