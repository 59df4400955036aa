// Each function of append.cuh by itself, twice in a row, so that shared memory must be free for the second call.
#include "base/device/include/append.cuh"

#define HERE (blockIdx.x * blockDim.x + threadIdx.x)

template <class Length> static __device__ void put(bool wanted, int x, int* list, Length* length) {
    const Length place = append_block(wanted, length);
    if (wanted) list[place] = x;
}

// Those that say yes go to `list`, the others to `rest`.
extern "C" __global__ void listed_int(const int* yes, int* list, int* rest, int* lengths) {
    put(yes[HERE] != 0, HERE, list, lengths);
    put(yes[HERE] == 0, HERE, rest, lengths + 1);
}
extern "C" __global__ void listed_u64(const int* yes, int* list, int* rest, u64* lengths) {
    put(yes[HERE] != 0, HERE, list, lengths);
    put(yes[HERE] == 0, HERE, rest, lengths + 1);
}

// Each thread's number as often as it wants, then once more where that is odd.
template <class Length> static __device__ void several(int wanted, int* list, int* odd, Length* lengths) {
    Length at = append_several(wanted, lengths);
    for (int k = 0; k < wanted; k++) list[at++] = HERE;
    const Length place = append_several(wanted & 1, lengths + 1);
    if (wanted & 1) odd[place] = HERE;
}
extern "C" __global__ void several_int(const int* wanted, int* list, int* odd, int* lengths) {
    several(wanted[HERE], list, odd, lengths);
}
extern "C" __global__ void several_u64(const int* wanted, int* list, int* odd, u64* lengths) {
    several(wanted[HERE], list, odd, lengths);
}
