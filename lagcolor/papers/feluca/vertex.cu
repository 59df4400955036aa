// variants: OFFSET_BITS=32,64
// The second stage without color classes, for comparison: each vertex left takes the least color that no neighbour has,
// all at once, and the later end of a conflict tries again. A round reads the rows of who is left and gathers their colors.
#include "papers/feluca/feluca.cuh"

#define ROWS_PARAMETERS const offset_t* indptr, const int* indices, const int* left, i64 begin_1, i64 begin_2, const int* counts

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
            Parents found = no_parents();
            for (offset_t e = indptr[v] + Group::lane(); e < end; e += Group::SIZE)
                include(found, colors[indices[e]], base);
            found = all_of<Group>(found);
            if (~found.near == 0) continue;
            if (Group::lane() == 0) result[i] = base + least_free(found.near);
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
        for (offset_t e = indptr[v] + Group::lane(); e < end; e += Group::SIZE)
            same |= indices[e] < v && colors[indices[e]] == colors[v];
        same = Group::template reduce<Plus>(same);
        if (Group::lane() == 0) lost[i] = same != 0;
    }
};

// Who has the color of a parent.
extern "C" __global__ void compare(ROWS_PARAMETERS, const int* colors, int* lost) {
    Compare work = {indptr, indices, left, colors, lost};
    for_list(begin_1, begin_2, counts, work);
}
