// variants: OFFSET_BITS=32,64 KEY=0,1,2 THREAD_MOST=32 WARP_MOST=2048
// Jones-Plassmann, all rounds in one cooperative launch. In a round, an active vertex whose earlier neighbors all have
// colors takes the least color that none of them has; other vertices stay for the next round.
//
// A thread colors a vertex of degree up to THREAD_MOST, a warp one of degree up to WARP_MOST, a block the others.
// progress[v] lets a waiting vertex read each edge once: it counts the entries of the row that are done, because they
// lead to colored or later vertices. For degrees up to THREAD_MOST it also has the colors seen. The search stops at the
// first entry that leads to an uncolored earlier vertex. Warps and blocks read the row once more to choose the color.
// Without `progress`, kron_g500 of scale 18 took 159 ms.
//
// Shared state: colors[v] changes once, from -1 to its final value. A color of the current round is therefore as good
// as one of an earlier round, and the result does not depend on the schedule.
//
// Positions in a row are unsigned and relative to its begin, so a step past its end cannot wrap for any offset.
//
// Bytes that must move: 8 per edge (column, and the color of an earlier neighbor; 12 if priorities are an array) over
// all rounds, twice for degrees over THREAD_MOST; and 24 per active vertex and round.
#include "base/device/include/palette.cuh"
#include "engines/rounds/worklists.cuh"
#include "orders/spread.cuh"

#define DONE 40      // in progress[] of a vertex of low degree: first bit of the number of entries, above the colors
#define FEW 4        // entries of a row whose loads are in flight at once
#define WINDOW 1024  // colors in a bitmap; if all are taken, another pass over the row checks the next colors
#define NONE 0x7fffffff  // no color; larger than every color

struct Work {
    const offset_t* __restrict__ indptr;
    const int *__restrict__ indices, *__restrict__ p;
    unsigned seed;
    int* colors;
    u64* progress;
};

// Key of a vertex: its id, a hash of the id, or an array. Vertices with larger keys are colored earlier.
static __device__ __forceinline__ unsigned key(const Work& w, int v) {
#if KEY == 0
    return ~(unsigned)v;
#elif KEY == 1
    return mix((unsigned)v, w.seed);
#else
    return (unsigned)w.p[v];
#endif
}

// Read the colors of FEW neighbors, at entries k, k + step, …: -1 for an uncolored earlier neighbor, NONE for a later
// neighbor.
static __device__ __forceinline__ void read_few(const Work& w, unsigned mine, const int* row, unsigned k, unsigned step,
                                                unsigned degree, int* c) {
    int u[FEW];
#pragma unroll
    for (unsigned i = 0; i < FEW; i++) u[i] = k + i * step < degree ? row[k + i * step] : -1;
#pragma unroll
    for (unsigned i = 0; i < FEW; i++) c[i] = u[i] >= 0 && key(w, u[i]) > mine ? load_unfenced(w.colors + u[i]) : NONE;
}

// Try to color v, of degree up to THREAD_MOST < DONE; true if v has a color now. `waited`: the first entry that is not
// done led to an uncolored earlier neighbor in the previous round.
static __device__ __forceinline__ bool try_low(const Work& w, int v, offset_t begin, unsigned degree, u64 known,
                                               bool waited) {
    const unsigned done = (unsigned)(known >> DONE);
    if (waited && load_unfenced(w.colors + w.indices[begin + (offset_t)done]) < 0) return false;
    const unsigned mine = key(w, v);
    u64 seen = known & ((1ull << DONE) - 1);
    for (unsigned k = done; k < degree; k += FEW) {
        int c[FEW];
        read_few(w, mine, w.indices + begin, k, 1, degree, c);
#pragma unroll
        for (unsigned i = 0; i < FEW; i++) {
            if (c[i] < 0) {
                w.progress[v] = seen | (u64)(k + i) << DONE;
                return false;
            }
            if (c[i] < DONE) seen |= 1ull << c[i];
        }
    }
    store_relaxed(w.colors + v, least_free(seen));
    return true;
}

// Try to color v, of any degree, by a group of threads; `waited` and the result are as in try_low.
template <class Group>
static __device__ __forceinline__ bool try_together(const Work& w, int v, bool waited) {
    __shared__ unsigned bitmaps[BLOCK / Group::SIZE][WINDOW / 32];
    const Palette<Group, WINDOW / 32> palette = {bitmaps[Group::index()]};
    const unsigned lane = Group::lane();
    const offset_t begin = w.indptr[v];
    const int* row = w.indices + begin;
    const unsigned degree = (unsigned)(w.indptr[v + 1] - begin), mine = key(w, v);
    unsigned done = waited ? (unsigned)w.progress[v] : 0;
    const auto waits_for = [&](unsigned k) {
        const int u = row[k];
        return key(w, u) > mine && load_unfenced(w.colors + u) < 0;
    };
    if (waited && Group::any(lane == 0 && waits_for(done))) return false;
    for (; done < degree; done += Group::SIZE) {
        const bool waits = done + lane < degree && waits_for(done + lane);
        if (!Group::any(waits)) continue;
        const unsigned first = Group::template reduce<Least>(waits ? done + lane : NONE);
        if (lane == 0) w.progress[v] = first;
        return false;
    }
    int base = 0, answer = -1;
    for (;; base += WINDOW) {  // ends: at most `degree` colors are taken
        palette.clear();
        for (unsigned k = lane; k < degree; k += FEW * Group::SIZE) {
            int c[FEW];
            read_few(w, mine, row, k, Group::SIZE, degree, c);
#pragma unroll
            for (int i = 0; i < FEW; i++) palette.take((unsigned)(c[i] - base));
        }
        answer = palette.least();
        if (answer >= 0) break;
    }
    if (lane == 0) store_relaxed(w.colors + v, base + answer);
    return true;
}

struct Turn {
    Work w;

    __device__ bool small(int v, int round) const {
        if (v < 0) return false;
        const offset_t begin = w.indptr[v];
        const unsigned degree = (unsigned)(w.indptr[v + 1] - begin);
        return !try_low(w, v, begin, degree, round ? w.progress[v] : 0, round);
    }

    template <class Group> __device__ bool visit(int v, int round) const { return !try_together<Group>(w, v, round); }

    __device__ void end_round(int, int*) const {}
};

extern "C" __global__ void __launch_bounds__(BLOCK)
    classify(LIST_PARAMETERS, const offset_t* indptr, int* counts, int* colors) {
    const Lists lists = LISTS;
    classify_all(lists, indptr, counts, colors);
}

extern "C" __global__ void __launch_bounds__(BLOCK, 4)
    color_rounds(LIST_PARAMETERS, const offset_t* indptr, const int* indices, const int* p, i64 seed, int* colors,
                 u64* progress, int first, int rounds, int* rows, int* arrived) {
    const Lists lists = LISTS;
    Turn step = {{indptr, indices, p, (unsigned)seed, colors, progress}};
    int goal = 0;
    run_rounds<false>(lists, indptr, first, rounds, 0, rows, arrived, goal, step);
}
