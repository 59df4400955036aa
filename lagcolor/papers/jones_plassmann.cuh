// Trying a vertex: it takes the least color that no earlier neighbour has, if all of these have colors.
//
// A thread takes a vertex of degree up to LOW, a warp one of degree up to HIGH, a block the others. progress[v] says
// what is known of a vertex that waits, so that an edge is looked at once: how many entries of its row need no further
// look, since they lead to colored or later vertices; for degrees up to LOW also which colors these have. The entry
// after them is the one to wait for: the search stops there while it has no color. Warps and blocks look once more at
// each edge when it is the vertex's turn. Without all this, kron_g500 of scale 18 took 159 ms.
//
// Shared state: colors[] goes from -1 to its final value once (monotone), so a color read early in the same round is as
// good as one of an earlier round, and the result does not depend on the schedule.
//
// Places in a row are unsigned and count from its begin: a step past its end cannot wrap around, whatever the offsets.
#pragma once
#include "device/include/append.cuh"
#include "device/include/grid.cuh"
#include "device/include/palette.cuh"
#include "orders/spread.cuh"

#define BLOCK 256  // threads
#define LOW 32     // degrees up to which a thread and a warp have a vertex
#define HIGH 2048
#define DONE 40      // in progress[], of a low vertex: where the number of entries begins, above the colors
#define FEW 4        // entries of a row whose loads are in flight at once
#define WINDOW 1024  // colors in a bitmap; where all are taken, another pass over the row looks at the next ones
#define NONE 0x7fffffff  // no color: more than there are

struct Work {
    const offset_t* __restrict__ indptr;
    const int *__restrict__ indices, *__restrict__ p;
    unsigned seed;
    int* colors;
    u64* progress;
};

// The larger is colored earlier: by id, by its hash, or by an array.
static __device__ __forceinline__ unsigned key(const Work& w, int v) {
#if KEY == 0
    return ~(unsigned)v;
#elif KEY == 1
    return mix((unsigned)v, w.seed);
#else
    return (unsigned)w.p[v];
#endif
}

// Colors of FEW neighbours, `step` entries apart from entry k on: -1 for an earlier one that has none, NONE for a
// later one.
static __device__ __forceinline__ void read_few(const Work& w, unsigned mine, const int* row, unsigned k, unsigned step,
                                                unsigned degree, int* c) {
    int u[FEW];
#pragma unroll
    for (unsigned i = 0; i < FEW; i++) u[i] = k + i * step < degree ? row[k + i * step] : -1;
#pragma unroll
    for (unsigned i = 0; i < FEW; i++) c[i] = u[i] >= 0 && key(w, u[i]) > mine ? load_unfenced(w.colors + u[i]) : NONE;
}

// Of degree up to LOW, so that colors past LOW need no place among those seen. `waited`: the first entry that is not
// done is of an earlier neighbour that had no color. Whether v has a color now.
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

// Of any degree, by a group. Whether v has a color now.
template <class Group>
static __device__ __forceinline__ bool try_together(const Work& w, int v) {
    __shared__ unsigned bitmaps[BLOCK / Group::SIZE][WINDOW / 32];
    const Palette<Group, WINDOW / 32> palette = {bitmaps[Group::index()]};
    const unsigned lane = Group::lane();
    const offset_t begin = w.indptr[v];
    const int* row = w.indices + begin;
    const unsigned degree = (unsigned)(w.indptr[v + 1] - begin), mine = key(w, v);
    unsigned done = (unsigned)w.progress[v];
    const auto waits_for = [&](unsigned k) {
        const int u = row[k];
        return key(w, u) > mine && load_unfenced(w.colors + u) < 0;
    };
    if (Group::any(lane == 0 && done < degree && waits_for(done))) return false;
    for (; done < degree; done += Group::SIZE) {
        const bool waits = done + lane < degree && waits_for(done + lane);
        if (!Group::any(waits)) continue;
        const unsigned first = Group::template reduce<Least>(waits ? done + lane : NONE);
        if (lane == 0) w.progress[v] = first;
        return false;
    }
    int base = 0, answer = -1;
    for (;; base += WINDOW) {  // ends: colors taken are no more than the degree
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
