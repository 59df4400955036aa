// Rounds of ejections, many in one cooperative launch; launched, and its symbols explained, by ejections.py.
// GROUP threads work on a vertex: a warp, or a block where the list is short and the graph has hubs.
//
// Lists differ in order from run to run, but no decision depends on it.
//
// Bytes per round: 12 per entry of a listed row (column, state), 4 more per entry where neighbours are ejected.
//
// variants: OFFSET_BITS=32,64 GROUP=32,256
#include "device/include/append.cuh"
#include "device/include/grid.cuh"

#define BLOCK 256
#include "engines/recolor/ejections.cuh"

// Each vertex's weight, which rises with its degree above k - 3; nothing of its color.
extern "C" __global__ void weigh(const offset_t* indptr, u64* state, long long n, long long k, long long knee,
                                 long long first, long long heaviest) {
    for (long long v = (long long)blockIdx.x * BLOCK + threadIdx.x; v < n; v += (long long)gridDim.x * BLOCK) {
        ((int*)state)[2 * v + 1] = weight_of(indptr[v + 1] - indptr[v], k, knee, first, heaviest);
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
        const Lists lists = {i % 2 ? other : list, i % 2 ? list : other, sizes + i + 1, sizes + most + 1, nullptr, flags};
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
