// Heuristics 1 and 2: seven kernels per pass. heuristics.py launches them and explains the symbols. All kernels have
// the same parameters. GROUP threads read a row: a warp, or a block if the graph has hubs.
//
// Shared state is monotone, so its final value does not depend on the schedule: `first` only decreases (atomicMin),
// compare-and-swap makes the smaller of two roots the parent of the larger, bits of `free` and `left` are only cleared,
// and entries of `matrix` only become 1. Only `move` changes `colors`, each entry by its own thread.
//
// Progress in `unite`: if a swap fails, another thread gave this root a parent, which happens once per root.
//
// Bytes per pass: 4 per vertex to find H, 8 per entry of a row of H twice, 4 to 8 per entry of a row of W twice.
//
// variants: OFFSET_BITS=32,64 GROUP=32,256
#include "base/device/include/append.cuh"

#define BLOCK 256
#define GROUPS (BLOCK / GROUP)
#define NONE 0x7fffffff
#define WORD 64
enum { N_H, N_W, PAIR, MOVED };

#define PASS_PARAMETERS const offset_t* indptr, const int* indices, int* colors, int* first, int* h, int* w, int* parent, u64* free_, u64* left, int* matrix, int* state, long long n, long long hic, long long columns, long long words

#define THREAD ((long long)blockIdx.x * BLOCK + threadIdx.x)
#define THREADS ((long long)gridDim.x * BLOCK)
#define LANE (threadIdx.x % GROUP)
#define FIRST_ROW ((long long)blockIdx.x * GROUPS + threadIdx.x / GROUP)
#define ROW_STEP ((long long)gridDim.x * GROUPS)

// Number of colors that heuristic 2 considers, equal to `rows` in heuristics.py.
static __device__ __forceinline__ int rows_of(long long hic, long long words, int n_h) {
    const long long fitting = words / n_h, all = hic < WORD ? hic : WORD;
    return (int)(fitting < all ? fitting : all);
}

static __device__ __forceinline__ int root_of(const int* parent, int i) {
    while (parent[i] != i) i = parent[i];
    return i;
}

// Clear bits of a word, with one atomic for all lanes of a warp.
static __device__ __forceinline__ void clear_bits(u64* at, u64 bits) {
    bits = reduce_warp<Either>(bits);
    if (threadIdx.x % 32 == 0 && bits) atomicAnd(at, ~bits);
}

extern "C" __global__ void find_h(PASS_PARAMETERS) {
    for (long long begin = (long long)blockIdx.x * BLOCK; begin < n; begin += THREADS) {
        const long long v = begin + threadIdx.x;
        const bool top = v < n && colors[v] == hic;
        const int place = append_block(top, state + N_H);
        if (top) {
            h[place] = (int)v;
            parent[place] = place;
        }
    }
}

// Find W, and the least position of the neighbors in H of each of its vertices; initialize `free` and `matrix`.
extern "C" __global__ void find_w(PASS_PARAMETERS) {
    const int n_h = state[N_H], rows = rows_of(hic, words, n_h);
    const u64 below = hic < WORD ? (1ull << hic) - 1 : ~0ull;
    for (long long i = THREAD; i < (long long)n_h * rows; i += THREADS) free_[i] = below & ~(1ull << i % rows);
    for (long long i = THREAD; i < columns * columns; i += THREADS) matrix[i] = 0;
    if (THREAD == 0) state[PAIR] = NONE;
    for (long long i = FIRST_ROW; i < n_h; i += ROW_STEP) {
        const offset_t end = indptr[h[i] + 1];
        const int lane = threadIdx.x % 32;
        for (offset_t e = indptr[h[i]] + LANE; e - lane < end; e += GROUP) {  // all lanes of a warp stay in the loop
            const int u = e < end ? indices[e] : 0;
            const bool found = e < end && atomicMin(first + u, (int)i) == NONE;
            const int place = append_warp(found, state + N_W);
            if (found) w[place] = u;
        }
    }
}

extern "C" __global__ void unite(PASS_PARAMETERS) {
    const int n_h = state[N_H];
    for (long long i = FIRST_ROW; i < n_h; i += ROW_STEP) {
        const offset_t end = indptr[h[i] + 1];
        for (offset_t e = indptr[h[i]] + LANE; e < end; e += GROUP) {
            int a = first[indices[e]], b = (int)i;
            while (a != b) {
                for (int up; (up = load_relaxed(parent + a)) != a;) a = up;
                for (int up; (up = load_relaxed(parent + b)) != b;) b = up;
                if (a == b) break;
                const int low = a < b ? a : b, high = a < b ? b : a;
                if (atomicCAS(parent + high, high, low) == high) break;
            }
        }
    }
}

// Remove the colors around each vertex of W from the word of its set, and set them in the matrix.
extern "C" __global__ void forbid(PASS_PARAMETERS) {
    const int n_w = state[N_W], rows = rows_of(hic, words, state[N_H]);
    for (long long i = FIRST_ROW; i < n_w; i += ROW_STEP) {
        const int u = w[i], c = colors[u];
        const bool near = c < columns;
        u64 mask = 0;
        const offset_t end = indptr[u + 1];
        for (offset_t e = indptr[u] + LANE; e < end; e += GROUP) {
            const int d = colors[indices[e]];
            if (d < WORD) mask |= 1ull << d;
            int* at = matrix + c * columns + d;
            if (near && d < columns && load_relaxed(at) == 0) store_relaxed(at, 1);
        }
        if (near && LANE == 0) store_relaxed(matrix + c * columns + c, 1);
        if (c < rows) clear_bits(free_ + (long long)root_of(parent, first[u]) * rows + c, mask);
    }
}

// Heuristic 1: find the least pair that the matrix allows. Heuristic 2: copy `free` to `left`.
extern "C" __global__ void choose_pair(PASS_PARAMETERS) {
    const int n_h = state[N_H], rows = rows_of(hic, words, n_h);
    for (long long i = THREAD; i < (long long)n_h * rows; i += THREADS) left[i] = free_[i];
    for (long long i = THREAD; i < columns * columns; i += THREADS) {
        if (matrix[i] == 0 && i < load_relaxed(state + PAIR)) atomicMin(state + PAIR, (int)i);
    }
}

// True if set s with colors a prevails over set t with colors b: by number of colors, then by smaller position.
static __device__ __forceinline__ bool stronger(u64 a, int s, u64 b, int t) {
    const int more = __popcll(a) - __popcll(b);
    return more > 0 || (more == 0 && s < t);
}

// Remove the colors of stronger adjacent choices from `left`.
extern "C" __global__ void give_way(PASS_PARAMETERS) {
    if (state[PAIR] != NONE) return;
    const int n_w = state[N_W], rows = rows_of(hic, words, state[N_H]);
    for (long long i = FIRST_ROW; i < n_w; i += ROW_STEP) {
        const int u = w[i], c = colors[u];
        if (c >= rows) continue;
        const int s = root_of(parent, first[u]);
        const u64 mine = free_[(long long)s * rows + c];
        u64 lost = 0;
        const offset_t end = indptr[u + 1];
        for (offset_t e = indptr[u] + LANE; mine && e < end; e += GROUP) {
            const int x = indices[e], place = first[x];
            if (place == NONE) continue;
            const int d = colors[x];
            if (d >= rows) continue;
            const int t = root_of(parent, place);
            const u64 theirs = free_[(long long)t * rows + d];
            if (t != s && stronger(theirs, t, mine, s)) lost |= theirs;
        }
        clear_bits(left + (long long)s * rows + c, lost);
    }
}

// Least color that all vertices of it around a set can leave, or −1.
static __device__ __forceinline__ int choice_of(const u64* left, int s, int rows) {
    for (int c = 0; c < rows; c++) {
        if (left[(long long)s * rows + c]) return c;
    }
    return -1;
}

extern "C" __global__ void move(PASS_PARAMETERS) {
    const int n_h = state[N_H], n_w = state[N_W], rows = rows_of(hic, words, n_h), pair = state[PAIR];
    const int x = pair / (int)columns, y = pair % (int)columns;
    for (long long i = THREAD; i < n_w; i += THREADS) {
        const int u = w[i], c = colors[u];
        if (pair != NONE) {
            if (c == x) colors[u] = y;
        } else if (c < rows) {
            const int s = root_of(parent, first[u]);
            if (choice_of(left, s, rows) == c) colors[u] = __ffsll((long long)left[(long long)s * rows + c]) - 1;
        }
        first[u] = NONE;
    }
    int moved = 0;
    for (long long i = THREAD; i < n_h; i += THREADS) {
        const int c = pair != NONE ? x : choice_of(left, root_of(parent, (int)i), rows);
        if (c >= 0) colors[h[i]] = c;
        moved += c >= 0;
    }
    __syncwarp();
    add_from_warp(state + MOVED, moved);
}
