// variants: OFFSET_BITS=32,64 COUNT_BITS=16,32
// Sort vertices in the order largest_first_spread by one stable counting sort: first vertices of degree LOW and over
// (by id; the host sorts these), then the others in order.
//
// One cooperative launch. Each warp counts the keys of its range of ids. These counts are summed over all warps before
// it. Then the warp writes its vertices to their positions, in the order of ids, so that the sort is stable. It also
// sets the state of each vertex of degree under LOW (first_fit.cuh).
//
// The rows may be a part of a graph: a range of ids that begins with `first_id`, a multiple of 32. States are indexed
// by position in the range; ids in the sequence refer to the graph.
//
// Bytes that must move: offsets twice (8 per vertex), 8 per vertex of output, 1 of state; counts 7 kB per block, three
// times. Of 110 us for 8 M vertices (fd7-200), warps wait a third for offsets and a fifth for the sums. Slower: three
// launches with a second pass of counting (2d-2e20, 46 us); lanes of equal keys that count together, as in the last
// pass (fd7-200 117 instead of 124 us, but road-24M 645 instead of 558).
#include "base/device/include/grid.cuh"
#include "base/device/include/group.cuh"
#include "orders/spread.cuh"

#define LOW 64
#define BITS 5  // bits of the groups of degrees 16 to 63
#define KEYS (2 + (48 << BITS) + (12 << (BITS - 1)) + (4 << (BITS - 3)))
#define PER_WORD (32 / COUNT_BITS)  // counts in a word; counts of 16 bits suffice for 65,535 vertices per block
#define WARPS (4 * PER_WORD)
#define BLOCK (32 * WARPS)
#define AHEAD 8  // rows of 32 vertices that a warp reads ahead
#if __CUDA_ARCH__ >= 800
#define RESIDENT (PER_WORD == 2 ? 5 : 6)  // blocks per multiprocessor
#else
#define RESIDENT 1
#endif

// Keys: 0 is unused, because their number must be even; 1 is for high degrees; then each degree from 63 down with its
// groups. The first key of degree d < LOW:
static __device__ __forceinline__ int first_key(int d) {
    const int bits = d >= 16 ? BITS : d >= 4 ? BITS - 1 : BITS - 3;
    const int of_zero = d >= 16 ? 2 + (63 << BITS)
                        : d >= 4 ? 2 + (48 << BITS) + (15 << (BITS - 1))
                                 : 2 + (48 << BITS) + (12 << (BITS - 1)) + (3 << (BITS - 3));
    return of_zero - (d << bits);
}

static __device__ __forceinline__ int key_of(int d, unsigned group) {
    return d >= LOW ? 1 : first_key(d) + (int)group;
}

// Lanes of a run with this lane's key: one vote per bit in which their degrees differ, because the hash of the run and
// the degree give the key (keys themselves have 11 bits). d: up to LOW, or LOW + 1 for a lane without a vertex.
static __device__ __forceinline__ unsigned same_key(int d) {
    unsigned peers = ALL_LANES;
#if __CUDA_ARCH__ >= 800
    unsigned differ = __reduce_or_sync(ALL_LANES, (unsigned)(d ^ __shfl_sync(ALL_LANES, d, 0)));
#else
    unsigned differ = 2 * LOW - 1;
#endif
    for (; differ; differ &= differ - 1) {
        const int at = __ffs((int)differ) - 1;
        const unsigned set = __ballot_sync(ALL_LANES, d >> at & 1);
        peers &= d >> at & 1 ? set : ~set;
    }
    return peers;
}

// Replace each count by the sum of the counts of the blocks before it: a block sums 32 keys, a warp a share of the
// blocks.
static __device__ void scan_blocks(unsigned* counts, unsigned* totals) {
    __shared__ unsigned part[WARPS][33];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, blocks = gridDim.x;
    const int share = (blocks + WARPS - 1) / WARPS, begin = warp * share, end = min(blocks, begin + share);
    for (int first = blockIdx.x * 32; first < KEYS; first += gridDim.x * 32) {
        const int key = first + lane;
        unsigned* column = counts + min(key, KEYS - 1);
        unsigned sum = 0, some[16];
        for (int b = begin; b < end; b += 16) {
#pragma unroll
            for (int i = 0; i < 16; i++) some[i] = b + i < end ? column[(long long)(b + i) * KEYS] : 0;
#pragma unroll
            for (int i = 0; i < 16; i++) sum += some[i];
        }
        part[warp][lane] = sum;
        __syncthreads();
        unsigned before = 0;
        for (int w = 0; w < warp; w++) before += part[w][lane];
        if (key < KEYS) {
            for (int b = begin; b < end; b += 16) {
#pragma unroll
                for (int i = 0; i < 16; i++) some[i] = b + i < end ? column[(long long)(b + i) * KEYS] : 0;
#pragma unroll
                for (int i = 0; i < 16; i++) {
                    if (b + i < end) column[(long long)(b + i) * KEYS] = before;
                    before += some[i];
                }
            }
            if (warp == WARPS - 1) totals[key] = before;
        }
        __syncthreads();
    }
}

// Set base[k] to the sum of the totals of the keys before k.
static __device__ void scan_keys(const unsigned* totals, unsigned* base) {
    const int each = (KEYS + BLOCK - 1) / BLOCK, first = threadIdx.x * each, last = min(KEYS, first + each);
    unsigned sum = 0, all;
    for (int k = first; k < last; k++) sum += totals[k];
    unsigned before = Threads<BLOCK>::sum_before(sum, all);
    for (int k = first; k < last; k++) {
        base[k] = before;
        before += totals[k];
    }
    __syncthreads();
}

// Read where the rows of vertices v, v + 32 … of a lane begin, and their degrees: all before any is used.
static __device__ __forceinline__ void read_degrees(const offset_t* __restrict__ indptr, long long v, long long end,
                                                    offset_t* row, int* d) {
#pragma unroll
    for (int i = 0; i < AHEAD; i++, v += 32) {
        row[i] = v < end ? indptr[v] : 0;
        d[i] = v < end ? (int)(indptr[v + 1] - row[i]) : 0;
    }
}

// starts[d] is the first place of degree d < LOW; starts[LOW], and *found (in memory of the host), is the number of
// high degrees.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
    spread_sort(long long n, int per_block, const offset_t* __restrict__ indptr, unsigned seed, int* arrived,
                unsigned* counts, unsigned* totals, int* starts, int* found, int2* sequence, unsigned char* state,
                int part_bits, int first_id) {
    __shared__ unsigned base[KEYS], words[WARPS][KEYS / PER_WORD];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, share = per_block / WARPS;
    const int nth = (int)(__brev((unsigned)lane) >> 27);  // a run of 32 ids in the order of their ranks
    const long long begin = min(n, (long long)blockIdx.x * per_block + (long long)warp * share);
    const long long end = min(n, begin + share);
    for (int k = threadIdx.x; k < WARPS * (KEYS / PER_WORD); k += BLOCK) (&words[0][0])[k] = 0;
    __syncthreads();
    for (long long first = begin; first < end; first += 32 * AHEAD) {
        offset_t row[AHEAD];
        int d[AHEAD];
        read_degrees(indptr, first + nth, end, row, d);
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            const long long v = first + 32 * i + nth;
            const int key = key_of(d[i], tie_group(first_id + (int)v, d[i], seed));
            if (v < end) atomicAdd(&words[warp][key / PER_WORD], 1u << (PER_WORD == 1 ? 0 : 16 * (key & 1)));
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < KEYS / PER_WORD; k += BLOCK) {  // sums over the warps before
        unsigned all = 0;
        for (int w = 0; w < WARPS; w++) {
            const unsigned c = words[w][k];
            words[w][k] = all;
            all += c;
        }
        unsigned* out = counts + (long long)blockIdx.x * KEYS + k * PER_WORD;
        out[0] = PER_WORD == 1 ? all : all & 0xffffu;
        if (PER_WORD == 2) out[1] = all >> 16;
    }
    int goal = 0;
    grid_barrier(arrived, goal);
    scan_blocks(counts, totals);
    grid_barrier(arrived, goal);
    scan_keys(totals, base);
    if (blockIdx.x == 0) {
        for (int d = threadIdx.x; d < LOW; d += BLOCK) starts[d] = (int)base[first_key(d)];
        if (threadIdx.x == 0) *found = starts[LOW] = (int)base[2];
        __syncthreads();
    }
    for (int k = threadIdx.x; k < KEYS; k += BLOCK) base[k] += counts[(long long)blockIdx.x * KEYS + k];
    __syncthreads();
    for (long long first = begin; first < end; first += 32 * AHEAD) {
        offset_t row[AHEAD];
        int d[AHEAD];
        read_degrees(indptr, first + nth, end, row, d);
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            const long long v = first + 32 * i + nth;
            const bool mine = v < end;
            const unsigned group = tie_group(first_id + (int)v, d[i], seed);
            const int key = mine ? key_of(d[i], group) : -1;
            const unsigned peers = same_key(mine ? min(d[i], LOW) : LOW + 1);
            const int leader = __ffs(peers) - 1, shift = PER_WORD == 1 ? 0 : 16 * (key & 1);
            unsigned place = 0;
            if (mine && lane == leader)
                place = atomicAdd(&words[warp][key / PER_WORD], (unsigned)__popc(peers) << shift) >> shift;
            place = __shfl_sync(ALL_LANES, place, leader) + rank_in(peers);
            if (PER_WORD == 2) place &= 0xffffu;
            if (mine) {
                const unsigned at = base[key] + place;
                sequence[at] = make_int2(first_id + (int)v, (int)row[i]);
                state[v] = (unsigned char)(128 + turn_in_byte(min(d[i], LOW), at, part_bits));
            }
        }
    }
}

// Keys that sort vertices of degree LOW and over: descending degree, group, and position, which grows with the id. With
// several GPUs, `before` such vertices have lower ids than the vertices of this GPU.
#define INDEX_BITS 25
extern "C" __global__ void high_keys(long long high, const int2* __restrict__ sequence,
                                     const offset_t* __restrict__ indptr, unsigned seed, unsigned long long* keys,
                                     int first_id, long long before) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= high) return;
    const int v = sequence[i].x, row = v - first_id, d = (int)(indptr[row + 1] - indptr[row]);
    const unsigned long long degree_key = (unsigned)(0x7fffffff - d);
    keys[i] = (degree_key << 8 | tie_group(v, d, seed)) << INDEX_BITS | ((i + before) & ((1 << INDEX_BITS) - 1));
}

extern "C" __global__ void high_ids(long long high, unsigned long long mask, const unsigned long long* __restrict__ index,
                                    const int2* __restrict__ sequence, int* ids) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < high) ids[i] = sequence[index[i] & mask].x;
}
