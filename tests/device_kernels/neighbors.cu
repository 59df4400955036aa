// variants: WIDTH=1,8,32,256 OFFSET_BITS=32,64
// A row of which every thread of a group reads what is its own, N entries at a time, with what stands at these.
#include "base/device/include/neighbors.cuh"

#define N 4
typedef Threads<WIDTH> Group;

// count[e], and the sum over it of what is at u: once for each entry of the row. beyond: entries that were not −1 past it.
extern "C" __global__ void rows(const int* indices, long long begin, long long stop, const int* words, int* count, int* seen,
                                int* unwanted) {
    const offset_t end = (offset_t)stop;
    for (offset_t e = (offset_t)begin; e < end; e += N * WIDTH) {
        int u[N], w[N], none[N];
        read_row<Group>(indices, e, end, u);
        read_words(words, u, -7, w);
        read_words(words, u, -7, none, false);
        for (int q = 0; q < N; q++) {
            if (none[q] != -7) atomicAdd(unwanted, 1);
            if (u[q] < 0) {
                if (w[q] != -7) atomicAdd(unwanted, 1);
                continue;
            }
            const int at = (int)(e - (offset_t)begin) + q * WIDTH + Group::lane();
            if (u[q] != indices[begin + at]) atomicAdd(unwanted, 1);
            atomicAdd(count + at, 1);
            atomicAdd(seen + at, w[q]);
        }
    }
}
