// Lists of warps, and words that are copied. Arrays have a place for each thread of the grid.
#include "base/device/include/common.cuh"

#define HERE (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void listed(const int* yes, int* list, int* length) {
    const int place = append_warp(yes[HERE] != 0, length);
    if (yes[HERE]) list[place] = HERE;
}

template <class T> static __device__ void copies(const T* x, T* relaxed, T* unfenced) {
    store_relaxed(relaxed + HERE, load_relaxed(x + HERE));
    store_relaxed(unfenced + HERE, load_unfenced(x + HERE));
}
extern "C" __global__ void copies_i32(const int* x, int* a, int* b) { copies(x, a, b); }
extern "C" __global__ void copies_u32(const unsigned* x, unsigned* a, unsigned* b) { copies(x, a, b); }
extern "C" __global__ void copies_u64(const u64* x, u64* a, u64* b) { copies(x, a, b); }
extern "C" __global__ void copies_u8(const u8* x, u8* a, u8* b) { copies(x, a, b); }
