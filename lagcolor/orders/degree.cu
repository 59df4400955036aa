// Ids by runs of 32, and within a run by reversed bits; launched by degree.py. The last run may have fewer ids.
#include "base/device/include/common.cuh"

#define RUN 32

// Position of the last run, runs - 1, in `run`.
extern "C" __global__ void find_last(const int* run, int runs, int* place) {
    const int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q < runs && run[q] == runs - 1) *place = q;
}

// Write the n ids in the order of `run`; a thread per id.
extern "C" __global__ void ids_of_runs(const int* run, int runs, int n, const int* place, int* ids) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (long long)runs * RUN) return;
    const int q = (int)(i / RUN), j = (int)(i % RUN), last = *place, size = n - (runs - 1) * RUN;
    const long long id = (long long)run[q] * RUN + (__brev(j) >> 27);
    if (id >= n) return;
    long long at = q > last ? i - (RUN - size) : i;
    for (int k = 0; q == last && k < j; k++) at -= (int)(__brev(k) >> 27) >= size;
    ids[at] = (int)id;
}
