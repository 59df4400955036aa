// Properties of a graph from samples, written to host memory. Each property has its blocks. Symbols as in survey.py.
//
// Bytes: about 200 rows, and a row for each of up to LISTED vertices of a ball.
//
// variants: OFFSET_BITS=32,64
#include "base/device/include/group.cuh"
#include "base/device/include/hash.cuh"

#define BLOCK 1024
#define ROWS 64
#define TWINS 16
#define LONG 512  // rows longer than this are skipped
#define ROW 63
#define BALLS 32
#define LEVELS 12
#define LISTED 2048
#define TABLE 8192  // a power of two, more than LISTED + EACH vertices per thread
#define LOOKED_AT 32  // entries read of a row in a ball
#define EACH 4        // entries of these per thread
#define GOLDEN 0x9E3779B1u  // the golden ratio as a fraction of 2^32
#define EMPTY 0xffffffffu

struct Found {
    u64 hashes[ROWS];
    int twins[TWINS];
    int size, row[ROW];
    int odd;
};

static __device__ __forceinline__ int spread(int i, i64 n) { return (int)((i64)((unsigned)(i + 1) * GOLDEN) * n >> 32); }

// Hashes rows relative to their vertices; 0 for empty and long rows. A warp per row.
static __device__ void hash_rows(i64 n, const offset_t* indptr, const int* indices, Found* found) {
    for (int i = threadIdx.x / WARP; i < ROWS; i += BLOCK / WARP) {
        const int v = spread(i, n);
        const offset_t begin = indptr[v], degree = indptr[v + 1] - begin;
        u64 hash = 0;
        for (int e = Warp::lane(); e < degree && degree <= LONG; e += WARP) {
            const unsigned offset = (unsigned)(indices[begin + e] - v);
            hash += (u64)mix(offset, (unsigned)e) << 32 | mix(offset + GOLDEN * (unsigned)(e + 1));
        }
        hash = Warp::reduce<Plus>(hash);
        if (Warp::lane() == 0) found->hashes[i] = degree && degree <= LONG ? hash | 1ull << 63 : 0;
    }
}

// Writes the differences between ids of neighbors and vertex, for the longest row (up to ROW) near the middle.
static __device__ void read_row(i64 n, const offset_t* indptr, const int* indices, Found* found) {
    __shared__ int most;
    if (threadIdx.x == 0) most = 0;
    __syncthreads();
    const i64 middle = n / 2, v = middle + threadIdx.x < n ? middle + threadIdx.x : n - 1;
    const offset_t degree = indptr[v + 1] - indptr[v];
    if (degree <= ROW) atomicMax(&most, (int)degree << 16 | (BLOCK - (int)threadIdx.x));
    __syncthreads();
    const i64 at = middle + BLOCK - (most & 0xffff), u = at < n ? at : n - 1;
    if (threadIdx.x == 0) found->size = most >> 16;
    if (threadIdx.x < most >> 16) found->row[threadIdx.x] = indices[indptr[u] + threadIdx.x] - (int)u;
}

// Finds vertices that seem to have a twin. A warp per vertex, a lane per neighbor.
static __device__ void look_for_twins(i64 n, const offset_t* indptr, const int* indices, Found* found) {
    const int i = threadIdx.x / WARP;
    if (i >= TWINS) return;
    const int v = spread(i, n);
    const offset_t begin = indptr[v];
    const i64 degree = indptr[v + 1] - begin;
    bool twin = false;
    for (int e = Warp::lane(); e < degree && degree <= LONG; e += WARP) {
        const int u = indices[begin + e];
        const offset_t b = indptr[u];
        if (indptr[u + 1] - b != degree || min(indices[b], u) != min(indices[begin], v)) continue;
        if (max(indices[b + degree - 1], u) != max(indices[begin + degree - 1], v)) continue;
        i64 difference = u - v;
        for (int j = 0; j < degree; j++) difference += indices[b + j] - indices[begin + j];
        twin |= difference == 0;
    }
    if (Warp::any(twin) && Warp::lane() == 0) found->twins[i] = 1;
}

// Records that u is on a side; lists it if it is new and the list is not full. Returns whether u is on the other side.
static __device__ bool note(unsigned* table, int* list, int* listed, int u, unsigned side, bool& full) {
    const unsigned word = 2 * (unsigned)u + side;
    for (unsigned at = mix((unsigned)u) % TABLE;; at = (at + 1) % TABLE) {  // ends: most of the table is empty
        const unsigned seen = atomicCAS(table + at, EMPTY, word);
        if (seen == EMPTY) {
            const int place = atomicAdd(listed, 1);
            full = place >= LISTED;
            if (!full) list[place] = (int)word;
            return false;
        }
        if (seen / 2 == (unsigned)u) return seen != word;
    }
}

// Breadth-first search from a vertex. An edge between vertices of one side ends it: there is an odd cycle.
static __device__ void look_for_odd_cycle(int start, const offset_t* indptr, const int* indices, Found* found) {
    __shared__ unsigned table[TABLE];
    __shared__ int list[LISTED], listed;
    typedef Threads<LOOKED_AT / EACH> Team;
    for (int i = threadIdx.x; i < TABLE; i += BLOCK) table[i] = EMPTY;
    if (threadIdx.x == 0) listed = 0;
    __syncthreads();
    bool odd = false, full = false;
    if (threadIdx.x == 0) note(table, list, &listed, start, 0, full);
    __syncthreads();
    int from = 0, to = 1;
    for (int level = 0; level < LEVELS && from < to; level++) {
        for (int i = from + Team::index(); i < to && !full; i += BLOCK / Team::SIZE) {
            const unsigned word = (unsigned)list[i];
            const offset_t begin = indptr[word / 2], end = indptr[word / 2 + 1];
            int u[EACH];
            for (int q = 0; q < EACH; q++) {
                const offset_t e = begin + q * Team::SIZE + Team::lane();
                u[q] = e < end ? indices[e] : -1;
            }
            for (int q = 0; q < EACH; q++)
                if (u[q] >= 0) odd |= note(table, list, &listed, u[q], ~word & 1, full);
        }
        if (__syncthreads_or(odd)) break;
        from = to;
        to = min(listed, LISTED);
        __syncthreads();  // all have read it
    }
    if (odd) found->odd = 1;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    survey(i64 n, const offset_t* indptr, const int* indices, Found* found) {
    if (blockIdx.x == 0) hash_rows(n, indptr, indices, found);
    if (blockIdx.x == 1) read_row(n, indptr, indices, found);
    if (blockIdx.x == 2) look_for_twins(n, indptr, indices, found);
    if (blockIdx.x > 2) look_for_odd_cycle(spread((int)blockIdx.x - 3, n), indptr, indices, found);
}
