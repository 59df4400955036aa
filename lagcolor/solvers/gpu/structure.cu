// The structure of a colored matrix: its triangles in the order of colors, and its blocks; launched by structure.py.
//
// variants: OFFSET_BITS=32 LANES=1 SOURCE=int
// variants: OFFSET_BITS=64 LANES=8 SOURCE="long long"
// variants: OFFSET_BITS=32 LANES=32 SOURCE=int
#include "base/device/include/group.cuh"
#include "base/device/include/search.cuh"

#define BLOCK 256
#define NO_PLACE 0x7fffffff
// Bits of a key, as in slices.py.
#define KEY_WINDOW 18
#define KEY_LENGTH 8
#define MOST_LENGTH 255

typedef Threads<LANES> Group;

static __device__ __forceinline__ i64 group_in_grid() {
    return blockIdx.x * (i64)(BLOCK / LANES) + Group::index();
}

// Whether a number of 32 or 64 bits is infinite or NaN.
static __device__ __forceinline__ bool not_finite(unsigned x) { return (x >> 23 & 0xff) == 0xff; }
static __device__ __forceinline__ bool not_finite(u64 x) { return (x >> 52 & 0x7ff) == 0x7ff; }

// Whether one of this thread's numbers is not finite; all threads of the grid together read `count` real numbers of
// `bytes` bytes.
static __device__ __forceinline__ bool any_not_finite(const void* numbers, i64 count, int bytes) {
    bool found = false;
    for (i64 i = blockIdx.x * (i64)BLOCK + threadIdx.x; i < count; i += gridDim.x * (i64)BLOCK)
        found |= bytes == 8 ? not_finite(((const u64*)numbers)[i]) : not_finite(((const unsigned*)numbers)[i]);
    return found;
}

// As in structure.py: words that are set for faults of the pattern or of numbers.
enum Faults { MALFORMED, NOT_FINITE, OTHER };

// Check that the rows of a stored matrix ascend and its numbers are finite; no index is trusted. With `copy`, the
// pattern is copied. With `begin`, the pattern without its diagonal is written to `begin` and `found`. OTHER is set if
// a row has no diagonal entry or another entry has no mirror image; `begin` and `found` are then undefined. Mirror
// images are looked up in other rows, which adjacent threads read, too.
extern "C" __global__ void __launch_bounds__(BLOCK) inspect(
    int n, i64 m, const offset_t* indptr, const int* indices, const void* numbers, i64 count, int bytes,
    offset_t* copy_indptr, int* copy, offset_t* begin, int* found, int* faults) {
    if (any_not_finite(numbers, count, bytes)) store_relaxed(faults + NOT_FINITE, 1);
    const i64 row = group_in_grid();
    if (row >= n) return;
    const offset_t first = indptr[row], end = indptr[row + 1];
    bool malformed = first < 0 || end < first || end > m || (row == 0 && first != 0) || (row == n - 1 && end != m);
    bool diagonal = false, alone = false;
    for (offset_t j = first + Group::lane(); !malformed && j < end; j += LANES) {
        const int column = indices[j];
        if (copy) copy[j] = column;
        if (column < 0 || column >= n || (j > first && indices[j - 1] >= column)) {
            malformed = true;
        } else if (column == row) {
            diagonal = true;
        } else if (begin) {
            const offset_t low = indptr[column], high = indptr[column + 1];
            alone |= low < 0 || high > m || place_among(indices, low, high, row) < 0;
            const i64 at = j - row - (column > row);
            if (at >= 0 && at < m - n) found[at] = column;  // may be outside if a diagonal entry is missing
        }
    }
    malformed = Group::any(malformed), diagonal = Group::any(diagonal), alone = Group::any(alone);
    if (Group::lane() != 0) return;
    if (copy) copy_indptr[row + 1] = end;
    if (begin) begin[row + 1] = (offset_t)(end - row - 1);
    if (row == 0) {
        if (copy) copy_indptr[0] = 0;
        if (begin) begin[0] = 0;
    }
    if (malformed) store_relaxed(faults + MALFORMED, 1);
    if (begin && (alone || !diagonal)) store_relaxed(faults + OTHER, 1);
}

// Whether a matrix has an equal pattern (own_indptr, own), and finite numbers.
extern "C" __global__ void __launch_bounds__(BLOCK) compare(
    i64 n, i64 m, const offset_t* indptr, const int* indices, const offset_t* own_indptr, const int* own,
    const void* numbers, i64 count, int bytes, int* faults) {
    if (any_not_finite(numbers, count, bytes)) store_relaxed(faults + NOT_FINITE, 1);
    bool other = false;
    for (i64 i = blockIdx.x * (i64)BLOCK + threadIdx.x; i < m || i <= n; i += gridDim.x * (i64)BLOCK) {
        if (i < m) other |= indices[i] != own[i];
        if (i <= n) other |= indptr[i] != own_indptr[i];
    }
    if (other) store_relaxed(faults + OTHER, 1);
}

// The sort keys of rows for slices.cu: color, kind (short, long, hub), window, entries in earlier and in later colors.
// These numbers of entries and the number of the diagonal entry, −1 for none, are also written.
extern "C" __global__ void __launch_bounds__(BLOCK) keys(
    int n, const offset_t* indptr, const int* indices, const int* colors, int long_from, int hub_from, int window_bits,
    SOURCE* diagonal, int* below, int* above, i64* found) {
    const i64 row = group_in_grid();
    if (row >= n) return;
    const offset_t end = indptr[row + 1];
    const int color = colors[row];
    int before = 0, after = 0;
    i64 on = -1;
    for (offset_t j = indptr[row] + Group::lane(); j < end; j += LANES) {
        const int column = indices[j], theirs = colors[column];
        before += theirs < color;
        after += theirs > color;
        if (column == row) on = j;
    }
    before = Group::template reduce<Plus>(before);
    after = Group::template reduce<Plus>(after);
    on = Group::template reduce<Most>(on);
    if (Group::lane() != 0) return;
    below[row] = before, above[row] = after, diagonal[row] = (SOURCE)on;
    const int most = before > after ? before : after, kind = most >= hub_from ? 2 : most >= long_from;
    i64 key = ((i64)color * 4 + kind) << KEY_WINDOW | (row >> window_bits & ((1 << KEY_WINDOW) - 1));
    key = key << KEY_LENGTH | (before < MOST_LENGTH ? before : MOST_LENGTH);
    found[row] = key << KEY_LENGTH | (after < MOST_LENGTH ? after : MOST_LENGTH);
}

// Columns of blocks and places of entries, if all blocks have all of their entries; otherwise `other` is set. The
// blocks of a row are those that begin in the first row of its block row.
extern "C" __global__ void __launch_bounds__(BLOCK) full_blocks(
    int rows, int b, const offset_t* indptr, const int* indices, offset_t* offsets, int* columns, i64* scatter,
    int* other) {
    const i64 row = group_in_grid();
    if (row >= rows) return;
    const i64 top = row / b * b;
    const int i = (int)(row - top);
    const offset_t first = indptr[row], length = indptr[row + 1] - first, above = indptr[top];
    if (length % b || length != indptr[top + 1] - above || above % (b * b)) {
        if (Group::lane() == 0) store_relaxed(other, 1);
        return;
    }
    const i64 block = above / (b * b), count = indptr[rows] / (b * b);
    for (offset_t t = Group::lane(); t < length; t += LANES) {
        const int column = indices[first + t], within = (int)(t % b);
        // b ascending columns within a block are all of its columns
        if (column != indices[above + t] || column / b != indices[first + t - within] / b) store_relaxed(other, 1);
        scatter[first + t] = ((block + t / b) * b + i) * b + within;
        if (i == 0 && within == 0 && block + t / b < count) columns[block + t / b] = column / b;
    }
    if (i == 0 && Group::lane() == 0) offsets[row / b + 1] = (offset_t)(block + length / b);
}

// For each place: entries below and above the diagonal, and the number of the diagonal entry, −1 for none.
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

// Entries of both triangles, sorted by place: the rank of each entry is counted. Each lane of a group has an entry.
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
            const int loaded = other == base ? mine : there < end ? place[indices[there]] : NO_PLACE;
            for (int k = 0; k < LANES; k++) {
                const int theirs = __shfl_sync(Group::lanes(), loaded, first + k);
                rank += theirs < mine && (mine < p || theirs > p);
            }
        }
        if (mine == NO_PLACE || mine == p) continue;
        const offset_t at = (mine < p ? below[p] : above[p]) + rank;
        (mine < p ? lower : upper)[at] = mine;
        (mine < p ? lower_source : upper_source)[at] = (SOURCE)j;
    }
}

// The place in the upper triangle of the mirror image of each entry of the lower one, −1 for none. LANES lanes per row.
extern "C" __global__ void __launch_bounds__(BLOCK) mirror(
    int n, const offset_t* lower, const int* lower_columns, const offset_t* upper, const int* upper_columns,
    i64* found) {
    const i64 p = group_in_grid();
    if (p >= n) return;
    const offset_t end = lower[p + 1];
    for (offset_t j = lower[p] + Group::lane(); j < end; j += LANES) {
        const int q = lower_columns[j];
        found[j] = place_among(upper_columns, upper[q], upper[q + 1], p);
    }
}

// Blocks in each row of blocks: a thread merges its b rows of sorted entries. Without `columns` the blocks are counted;
// otherwise their columns are written from offsets[row] on, and the place of each entry in the flat blocks.
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
