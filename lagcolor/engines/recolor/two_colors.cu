// Concurrent union-find with parities; launched by two_colors.py.
//
// link[v] = 2 · ancestor + (v is on the other side of it); a root names itself, with parity 0.
// `within` takes the edges inside each tile of consecutive vertices, in shared memory: every vertex hangs under its last
// earlier neighbour, then under its root, then the other edges unite trees. Each root that is left hangs under its first
// neighbour outside, without an atomic. `across` takes the edges from a tile to earlier ones. Where lanes of a warp would
// say the same of the same two trees, as they do along the rows of a mesh, one of them does, in both.
// `finish` writes the sides. In a large graph some blocks of the first launch look at balls around vertices instead: most
// graphs have an odd cycle in one, and all threads stop before having read a tenth of the edges.
//
// Shared state: ancestors only ever get smaller numbers. A root becomes a child by compare-and-swap; every later link
// of that vertex is to a proper ancestor with the parity along the path, so a stale one is as right as a fresh one,
// only longer, and relaxed order is enough. Progress: a failed swap means that another edge hooked that root, which
// happens to each vertex at most once.
//
// Bytes: 8 per vertex and 4 per stored entry within, 8 per vertex and 8 per entry of an earlier tile across, 12 per vertex to
// finish: 0.7 GB for 8 M vertices of degree 6. Nearly nothing after the first odd cycle: each block looks first.
//
// Lost, in us on fd7-200: Rem's union within tiles with no links to roots before (within: 363; climbing both trees to their
// roots: 222), climbing to the roots across (216; Rem's: 166).
//
// variants: OFFSET_BITS=32,64
#include "device/include/hash.cuh"
#include "device/include/search.cuh"

#define BLOCK 512
#define PER_THREAD 4
#define TILE (BLOCK * PER_THREAD)
#define NONE 0xffffffffu
#define SHORT 32  // neighbours that one thread goes through
#define HUB 4096  // more than these are shared out over blocks, PARTS of them
#define PARTS 16
#define LOOK 16  // turns between two looks at the flag
// A ball: slots of its hash table, vertices taken up, entries of a row, and levels.
#define SLOTS 4096
#define BALL TILE
#define BREADTH 64
#define DEPTH 24

struct InShared {
    volatile unsigned* links;
    __device__ unsigned load(unsigned v) const { return links[v]; }
    __device__ void store(unsigned v, unsigned x) const { atomicExch((unsigned*)links + v, x); }
    __device__ bool swap(unsigned v, unsigned was, unsigned x) const {
        return atomicCAS((unsigned*)links + v, was, x) == was;
    }
};

struct InGlobal {
    int* links;
    __device__ unsigned load(unsigned v) const { return (unsigned)load_relaxed(links + v); }
    __device__ void store(unsigned v, unsigned x) const { store_relaxed(links + v, (int)x); }
    __device__ bool swap(unsigned v, unsigned was, unsigned x) const {
        return atomicCAS((unsigned*)links + v, was, x) == was;
    }
};

struct Graph {
    const offset_t* indptr;
    const int* indices;
};

// The link from `word`'s vertex to its root, seen from where `word` is seen; links on the way are halved.
template <class Links>
static __device__ unsigned root_of(Links links, unsigned word) {
    while (true) {
        const unsigned v = word >> 1, up = links.load(v);
        if (up >> 1 == v) return word;
        const unsigned above = links.load(up >> 1) ^ (up & 1);
        if (above >> 1 == up >> 1) return up ^ (word & 1);
        links.store(v, above);
        word = above ^ (word & 1);
    }
}

// Whether what `a` and `b` stand for is now known to be on different sides. Of the two the one with the larger number climbs,
// so that they meet at the first ancestor they share, which on a mesh is near, and seldom go up to the root (Rem's
// algorithm). Links on the way are split.
template <class Links>
static __device__ bool unite(Links links, unsigned a, unsigned b) {
    a ^= 1;
    while (a >> 1 != b >> 1) {
        if (a < b) {
            const unsigned other = a;
            a = b;
            b = other;
        }
        const unsigned v = a >> 1, up = links.load(v);
        if (up >> 1 == v) {
            if (links.swap(v, up, b ^ (a & 1))) return true;
            continue;
        }
        if (up >> 1 > b >> 1) {
            const unsigned above = links.load(up >> 1) ^ (up & 1);
            if (above >> 1 != up >> 1) links.store(v, above);
        }
        a = up ^ (a & 1);
    }
    return a == b;
}

// Lanes with `has` say that u and the vertex of link `mine` are on different sides; false where that cannot be. All lanes of
// a warp call it.
template <class Links>
static __device__ bool relate(Links links, bool has, unsigned u, unsigned mine) {
    has = has && mine != 2 * u + 1;  // hung there
    const unsigned a = has ? links.load(u) : NONE, parity = (a ^ mine) & 1;
    const int before = threadIdx.x % 32 ? threadIdx.x % 32 - 1 : 0;
    const unsigned their_a = __shfl_sync(ALL_LANES, a, before), theirs = __shfl_sync(ALL_LANES, mine, before);
    const bool they_have = __shfl_sync(ALL_LANES, (int)has, before) != 0;
    if (!has) return true;
    const bool same = they_have && their_a >> 1 == a >> 1 && theirs >> 1 == mine >> 1 &&
                      ((their_a ^ theirs) & 1) == parity;
    if (same && threadIdx.x % 32) return true;
    return a >> 1 == mine >> 1 ? parity != 0 : unite(links, a, mine);
}

// The link of a tile's vertex i, from `link`, which it would have alone: lanes that hang under the lane before them hang
// under what the first of them does, so that the rows of a mesh are no long chains. All lanes of a warp call it.
static __device__ unsigned from_head(unsigned i, unsigned link) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned heads = ~__ballot_sync(ALL_LANES, lane > 0 && link == 2 * i - 1);
    const unsigned head = 31 - __clz((int)(heads & ((2u << lane) - 1)));
    return __shfl_sync(ALL_LANES, link, head) ^ ((lane - head) & 1);
}

// The first entry of a sorted row whose column is `least` or more.
static __device__ offset_t first_entry_from(const int* indices, offset_t e, offset_t end, long long least) {
    if (end - e <= SHORT) {
        while (e < end && indices[e] < least) e++;
        return e;
    }
    return first_from(indices, e, end, least);
}

// Looks for an odd cycle near `source`, level by level. A slot of the table holds 2 · vertex + side, a place of the list
// the same; both are only ever filled. Rows are cut off and the ball ends where there is no more room.
static __device__ void probe(Graph G, unsigned source, volatile unsigned* table, volatile unsigned* list,
                             volatile int* length, volatile int* over) {
    for (int i = threadIdx.x; i < SLOTS; i += BLOCK) table[i] = NONE;
    __syncthreads();
    if (threadIdx.x == 0) {
        table[mix(source) % SLOTS] = list[0] = 2 * source;
        *length = 1;
    }
    __syncthreads();
    int done = 0;
    for (int level = 0; level < DEPTH; level++) {
        const int listed = *length < BALL ? *length : BALL;
        const bool found = *over;
        __syncthreads();  // all have read both
        if (listed == done || found) return;
        for (int i = done + threadIdx.x; i < listed; i += BLOCK) {
            const unsigned word = list[i];
            offset_t e = G.indptr[word >> 1], end = G.indptr[(word >> 1) + 1];
            if (end - e > BREADTH) end = e + BREADTH;
            for (; e < end; e++) {
                const unsigned next = 2 * (unsigned)G.indices[e] + (~word & 1);
                for (unsigned slot = mix(next >> 1);; slot++) {  // by number, rows of a grid 2^k wide would share slots
                    const unsigned was = *length < BALL ? atomicCAS((unsigned*)table + slot % SLOTS, NONE, next)
                                                        : table[slot % SLOTS];
                    if (was == (next ^ 1)) atomicExch((int*)over, 1);
                    if (was == NONE && *length < BALL) {
                        const int place = atomicAdd((int*)length, 1);
                        if (place < BALL) list[place] = next;
                    }
                    if (was == NONE || was >> 1 == next >> 1) break;
                }
            }
        }
        done = listed;
        __syncthreads();
    }
}

// notes: whether there is an odd cycle; the number of hubs. The first `probes` blocks look at balls.
extern "C" __global__ void __launch_bounds__(BLOCK)
    within(const offset_t* indptr, const int* indices, long long n, long long probes, int* link, int* notes,
           int* hubs) {
    __shared__ volatile unsigned links[TILE], table[SLOTS];  // links: a probe's list
    __shared__ volatile int length;
    __shared__ volatile int over;
    const InShared local = {links};
    const long long base = (blockIdx.x - probes) * TILE;
    offset_t at[PER_THREAD], end[PER_THREAD];
    unsigned outside[PER_THREAD];
    if (threadIdx.x == 0) over = load_relaxed(notes);
    __syncthreads();
    if (over) return;
    if (blockIdx.x < probes) {
        probe(Graph{indptr, indices}, (unsigned)(blockIdx.x * n / probes), table, links, &length, &over);
        __syncthreads();
        if (over && threadIdx.x == 0) store_relaxed(notes, 1);
        return;
    }
#pragma unroll
    for (int j = 0; j < PER_THREAD; j++) {
        const long long v = base + threadIdx.x + j * BLOCK;
        at[j] = v < n ? indptr[v] : 0, end[j] = v < n ? indptr[v + 1] : 0;
    }
#pragma unroll
    for (int j = 0; j < PER_THREAD; j++) outside[j] = at[j] < end[j] ? (unsigned)indices[at[j]] : NONE;
#pragma unroll
    for (int j = 0; j < PER_THREAD; j++) {
        const unsigned i = threadIdx.x + j * BLOCK;
        if (end[j] - at[j] > HUB) hubs[atomicAdd(notes + 1, 1)] = (int)(base + i);
        if (outside[j] < base) at[j] = first_entry_from(indices, at[j] + 1, end[j], base);
        else outside[j] = NONE;
        const offset_t later = first_entry_from(indices, at[j], end[j], base + i);
        const bool hangs = later > at[j];
        end[j] = hangs ? later - 1 : at[j];
        links[i] = from_head(i, hangs ? 2 * (unsigned)(indices[later - 1] - base) + 1 : 2 * i);
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < PER_THREAD; j++) {
        const unsigned i = threadIdx.x + j * BLOCK, root = root_of(local, 2 * i);
        if (root != local.load(i)) local.store(i, root);
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < PER_THREAD; j++) {
        const unsigned i = threadIdx.x + j * BLOCK;
        while (true) {
            const bool has = at[j] < end[j] && !over;
            if (!__any_sync(ALL_LANES, has)) break;
            const unsigned u = has ? (unsigned)(indices[at[j]++] - base) : 0;
            if (!relate(local, has, u, has ? local.load(i) : NONE)) atomicExch((int*)&over, 1);
        }
    }
    __syncthreads();
    if (over) {
        if (threadIdx.x == 0) store_relaxed(notes, 1);
        return;
    }
#pragma unroll
    for (int j = 0; j < PER_THREAD; j++) {
        const unsigned i = threadIdx.x + j * BLOCK;
        if (base + i >= n) continue;
        const unsigned root = root_of(local, 2 * i);
        const bool hang = root == 2 * i && outside[j] != NONE;
        link[base + i] = (int)(hang ? 2 * outside[j] + 1 : 2 * (unsigned)base + root);
    }
}

// Entries begin, begin + step … of the row of the vertex with link `mine`, while columns are below `base`.
static __device__ void relate_row(InGlobal links, const int* indices, offset_t begin, offset_t end, int step,
                                  long long base, unsigned mine, int* notes) {
    for (int turn = 1;; turn++) {
        const unsigned u = begin < end ? (unsigned)indices[begin] : NONE;
        const bool has = u < base;
        if (!__any_sync(ALL_LANES, has)) return;
        if (!relate(links, has, u, mine)) store_relaxed(notes, 1);
        if (turn % LOOK == 0 && __any_sync(ALL_LANES, load_relaxed(notes) != 0)) return;
        begin = has ? begin + step : end;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    across(const offset_t* indptr, const int* indices, long long n, int* link, int* notes, const int* hubs) {
    __shared__ int over;
    if (threadIdx.x == 0) over = load_relaxed(notes);
    __syncthreads();
    if (over) return;
    const InGlobal links = {link};
    const int lane = threadIdx.x % 32;
    const long long v = (long long)blockIdx.x * BLOCK + threadIdx.x;
    const offset_t begin = v < n ? indptr[v] : 0, end = v < n ? indptr[v + 1] : 0;
    const unsigned mine = v < n ? links.load((unsigned)v) : NONE;
    const long long base = v / TILE * TILE;  // the same for a block
    relate_row(links, indices, begin, end - begin <= SHORT ? end : begin, 1, base, mine, notes);
    unsigned longer = __ballot_sync(ALL_LANES, end - begin > SHORT && end - begin <= HUB);
    for (; longer; longer &= longer - 1) {
        const int from = __ffs((int)longer) - 1;
        const offset_t first = __shfl_sync(ALL_LANES, begin, from), last = __shfl_sync(ALL_LANES, end, from);
        relate_row(links, indices, first + lane, last, 32, base, __shfl_sync(ALL_LANES, mine, from), notes);
    }
    const long long tasks = (long long)notes[1] * PARTS;
    for (long long task = blockIdx.x; task < tasks; task += gridDim.x) {
        const int hub = hubs[task / PARTS];
        const offset_t last = indptr[hub + 1], first = indptr[hub] + (task % PARTS) * BLOCK + threadIdx.x;
        const long long least = (long long)hub / TILE * TILE;
        relate_row(links, indices, first, last, PARTS * BLOCK, least, links.load((unsigned)hub), notes);
    }
}

// odd, in memory of the host: whether there is an odd cycle.
extern "C" __global__ void finish(long long n, int* link, const int* notes, int* colors, int* odd) {
    const long long v = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (v == 0) *odd = notes[0];
    if (v < n && notes[0] == 0) colors[v] = (int)(root_of(InGlobal{link}, 2 * (unsigned)v) & 1);
}
