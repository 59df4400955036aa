// variants: OFFSET_BITS=32,64
// What the second stage needs to know of the vertices without a color, found by reading their rows once.
//
// `left` are those vertices, by degree class; i, j are places in it, and color -1 - i says that a vertex stands at i.
// `survey` writes down, for each, the colors around it (`fixed`, a bit per color) and its later neighbours that are left
// too: `sizes[i]` of them in `children` from `begins[i]` on. `peel` puts the left in an order by the levels of that DAG,
// and `find_inside` says who of them are parents within a chunk of the order (`inside`).
//
// Bytes: survey reads the rows of the left, gathers one color per edge and writes 4 per edge between the left, which peel and
// find_inside read again; `inside` has a bit for each vertex and place of a chunk.
#include "papers/feluca/feluca.cuh"

extern "C" __global__ void give_up(const int* left, i64 n, int* colors) {
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        colors[left[i]] = -1 - (int)i;
}

extern "C" __global__ void give(const int* left, i64 n, const int* result, int* colors) {
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        colors[left[i]] = result[i];
}

// ---- the neighbourhoods of the left ---------------------------------------------------------------

// Places for those lanes of a group that want one, counted up by the group's own counter: `length` in a register where a
// thread is alone and where a warp is, in shared memory where a block is.
template <class Group> static __device__ __forceinline__ int claim(bool wanted, int& length, int* shared_length) {
    if (Group::SIZE == 1) return length++;
    if (Group::SIZE > WARP) return append_warp(wanted, shared_length);
    const unsigned votes = __ballot_sync(ALL_LANES, wanted);
    length += __popc(votes);
    return length - __popc(votes) + rank_in(votes);
}

struct Survey {
    const offset_t* indptr;
    const int *indices, *left, *colors;
    unsigned* fixed;
    i64 words;
    offset_t* begins;
    int *sizes, *n_parents, *children, *shared_length;

    __device__ __forceinline__ void settle() {}

    // Colors below 128 are gathered in two words, the few above go straight to memory.
    __device__ __forceinline__ void meet_color(int c, u64* seen, unsigned* row) {
        if (c < 64) seen[0] |= 1ull << c;
        else if (c < 128) seen[1] |= 1ull << (c - 64);
        else take_color(row, c);
    }

    template <class Group> __device__ __forceinline__ void write_colors(u64* seen, unsigned* row) {
        for (int half = 0; half < 2; half++) {
            if (Group::SIZE > 1) seen[half] = reduce_warp<Either>(seen[half]);
            if (Group::SIZE > 1 && threadIdx.x % WARP != 0) continue;
            const unsigned low = (unsigned)seen[half], high = (unsigned)(seen[half] >> 32);
            if (low) atomicOr(row + 2 * half, low);
            if (high) atomicOr(row + 2 * half + 1, high);
        }
    }

    template <class Group> __device__ __forceinline__ void operator()(Group, i64 i) {
        const int v = left[i], size = Group::SIZE;
        const offset_t begin = indptr[v], end = indptr[v + 1];
        unsigned* row = fixed + i * words;
        u64 seen[2] = {0, 0};
        int parents = 0, length = 0;
        if (size > WARP) {
            if (threadIdx.x == 0) *shared_length = 0;
            __syncthreads();
        }
        for (offset_t base = begin; base < end; base += 4 * (offset_t)size) {  // four gathers in flight
            int u[4], c[4];
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const offset_t e = base + k * (offset_t)size + Group::lane();
                u[k] = e < end ? indices[e] : -1;
            }
#pragma unroll
            for (int k = 0; k < 4; k++) c[k] = u[k] >= 0 ? colors[u[k]] : 0;
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const bool child = c[k] < 0 && u[k] > v;
                if (u[k] >= 0 && c[k] >= 0) meet_color(c[k], seen, row);
                parents += c[k] < 0 && u[k] < v;
                if (size == 1 && !child) continue;
                const int place = claim<Group>(child, length, shared_length);
                if (child) children[begin + place] = -1 - c[k];
            }
        }
        write_colors<Group>(seen, row);
        parents = Group::template reduce<Plus>(parents);
        if (Group::lane() != 0) return;
        begins[i] = begin, n_parents[i] = parents;
        sizes[i] = size > WARP ? *shared_length : length;  // all have added theirs before they summed up the parents
    }
};

extern "C" __global__ void survey(const offset_t* indptr, const int* indices, const int* left, i64 begin_1, i64 begin_2,
                                  const int* counts, const int* colors, unsigned* fixed, i64 words, offset_t* begins,
                                  int* sizes, int* n_parents, int* children) {
    __shared__ int shared_length;
    Survey work = {indptr, indices, left, colors, fixed, words, begins, sizes, n_parents, children, &shared_length};
    for_list(begin_1, begin_2, counts, work);
}

// ---- levels ----------------------------------------------------------------------------------------

enum { SMALL = 32, NARROW = 48 };  // vertices of a level that one block deals with faster than all; so many such levels

static __device__ __forceinline__ void append(bool wanted, int i, int* list, int* length) {
    const int at = append_warp(wanted, length);
    if (wanted) list[at] = i;
}

struct Peel {
    const offset_t* begins;
    const int *sizes, *children;
    int *n_parents, *order, *lengths;

    // Takes level `level`, begin … end - 1 of the order, away; whose last parent goes comes next. `warp` of `warps`: as
    // many of them a vertex as there are. Three lengths in turn: of this level, which some may still be reading, of the
    // next, which is made, and of the one after.
    __device__ void take(int level, int begin, int end, int warp, int warps) {
        const int lane = threadIdx.x % WARP, count = end - begin, together = count < warps ? warps / count : 1;
        for (int at = begin + warp / together; at < end; at += warps / together) {
            const int i = load_relaxed(order + at), size = sizes[i];
            const int* row = children + begins[i];
            for (i64 k = (i64)(warp % together) * WARP; k < size; k += (i64)together * WARP) {
                const int j = k + lane < size ? row[k + lane] : -1;
                append(j >= 0 && atomicAdd(n_parents + j, -1) == 1, j, order + end, lengths + (level + 1) % 3);
            }
        }
        if (blockIdx.x == 0 && threadIdx.x == 0) store_relaxed(lengths + (level + 2) % 3, 0);
    }
};

// order: the left by levels, until more than NARROW levels were small: state[1] of them. `lengths` (three) begins at 0.
// All blocks must run at the same time; where a level is small the first block goes on alone, and the others wait for it.
extern "C" __global__ void peel(const offset_t* begins, const int* sizes, const int* children, i64 n, int* n_parents,
                                int* order, int* lengths, int* state, int* arrived) {
    __shared__ int made;
    const int warp = threadIdx.x / WARP, warps = BLOCK / WARP;
    int goal = 0;
    for (i64 base = (i64)blockIdx.x * BLOCK; base < n; base += (i64)gridDim.x * BLOCK) {
        const i64 i = base + threadIdx.x;
        append(i < n && n_parents[i] == 0, (int)i, order, lengths);
    }
    grid_barrier(arrived, goal);
    Peel work = {begins, sizes, children, n_parents, order, lengths};
    int begin = 0, end = load_relaxed(lengths), level = 0, narrow = 0;
    while (begin < end && narrow <= NARROW) {
        if (end - begin > SMALL) {
            work.take(level, begin, end, blockIdx.x * warps + warp, gridDim.x * warps);
            grid_barrier(arrived, goal);
            begin = end;
            end += load_relaxed(lengths + ++level % 3);
            continue;
        }
        if (blockIdx.x == 0) {
            do {
                work.take(level, begin, end, warp, warps);
                __syncthreads();
                if (threadIdx.x == 0) made = load_relaxed(lengths + (level + 1) % 3);
                __syncthreads();
                level++;
                narrow++;
                begin = end;
                end += made;
            } while (begin < end && end - begin <= SMALL && narrow <= NARROW);
            if (threadIdx.x == 0) {
                store_relaxed(state, begin), store_relaxed(state + 1, end);
                store_relaxed(state + 2, level), store_relaxed(state + 3, narrow);
            }
        }
        grid_barrier(arrived, goal);  // and once more, in a wide level, before any of this is written again
        begin = load_relaxed(state);
        end = load_relaxed(state + 1);
        level = load_relaxed(state + 2);
        narrow = load_relaxed(state + 3);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) store_relaxed(state + 1, end);
}

// ---- chunks of the order ----------------------------------------------------------------------------

// rank: the place of i in the order. batons[word]: 32 places that color 0 may look at; see classes.cu.
extern "C" __global__ void rank(const int* order, i64 n, i64 padded, int* ranks, u64* batons) {
    for (i64 at = (i64)blockIdx.x * blockDim.x + threadIdx.x; at < padded; at += (i64)gridDim.x * blockDim.x) {
        if (at < n) ranks[order[at]] = (int)at;
        if (at % WARP == 0) batons[at / WARP] = at >= n ? 0 : n - at >= WARP ? ALL_LANES : (1u << (n - at)) - 1;
    }
}

// inside[(chunk · width / 32 + word) · width + t]: which of places 32 word … 32 word + 31 of a chunk are parents of place
// t. One warp per vertex, for each of its children in the same chunk; inside begins at 0.
extern "C" __global__ void find_inside(const offset_t* begins, const int* sizes, const int* children, i64 n, const int* ranks,
                                i64 width, unsigned* inside) {
    const int lane = threadIdx.x % WARP;
    const i64 warps = (i64)gridDim.x * blockDim.x / WARP;
    for (i64 i = ((i64)blockIdx.x * blockDim.x + threadIdx.x) / WARP; i < n; i += warps) {
        const int own = ranks[i], chunk = own / (int)width, t = own % (int)width, size = sizes[i];
        const int* row = children + begins[i];
        unsigned* words = inside + ((i64)chunk * (width / WARP) + t / WARP) * width;
        for (int k = lane; k < size; k += WARP) {
            const int other = ranks[row[k]];
            if (other / (int)width == chunk) atomicOr(words + other % (int)width, 1u << t % WARP);
        }
    }
}
