// Rounds of che_work_stealing, many in one launch; all blocks must run at the same time. A block owns a deque of work;
// an element is the offset of `chunk` entries of the work list, which the whole block goes through. A block whose
// deque is empty steals; a round ends when all deques are.
//
// Two work lists in turn: what an element leaves is appended to the other one with one atomic per step of the block.
//
// Bytes that must move: as in rounds.cu, and 8 for each vertex that stays in a list; 8 an element for its deque.
// variants: OFFSET_BITS=32,64 BLOCK=256
#include "device/include/append.cuh"
#include "engines/independent_sets/rounds.cuh"
#include "papers/che/deque.cuh"

struct Statistics {
    u64 consumed, tried, won;
};

// An element of the own deque, else of another: the first that is not empty from the own one on. The first warp
// calls; looking at 32 deques at a time, it has seen all of them empty when it gives up.
static __device__ int pop_or_steal(const Deques& d, bool stealing, Statistics& stat) {
    const int lane = threadIdx.x % WARP, own = blockIdx.x, queues = gridDim.x;
    int element = lane == 0 ? pop(d, own) : 0;
    element = __shfl_sync(ALL_LANES, element, 0);
    for (int base = 1; stealing && element < 0 && base < queues;) {
        const int victim = (own + base + lane) % queues;
        const unsigned full = __ballot_sync(ALL_LANES, base + lane < queues && !looks_empty(d, victim));
        if (full == 0) {
            base += WARP;
            continue;
        }
        const int who = __ffs((int)full) - 1;
        if (lane == who) element = steal(d, victim);
        element = __shfl_sync(ALL_LANES, element, who);
        stat.tried++;
        stat.won += element >= 0;
    }
    return element < 0 ? EMPTY : element;
}

// The block's elements of a list of `length` entries: an equal share of offsets, in order.
static __device__ void fill(const Deques& d, i64 length, i64 chunk) {
    const i64 elements = (length + chunk - 1) / chunk;
    const i64 begin = elements * blockIdx.x / gridDim.x, end = elements * (blockIdx.x + 1) / gridDim.x;
    for (i64 i = begin + threadIdx.x; i < end; i += BLOCK) d.elements[blockIdx.x * d.room + (i - begin)] = (int)(i * chunk);
    if (threadIdx.x == 0) refill(d, blockIdx.x, end - begin);
}

// The entries from `begin` on of a list (none: entries are the vertices themselves). How many took a color: the sum over
// the threads. The whole block calls.
static __device__ int launch_task(const ByPriority& s, Hubs& hubs, const u64* list, i64 begin, i64 end, u64* next,
                                  int* n_next, int k) {
    int colored = 0;
    for (i64 base = begin; base < end; base += BLOCK) {
        const i64 i = base + threadIdx.x;
        const u64 entry = i >= end ? GONE : list ? list[i] : entry_of((int)i, (int)i);
        const int v = (int)entry, u = (int)(entry >> 32);
        const int c = entry == GONE || !list ? NOTHING : load_relaxed(s.colors + u);
        const Outcome o = look_at(s, hubs, v, u, c, row_of(s, v, c, !list, k), k);
        const int place = append_block(o.keep, n_next);
        if (o.keep) next[place] = entry_of(v, o.u);
        if (o.slot >= 0) hubs.places[o.slot] = next + place;
        colored += o.colored;
        const int met = hubs.count;  // final: all have appended
        __syncthreads();
        if (met) {
            colored += look_at_hubs(s, hubs, k);
            __syncthreads();
            if (threadIdx.x == 0) hubs.count = 0;
            __syncthreads();
        }
    }
    return colored;
}

// lists: two of n entries; lengths: of both, the one to begin with first; statistics: consumed, tried and won a block, of
// the first round, and then of all. fresh, rounds and state: as in label_rounds.
extern "C" __global__ void che_work_stealing(const offset_t* indptr, const int* indices, const int* value, int* colors,
                                             offset_t* cursor, u64* lists, int* lengths, u64* heads, u64* tails,
                                             int* elements, i64 room, u64* arrivals, i64* state, u64* statistics,
                                             i64 n, i64 fresh, i64 rounds, i64 chunk, i64 stealing) {
    __shared__ Hubs hubs;
    __shared__ int element, colored;
    const ByPriority s({indptr, indices, colors, cursor}, value);
    const Deques deques = {heads, tails, elements, room};
    i64 left = state[0], k = state[1], here = state[4], round = 0;
    Statistics stat = {0, 0, 0};
    if (threadIdx.x == 0) hubs.count = colored = 0;
    for (; round < rounds && left > 0; round++) {
        const bool first = fresh && round == 0;
        const i64 length = first ? n : load_relaxed(lengths + here);
        fill(deques, length, chunk);
        barrier_and_sum(arrivals, 2 * round, 0);
        while (true) {
            if (threadIdx.x < WARP) {
                const int taken = pop_or_steal(deques, stealing, stat);
                if (threadIdx.x == 0) element = taken;
            }
            __syncthreads();
            const int begin = element;
            __syncthreads();
            if (begin < 0) break;
            const i64 end = begin + chunk < length ? begin + chunk : length;
            const int mine = launch_task(s, hubs, first ? nullptr : lists + here * n, begin, end, lists + (1 - here) * n,
                                         lengths + (1 - here), (int)k);
            if (mine) atomicAdd(&colored, mine);
            stat.consumed++;
        }
        __syncthreads();
        left -= barrier_and_sum(arrivals, 2 * round + 1, threadIdx.x == 0 ? (u64)colored : 0);
        if (threadIdx.x == 0) colored = 0;
        if (blockIdx.x == 0 && threadIdx.x == 0) lengths[here] = 0;  // not read, nor added to, before the next grid barrier
        here = 1 - here;
        k++;
        if (threadIdx.x == 0 && first) {
            u64* out = statistics + 3 * blockIdx.x;
            out[0] = stat.consumed, out[1] = stat.tried, out[2] = stat.won;
        }
    }
    if (threadIdx.x == 0) {
        u64* out = statistics + 3 * (gridDim.x + blockIdx.x);
        out[0] += stat.consumed, out[1] += stat.tried, out[2] += stat.won;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0 && round > 0) {
        state[0] = left;
        state[1] = k;
        state[2] = round;
        state[4] = here;
    }
}
