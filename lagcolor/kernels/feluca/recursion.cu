// variants: OFFSET_BITS=32,64
// The recursion stage. `draw` gives everybody an initial color; `csr_round_first` and `csr_round` are rounds over all
// vertices in plain CSR (edges.cu has them over the edge list); `rounds` does the others in one launch, each over
// those who changed in the one before.
//
// c_r are the colors after r rounds and X_r is who conflicts under them; c_r and X_r are in array and list r mod 2.
//
// Bytes: a round over all reads 4(n + 1) + 4m, gathers m/2 colors and writes 4n; one of `rounds` reads the rows of who
// changed (all of them, to find who conflicts now, and the half with the parents to choose) and gathers as many colors.
// What cannot matter is not looked at: an edge neither end of which has changed.
#include "feluca.cuh"

extern "C" __global__ void draw(int* colors, int* others, i64 n, i64 word, i64 size) {
    for (i64 v = (i64)blockIdx.x * blockDim.x + threadIdx.x; v < n; v += (i64)gridDim.x * blockDim.x)
        colors[v] = others[v] = initial_color((int)v, word, size);
}

// A bit for each color that somebody has.
static __device__ void find_used(const int* colors, i64 n, unsigned* seen) {
    u64 low = 0;  // of colors below 64
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 v = (i64)blockIdx.x * blockDim.x + threadIdx.x; v < n; v += 4 * step) {
        int c[4];
#pragma unroll
        for (int k = 0; k < 4; k++) c[k] = v + k * step < n ? colors[v + k * step] : -1;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (c[k] < 0) continue;
            if (c[k] < 64) low |= 1ull << c[k];
            else if (!((unsigned)look((const int*)seen + c[k] / 32) >> c[k] % 32 & 1))
                atomicOr(seen + c[k] / 32, 1u << c[k] % 32);
        }
    }
    for (int d = WARP / 2; d > 0; d /= 2) low |= __shfl_xor_sync(ALL_LANES, low, d);
    if (threadIdx.x % WARP != 0) return;
    for (int half = 0; half < 2; half++) {
        const unsigned bits = (unsigned)(low >> 32 * half);
        if (bits && bits & ~(unsigned)look((const int*)seen + half)) atomicOr(seen + half, bits);
    }
}

extern "C" __global__ void used(const int* colors, i64 n, unsigned* seen) { find_used(colors, n, seen); }

// ---- a round over all vertices ------------------------------------------------------------------

struct Drawn {
    i64 word, size;
    __device__ __forceinline__ int operator()(int v) const { return initial_color(v, word, size); }
};

struct Stored {
    const int* colors;
    __device__ __forceinline__ int operator()(int v) const { return colors[v]; }
};

template <class Group, bool first, class Color>
static __device__ __forceinline__ void renew(int v, const offset_t* indptr, const int* indices, Color color, int* after,
                                             int length, Found& found, LIST_PARAMETERS) {
    const int c = select_color<Group, first>(v, indptr, indices, color, length);
    if (Group::lane() != 0) return;
    after[v] = c < 0 ? color(v) : c;
    if (c >= 0) add_found(found, v, indptr, LIST);
}

// A tile of BLOCK vertices: short rows by a thread each, then the long ones by warps, then those of hubs by the block.
template <bool first, class Color>
static __device__ void round_of_all(const offset_t* indptr, const int* indices, i64 n, Color color, int* after,
                                    int length, LIST_PARAMETERS) {
    __shared__ Found found;
    __shared__ int put_off[BLOCK], n_put_off;
    begin_found(found);
    for (i64 tile = (i64)blockIdx.x * BLOCK; tile < n; tile += (i64)gridDim.x * BLOCK) {
        if (threadIdx.x == 0) n_put_off = 0;
        __syncthreads();
        const int v = (int)(tile + threadIdx.x);
        if (tile + threadIdx.x < n) {
            if (class_of((i64)(indptr[v + 1] - indptr[v])) == 0)
                renew<Alone, first>(v, indptr, indices, color, after, length, found, LIST);
            else
                put_off[atomicAdd(&n_put_off, 1)] = v;
        }
        __syncthreads();
        for (int i = threadIdx.x / WARP; i < n_put_off; i += BLOCK / WARP) {
            const int w = put_off[i];
            if (class_of((i64)(indptr[w + 1] - indptr[w])) == 1)
                renew<Warp, first>(w, indptr, indices, color, after, length, found, LIST);
        }
        for (int i = 0; i < n_put_off; i++) {
            const int w = put_off[i];
            if (class_of((i64)(indptr[w + 1] - indptr[w])) == 2)
                renew<Block, first>(w, indptr, indices, color, after, length, found, LIST);
        }
        flush_found(found, FOUND_ROOM - BLOCK, indptr, LIST);  // there is room for another tile
    }
    flush_found(found, 0, indptr, LIST);
}

extern "C" __global__ void csr_round_first(const offset_t* indptr, const int* indices, i64 n, i64 word, i64 size,
                                           int* after, i64 length, LIST_PARAMETERS) {
    round_of_all<true>(indptr, indices, n, Drawn{word, size}, after, (int)length, LIST);
}

extern "C" __global__ void csr_round(const offset_t* indptr, const int* indices, i64 n, const int* before, int* after,
                                     i64 length, LIST_PARAMETERS) {
    round_of_all<false>(indptr, indices, n, Stored{before}, after, (int)length, LIST);
}

// ---- rounds over who changed ----------------------------------------------------------------------

// Along the edges of a vertex that has changed: the later end of each conflict goes into the next list, once. The bit of
// a vertex in `listed` says that it is there. What the vertex was before is overwritten, so that the arrays agree.
struct Broadcast {
    const offset_t* indptr;
    const int* indices;
    const int* changed;
    const int* now;
    int* before;
    unsigned* listed;
    Found& found;
    int* list;
    i64 begin_1, begin_2;
    int* counts;

    __device__ __forceinline__ void settle() { flush_found(found, FOUND_ROOM / 2, indptr, LIST); }

    __device__ __forceinline__ void tell(int v, int own, int u, int c) {
        if (c != own) return;
        const int loser = u > v ? u : v;
        const unsigned bit = 1u << loser % 32;
        if (!(atomicOr(listed + loser / 32, bit) & bit)) add_found(found, loser, indptr, LIST);
    }

    template <class Group> __device__ __forceinline__ void operator()(Group, i64 at) {
        const int v = changed[at], own = now[v], size = Group::size();
        const offset_t end = indptr[v + 1];
        offset_t e = indptr[v] + Group::lane();
        for (; e + 3 * (offset_t)size < end; e += 4 * (offset_t)size) {
            const int a = indices[e], b = indices[e + size], c = indices[e + 2 * (offset_t)size],
                      d = indices[e + 3 * (offset_t)size];
            const int ca = now[a], cb = now[b], cc = now[c], cd = now[d];
            tell(v, own, a, ca);
            tell(v, own, b, cb);
            tell(v, own, c, cc);
            tell(v, own, d, cd);
        }
        for (; e < end; e += size) tell(v, own, indices[e], now[indices[e]]);
        if (Group::lane() == 0) before[v] = own;
    }
};

struct Select {
    const offset_t* indptr;
    const int* indices;
    const int* list;
    const int* now;
    int* after;
    unsigned* listed;
    int length;

    __device__ __forceinline__ void settle() {}

    template <class Group> __device__ __forceinline__ void operator()(Group, i64 at) {
        const int v = list[at], c = select_color<Group, false>(v, indptr, indices, Stored{now}, length);
        if (Group::lane() != 0) return;
        after[v] = c;
        atomicAnd(listed + v / 32, ~(1u << v % 32));
    }
};

// Whether the second stage takes over after round r, as Plan.switches has it: sizes[k] is how many conflict.
static __device__ bool switches(i64 n, i64 r, const i64* sizes, i64 alpha, i64 fraction) {
    const i64 million = 1000000;
    if (fraction >= 0 && (n - sizes[2]) * million > fraction * n) return true;
    return alpha >= 0 && r >= 2 && sizes[0] * million <= (million + alpha) * sizes[1] &&
           sizes[1] * million <= (million + alpha) * sizes[2];
}

static __device__ i64 size_of(const int* counts) { return (i64)look(counts) + look(counts + 1) + look(counts + 2); }

// From X_1 in list 1 and c_2 in array 0 on; counts[r] has the three sizes of X_r. Ends with state[0] = r such that X_r
// is empty or left to the second stage, or after `most` rounds with -1 - r, to be started again: `first` is the r of the
// first list to be made. A round costs two meetings of all blocks. Where nobody is left, `seen` says which colors are in
// use, if it has room for those of `most` rounds.
extern "C" __global__ void rounds(const offset_t* indptr, const int* indices, i64 n, int* colors_even, int* colors_odd,
                                  int* list_even, int* list_odd, i64 begin_1, i64 begin_2, int* counts, unsigned* listed,
                                  i64 length, i64 alpha, i64 fraction, i64 first, i64 most, int* arrived, int* tickets,
                                  int* state, unsigned* seen) {
    __shared__ Found found;
    int goal = 0;
    i64 sizes[3] = {size_of(counts), size_of(counts + CLASSES), 0};
    begin_found(found);
    for (i64 k = 2;; k++) {
        const i64 r = first + k - 2;
        int *now = r % 2 ? colors_odd : colors_even, *before = r % 2 ? colors_even : colors_odd;
        int *list = r % 2 ? list_odd : list_even, *changed = r % 2 ? list_even : list_odd;
        Broadcast broadcast = {indptr, indices, changed, now,     before,
                               listed, found,   list,    begin_1, begin_2, counts + CLASSES * k};
        for_list(begin_1, begin_2, counts + CLASSES * (k - 1), broadcast, tickets + 2 * k);
        flush_found(found, 0, indptr, list, begin_1, begin_2, counts + CLASSES * k);
        meet(arrived, goal);
        sizes[2] = size_of(counts + CLASSES * k);
        const bool ends = sizes[2] == 0 || switches(n, r, sizes, alpha, fraction);
        if (ends || k == most + 1) {
            if (blockIdx.x == 0 && threadIdx.x == 0) state[0] = (int)(ends ? r : -1 - r);
            if (ends && sizes[2] == 0 && first == 2) find_used(now, n, seen);
            if (ends) return;
        }
        Select select = {indptr, indices, list, now, before, listed, (int)length};
        for_list(begin_1, begin_2, counts + CLASSES * k, select, tickets + 2 * k + 1);
        if (k == most + 1) return;
        meet(arrived, goal);
        sizes[0] = sizes[1];
        sizes[1] = sizes[2];
    }
}
