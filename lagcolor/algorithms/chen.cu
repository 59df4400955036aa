// variants: OFFSET_BITS=32,64 DATA_DRIVEN=0,1
// Chen et al.'s first-fit. A round is two kernels: one colors, one finds conflicts. With DATA_DRIVEN they visit a
// worklist, which the second kernel fills for the next round. Otherwise they visit all vertices and skip colored ones.
#include "engines/rounds/speculative_passes.cuh"

#if __CUDA_ARCH__ >= 800
#define RESIDENT 6  // blocks per multiprocessor that the registers allow
#else
#define RESIDENT 4
#endif

// Of two neighbors of one color, the neighbor of larger degree keeps it; ties go to the larger id.
struct LargerDegree {
    static __device__ bool keeps(const offset_t* indptr, int u, int v, offset_t degree) {
        const offset_t other = indptr[u + 1] - indptr[u];
        return other > degree || (other == degree && u > v);
    }
};

// items: the worklist, or null for all vertices; *count: their number.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
    first_fit(const offset_t* indptr, const int* indices, unsigned* words, const int* items, const int* count) {
    visit_all<true, LargerDegree>(Graph{indptr, indices, words}, items, *count, nullptr, nullptr);
}

// Count the vertices that lose their color in *n_next; with DATA_DRIVEN, list them in `next`.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
    resolve(const offset_t* indptr, const int* indices, unsigned* words, const int* items, const int* count, int* next,
            int* n_next) {
    visit_all<false, LargerDegree>(Graph{indptr, indices, words}, items, *count, DATA_DRIVEN ? next : nullptr, n_next);
}
