// variants: OFFSET_BITS=32,64
// The sequential spread stage, color-centric: a block takes a color and finds all vertices for it (section 4.2).
//
// `left` are the vertices without a color, by degree class; i, j are places in it. survey and adopt look at their rows once
// and write down, for each, the colors around it (`fixed`, a bit a color) and its later neighbours that are left too
// (`children`); `peel` finds the levels of that DAG; take_in_turn is the pipeline, take_alone the paper's first strategy,
// fit and compare are coloring without color classes.
//
// near[i] of a block: a parent of i has the color in hand. Only that block reads or writes it, so that no atomics are
// needed; result[i] is written once, by one block, and read by later colors after they have seen `progress`.
//
// Bytes: survey and adopt read the rows of the left and gather a color (and a place) an edge; the pipeline writes a byte
// an edge between the left, and looks at 6 bytes a vertex and color that comes before its own.
#include "feluca.cuh"

#define MOST_THREADS 1024

// ---- the neighbourhoods of the left ---------------------------------------------------------------

extern "C" __global__ void give_up(const int* left, i64 n, int* colors, int* place) {
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        colors[left[i]] = -1;
        place[left[i]] = (int)i;
    }
}

struct Survey {
    const offset_t* indptr;
    const int *indices, *left, *colors;
    unsigned* fixed;
    i64 words;
    int *n_parents, *n_children;

    __device__ __forceinline__ void settle() {}

    template <class Group> __device__ __forceinline__ void operator()(Group, i64 i) {
        const int v = left[i];
        const offset_t end = indptr[v + 1];
        int parents = 0, children = 0;
        for (offset_t e = indptr[v] + Group::lane(); e < end; e += Group::size()) {
            const int u = indices[e], c = colors[u];
            if (c < 0) {
                parents += u < v;
                children += u > v;
                continue;
            }
            unsigned* word = fixed + i * words + c / 32;
            const unsigned bit = 1u << c % 32;
            if (!((unsigned)look((const int*)word) & bit)) atomicOr(word, bit);
        }
        parents = Group::sum(parents);
        children = Group::sum(children);
        if (Group::lane() == 0) n_parents[i] = parents, n_children[i] = children;
    }
};

#define ROWS_PARAMETERS const offset_t* indptr, const int* indices, const int* left, i64 begin_1, i64 begin_2, const int* counts

extern "C" __global__ void survey(ROWS_PARAMETERS, const int* colors, unsigned* fixed, i64 words, int* n_parents,
                                  int* n_children) {
    Survey work = {indptr, indices, left, colors, fixed, words, n_parents, n_children};
    for_list(begin_1, begin_2, counts, work);
}

// cursor[i]: where the next child of i is written, from offsets[i] on.
struct Adopt {
    const offset_t* indptr;
    const int *indices, *left, *colors, *place;
    u64* cursor;
    int* children;

    __device__ __forceinline__ void settle() {}

    template <class Group> __device__ __forceinline__ void operator()(Group, i64 i) {
        const int v = left[i];
        const offset_t end = indptr[v + 1];
        for (offset_t e = indptr[v] + Group::lane(); e < end; e += Group::size()) {
            const int u = indices[e];
            if (u > v && colors[u] < 0) children[atomicAdd(cursor + i, (u64)1)] = place[u];
        }
    }
};

extern "C" __global__ void adopt(ROWS_PARAMETERS, const int* colors, const int* place, u64* cursor, int* children) {
    Adopt work = {indptr, indices, left, colors, place, cursor, children};
    for_list(begin_1, begin_2, counts, work);
}

// ---- levels ----------------------------------------------------------------------------------------

#define SMALL 32  // vertices of a level that one block deals with faster than all, who would have to meet

static __device__ __forceinline__ void append(bool wanted, int i, int* list, int* length) {
    const unsigned votes = __ballot_sync(ALL_LANES, wanted);
    if (votes == 0) return;
    const int lane = threadIdx.x % WARP;
    int base = 0;
    if (lane == 0) base = atomicAdd(length, __popc(votes));
    base = __shfl_sync(ALL_LANES, base, 0);
    if (wanted) list[base + __popc(votes & ((1u << lane) - 1))] = i;
}

struct Peel {
    const i64* offsets;
    const int* children;
    int *n_parents, *order, *sizes, *level_begins;

    // Takes level `level`, begin … end - 1 of the order, away, a warp a vertex; whose last parent goes comes next. Three
    // sizes in turn: of this level, which some may still be reading, of the next, which is made, and of the one after.
    __device__ void take(int level, int begin, int end, int first, int step) {
        const int lane = threadIdx.x % WARP;
        for (int at = begin + first; at < end; at += step) {
            const int i = look(order + at);
            const i64 stop = offsets[i + 1];
            for (i64 k = offsets[i]; k < stop; k += WARP) {
                const int j = k + lane < stop ? children[k + lane] : -1;
                append(j >= 0 && atomicAdd(n_parents + j, -1) == 1, j, order + end, sizes + (level + 1) % 3);
            }
        }
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            put(sizes + (level + 2) % 3, 0);
            put(level_begins + level, begin);
            put(level_begins + level + 1, end);
        }
    }
};

// order: the left by levels, level l from level_begins[l] on. `sizes` (three) begins at 0; n_levels is an answer. All
// blocks must run at the same time; where a level is small the first block goes on alone, and the others wait for it.
extern "C" __global__ void peel(const i64* offsets, const int* children, i64 n, int* n_parents, int* order, int* sizes,
                                int* level_begins, int* n_levels, int* arrived) {
    __shared__ int made;
    const int warp = threadIdx.x / WARP, warps = BLOCK / WARP;
    int goal = 0;
    for (i64 base = (i64)blockIdx.x * BLOCK; base < n; base += (i64)gridDim.x * BLOCK) {
        const i64 i = base + threadIdx.x;
        append(i < n && n_parents[i] == 0, (int)i, order, sizes);
    }
    meet(arrived, goal);
    Peel work = {offsets, children, n_parents, order, sizes, level_begins};
    int begin = 0, end = look(sizes), level = 0;
    while (begin < end) {
        if (end - begin > SMALL) {
            work.take(level, begin, end, blockIdx.x * warps + warp, gridDim.x * warps);
            meet(arrived, goal);
            begin = end;
            end += look(sizes + ++level % 3);
            continue;
        }
        if (blockIdx.x == 0) {
            do {
                work.take(level, begin, end, warp, warps);
                __syncthreads();
                if (threadIdx.x == 0) made = look(sizes + (level + 1) % 3);
                __syncthreads();
                level++;
                begin = end;
                end += made;
            } while (begin < end && end - begin <= SMALL);
            if (threadIdx.x == 0) {
                put(n_levels, level);
                put(level_begins + level, begin);
                put(level_begins + level + 1, end);
            }
        }
        meet(arrived, goal);
        level = look(n_levels);
        begin = look(level_begins + level);
        end = look(level_begins + level + 1);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) put(n_levels, level);
}

// ---- a block a color -------------------------------------------------------------------------------

static __device__ __forceinline__ int acquire(const int* at) {
#ifdef __CUDA_ARCH__
    int x;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(x) : "l"(at) : "memory");
    return x;
#else
    return *at;
#endif
}

static __device__ __forceinline__ void release(int* at, int x) {
#ifdef __CUDA_ARCH__
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(at), "r"(x) : "memory");
#else
    *at = x;
#endif
}

// For who waits long: hundreds of blocks that poll one word keep others from writing it.
static __device__ __forceinline__ void pause() {
#ifdef __CUDA_ARCH__
    __nanosleep(200);
#endif
}

struct Classes {
    const i64* offsets;
    const int *children, *order, *level_begins;
    const unsigned* fixed;
    i64 words;
    unsigned char* near;
    int* result;
    int *takers, *n_takers;  // shared

    // Gives color c to whom it suits in `begin` … `end` - 1 of the order; how many. `near` is known to be settled.
    template <bool in_turn> __device__ __forceinline__ int take(int c, int begin, int end) {
        int taken = 0;
        for (int base = begin; base < end; base += blockDim.x) {
            const int at = base + threadIdx.x;
            if (at < end) {
                const int i = order[at];
                const bool barred = c / 32 < words && fixed[i * words + c / 32] >> c % 32 & 1;
                const bool has = in_turn && look(result + i) >= 0;
                if (!barred && !has && !look(near + i)) takers[atomicAdd(n_takers, 1)] = i;
            }
            __syncthreads();
            const int count = *n_takers;
            __syncthreads();
            if (count == 0) continue;
            for (int t = threadIdx.x / WARP; t < count; t += blockDim.x / WARP) {
                const int i = takers[t], lane = threadIdx.x % WARP;
                const i64 stop = offsets[i + 1];
                for (i64 k = offsets[i] + lane; k < stop; k += WARP) put(near + children[k], (unsigned char)1);
                if (lane == 0) {
                    if (in_turn) put(result + i, c);
                    else atomicMin(result + i, c);
                }
            }
            taken += count;
            __syncthreads();
            if (threadIdx.x == 0) *n_takers = 0;
            __syncthreads();
        }
        return taken;
    }

    __device__ __forceinline__ void forget(i64 room) {
        for (i64 i = threadIdx.x; i < room / 4; i += blockDim.x) put((int*)near + i, 0);
        __syncthreads();
    }
};

// nears: `room` bytes a block, a multiple of 4.
#define CLASSES_PARAMETERS const i64* offsets, const int* children, i64 n, i64 room, const int* order, const int* level_begins, const int* n_levels, const unsigned* fixed, i64 words, unsigned char* nears, int* result

// The pipeline: block b has colors b, b + blocks … Color c goes through a level once color c - 1 is through with it:
// progress[c] counts levels. Of the colors under way the least waits for nobody, and all blocks run at the same time, so
// somebody always gets on; when `done` is n all stop, also those that wait.
extern "C" __global__ void take_in_turn(CLASSES_PARAMETERS, i64 colors, int* progress, int* done) {
    __shared__ int takers[MOST_THREADS], n_takers, finished;
    Classes work = {offsets, children, order, level_begins, fixed, words, nears + room * blockIdx.x, result, takers, &n_takers};
    const int levels = *n_levels;
    if (threadIdx.x == 0) n_takers = 0;
    __syncthreads();
    for (i64 c = blockIdx.x; c < colors; c += gridDim.x) {
        work.forget(room);
        int ahead = 0;  // levels that the color before is known to be through with; of thread 0
        for (int level = 0; level < levels; level++) {
            if (threadIdx.x == 0) {
                finished = look(done) == n;
                for (int looks = 0; !finished && c > 0 && ahead <= level; looks++) {
                    if (looks > 32) pause();
                    ahead = acquire(progress + c - 1);
                    finished = look(done) == n;
                }
            }
            __syncthreads();
            if (finished) return;
            const int taken = work.take<true>((int)c, level_begins[level], level_begins[level + 1]);
            if (threadIdx.x == 0) {
                if (taken) atomicAdd(done, taken);
                release(progress + c, level + 1);
            }
            __syncthreads();
        }
    }
}

// The first strategy: every color by itself; result[i] becomes the least of the colors that found i.
extern "C" __global__ void take_alone(CLASSES_PARAMETERS, i64 colors) {
    __shared__ int takers[MOST_THREADS], n_takers;
    Classes work = {offsets, children, order, level_begins, fixed, words, nears + room * blockIdx.x, result, takers, &n_takers};
    const int levels = *n_levels;
    if (threadIdx.x == 0) n_takers = 0;
    __syncthreads();
    for (i64 c = blockIdx.x; c < colors; c += gridDim.x) {
        work.forget(room);
        for (int level = 0; level < levels; level++) {
            work.take<false>((int)c, level_begins[level], level_begins[level + 1]);
            __syncthreads();
        }
    }
}

// Gives the vertices their colors; those that no color below `limit` found are without one.
extern "C" __global__ void give(const int* left, i64 n, const int* result, i64 limit, int* colors) {
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        colors[left[i]] = result[i] < limit ? result[i] : -1;
}

// ---- without color classes -------------------------------------------------------------------------

struct Fit {
    const offset_t* indptr;
    const int *indices, *left, *colors;
    int* result;

    __device__ __forceinline__ void settle() {}

    template <class Group> __device__ __forceinline__ void operator()(Group, i64 i) {
        const int v = left[i];
        const offset_t end = indptr[v + 1];
        int base = 0;
        for (;; base += 64) {
            Parents found = nobody();
            for (offset_t e = indptr[v] + Group::lane(); e < end; e += Group::size())
                include(found, colors[indices[e]], -2, base);
            found = Group::all(found);
            if (~found.seen == 0) continue;
            if (Group::lane() == 0) result[i] = base + trailing_zeros(~found.seen);
            return;
        }
    }
};

// Each vertex left takes the least color that no neighbour has.
extern "C" __global__ void fit(ROWS_PARAMETERS, const int* colors, int* result) {
    Fit work = {indptr, indices, left, colors, result};
    for_list(begin_1, begin_2, counts, work);
}

struct Compare {
    const offset_t* indptr;
    const int *indices, *left, *colors;
    int* lost;

    __device__ __forceinline__ void settle() {}

    template <class Group> __device__ __forceinline__ void operator()(Group, i64 i) {
        const int v = left[i];
        const offset_t end = indptr[v + 1];
        int same = 0;
        for (offset_t e = indptr[v] + Group::lane(); e < end; e += Group::size())
            same |= indices[e] < v && colors[indices[e]] == colors[v];
        same = Group::sum(same);
        if (Group::lane() == 0) lost[i] = same != 0;
    }
};

// Who has the color of a parent.
extern "C" __global__ void compare(ROWS_PARAMETERS, const int* colors, int* lost) {
    Compare work = {indptr, indices, left, colors, lost};
    for_list(begin_1, begin_2, counts, work);
}
