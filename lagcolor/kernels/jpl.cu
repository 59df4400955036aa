// variants: OFFSET_BITS=32,64
// Jones-Plassmann-Luby in one cooperative launch. The color of a vertex is one more than the largest color of its
// earlier neighbours, whenever these get theirs: jpl.py says why that is what rounds of local maxima give.
//
// A vertex passes over its edges once: best[v] is what the edges before cursor[v] ask for, and its row is looked
// at again from there when it is visited next.
//
// Shared state: colors[] goes from negative to its final value once, so a color read early is as good as one of an
// earlier round. cursor[v] and best[v] belong to the group that visits v; `meet` parts one visit from the next.
//
// Bytes: 8 to 12 an edge (column, priority, and the color of an earlier neighbour), 24 a vertex a round while it waits.
#define THREAD_MOST 32
#define WARP_MOST 2048
#include "baselines.cuh"

struct Level {
    const offset_t* __restrict__ indptr;
    const int* __restrict__ indices;
    const int* __restrict__ p;
    int* colors;
    offset_t* cursor;
    int* best;

    template <class Group> __device__ bool visit(int v, int round) {
        offset_t e = round ? cursor[v] : indptr[v];
        const offset_t end = indptr[v + 1];
        const int p_v = p[v];
        int most = round ? best[v] : 0;
        bool waits = false;
        for (; e < end; e += Group::SIZE) {
            int c = -1;
            bool blind = false;
            if (e + Group::lane() < end) {
                const int u = indices[e + Group::lane()];
                if (p[u] > p_v) {
                    c = look(colors + u);
                    blind = c < 0;
                }
            }
            waits = Group::any(blind);
            if (waits) break;
            most = max(most, c + 1);
        }
        most = Group::most(most);
        Group::sync();  // all have read what lane 0 writes
        if (Group::lane() == 0) {
            if (waits) {
                cursor[v] = e;
                best[v] = most;
            } else {
                store_relaxed(colors + v, most);
            }
        }
        return waits;
    }

    __device__ bool small(int v, int round) { return v >= 0 && visit<Alone>(v, round); }
    __device__ void end_round(int, int*) {}
};

extern "C" __global__ void __launch_bounds__(BLOCK)
    classify(LIST_PARAMETERS, const offset_t* indptr, int* counts, int* colors) {
    const Lists lists = LISTS;
    classify_all(lists, indptr, counts, colors);
}

extern "C" __global__ void __launch_bounds__(BLOCK, 4)
    color_rounds(LIST_PARAMETERS, const offset_t* indptr, const int* indices, const int* p, int* colors, offset_t* cursor,
                 int* best, int first, int rounds, int* rows, int* arrived) {
    const Lists lists = LISTS;
    Level step = {indptr, indices, p, colors, cursor, best};
    int goal = 0;
    run_rounds<false>(lists, indptr, first, rounds, 0, rows, arrived, goal, step);
}
