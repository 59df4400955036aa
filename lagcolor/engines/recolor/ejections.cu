// Rounds of ejections, many in one cooperative launch; launched, and its symbols explained, by ejections.py.
// GROUP threads work on a vertex: a warp, or a block where the list is short and the graph has hubs.
//
// Shared state: in `propose` and `contend` each thread writes only what is its group's own, and reads what was there before
// the last grid barrier. In `commit` colors of neighbours change: a group looks for its own color, which no other group
// beside that neighbour took (`contend`), by relaxed loads, and whoever exchanges it for none lists the vertex.
// Lists differ in order from run to run, but no decision depends on it.
//
// Bytes per round: 12 per entry of a listed row (column, state), 4 more per entry where neighbours are ejected.
//
// variants: OFFSET_BITS=32,64 GROUP=32,256
#include "device/include/append.cuh"
#include "device/include/grid.cuh"
#include "device/include/group.cuh"
#include "device/include/hash.cuh"

#define BLOCK 256
#define GROUPS (BLOCK / GROUP)
#define WINDOW (GROUP == 32 ? 256 : 2048)
#define RANK (threadIdx.x % GROUP)
typedef Threads<GROUP> Group;
#define EJECTS 1
#define BESIDE 2
#define LOST 4

struct Graph {
    const offset_t* indptr;
    const int* indices;
};

struct Weights {
    long long knee, gain, heaviest;
};

struct Lists {
    const int* here;
    int *there, *n_there, *n_later;
    unsigned char* flags;
};

// A color, and the flags, for the vertex of this group; returns the entries read.
static __device__ long long propose(Graph G, const u64* state, int* wish, int v, int k, unsigned noise,
                                    unsigned char* flag, unsigned* cost) {
    const offset_t begin = G.indptr[v], end = G.indptr[v + 1];
    int drop = 0;
    while ((end - begin) >> drop >= 65536) drop++;
    const int start = (int)((u64)mix((unsigned)v, noise) * (u64)k >> 32);
    bool beside = false;
    u64 best = ~0ull;  // cost, then distance from `start`
    for (int base = 0; base < k; base += WINDOW) {
        const int width = k - base < WINDOW ? k - base : WINDOW;
        for (int c = RANK; c < width; c += GROUP) cost[c] = 0;
        Group::sync();
        for (offset_t e = begin + RANK; e < end; e += GROUP) {
            const u64 x = state[G.indices[e]];
            const unsigned c = (unsigned)x - 1 - (unsigned)base;  // huge without a color
            beside |= (unsigned)x == 0;
            if (c < (unsigned)width) atomicAdd(cost + c, (unsigned)(x >> 32) >> drop | (drop > 0));
        }
        Group::sync();
        for (int c = RANK; c < width; c += GROUP) {
            const int ahead = base + c - start;
            const u64 key = (u64)cost[c] << 32 | (unsigned)(ahead < 0 ? ahead + k : ahead);
            best = key < best ? key : best;
        }
        Group::sync();
    }
    best = Group::reduce<Least>(best);
    beside = Group::any(beside);
    if (RANK == 0) {
        const long long c = start + (long long)(best & 0xffffffffu);
        wish[v] = (int)(c < k ? c : c - k);
        *flag = (best >> 32 != 0 ? EJECTS : 0) | (beside ? BESIDE : 0);
    }
    return end - begin;
}

// Whether a neighbour with the same wish has a larger hash.
static __device__ bool loses(Graph G, const u64* state, const int* wish, int v, unsigned noise) {
    const offset_t begin = G.indptr[v], end = G.indptr[v + 1];
    const unsigned h = mix((unsigned)v, noise);
    bool lost = false;
    for (offset_t e = begin + RANK; e < end; e += GROUP) {
        const int u = G.indices[e];
        lost |= (unsigned)state[u] == 0 && wish[u] == wish[v] && mix((unsigned)u, noise) > h;
    }
    return Group::any(lost);
}

// v takes its wish; neighbours that have it lose it and join a list.
static __device__ void commit(Graph G, u64* state, int* wish, int v, int k, Weights by, bool ejects, Lists lists) {
    int* words = (int*)state;  // color + 1 and weight in turn
    const offset_t begin = G.indptr[v], end = G.indptr[v + 1];
    const int color = wish[v] + 1;
    if (RANK == 0) {
        store_relaxed(words + 2 * (long long)v, color);
        if (ejects) {
            const long long above = end - begin - k + 3 > 0 ? end - begin - k + 3 : 0;
            const long long gained = 1 + (above * (above < by.knee ? above : by.knee) >> by.gain);
            const long long weight = (unsigned)words[2 * (long long)v + 1] + gained;
            words[2 * (long long)v + 1] = (int)(weight < by.heaviest ? weight : by.heaviest);
        }
    }
    for (offset_t e = begin + RANK; ejects && e < end; e += GROUP) {
        const int u = G.indices[e];
        int* at = words + 2 * (long long)u;
        if (load_relaxed(at) != color || atomicCAS(at, color, 0) != color) continue;
        wish[u] = -1;
        if (G.indptr[u + 1] - G.indptr[u] < k) atomicAdd(lists.n_later, 1);
        else lists.there[atomicAdd(lists.n_there, 1)] = u;
    }
}

// Each vertex's weight, which rises with its degree above k - 3; nothing of its color.
extern "C" __global__ void weigh(const offset_t* indptr, u64* state, long long n, long long k, long long knee,
                                 long long first, long long heaviest) {
    for (long long v = (long long)blockIdx.x * BLOCK + threadIdx.x; v < n; v += (long long)gridDim.x * BLOCK) {
        const long long degree = indptr[v + 1] - indptr[v], above = degree > k - 3 ? degree - (k - 3) : 0;
        const long long weight = above * (above < knee ? above : knee) >> first;
        ((int*)state)[2 * v + 1] = (int)(weight < 1 ? 1 : weight < heaviest ? weight : heaviest);
    }
}

// The vertices without a color, in any order; `n_here` is 0 before.
extern "C" __global__ void list_later(const u64* state, int* here, int* n_here, long long n) {
    for (long long begin = (long long)blockIdx.x * BLOCK; begin < n; begin += (long long)gridDim.x * BLOCK) {
        const long long v = begin + threadIdx.x;
        const bool later = v < n && (unsigned)state[v] == 0;
        const int place = append_block(later, n_here);
        if (later) here[place] = (int)v;
    }
}

// The vertices of colors from k on lose them: those of at least k neighbours are listed in `here`, the others counted.
extern "C" __global__ void open_color(const offset_t* indptr, u64* state, int* wish, int* here, int* n_here, int* n_later,
                                      long long n, long long k) {
    int* words = (int*)state;
    for (long long begin = (long long)blockIdx.x * BLOCK; begin < n; begin += (long long)gridDim.x * BLOCK) {
        const long long v = begin + threadIdx.x;
        const bool top = v < n && words[2 * v] > k, hard = top && indptr[v + 1] - indptr[v] >= k;
        const int place = append_block(hard, n_here);
        append_block(top && !hard, n_later);
        if (!top) continue;  // no barrier follows in this turn
        words[2 * v] = 0;
        wish[v] = -1;
        if (hard) here[place] = (int)v;
    }
}

// Up to `most` rounds. sizes: lengths of the list of each round (`most` + 1 of them), then how many are colored later; zeros but
// for the first and the last. read: entries. Round i goes from list i mod 2 to the other.
extern "C" __global__ void __launch_bounds__(BLOCK)
    rounds(const offset_t* indptr, const int* indices, u64* state, int* wish, int* list, int* other,
           unsigned char* flags, int* sizes, u64* read, int* arrived, long long k, long long salt, long long first,
           long long most, long long knee, long long gain, long long heaviest) {
    __shared__ unsigned costs[GROUPS][WINDOW];
    const Graph G = {indptr, indices};
    const Weights by = {knee, gain, heaviest};
    const int group = threadIdx.x / GROUP;
    const long long begin = blockIdx.x + (long long)gridDim.x * group, step = (long long)gridDim.x * GROUPS;
    long long mine = 0;
    int goal = 0;
    for (int i = 0; i < most; i++) {
        const int n_here = load_relaxed(sizes + i);
        if (n_here == 0) break;
        const unsigned noise = mix((unsigned)(first + i)) ^ (unsigned)salt;
        const Lists lists = {i % 2 ? other : list, i % 2 ? list : other, sizes + i + 1, sizes + most + 1, flags};
        for (long long j = begin; j < n_here; j += step)
            mine += propose(G, state, wish, lists.here[j], (int)k, noise, flags + j, costs[group]);
        grid_barrier(arrived, goal);
        for (long long j = begin; j < n_here; j += step) {
            const int v = lists.here[j];
            if (!(flags[j] & BESIDE) || !loses(G, state, wish, v, noise)) continue;
            Group::sync();  // all have read the flag
            if (RANK == 0) {
                flags[j] = LOST;
                lists.there[atomicAdd(lists.n_there, 1)] = v;
            }
        }
        grid_barrier(arrived, goal);
        for (long long j = begin; j < n_here; j += step) {
            if (flags[j] == LOST) continue;
            commit(G, state, wish, lists.here[j], (int)k, by, flags[j] & EJECTS, lists);
        }
        grid_barrier(arrived, goal);
    }
    if (RANK == 0 && mine) atomicAdd(read, (u64)mine);
}
