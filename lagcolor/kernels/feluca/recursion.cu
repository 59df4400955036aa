// variants: OFFSET_BITS=32,64 LANES=1,4,8 BATCH=4,8
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

#ifndef LANES
#define LANES 1  // threads that take a short row together
#endif

extern "C" __global__ void draw(int* colors, int* others, i64 n, i64 word, i64 size) {
    for (i64 v = (i64)blockIdx.x * blockDim.x + threadIdx.x; v < n; v += (i64)gridDim.x * blockDim.x)
        colors[v] = others[v] = initial_color((int)v, (unsigned)word, size);
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
    unsigned word;
    i64 size;
    __device__ __forceinline__ int operator()(int v) const { return initial_color(v, word, size); }
};

struct Stored {
    const int* colors;
    __device__ __forceinline__ int operator()(int v) const { return colors[v]; }
};

template <class Group, class Color>
static __device__ __forceinline__ void renew(int v, const offset_t* indptr, const int* indices, Color color, int* after,
                                             int length, unsigned word, Found& found, LIST_PARAMETERS) {
    const int c = select_color<Group>(v, indptr, indices, color, length, word);
    if (Group::lane() != 0) return;
    after[v] = c < 0 ? color(v) : c;
    if (c >= 0) add_found(found, v, indptr, LIST);
}

// A tile of BLOCK vertices: short rows by LANES threads each, then the long ones by warps, then those of hubs by the block.
template <class Color>
static __device__ void round_of_all(const offset_t* indptr, const int* indices, i64 n, Color color, int* after,
                                    int length, unsigned word, LIST_PARAMETERS) {
    __shared__ Found found;
    __shared__ int put_off[BLOCK], n_put_off;
    begin_found(found);
    for (i64 tile = (i64)blockIdx.x * BLOCK; tile < n; tile += (i64)gridDim.x * BLOCK) {
        if (threadIdx.x == 0) n_put_off = 0;
        __syncthreads();
        for (int i = threadIdx.x / LANES; i < BLOCK && tile + i < n; i += BLOCK / LANES) {
            const int v = (int)tile + i;
            if (class_of((i64)(indptr[v + 1] - indptr[v])) == 0)
                renew<Tile<LANES>>(v, indptr, indices, color, after, length, word, found, LIST);
            else if (threadIdx.x % LANES == 0)
                put_off[atomicAdd(&n_put_off, 1)] = v;
        }
        __syncthreads();
        for (int i = threadIdx.x / WARP; i < n_put_off; i += BLOCK / WARP) {
            const int w = put_off[i];
            if (class_of((i64)(indptr[w + 1] - indptr[w])) == 1)
                renew<Warp>(w, indptr, indices, color, after, length, word, found, LIST);
        }
        for (int i = 0; i < n_put_off; i++) {
            const int w = put_off[i];
            if (class_of((i64)(indptr[w + 1] - indptr[w])) == 2)
                renew<Block>(w, indptr, indices, color, after, length, word, found, LIST);
        }
        flush_found(found, FOUND_ROOM - BLOCK, indptr, LIST);  // there is room for another tile
    }
    flush_found(found, 0, indptr, LIST);
}

extern "C" __global__ void csr_round_first(const offset_t* indptr, const int* indices, i64 n, i64 size, i64 word,
                                           int* after, i64 length, LIST_PARAMETERS) {
    round_of_all(indptr, indices, n, Drawn{(unsigned)word, size}, after, (int)length, word_of_round(word, 0), LIST);
}

extern "C" __global__ void csr_round(const offset_t* indptr, const int* indices, i64 n, const int* before, i64 word,
                                     int* after, i64 length, LIST_PARAMETERS) {
    round_of_all(indptr, indices, n, Stored{before}, after, (int)length, word_of_round(word, 1), LIST);
}

// ---- rounds over who changed ----------------------------------------------------------------------

#define CLAIMED -2  // instead of the color before: somebody will choose a color for this vertex

// A vertex that has changed reads its row once. If it has the color of a parent it takes another and goes into the next
// list. Children that now have its color, and have not changed themselves (those look for themselves), it claims: the
// block that claimed one chooses for it. Colors of now are only read; what a vertex had before becomes what it gets.
//
// The word before[u] says all about a child u of the color now[v]: it is that color where u has not changed and nobody
// has claimed it, and another in every other case, for whoever conflicts gets another color.
struct Round {
    const offset_t* indptr;
    const int* indices;
    const int* changed;
    const int* now;
    int* before;
    int length;
    unsigned word;
    Found& found;
    int* list;
    i64 begin_1, begin_2;
    int *counts, *pending;

    __device__ __forceinline__ void settle(int least = FOUND_ROOM / 2) {
        choose(least);
        flush_found(found, least, indptr, LIST);
    }

    __device__ __forceinline__ void tell(int own, int u) {
        if (look(before + u) != own || atomicCAS(before + u, own, CLAIMED) != own) return;
        const int at = atomicAdd(&found.count, 1);
        if (at < FOUND_ROOM) {
            found.items[at] = ~u;
            return;
        }
        leave(u);
        const int part = class_of((i64)(indptr[u + 1] - indptr[u]));
        list[begin_of(part, begin_1, begin_2) + atomicAdd(counts + part, 1)] = u;
    }

    // Who is claimed and in the list, but without a color: all blocks see to them later.
    __device__ __forceinline__ void leave(int u) { atomicAdd(pending, 1); }

    template <class Group> __device__ __forceinline__ void operator()(Group, i64 at) {
        const int v = changed[at], own = now[v], base = base_of(own);
        const offset_t end = indptr[v + 1], size = Group::size();
        Parents parents = nobody();
        for (offset_t e = indptr[v] + Group::lane(); e < end; e += BATCH * size) {
            int u[BATCH], c[BATCH];
#pragma unroll
            for (int k = 0; k < BATCH; k++) u[k] = e + k * size < end ? indices[e + k * size] : -1;
#pragma unroll
            for (int k = 0; k < BATCH; k++) c[k] = u[k] >= 0 ? now[u[k]] : -1;
#pragma unroll
            for (int k = 0; k < BATCH; k++) {
                if (u[k] < 0) continue;
                if (u[k] < v) include(parents, c[k], base);
                else if (c[k] == own) tell(own, u[k]);
            }
        }
        const bool hit = Group::any(conflicts(parents, own));
        const int c = hit ? next_color(v, own, Group::all(parents), length, word) : own;
        if (Group::lane() != 0) return;
        put(before + v, c);
        if (hit) add_found(found, v, indptr, LIST);
    }

    // Colors for the claimed of this block; hubs are left to the first block that has time. The whole block calls.
    __device__ __forceinline__ void choose(int least) {
        __syncthreads();
        const int total = found.count < FOUND_ROOM ? found.count : FOUND_ROOM;
        __syncthreads();
        if (total <= least) return;
        choose_for<8>(total, THREAD_MOST);
        __syncthreads();
        choose_for<WARP>(total, WARP_MOST);
        for (int i = threadIdx.x; i < total; i += BLOCK) {
            if (found.items[i] >= 0) continue;
            leave(found.items[i] = ~found.items[i]);
        }
    }

    template <int SIZE> __device__ __forceinline__ void choose_for(int total, int most) {
        for (int i = threadIdx.x / SIZE; i < total; i += BLOCK / SIZE) {
            const int u = ~found.items[i];
            __syncwarp(Tile<SIZE>::lanes());
            if (u < 0 || indptr[u + 1] - indptr[u] > most) continue;
            const int c = select_color<Tile<SIZE>>(u, indptr, indices, Stored{now}, length, word);
            if (threadIdx.x % SIZE != 0) continue;
            put(before + u, c);
            found.items[i] = u;
        }
        __syncthreads();
    }
};

struct Pending {
    const offset_t* indptr;
    const int* indices;
    const int* list;
    const int* now;
    int* after;
    int length;
    unsigned word;

    __device__ __forceinline__ void settle() {}

    template <class Group> __device__ __forceinline__ void operator()(Group, i64 at) {
        const int v = list[at];
        const bool open = Group::any(look(after + v) == CLAIMED);  // all look before one writes
        if (!open) return;
        const int c = select_color<Group>(v, indptr, indices, Stored{now}, length, word);
        if (Group::lane() == 0) put(after + v, c);
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
// first list to be made. A round costs a meeting of all blocks, and another where some are pending. Where nobody is left,
// `seen` says which colors are in use, if it has room for those of `most` rounds.
extern "C" __global__ void rounds(const offset_t* indptr, const int* indices, i64 n, int* colors_even, int* colors_odd,
                                  int* list_even, int* list_odd, i64 begin_1, i64 begin_2, int* counts, i64 length,
                                  i64 alpha, i64 fraction, i64 word, i64 first, i64 most, int* arrived, int* tickets,
                                  int* pending, int* state, unsigned* seen) {
    __shared__ Found found;
    int goal = 0;
    i64 sizes[3] = {size_of(counts), size_of(counts + CLASSES), 0};
    begin_found(found);
    for (i64 k = 2;; k++) {
        const i64 r = first + k - 2;
        const unsigned salt = word_of_round(word, r);
        int *now = r % 2 ? colors_odd : colors_even, *after = r % 2 ? colors_even : colors_odd;
        int *list = r % 2 ? list_odd : list_even, *changed = r % 2 ? list_even : list_odd, *found_of = counts + CLASSES * k;
        Round round = {indptr, indices, changed, now,     after,   (int)length, salt,
                       found,  list,    begin_1, begin_2, found_of, pending + k};
        for_list<LANES, true>(begin_1, begin_2, found_of - CLASSES, round, tickets + 2 * k);
        round.settle(0);
        meet(arrived, goal);
        sizes[2] = size_of(found_of);
        const bool ends = sizes[2] == 0 || switches(n, r, sizes, alpha, fraction);
        if (ends || k == most + 1) {
            if (blockIdx.x == 0 && threadIdx.x == 0) state[0] = (int)(ends ? r : -1 - r);
            if (ends && sizes[2] == 0 && first == 2) find_used(now, n, seen);
            if (ends) return;
        }
        if (look(pending + k)) {
            Pending rest = {indptr, indices, list, now, after, (int)length, salt};
            for_list<WARP, false>(begin_1, begin_2, found_of, rest, tickets + 2 * k + 1);
            if (k <= most) meet(arrived, goal);
        }
        if (k == most + 1) return;
        sizes[0] = sizes[1];
        sizes[1] = sizes[2];
    }
}
