// Iterated greedy on a GPU: one pass of first-fit over classes; launched by classes.py.
//
// `fit` colors class after class in one cooperative launch: a class is independent, so its vertices read only what classes
// before it wrote, and a grid barrier is in between. Rows of up to 32 entries are a thread's, up to 1024 a warp's, others a
// block's; colors seen are bits of a register or of a window of 1024 in shared memory.
//
// Shared state: colors[] is written once each, and read by others only after a grid barrier.
//
// Bytes per pass: 4 per vertex for its place, 12 for offsets and color, 8 per entry (column, color there).
//
// Not a task of the first-fit engine: `first_fit_in_sequence` needs no barriers, but reads place and offsets of each vertex
// a second time and writes its state twice, 50 to 100 bytes per vertex more where classes scatter the vertices.
//
// variants: OFFSET_BITS=32,64
#include "base/device/include/grid.cuh"
#include "base/device/include/palette.cuh"

#define BLOCK 256
#define WARPS (BLOCK / 32)
#define THREAD_MOST 32
#define WARP_MOST 1024
#define WINDOW 1024

static __device__ int fit_alone(offset_t begin, offset_t end, const int* indices, const int* colors) {
    for (int base = 0;; base += 64) {
        u64 seen = 0;
        for (offset_t e = begin; e < end; e++) {
            const unsigned c = (unsigned)(colors[indices[e]] - base);
            if (c < 64u) seen |= 1ull << c;
        }
        if (~seen) return base + least_free(seen);
    }
}

// The least color that no neighbor has, by a group.
template <class Group>
static __device__ int fit_together(offset_t begin, offset_t end, const int* indices, const int* colors, unsigned* bitmap) {
    const Palette<Group, WINDOW / 32> palette = {bitmap};
    for (int base = 0;; base += WINDOW) {
        palette.clear();
        for (offset_t e = begin + Group::lane(); e < end; e += Group::SIZE)
            palette.take((unsigned)(colors[indices[e]] - base));
        const int least = palette.least();
        if (least >= 0) return base + least;
    }
}

// Vertices begin … end - 1 of the sequence, 256 per block at a time.
static __device__ void fit_class(const offset_t* indptr, const int* indices, const int* sequence, int* colors,
                                 long long begin, long long end) {
    __shared__ unsigned bitmaps[WARPS][WINDOW / 32];
    __shared__ int mid[BLOCK], big[BLOCK], n_mid, n_big;
    for (long long first = begin + (long long)blockIdx.x * BLOCK; first < end; first += (long long)gridDim.x * BLOCK) {
        if (threadIdx.x == 0) n_mid = n_big = 0;
        __syncthreads();
        if (first + threadIdx.x < end) {
            const int v = sequence[first + threadIdx.x];
            const offset_t from = indptr[v], to = indptr[v + 1];
            if (to - from <= THREAD_MOST) colors[v] = fit_alone(from, to, indices, colors);
            else if (to - from <= WARP_MOST) mid[atomicAdd(&n_mid, 1)] = v;
            else big[atomicAdd(&n_big, 1)] = v;
        }
        __syncthreads();
        for (int i = threadIdx.x / 32; i < n_mid; i += WARPS) {
            const int v = mid[i], c = fit_together<Warp>(indptr[v], indptr[v + 1], indices, colors, bitmaps[threadIdx.x / 32]);
            if (threadIdx.x % 32 == 0) colors[v] = c;
        }
        __syncthreads();
        for (int i = 0; i < n_big; i++) {
            const int v = big[i], c = fit_together<Threads<BLOCK>>(indptr[v], indptr[v + 1], indices, colors, bitmaps[0]);
            if (threadIdx.x == 0) colors[v] = c;
        }
        __syncthreads();  // the lists are free for the next vertices
    }
}

extern "C" __global__ void fit(const offset_t* indptr, const int* indices, const int* sequence, const long long* ends,
                               long long k, int* colors, int* arrived) {
    int goal = 0;
    for (long long c = 0; c < k; c++) {
        fit_class(indptr, indices, sequence, colors, c ? ends[c - 1] : 0, ends[c]);
        grid_barrier(arrived, goal);
    }
}
