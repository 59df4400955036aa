// neighbor_reduce in the monoid "or" with a cursor a bit: whether some neighbour has bit 0, whether one has bit 1 …
//
// cursor[bit·n + v] leading neighbours of v have not that bit, now and for ever, so the next one most likely still has
// it. A thread looks at these witnesses first, for 32 vertices a warp; only for a vertex that misses one the warp, or the
// block, searches on together; vertices of few neighbours are a thread's own all the way. All rounds together then
// look at each edge once a bit, and at a witness a bit a round. With one cursor for both of its bits gunrock_is looked
// at 4.4 times as many edges of kron_g500 of scale 16, those of vertices of over 32 neighbours.
//
// Bytes: 4 a listed vertex, 2 offsets, and for each bit its cursor, 4 for the edge and what the functor touches.
// variants: OFFSET_BITS=32,64 CLASSES=3 BITS=1,2
#include "frontier.cuh"
#include "functors.cuh"

typedef int Item;
#define GRAPH_PARAMETERS const offset_t *indptr, const int *indices, int *cursor, i64 n
#define EVERY_BIT ((1u << BITS) - 1)

// The bits whose witnesses still stand, and what else these show.
__device__ inline unsigned look_at_witnesses(int v, GRAPH_PARAMETERS ARGUMENT_PARAMETERS) {
    const offset_t row = indptr[v], end = indptr[v + 1];
    unsigned found = 0;
    for (int bit = 0; bit < BITS; bit++) {
        const offset_t e = row + cursor[bit * n + v];
        if (!(found >> bit & 1) && e < end) found |= value(v, indices[e], e ARGUMENTS) & EVERY_BIT;
    }
    return found;
}

// Bits that any thread of the group has, and the first edge whose value has the bit `wanted`, if one has; known to all.
struct WarpVotes {
    static const int size = WARP;
    __device__ static int lane() { return threadIdx.x % WARP; }
    __device__ static void vote(unsigned x, int wanted, offset_t base, unsigned &found, offset_t &first) {
        for (int bit = 0; bit < BITS; bit++) {
            const unsigned having = __ballot_sync(ALL_LANES, x >> bit & 1);
            if (having) found |= 1u << bit;
            if (bit == wanted && having) first = base + __ffs((int)having) - 1;
        }
    }
};

struct BlockVotes {
    static const int size = BLOCK;
    __device__ static int lane() { return threadIdx.x; }
    __device__ static void vote(unsigned x, int wanted, offset_t base, unsigned &found, offset_t &first) {
        __shared__ unsigned founds[BLOCK / WARP];
        __shared__ offset_t firsts[BLOCK / WARP];
        const int warp = threadIdx.x / WARP;
        unsigned mine = 0;
        offset_t here = first;
        WarpVotes::vote(x, wanted, base + warp * WARP, mine, here);
        if (threadIdx.x % WARP == 0) {
            founds[warp] = mine;
            firsts[warp] = here;
        }
        __syncthreads();
        for (int w = 0; w < BLOCK / WARP; w++) {
            found |= founds[w];
            first = firsts[w] < first ? firsts[w] : first;
        }
        __syncthreads();
    }
};

// The bits of the whole neighbourhood, where `found` are known; the whole group calls.
template <class Votes>
__device__ inline unsigned search(int v, unsigned found, GRAPH_PARAMETERS ARGUMENT_PARAMETERS) {
    const offset_t row = indptr[v], end = indptr[v + 1];
    for (int bit = 0; bit < BITS; bit++) {
        if (found >> bit & 1) continue;
        offset_t first = end;
        for (offset_t base = row + cursor[bit * n + v]; base < end && first == end; base += Votes::size) {
            const offset_t e = base + Votes::lane();
            const unsigned x = e < end ? unsigned(value(v, indices[e], e ARGUMENTS)) : 0;
            Votes::vote(x, bit, base, found, first);
        }
        if (Votes::lane() == 0) cursor[bit * n + v] = int(first - row);
    }
    return found;
}

extern "C" __global__ void bits_thread(LIST_PARAMETERS, GRAPH_PARAMETERS, KEPT_PARAMETERS ARGUMENT_PARAMETERS) {
    const i64 count = COUNT;
    for (i64 base = (i64)blockIdx.x * BLOCK; base < count; base += (i64)gridDim.x * BLOCK) {
        const bool inside = base + threadIdx.x < count;
        const int v = inside ? ITEM(base + threadIdx.x) : 0;
        const offset_t row = inside ? indptr[v] : 0, end = inside ? indptr[v + 1] : 0;
        unsigned found = 0;
        for (int bit = 0; inside && bit < BITS; bit++) {
            const offset_t before = row + cursor[bit * n + v];
            offset_t e = before;
            for (; e < end && !(found >> bit & 1); e++) found |= value(v, indices[e], e ARGUMENTS);
            if (e > before && (found >> bit & 1)) e--;  // the witness itself
            if (e != before) cursor[bit * n + v] = int(e - row);
        }
        append_block(inside && then(v, found ARGUMENTS), v, kept + kept_begin, kept_counts + part);
    }
}

extern "C" __global__ void bits_warp(LIST_PARAMETERS, GRAPH_PARAMETERS, KEPT_PARAMETERS ARGUMENT_PARAMETERS) {
    const int lane = threadIdx.x % WARP;
    const i64 count = COUNT;
    for (i64 base = ((i64)blockIdx.x * BLOCK + threadIdx.x) / WARP * WARP; base < count; base += (i64)gridDim.x * BLOCK) {
        const bool inside = base + lane < count;
        const int v = inside ? ITEM(base + lane) : 0;
        unsigned found = inside ? look_at_witnesses(v, indptr, indices, cursor, n ARGUMENTS) : EVERY_BIT;
        for (unsigned open = __ballot_sync(ALL_LANES, found != EVERY_BIT); open; open &= open - 1) {
            const int who = __ffs((int)open) - 1;
            const int w = __shfl_sync(ALL_LANES, v, who);
            const unsigned known = __shfl_sync(ALL_LANES, found, who);
            const unsigned all = search<WarpVotes>(w, known, indptr, indices, cursor, n ARGUMENTS);
            if (lane == who) found = all;
        }
        append_warp(inside && then(v, found ARGUMENTS), v, kept + kept_begin, bound, kept_counts + part);
    }
}

extern "C" __global__ void bits_block(LIST_PARAMETERS, GRAPH_PARAMETERS, KEPT_PARAMETERS ARGUMENT_PARAMETERS) {
    __shared__ int vertices[WARP];
    __shared__ unsigned founds[WARP], open_ones;
    const i64 count = COUNT;
    for (i64 base = (i64)blockIdx.x * WARP; base < count; base += (i64)gridDim.x * WARP) {
        const bool inside = threadIdx.x < WARP && base + threadIdx.x < count;
        const int v = inside ? ITEM(base + threadIdx.x) : 0;
        if (threadIdx.x < WARP) {
            const unsigned found = inside ? look_at_witnesses(v, indptr, indices, cursor, n ARGUMENTS) : EVERY_BIT;
            const unsigned open = __ballot_sync(ALL_LANES, found != EVERY_BIT);
            vertices[threadIdx.x] = v;
            founds[threadIdx.x] = found;
            if (threadIdx.x == 0) open_ones = open;
        }
        __syncthreads();
        for (unsigned open = open_ones; open; open &= open - 1) {
            const int who = __ffs((int)open) - 1;
            const unsigned known = founds[who];
            __syncthreads();
            const unsigned all = search<BlockVotes>(vertices[who], known, indptr, indices, cursor, n ARGUMENTS);
            if (threadIdx.x == 0) founds[who] = all;
        }
        __syncthreads();
        if (threadIdx.x < WARP)
            append_warp(inside && then(v, founds[threadIdx.x] ARGUMENTS), v, kept + kept_begin, bound, kept_counts + part);
        __syncthreads();
    }
}
