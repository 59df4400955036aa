// variants: OFFSET_BITS=32,64 BITS=0,1 STEPS=8 THREAD_MOST=32 WARP_MOST=2048
// Vertex-based speculative first-fit, all rounds in one cooperative launch. algorithms/kokkos/vertex_based.py defines
// a round, and shows that rounds end without conflicts.
//
// BITS=1 (VBBIT): colors of neighbors are bits, 64 in a register or COLORS in shared memory. BITS=0 (VB): they are
// entries of an array in shared memory. If all colors of the range are taken, the row is read again for the next range.
//
// Shared state: only the group that colors a vertex writes its entry of colors[], at most once between two
// grid barriers. A reader may see the entry before or after the write.
//
// Bytes: first round 8 n offsets and colors, 4 m columns and 4 m colors (mostly L2); later rounds the same for their
// vertices.
#include "base/device/include/palette.cuh"
#include "engines/rounds/worklists.cuh"

#define RANGE 32          // colors that a thread examines at a time (VB); with a bitmap 64
#define COLORS 1024       // colors that a warp or a block examines at a time
#define MOST_PASSED 32    // most free colors to skip: many rivals of a hub are not adjacent to each other
#define NONE 0x7fffffff

#if BITS
#define SOLO_COLORS 64
#define SOLO_BYTES 0
#define GROUP_WORDS (COLORS / 32)
#else
#define SOLO_COLORS RANGE
#define SOLO_BYTES (RANGE + 4)  // a row of 9 words, so that lanes use different banks
#define GROUP_WORDS (COLORS / 4)
#endif

// ---- taken colors of one thread ------------------------------------------------------------------------------------

#if BITS
struct Taken {
    u64 bits;
    __device__ Taken(unsigned char*) : bits(0) {}
    __device__ void clear() { bits = 0; }
    __device__ void add(unsigned c) {
        if (c < SOLO_COLORS) bits |= 1ull << c;
    }
    __device__ int first_free() const { return bits == ~0ull ? NONE : least_free(bits); }
};
#else
struct Taken {
    unsigned char* entries;  // of this thread
    __device__ Taken(unsigned char* shared) : entries(shared + threadIdx.x * SOLO_BYTES) {}
    __device__ void clear() {
        for (int w = 0; w < RANGE / 4; w++) ((unsigned*)entries)[w] = 0;
    }
    __device__ void add(unsigned c) {
        if (c < RANGE) entries[c] = 1;
    }
    __device__ int first_free() const {
        for (int c = 0; c < RANGE; c++)
            if (!entries[c]) return c;
        return NONE;
    }
};
#endif

// ---- taken colors of a warp or a block: volatile accesses are relaxed ----------------------------------------------

static __device__ __forceinline__ void add_taken(unsigned* words, unsigned c) {
    if (c >= COLORS) return;
#if BITS
    take_color(words, c);
#else
    ((volatile unsigned char*)words)[c] = 1;
#endif
}

// Colors 32 · lane … 32 · lane + 31 as bits, for each lane of a warp.
static __device__ __forceinline__ unsigned taken_by_lane(const unsigned* words) {
    const int lane = threadIdx.x % WARP;
#if BITS
    return ((const volatile unsigned*)words)[lane];
#else
    unsigned mine = 0;
    for (int chunk = 0; chunk < COLORS / 32; chunk++) {
        const unsigned bits = __ballot_sync(ALL_LANES, ((const volatile unsigned char*)words)[chunk * 32 + lane] != 0);
        if (lane == chunk) mine = bits;
    }
    return mine;
#endif
}

// The free color with `skip` smaller free ones; or NONE, and `skip` is reduced by the free colors. A warp calls.
static __device__ __forceinline__ int choose(const unsigned* words, int& skip) {
    const int lane = threadIdx.x % WARP;
    unsigned free = ~taken_by_lane(words);
    const int mine = __popc(free);
    const int until = sum_until(mine);  // free colors of the lanes up to this one
    int answer = NONE;
    if (until - mine <= skip && skip < until) {
        for (int k = skip - (until - mine); k > 0; k--) free &= free - 1;
        answer = lane * 32 + least_free(~free);
    }
    const unsigned having = __ballot_sync(ALL_LANES, answer != NONE);
    if (having) return __shfl_sync(ALL_LANES, answer, __ffs((int)having) - 1);
    skip -= __shfl_sync(ALL_LANES, until, WARP - 1);
    return NONE;
}

// ---- a round ------------------------------------------------------------------------------------------------------

struct Speculation {
    const offset_t* __restrict__ indptr;
    const int* __restrict__ indices;
    int* colors;
    unsigned* all_words;     // shared memory of the groups of a block
    unsigned char* entries;  // shared memory of its threads
    int own_class;

    // The step of the first round in which a small vertex chooses.
    static __device__ int step_of(int v) { return (v * 0x9e3779b9u >> 16) % STEPS; }

    // Whether u comes before v of the same class in the first round. Any order is correct; the order of the steps finds
    // fewer conflicts.
    __device__ bool before(int u, int v) const {
        if (own_class == 0 && u / WARP == v / WARP) {
            const int su = step_of(u), sv = step_of(v);
            if (su != sv) return su < sv;
        }
        return u < v;
    }
    // Whether u keeps the color that both have.
    __device__ bool keeps(int u, int v, int round) const { return round == 1 ? before(u, v) : mix(u) > mix(v); }

    // ---- one thread

    __device__ bool first_alone(int v) {
        const offset_t begin = indptr[v], end = indptr[v + 1];
        Taken taken(entries);
        bool possible_conflict = false;
        int base = 0, answer = NONE;
        while (answer == NONE) {  // ends: a row has at most as many colors as neighbors
            taken.clear();
            for (offset_t e = begin; e < end; e += DEEP) {
                int u[DEEP], c[DEEP];
                fetch_neighbors<SingleThread>(indices, colors, e, end, NONE, u, c);
#pragma unroll
                for (int q = 0; q < DEEP; q++) {
                    taken.add((unsigned)(c[q] - base));
                    possible_conflict |= c[q] == -1 && before(u[q], v);
                }
            }
            answer = taken.first_free();
            base += SOLO_COLORS;
        }
        store_relaxed(colors + v, base - SOLO_COLORS + answer);
        return possible_conflict;
    }

    __device__ bool again_alone(int v, int round) {
        const offset_t begin = indptr[v], end = indptr[v + 1];
        const int own = load_unfenced(colors + v);
        Taken taken(entries);
        int base = 0, answer = NONE;
        while (answer == NONE) {
            taken.clear();
            bool conflict = base > 0;
            for (offset_t e = begin; e < end; e += DEEP) {
                int u[DEEP], c[DEEP];
                fetch_neighbors<SingleThread>(indices, colors, e, end, NONE, u, c);
#pragma unroll
                for (int q = 0; q < DEEP; q++) {
                    taken.add((unsigned)(c[q] - base));
                    conflict |= c[q] == own && keeps(u[q], v, round);
                }
            }
            if (!conflict) return false;
            answer = taken.first_free();
            base += SOLO_COLORS;
        }
        store_relaxed(colors + v, base - SOLO_COLORS + answer);
        return true;
    }

    // Small vertices of a warp choose in STEPS steps in the first round, because they are often neighbors, and
    // would all choose the same color. All threads call; v = -1: nothing to do.
    __device__ bool small(int v, int round) {
        own_class = 0;
        if (round) return v >= 0 && again_alone(v, round);
        bool possible_conflict = false;
        const int turn = v >= 0 ? step_of(v) : -1;
#pragma unroll 1
        for (int step = 0; step < STEPS; step++) {
            if (step == turn) possible_conflict = first_alone(v);
            __syncwarp();
        }
        return possible_conflict;
    }

    // ---- a warp or a block

    // A free color of v that has `skip` smaller free ones. possible_conflict: a neighbor that comes before v has no
    // color yet.
    template <class Group> __device__ int choose_by_group(int v, int skip, bool& possible_conflict) {
        __shared__ int answers[WARPS];
        unsigned* words = all_words + Group::index() * GROUP_WORDS;
        const offset_t begin = indptr[v], end = indptr[v + 1];
        const int lane = Group::lane(), waiting = -1 - own_class;
        bool skips = skip > 0;
        int around = 0;  // neighbors that have colors
        for (int base = 0;; base += COLORS) {  // ends: a row has at most as many colors as neighbors
            for (int w = lane; w < GROUP_WORDS; w += Group::SIZE) words[w] = 0;
            Group::sync();
            for (offset_t e = begin; e < end; e += DEEP * Group::SIZE) {
                int u[DEEP], c[DEEP];
                fetch_neighbors<Group>(indices, colors, e, end, NONE, u, c);
#pragma unroll
                for (int q = 0; q < DEEP; q++) {
                    if (c[q] >= base && c[q] != NONE) add_taken(words, c[q] - base);
                    possible_conflict |= c[q] == waiting && u[q] < v;
                    around += base == 0 && c[q] >= 0 && c[q] != NONE;
                }
            }
            if (skips && base == 0) around = Group::template reduce<Plus>(around);
            Group::sync();
            if (threadIdx.x < WARP || Group::SIZE == WARP) {
                int passed = skip;
                const int color = choose(words, passed);
                if (lane == 0) answers[Group::index()] = color == NONE ? -1 - passed : base + color;
            }
            Group::sync();
            const int answer = ((volatile int*)answers)[Group::index()];
            Group::sync();  // answers and words are free for the next range or vertex
            if (answer < 0) {
                skip = -1 - answer;
            } else if (skips && answer > around) {  // colors changed meanwhile: choose again without skipping
                skips = false;
                skip = 0;
                base = -COLORS;
            } else {
                return answer;
            }
        }
    }

    template <class Group> __device__ bool first_by_group(int v) {
        bool possible_conflict = false;
        const int color = choose_by_group<Group>(v, 0, possible_conflict);
        if (Group::lane() == 0) store_relaxed(colors + v, color);
        return Group::any(possible_conflict);
    }

    template <class Group> __device__ bool again_together(int v, int round) {
        const offset_t begin = indptr[v], end = indptr[v + 1];
        const int own = load_unfenced(colors + v);
        int rivals = 0;  // neighbors that keep the color
        for (offset_t e = begin; e < end; e += DEEP * Group::SIZE) {
            int u[DEEP], c[DEEP];
            fetch_neighbors<Group>(indices, colors, e, end, NONE, u, c);
#pragma unroll
            for (int q = 0; q < DEEP; q++) rivals += c[q] == own && keeps(u[q], v, round);
        }
        rivals = Group::template reduce<Plus>(rivals);
        if (rivals == 0) return false;
        // Adjacent rivals would all choose the same color again, so a vertex skips half as many colors as rivals.
        bool ignored = false;
        const int color = choose_by_group<Group>(v, min((rivals - 1) / 2, MOST_PASSED), ignored);
        if (Group::lane() == 0) store_relaxed(colors + v, color);
        return true;
    }

    template <class Group> __device__ bool visit(int v, int round) {
        own_class = Group::SIZE == WARP ? 1 : 2;
        return round ? again_together<Group>(v, round) : first_by_group<Group>(v);
    }

    __device__ void end_round(int, int*) {}
};

extern "C" __global__ void __launch_bounds__(BLOCK)
    classify(LIST_PARAMETERS, const offset_t* indptr, int* counts, int* colors) {
    const Lists lists = LISTS;
    classify_all(lists, indptr, counts, colors);
}

extern "C" __global__ void __launch_bounds__(BLOCK, 4)
    color_rounds(LIST_PARAMETERS, const offset_t* indptr, const int* indices, int* colors, int first, int rounds, int* rows,
                 int* arrived) {
    __shared__ unsigned words[WARPS * GROUP_WORDS];
    __shared__ unsigned entries[BLOCK * SOLO_BYTES / 4 + 1];
    const Lists lists = LISTS;
    Speculation step = {indptr, indices, colors, words, (unsigned char*)entries, 0};
    int goal = 0;
    run_rounds<true>(lists, indptr, first, rounds, 0, rows, arrived, goal, step);
}

// Color parts of the sequence one after the other; part i begins at starts[i]. The first part is `part`, from round
// `first` on. `rows` has the lengths of the lists of each round, with a row of zeros after each part.
extern "C" __global__ void __launch_bounds__(BLOCK, 4)
    color_parts(const int* sequence, int* items, i64 middle, i64 hubs, i64 stride, const int* starts, int parts,
                 const offset_t* indptr, const int* indices, int* colors, int part, int first, int rounds, int* rows,
                 int* arrived) {
    __shared__ unsigned words[WARPS * GROUP_WORDS];
    __shared__ unsigned entries[BLOCK * SOLO_BYTES / 4 + 1];
    Speculation step = {indptr, indices, colors, words, (unsigned char*)entries, 0};
    int goal = 0;
    for (int used = 0; part < parts && used < rounds; part++, used++) {
        int* const row = rows + used * ROW;
        const Lists lists = {sequence + starts[part], items, middle, hubs, stride, starts[part + 1] - starts[part]};
        if (first == 0) {
            classify_all(lists, indptr, row, colors);
            grid_barrier(arrived, goal);
        }
        const int done = run_rounds<true>(lists, indptr, first, rounds - used, 0, row, arrived, goal, step);
        const int* left = row + done * ROW;
        if (load_unfenced(left) + load_unfenced(left + 1) + load_unfenced(left + 2)) return;  // `rows` is full
        used += done;
        first = 0;
    }
}
