// Summary of a coloring with its kinds of faults; launched by distance1.py.
// A block reads TILE consecutive entries of any rows, so a hub costs no more than its entries.
// Reads 8 bytes per entry (column, its color; offsets and the row's color are mostly in cache).
//
// variants: OFFSET_BITS=32,64
#include "base/device/include/group.cuh"
#include "base/device/include/search.cuh"

#define BLOCK 256
#define EACH 8  // consecutive entries of a thread, in `summary`
#define TILE (BLOCK * EACH)
typedef Threads<BLOCK> Block;

// True if an entry of this thread joins two ends of one color; negative colors are none.
static __device__ bool has_conflict(const offset_t* indptr, const int* indices, const int* colors, int n, i64 m) {
    const i64 first = (i64)blockIdx.x * TILE, end = first + TILE < m ? first + TILE : m, begin = first + threadIdx.x * EACH;
    if (first >= end) return false;
    const Bounds<int> rows = bounds_of_tile(indptr, 0, n, first, end - 1);
    if (begin >= end) return false;
    int there[EACH], theirs[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) there[k] = begin + k < end ? indices[begin + k] : 0;
#pragma unroll
    for (int k = 0; k < EACH; k++) theirs[k] = colors[there[k]];
    int u = first_over(indptr, rows.from, rows.to, begin) - 1, mine = colors[u];
    bool found = false;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (begin + k >= end) break;
        if (begin + k >= indptr[u + 1]) {
            u = first_over(indptr, u + 1, rows.to, begin + k) - 1;
            mine = colors[u];
        }
        found |= theirs[k] == mine && mine >= 0 && there[k] != u;
    }
    return found;
}

// Set bits of a word; return how many of them this thread is the first to set.
static __device__ int newly_set(unsigned* word, unsigned bits) {
    bits &= ~load_relaxed(word);
    return bits ? __popc(bits & ~atomicOr(word, bits)) : 0;
}

// result, in memory of the host: [0] the largest color; [1] the number of colors in use; [2] 1 if a vertex has no color
// or one over n - 1, plus 2 if an edge has two ends of one color. The last block to end writes it. found: partial
// results, and the number of blocks that have ended; used: a bit per color. Both are zeros at first. A block reads a
// tile of entries, and vertices.
extern "C" __global__ void __launch_bounds__(BLOCK) summary(
    const offset_t* indptr, const int* indices, const int* colors, int n, i64 m, int* found, unsigned* used, int* result) {
    u64 low = 0;  // bits of the colors under 64, which most vertices have
    int largest = 0, count = 0;
    u64 fault = 0;
    for (i64 v = (i64)blockIdx.x * BLOCK + threadIdx.x; v < n; v += (i64)gridDim.x * BLOCK) {
        const int c = colors[v];
        fault |= c < 0 || c >= n;
        if (fault) break;
        largest = max(largest, c);
        if (c < 64) low |= 1ull << c;
        else count += newly_set(used + c / 32, 1u << c % 32);
    }
    fault |= has_conflict(indptr, indices, colors, n, m) ? 2 : 0;
    largest = Block::reduce<Most>(largest);
    low = Block::reduce<Either>(low) >> 32 * (threadIdx.x % 2);
    if (threadIdx.x < 2 && (unsigned)low) count += newly_set(used + threadIdx.x, (unsigned)low);
    count = Block::reduce<Plus>(count);
    fault = Block::reduce<Either>(fault);
    if (threadIdx.x) return;
    if (largest > load_relaxed(found)) atomicMax(found, largest);
    if (count) atomicAdd(found + 1, count);
    if (fault) atomicOr(found + 2, (int)fault);
    __threadfence();
    if (atomicAdd(found + 3, 1) != gridDim.x - 1) return;
    __threadfence();
    for (int k = 0; k < 3; k++) result[k] = load_relaxed(found + k);
}
