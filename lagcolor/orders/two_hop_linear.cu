// Keys of the orders of two_hop_linear.py: residues of ids, and sums of sizes of nets. A thread per vertex or entry.
//
// variants: OFFSET_BITS=32,64
#include "base/device/include/common.cuh"

// length - 1 minus the residue of v + a * (v / s) + b * (v / t).
extern "C" __global__ void residues(
    int n, long long length, long long s, long long a, long long t, long long b, int* key) {
    const long long v = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) key[v] = (int)(length - 1 - (v + a * (v / s) + b * (v / t)) % length);
}

// Size of the net of each of m entries; `members` are offsets.
extern "C" __global__ void sizes_of_nets(const int* nets, const offset_t* members, long long m, long long* size) {
    const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (e < m) size[e] = members[nets[e] + 1] - members[nets[e]];
}

// Sum of the sizes of each vertex's nets, from running sums over entries; `closed` adds the net of the vertex itself.
extern "C" __global__ void sums_of_sizes(
    const offset_t* indptr, const offset_t* members, const long long* until, int n, int closed, long long* sum) {
    const long long v = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    const offset_t begin = indptr[v], end = indptr[v + 1];
    sum[v] = begin < end ? until[end - 1] - (begin ? until[begin - 1] : 0) : 0;
    if (closed) sum[v] += members[v + 1] - members[v];
}

extern "C" __global__ void divided(const long long* sum, long long step, int n, int* key) {
    const long long v = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) key[v] = (int)(sum[v] / step);
}
