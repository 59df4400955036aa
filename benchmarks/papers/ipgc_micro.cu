// variants: ATOMICS=0,1
// Push_WL and Push_NoWL of the IPGC paper: each iteration takes the first vertices of the active ones out, and pushes
// the others to the next worklist; the first kernel visits the worklist, the second over all vertices.
// ATOMICS: one atomic per push, as a compiler without aggregation would; else one per block.
#define OFFSET_BITS 32
#include "base/device/include/append.cuh"

static __device__ __forceinline__ void push(bool wanted, int v, int* out, int* length) {
#if ATOMICS
    // asm, or the compiler makes one atomic per warp of it
    int place = 0;
    if (wanted) asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(place) : "l"(length) : "memory");
#else
    const int place = append_block(wanted, length);
#endif
    if (wanted) out[place] = v;
}

// Vertices under `cut` are taken out. count: length of the worklist.
extern "C" __global__ void push_wl(const int* worklist, const int* count, long long cut, bool* active, int* out,
                                   int* length) {
    const int n = *count;
    for (long long first = (long long)blockIdx.x * blockDim.x; first < n; first += (long long)gridDim.x * blockDim.x) {
        const long long i = first + threadIdx.x;
        const int v = i < n ? worklist[i] : 0;
        const bool stays = i < n && v >= cut;
        if (i < n && !stays) active[v] = false;
        push(stays, v, out, length);
    }
}

extern "C" __global__ void push_nowl(long long n, long long cut, bool* active, int* out, int* length) {
    for (long long first = (long long)blockIdx.x * blockDim.x; first < n; first += (long long)gridDim.x * blockDim.x) {
        const long long v = first + threadIdx.x;
        const bool mine = v < n && active[v], stays = mine && v >= cut;
        if (mine && !stays) active[v] = false;
        push(stays, (int)v, out, length);
    }
}
