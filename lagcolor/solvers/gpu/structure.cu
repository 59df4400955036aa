// The structure of a colored matrix: its triangles in the order of colors, and its blocks; launched by structure.py.
//
// variants: OFFSET_BITS=32 LANES=1 SOURCE=int
// variants: OFFSET_BITS=64 LANES=8 SOURCE="long long"
// variants: OFFSET_BITS=32 LANES=32 SOURCE=int
#include "device/include/group.cuh"

#define BLOCK 256
#define NO_PLACE 0x7fffffff

typedef Threads<LANES> Group;

static __device__ __forceinline__ i64 group_in_grid() {
    return blockIdx.x * (i64)(BLOCK / LANES) + Group::index();
}

// Per place: entries below and above the diagonal, and where the diagonal's is; −1 for nowhere.
extern "C" __global__ void __launch_bounds__(BLOCK) lengths(
    int n, const offset_t* indptr, const int* indices, const int* order, const int* place, offset_t* below,
    offset_t* above, SOURCE* diagonal) {
    const i64 p = group_in_grid();
    if (p >= n) return;
    const int row = order[p];
    const offset_t end = indptr[row + 1];
    int before = 0, after = 0;
    i64 on = -1;
    for (offset_t j = indptr[row] + Group::lane(); j < end; j += LANES) {
        const int q = place[indices[j]];
        before += q < p;
        after += q > p;
        if (q == p) on = j;
    }
    before = Group::template reduce<Plus>(before);
    after = Group::template reduce<Plus>(after);
    on = Group::template reduce<Most>(on);
    if (Group::lane() == 0) below[p] = before, above[p] = after, diagonal[p] = (SOURCE)on;
}

// Entries of both triangles, sorted by place: each counts those before it, of which the lanes of a group hold one each.
extern "C" __global__ void __launch_bounds__(BLOCK) entries(
    int n, const offset_t* indptr, const int* indices, const int* order, const int* place, const offset_t* below,
    const offset_t* above, int* lower, SOURCE* lower_source, int* upper, SOURCE* upper_source) {
    const i64 p = group_in_grid();
    if (p >= n) return;
    const int row = order[p], first = threadIdx.x % WARP - threadIdx.x % LANES;
    const offset_t begin = indptr[row], end = indptr[row + 1];
    for (offset_t base = begin; base < end; base += LANES) {
        const offset_t j = base + Group::lane();
        const int mine = j < end ? place[indices[j]] : NO_PLACE;
        int rank = 0;
        for (offset_t other = begin; other < end; other += LANES) {
            const offset_t there = other + Group::lane();
            const int held = other == base ? mine : there < end ? place[indices[there]] : NO_PLACE;
            for (int k = 0; k < LANES; k++) {
                const int theirs = __shfl_sync(Group::lanes(), held, first + k);
                rank += theirs < mine && (mine < p || theirs > p);
            }
        }
        if (mine == NO_PLACE || mine == p) continue;
        const offset_t at = (mine < p ? below[p] : above[p]) + rank;
        (mine < p ? lower : upper)[at] = mine;
        (mine < p ? lower_source : upper_source)[at] = (SOURCE)j;
    }
}

// Where in the upper triangle the mirror image of each entry of the lower one is; −1 for nowhere. LANES lanes per row.
extern "C" __global__ void __launch_bounds__(BLOCK) mirror(
    int n, const offset_t* lower, const int* lower_columns, const offset_t* upper, const int* upper_columns, i64* found) {
    const i64 p = group_in_grid();
    if (p >= n) return;
    const offset_t end = lower[p + 1];
    for (offset_t j = lower[p] + Group::lane(); j < end; j += LANES) {
        const int q = lower_columns[j];
        offset_t low = upper[q], high = upper[q + 1];
        const offset_t last = high;
        while (low < high) {
            const offset_t middle = low + (high - low) / 2;
            if (upper_columns[middle] < p) low = middle + 1;
            else high = middle;
        }
        found[j] = low < last && upper_columns[low] == p ? (i64)low : -1;
    }
}

// Blocks in each row of blocks: a thread goes along its b rows of sorted entries at once. Without `columns` they are
// counted; else their columns are written from offsets[row] on, and where in all blocks' numbers each entry is.
extern "C" __global__ void __launch_bounds__(BLOCK) blocks(
    int n, int b, const offset_t* indptr, const int* indices, offset_t* at, offset_t* offsets, int* columns,
    i64* scatter) {
    const int row = (int)(blockIdx.x * (i64)BLOCK + threadIdx.x);
    if (row >= n) return;
    const i64 top = (i64)row * b;
    for (int i = 0; i < b; i++) at[top + i] = indptr[top + i];
    offset_t count = columns ? offsets[row] : 0;
    for (;;) {
        int next = NO_PLACE;
        for (int i = 0; i < b; i++)
            if (at[top + i] < indptr[top + i + 1]) {
                const int column = indices[at[top + i]] / b;
                next = column < next ? column : next;
            }
        if (next == NO_PLACE) break;
        for (int i = 0; i < b; i++) {
            offset_t j = at[top + i];
            for (; j < indptr[top + i + 1] && indices[j] / b == next; j++)
                if (columns) scatter[j] = ((i64)count * b + i) * b + indices[j] % b;
            at[top + i] = j;
        }
        if (columns) columns[count] = next;
        count++;
    }
    if (!columns) offsets[row + 1] = count;
}
