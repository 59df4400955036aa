// variants: OFFSET_BITS=32,64
// The edge list with virtual edges (section 4.3): edges (parent, child) sorted by child, 8 bytes each, in packs. A pack is
// what a warp takes: either the parents of several vertices, 32 at most, or those of one vertex. The virtual edges that fill
// a pack up to 32 are lanes with nothing to do and take no memory.
//
// The paper sorts by the source. Here the receiving end is what is sorted by: what is known of a vertex's parents is put
// together within its warp, and one thread writes its color, without atomics.
//
// Bytes: a round reads 8 an edge (of m/2) and 4 a pack; the first gathers nothing, for initial colors are a hash of the
// id, later ones gather a color an edge and write 4n.
#include "feluca.cuh"

// ---- making the list ------------------------------------------------------------------------------

extern "C" __global__ void count_parents(const offset_t* indptr, const int* indices, i64 n, offset_t* counts) {
    for (i64 v = (i64)blockIdx.x * blockDim.x + threadIdx.x; v < n; v += (i64)gridDim.x * blockDim.x) {
        offset_t low = indptr[v], high = indptr[v + 1];
        while (low < high) {
            const offset_t middle = low + (high - low) / 2;
            if (indices[middle] < v) low = middle + 1;
            else high = middle;
        }
        counts[v] = low - indptr[v];
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

// Packs of `chunk` vertices a thread: their number, or (where `packs` is given) their first edges, from places[chunk] on.
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

struct Drawn {
    i64 word, size;
    __device__ __forceinline__ int operator()(int v) const { return initial_color(v, word, size); }
};

struct Stored {
    const int* colors;
    __device__ __forceinline__ int operator()(int v) const { return colors[v]; }
};

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
                                                     Color color, int* after, int length, const offset_t* indptr,
                                                     Found& found, LIST_PARAMETERS) {
    const int lane = threadIdx.x % WARP;
    const bool real = lane < size;
    const int v = real ? children[begin + lane] : -1;
    const int c = real ? color(parents[begin + lane]) : 0, own = real ? color(v) : 0;
    const int v_before = __shfl_sync(ALL_LANES, v, lane ? lane - 1 : 0);
    const unsigned heads = __ballot_sync(ALL_LANES, lane == 0 || v != v_before);
    const int from = 31 - leading_zeros(heads & (2u << lane) - 1);
    const unsigned later = lane == 31 ? 0 : heads >> (lane + 1) << (lane + 1);
    const int to = later ? __ffs((int)later) - 2 : 31;
    const unsigned mine = (2u << to) - 1 & ~((1u << from) - 1);
    const unsigned hits = __ballot_sync(ALL_LANES, real && c == own);
    int chosen = own;
    if (hits) {
        int start = own;
        if (first) {
            start = sum_up(c, from, [](int a, int b) { return a < b ? a : b; });
            start = __shfl_sync(ALL_LANES, start, to);
        }
        const int greatest = sum_up(c, from, [](int a, int b) { return a > b ? a : b; });
        const u64 above = (u64)((i64)c - start);
        const u64 seen = sum_up(above < 64 ? 1ull << above : 0ull, from, [](u64 a, u64 b) { return a | b; });
        if (hits & mine) chosen = next_color(start, seen, greatest, length);
    }
    if (!real || lane != to) return;
    if (!first || (hits & mine)) after[v] = chosen;
    if (hits & mine) add_found(found, v, indptr, LIST);
}

// A pack of the parents of one vertex.
template <class Group, bool first, class Color>
static __device__ void round_of_row(offset_t begin, offset_t end, const int* parents, const int* children, Color color,
                                    int* after, int length, const offset_t* indptr, Found& found, LIST_PARAMETERS) {
    const int v = children[begin], own = color(v), size = Group::size();
    int start = first ? 0 : own;
    Parents all = nobody();
    for (int pass = 0; pass < 2; pass++) {
        all = nobody();
        offset_t e = begin + Group::lane();
        for (; e + 3 * (offset_t)size < end; e += 4 * (offset_t)size) {
            const int a = color(parents[e]), b = color(parents[e + size]), c = color(parents[e + 2 * (offset_t)size]),
                      d = color(parents[e + 3 * (offset_t)size]);
            include(all, a, own, start);
            include(all, b, own, start);
            include(all, c, own, start);
            include(all, d, own, start);
        }
        for (; e < end; e += size) include(all, color(parents[e]), own, start);
        all = Group::all(all);
        if (!first || !all.hit || all.least == start) break;
        start = all.least;
    }
    if (Group::lane() != 0) return;
    if (!first || all.hit) after[v] = all.hit ? next_color(start, all.seen, all.greatest, length) : own;
    if (all.hit) add_found(found, v, indptr, LIST);
}

// Packs `from` … `to` - 1 (so that a part of the list serves as well), and those of `hubs`, one a block.
template <bool first, class Color>
static __device__ void round_of_packs(const int* parents, const int* children, const offset_t* packs, i64 from, i64 to,
                                      const int* hubs, i64 n_hubs, Color color, int* after, int length,
                                      const offset_t* indptr, LIST_PARAMETERS) {
    __shared__ Found found;
    begin_found(found);
    for (i64 i = blockIdx.x; i < n_hubs; i += gridDim.x)
        round_of_row<Block, first>(packs[hubs[i]], packs[hubs[i] + 1], parents, children, color, after, length, indptr,
                                   found, LIST);
    const i64 step = (i64)gridDim.x * (BLOCK / WARP);
    int turns = 0;
    for (i64 base = from; base < to; base += step) {  // neighbouring packs go to one block
        const i64 p = base + (i64)(gridDim.x - 1 - blockIdx.x) * (BLOCK / WARP) + threadIdx.x / WARP;
        const offset_t begin = p < to ? packs[p] : 0, size = p < to ? packs[p + 1] - begin : 0;
        if (size > 0 && size <= WARP)
            round_of_pack<first>(begin, (int)size, parents, children, color, after, length, indptr, found, LIST);
        else if (size > 0 && size <= WARP_MOST)
            round_of_row<Warp, first>(begin, begin + size, parents, children, color, after, length, indptr, found, LIST);
        if (++turns % 4 == 0) flush_found(found, FOUND_ROOM / 4, indptr, LIST);
    }
    flush_found(found, 0, indptr, LIST);
}

#define EDGES_PARAMETERS const int* parents, const int* children, const offset_t* packs, i64 from, i64 to, const int* hubs, i64 n_hubs

extern "C" __global__ void edge_round_first(EDGES_PARAMETERS, i64 word, i64 size, int* after, i64 length,
                                            const offset_t* indptr, LIST_PARAMETERS) {
    round_of_packs<true>(parents, children, packs, from, to, hubs, n_hubs, Drawn{word, size}, after, (int)length, indptr,
                         LIST);
}

extern "C" __global__ void edge_round(EDGES_PARAMETERS, const int* before, int* after, i64 length, const offset_t* indptr,
                                      LIST_PARAMETERS) {
    round_of_packs<false>(parents, children, packs, from, to, hubs, n_hubs, Stored{before}, after, (int)length, indptr,
                          LIST);
}
