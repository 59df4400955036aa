// First-fit of one vertex by GROUP threads: a warp, or a block of them.
//
// The row is read once, EDGES edges a thread at a time: colors of neighbours go to a bitmap in shared memory, earlier
// neighbours without a color to a list, which is polled until all have one. A row of more colors than the bitmap holds
// is read again for each further window of colors.
#pragma once
#include "engines/greedy/first_fit.cuh"

#define UNROLL 4
#if GROUP == 32
#define WINDOW 2048  // colors that the bitmap holds
#define ROW_ROOM 256     // vertices that the list holds
#else
#define WINDOW 65536
#define ROW_ROOM 2048
#endif

struct Row {  // in shared memory, one per group
    unsigned bitmap[WINDOW / 32];  // all 0 between two vertices
    int list[ROW_ROOM], count, answer;
};

static __device__ __forceinline__ void sync_row() {
    if (GROUP == 32) __syncwarp();
    else __syncthreads();
}
static __device__ __forceinline__ bool any_of_row(bool x) {
    return GROUP == 32 ? __any_sync(ALL_LANES, x) : __syncthreads_or(x);
}

static __device__ __forceinline__ void clear_row(Row* row, int lane) {
    for (int i = lane; i < WINDOW / 32; i += GROUP) row->bitmap[i] = 0;
    if (lane == 0) row->count = 0;
}

// Poll the listed vertices until each has a color; the list is empty then.
static __device__ __forceinline__ void drain(int lane, Row* row, unsigned window, const state_t* state) {
    const int all = row->count;
    bool waits;
    do {
        waits = false;
        for (int i = lane; i < all; i += GROUP) {
            if (row->list[i] < 0) continue;
            const unsigned s = load_state(state + row->list[i]);
            if (s < UNCOLORED) {
                row->list[i] = -1;
                if (s - window < WINDOW) atomicOr(row->bitmap + (s - window) / 32, 1u << s % 32);
            } else {
                waits = true;
            }
        }
    } while (any_of_row(waits));
    sync_row();  // a vote orders no memory
    if (lane == 0) row->count = 0;
    sync_row();
}

// The colors of a row's neighbours into the bitmap, as far as they are in the window.
template <int EDGES>
static __device__ __forceinline__ void read_row(int lane, Row* row, offset_t begin, offset_t end, unsigned mine,
                                                unsigned window, const int* __restrict__ indices,
                                                const state_t* state) {
    for (offset_t e = begin; e < end; e += GROUP * EDGES) {
        int u[EDGES];
        unsigned s[EDGES];
#pragma unroll
        for (int k = 0; k < EDGES; k++) u[k] = e + k * GROUP + lane < end ? indices[e + k * GROUP + lane] : -1;
#pragma unroll
        for (int k = 0; k < EDGES; k++) s[k] = u[k] >= 0 ? load_state(state + u[k]) : mine;
#pragma unroll
        for (int first = 0; first < EDGES; first += UNROLL) {
#pragma unroll
            for (int k = first; k < first + UNROLL; k++) {
                if (s[k] - window < WINDOW) atomicOr(row->bitmap + (s[k] - window) / 32, 1u << s[k] % 32);
                if (s[k] > mine) row->list[atomicAdd(&row->count, 1)] = u[k];
            }
            sync_row();
            const bool full = row->count > ROW_ROOM - GROUP * UNROLL;
            sync_row();
            if (full) drain(lane, row, window, state);
        }
    }
}

// Color vertex v, whose state while it has none is `mine`, from its edges begin … end − 1. EDGES is a multiple of UNROLL.
template <int EDGES>
static __device__ __forceinline__ void color_row(int lane, Row* row, int v, unsigned mine, offset_t begin, offset_t end,
                                                 const int* __restrict__ indices, state_t* state) {
    unsigned color = ~0u;
    for (unsigned window = 0; color == ~0u; window += WINDOW) {
        read_row<EDGES>(lane, row, begin, end, mine, window, indices, state);
        drain(lane, row, window, state);
        // The least color that the bitmap lacks; the bitmap is cleared for the next use.
        if (lane == 0) row->answer = 0x7fffffff;
        sync_row();
        for (int i = lane; i < WINDOW / 32; i += GROUP) {
            const unsigned word = row->bitmap[i];
            row->bitmap[i] = 0;
            // Later words of this thread cannot win, but must be cleared.
            if (word != ~0u) atomicMin(&row->answer, i * 32 + __ffs(~word) - 1);
        }
        sync_row();
        if (row->answer != 0x7fffffff) color = window + (unsigned)row->answer;
        sync_row();
    }
    if (lane == 0) store_state(state + v, color);
}
