// variants: OFFSET_BITS=32,64
// The edge list with virtual edges (section 4.3): edges (parent, child) sorted by child, 8 bytes each, in packs. A pack is
// what a warp takes: either the parents of several vertices, 32 at most, or those of one vertex. The virtual edges that fill
// a pack up to 32 are lanes with nothing to do and take no memory.
//
// The paper sorts by the source. Here the receiving end is what is sorted by: what is known of a vertex's parents is put
// together within its warp, and one thread writes its color, without atomics.
//
// Bytes: a round reads 8 per edge (of m/2) and 4 a pack; the first gathers nothing, for initial colors are a hash of the
// id, later ones gather one color per edge and write 4n.
#include "device/include/search.cuh"
#include "papers/feluca/feluca.cuh"

// ---- making the list ------------------------------------------------------------------------------

extern "C" __global__ void count_parents(const offset_t* indptr, const int* indices, i64 n, offset_t* counts) {
    for (i64 v = (i64)blockIdx.x * blockDim.x + threadIdx.x; v < n; v += (i64)gridDim.x * blockDim.x) {
        const offset_t begin = indptr[v];
        counts[v] = first_from(indices, begin, indptr[v + 1], v) - begin;
    }
}

extern "C" __global__ void write_edges(const offset_t* indptr, const int* indices, const offset_t* begins, i64 n,
                                       int* parents, int* children) {
    const int lane = threadIdx.x % WARP;
    const i64 warps = (i64)gridDim.x * blockDim.x / WARP;
    for (i64 v = ((i64)blockIdx.x * blockDim.x + threadIdx.x) / WARP; v < n; v += warps) {
        const offset_t begin = begins[v], end = begins[v + 1], row = indptr[v];
        for (offset_t e = begin + lane; e < end; e += WARP) {
            parents[e] = indices[row + (e - begin)];
            children[e] = (int)v;
        }
    }
}

// Packs of `chunk` vertices per thread: their number, or (where `packs` is given) their first edges, from places[chunk] on.
extern "C" __global__ void pack(const offset_t* begins, i64 n, i64 chunk, offset_t* places, offset_t* packs) {
    const i64 at = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (at * chunk >= n) return;
    offset_t k = packs ? places[at] : 0;
    offset_t room = 0;
    for (i64 v = at * chunk; v < n && v < (at + 1) * chunk; v++) {
        const offset_t size = begins[v + 1] - begins[v];
        if (size == 0) continue;
        if (size > room) {  // a new pack; one of a long row has no room for others
            if (packs) packs[k] = begins[v];
            k++;
            room = WARP;
        }
        room = size > room ? 0 : room - size;
    }
    if (!packs) places[at] = k;
}

// ---- a round --------------------------------------------------------------------------------------

// Sums up over the lanes of a vertex, which lie side by side from `from` on; right in the last of them.
template <class T, class Sum> static __device__ __forceinline__ T sum_up(T x, int from, Sum sum) {
    const int lane = threadIdx.x % WARP;
    for (int d = 1; d < WARP; d *= 2) {
        const T before = __shfl_sync(ALL_LANES, x, lane >= d ? lane - d : lane);
        if (lane - d >= from) x = sum(x, before);
    }
    return x;
}

// A pack of up to 32 edges, a lane each. The last lane of a vertex writes its color.
template <bool first, class Color>
static __device__ __forceinline__ void round_of_pack(offset_t begin, int size, const int* parents, const int* children,
                                                     Color color, int* after, int length, unsigned word,
                                                     const offset_t* indptr, Found& found, LIST_PARAMETERS) {
    const int lane = threadIdx.x % WARP;
    const bool real = lane < size;
    const int v = real ? children[begin + lane] : -1;
    const int c = real ? color(parents[begin + lane]) : 0, own = real ? color(v) : 0;
    const int v_before = __shfl_sync(ALL_LANES, v, lane ? lane - 1 : 0);
    const unsigned heads = __ballot_sync(ALL_LANES, lane == 0 || v != v_before);
    const int from = 31 - __clz((int)(heads & (2u << lane) - 1));
    const unsigned later = lane == 31 ? 0 : heads >> (lane + 1) << (lane + 1);
    const int to = later ? __ffs((int)later) - 2 : 31;
    const unsigned mine = (2u << to) - 1 & ~((1u << from) - 1);
    const unsigned hits = __ballot_sync(ALL_LANES, real && c == own);
    int chosen = own;
    if (hits) {
        Parents p = no_parents();
        include(p, c, base_of(own));
        p.low = sum_up(p.low, from, [](u64 a, u64 b) { return a | b; });
        p.near = sum_up(p.near, from, [](u64 a, u64 b) { return a | b; });
        p.greatest = sum_up(p.greatest, from, [](int a, int b) { return a > b ? a : b; });
        if ((hits & mine) && lane == to) chosen = next_color(v, own, p, length, word);
    }
    if (!real || lane != to) return;
    if (!first || (hits & mine)) after[v] = chosen;
    if (hits & mine) add_found(found, v, indptr, LIST);
}

// A pack of the parents of one vertex.
template <class Group, bool first, class Color>
static __device__ void round_of_row(offset_t begin, offset_t end, const int* parents, const int* children, Color color,
                                    int* after, int length, unsigned word, const offset_t* indptr, Found& found,
                                    LIST_PARAMETERS) {
    const int v = children[begin], own = color(v), base = base_of(own);
    const offset_t size = Group::SIZE;
    Parents all = no_parents();
    for (offset_t e = begin + Group::lane(); e < end; e += 4 * size) {
        int c[4];
#pragma unroll
        for (int k = 0; k < 4; k++) c[k] = e + k * size < end ? color(parents[e + k * size]) : -1;
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (c[k] >= 0) include(all, c[k], base);
    }
    const bool hit = Group::any(conflicts(all, own));
    if (hit) all = all_of<Group>(all);
    if (Group::lane() != 0) return;
    if (!first || hit) after[v] = hit ? next_color(v, own, all, length, word) : own;
    if (hit) add_found(found, v, indptr, LIST);
}

// Packs `from` … `to` - 1 (so that a part of the list serves as well), and those of `hubs`, one per block.
template <bool first, class Color>
static __device__ void round_of_packs(const int* parents, const int* children, const offset_t* packs, i64 from, i64 to,
                                      const int* hubs, i64 n_hubs, Color color, int* after, int length, unsigned word,
                                      const offset_t* indptr, LIST_PARAMETERS) {
    __shared__ Found found;
    begin_found(found);
    for (i64 i = blockIdx.x; i < n_hubs; i += gridDim.x)
        round_of_row<Block, first>(packs[hubs[i]], packs[hubs[i] + 1], parents, children, color, after, length, word,
                                   indptr, found, LIST);
    const i64 step = (i64)gridDim.x * (BLOCK / WARP);
    int turns = 0;
    for (i64 base = from; base < to; base += step) {  // neighbouring packs go to one block
        const i64 p = base + (i64)(gridDim.x - 1 - blockIdx.x) * (BLOCK / WARP) + threadIdx.x / WARP;
        const offset_t begin = p < to ? packs[p] : 0, size = p < to ? packs[p + 1] - begin : 0;
        if (size > 0 && size <= WARP)
            round_of_pack<first>(begin, (int)size, parents, children, color, after, length, word, indptr, found, LIST);
        else if (size > 0 && size <= WARP_MOST)
            round_of_row<Warp, first>(begin, begin + size, parents, children, color, after, length, word, indptr, found,
                                      LIST);
        if (++turns % 4 == 0) flush_found(found, FOUND_ROOM / 4, indptr, LIST);
    }
    flush_found(found, 0, indptr, LIST);
}

#define EDGES_PARAMETERS const int* parents, const int* children, const offset_t* packs, i64 from, i64 to, const int* hubs, i64 n_hubs

extern "C" __global__ void edge_round_first(EDGES_PARAMETERS, i64 size, i64 word, int* after, i64 length,
                                            const offset_t* indptr, LIST_PARAMETERS) {
    round_of_packs<true>(parents, children, packs, from, to, hubs, n_hubs, Drawn{(unsigned)word, size}, after, (int)length,
                         word_of_round(word, 0), indptr, LIST);
}

extern "C" __global__ void edge_round(EDGES_PARAMETERS, const int* before, i64 word, int* after, i64 length,
                                      const offset_t* indptr, LIST_PARAMETERS) {
    round_of_packs<false>(parents, children, packs, from, to, hubs, n_hubs, Stored{before}, after, (int)length,
                          word_of_round(word, 1), indptr, LIST);
}
