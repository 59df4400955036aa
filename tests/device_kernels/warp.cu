// Each function of atomics.cuh and warp.cuh by itself. Arrays have a place for each thread of the grid.
#include "base/device/include/common.cuh"

#define HERE (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void ranks(const int* yes, int* rank, unsigned* below) {
    const unsigned votes = __ballot_sync(ALL_LANES, yes[HERE]);
    rank[HERE] = rank_in(votes);
    below[HERE] = lanes_below();
}

template <class Sum, class T> static __device__ void reductions(T x, T* out) {
    out[5 * HERE] = (T)reduce_warp<Plus>((Sum)x);  // sums of ints may wrap around
    out[5 * HERE + 1] = reduce_warp<Most>(x);
    out[5 * HERE + 2] = reduce_warp<Least>(x);
    out[5 * HERE + 3] = reduce_warp<Either>(x);
    out[5 * HERE + 4] = reduce_warp<Both>(x);
}
extern "C" __global__ void reductions_int(const int* x, int* out) { reductions<unsigned>(x[HERE], out); }
extern "C" __global__ void reductions_u64(const u64* x, u64* out) { reductions<u64>(x[HERE], out); }

extern "C" __global__ void total_int(const int* x, int* total) { add_from_warp(total, x[HERE]); }
extern "C" __global__ void total_u64(const u64* x, u64* total) { add_from_warp(total, x[HERE]); }
extern "C" __global__ void until_int(const int* x, int* out) { out[HERE] = sum_until(x[HERE]); }
extern "C" __global__ void until_u64(const u64* x, u64* out) { out[HERE] = sum_until(x[HERE]); }

extern "C" __global__ void listed_int(const int* yes, int* list, int* length) {
    const int place = append_warp(yes[HERE] != 0, length);
    if (yes[HERE]) list[place] = HERE;
}
extern "C" __global__ void listed_u64(const int* yes, int* list, u64* length) {
    const u64 place = append_warp(yes[HERE] != 0, length);
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
