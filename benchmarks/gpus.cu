// What a word costs that goes from one GPU to another: round trips, and stores of bytes in order or at random.
#include "base/device/include/hash.cuh"
#include "base/device/include/common.cuh"

// One thread on each of two GPUs: each waits for its own word to be k, and stores k + 1 (the first) or k (the second) to the other's.
extern "C" __global__ void round_trips(int turns, int first, unsigned* mine, unsigned* other) {
    for (unsigned k = 1; k <= (unsigned)turns; k++) {
        if (first) store_relaxed(other, k);
        while (load_relaxed(mine) != k) {}
        if (!first) store_relaxed(other, k);
    }
}

// Each thread stores a byte in `n`, a power of two: at its number, or anywhere.
extern "C" __global__ void store_bytes(long long count, unsigned n, int anywhere, u8* to) {
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (long long)gridDim.x * blockDim.x) {
        const unsigned at = (anywhere ? mix((unsigned)i) : (unsigned)i) & (n - 1);
        store_relaxed(to + at, (unsigned)i & 63u);
    }
}
