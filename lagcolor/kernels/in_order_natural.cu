// variants: OFFSET_BITS=32,64 STATE_BITS=8 BLOCK=128
// First-fit in the order of ids, a thread a vertex, for graphs of no degree over 63: structured meshes, which take few
// colors in this order, and whose wavefronts are wide.
//
// As in in_order_low.cu a block draws the next vertices; of a row only the neighbours of lower id are looked at. Chains
// may be as long as the graph (a strip, a path): after `patience` nanoseconds every thread gives up, and *given_up says
// so.
//
// Bytes that must move: 4 a vertex of offsets, 4 an edge, half a state an edge (from L2), 4 a vertex of output.
#include "in_order_warp.cuh"

static __device__ __forceinline__ unsigned long long nanoseconds() {
    unsigned long long t;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    return t;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    color_natural(long long n, long long m, long long patience, const offset_t* __restrict__ indptr,
                  const int* __restrict__ indices, unsigned* ticket, unsigned long long* begun, int* given_up,
                  state_t* state, int* colors) {
    __shared__ int lists[ROOM][BLOCK];
    __shared__ unsigned drawn;
    __shared__ unsigned long long deadline;
    const bool aligned = reinterpret_cast<unsigned long long>(indices) % 16 == 0;
    if (threadIdx.x == 0) {
        const unsigned long long now = nanoseconds(), first = atomicCAS(begun, 0ull, now);
        deadline = (first ? first : now) + (unsigned long long)patience;
    }
    __shared__ Warp warps[BLOCK / 32];
    Warp* warp = warps + threadIdx.x / 32;
    int* list = &lists[0][threadIdx.x];
    for (;;) {
        if (threadIdx.x == 0) drawn = atomicAdd(ticket, (unsigned)BLOCK);
        __syncthreads();
        const long long block_first = drawn;
        __syncthreads();
        if (block_first >= n || load_relaxed(given_up)) return;
        const int v = block_first + threadIdx.x < n ? (int)(block_first + threadIdx.x) : -1;
        const offset_t row = v < 0 ? 0 : indptr[v], end = v < 0 ? 0 : indptr[v + 1];
        const auto before = [=](int u) { return u < v; };
        const auto yes = [](int, unsigned) { return true; };
        const auto late = [=] {
            const bool is = nanoseconds() > deadline;
            if (is) store_relaxed(given_up, 1);
            return is;
        };
        color_warp<false, unsigned long long>(v, row, end, (offset_t)m, aligned, indices, warp, list, state, colors, before,
                                       yes, late);
    }
}
