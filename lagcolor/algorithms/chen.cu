// variants: OFFSET_BITS=32,64 DATA_DRIVEN=0,1
// Chen et al.'s first-fit: a round is two kernels, one that colors and one that finds conflicts. DATA_DRIVEN: over a
// worklist, which the second kernel fills for the next round; else over all vertices; flags select some.
#include "engines/rounds/speculative_passes.cuh"

#if __CUDA_ARCH__ >= 800
#define RESIDENT 6  // blocks a multiprocessor has registers for
#else
#define RESIDENT 4
#endif

// Of two neighbors of one color the one of larger degree keeps it, then the one of larger id.
struct LargerDegree {
    static __device__ bool keeps(const offset_t* indptr, int u, int v, offset_t degree) {
        const offset_t other = indptr[u + 1] - indptr[u];
        return other > degree || (other == degree && u > v);
    }
};

// items: the worklist, or none for all vertices; *count of them.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
    first_fit(const offset_t* indptr, const int* indices, unsigned* words, const int* items, const int* count) {
    visit_all<true, LargerDegree>(Graph{indptr, indices, words}, items, *count, nullptr, nullptr);
}

// Vertices that lose their color are counted in *n_next and, DATA_DRIVEN, listed in `next`.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
    resolve(const offset_t* indptr, const int* indices, unsigned* words, const int* items, const int* count, int* next,
            int* n_next) {
    visit_all<false, LargerDegree>(Graph{indptr, indices, words}, items, *count, DATA_DRIVEN ? next : nullptr, n_next);
}
