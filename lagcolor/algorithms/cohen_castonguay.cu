// variants: OFFSET_BITS=32,64 HASHES=1,4,16 THREAD_MOST=32 WARP_MOST=2048
// All rounds of Cohen and Castonguay's coloring in one cooperative launch; cohen_castonguay.py describes a round.
//
// A vertex has a bit per set: 2j for the maxima and 2j + 1 for the minima of hash j. Each uncolored neighbor clears one
// of the two bits of each hash. A search ends when no bit is left.
//
// Shared state: colors[v] changes once, from negative to its final value. A color of the current round, which is not
// below the first color of the round, counts as none, so the schedule does not matter.
//
// Bytes: 4 to 8 per edge that is read (column; from the second round on also the neighbor's color), most edges once.
#include "engines/rounds/worklists.cuh"

#define SETS (2 * HASHES)
#define EVERY_SET (0xffffffffu >> (32 - SETS))
#define GOLDEN 0x9e3779b9u

struct Extrema {
    const offset_t* __restrict__ indptr;
    const int* __restrict__ indices;
    const int* __restrict__ p;  // first hash of the first round; null: computed like the others
    int* colors;
    unsigned seed, mine, word;  // mine: sets that this thread has filled in this round
    int round;

    __device__ void begin(int r) {
        round = r;
        word = r ? mix(seed + r * GOLDEN) : seed;
    }
    __device__ unsigned key(int v) const { return mix((unsigned)v ^ word); }
    // Hash j of a vertex with this key. The factor is odd, so distinct keys have distinct hashes.
    static __device__ unsigned hash(unsigned key, int j) { return key * (2u * j * GOLDEN + 1u); }

    // Sets that v is not in because of neighbor u.
    __device__ unsigned taken_by(int u, unsigned key_v, bool by_array, int p_v) const {
        const unsigned key_u = key(u);
        unsigned sets = 0;
#pragma unroll
        for (int j = 0; j < HASHES; j++) {
            const bool greater = by_array && j == 0 ? p[u] > p_v : hash(key_u, j) > hash(key_v, j);
            sets |= (greater ? 1u : 2u) << 2 * j;
        }
        return sets;
    }

    // Sets that v is in; all threads of the group return them.
    template <class Group> __device__ unsigned search(int v) const {
        const int base = round * SETS;
        const bool by_array = round == 0 && p;
        const int p_v = by_array ? p[v] : 0;
        const unsigned key_v = key(v);
        const offset_t end = indptr[v + 1];
        unsigned sets = EVERY_SET;
        for (offset_t e = indptr[v]; e < end && sets; e += DEEP * Group::SIZE) {
            int u[DEEP], c[DEEP];
            fetch_neighbors<Group>(indices, colors, e, end, -1, u, c, round > 0);
#pragma unroll
            for (int q = 0; q < DEEP; q++)
                if (u[q] >= 0 && (c[q] < 0 || c[q] >= base)) sets &= ~taken_by(u[q], key_v, by_array, p_v);
            sets = Group::template reduce<Both>(sets);
        }
        return sets;
    }

    template <class Group> __device__ bool visit(int v, int r) {
        begin(r);
        const unsigned sets = search<Group>(v);
        if (sets && Group::lane() == 0) {
            const int first = __ffs((int)sets) - 1;
            store_relaxed(colors + v, r * SETS + first);
            mine |= 1u << first;
        }
        return sets == 0;
    }

    __device__ bool small(int v, int r) { return v >= 0 && visit<SingleThread>(v, r); }

    // Add the sets that this thread has filled to `used`, which has a bit for each nonempty set of the round.
    __device__ void end_round(int, int* used) {
        mine = reduce_warp<Either>(mine);
        if (threadIdx.x % WARP == 0 && mine & ~(unsigned)load_unfenced(used)) atomicOr((unsigned*)used, mine);
        mine = 0;
    }
};

extern "C" __global__ void __launch_bounds__(BLOCK)
    classify(LIST_PARAMETERS, const offset_t* indptr, int* counts, int* colors) {
    const Lists lists = LISTS;
    classify_all(lists, indptr, counts, colors);
}

// Run rounds from number `first` on; rows[0] belongs to it.
extern "C" __global__ void __launch_bounds__(BLOCK, 4)
    color_rounds(LIST_PARAMETERS, const offset_t* indptr, const int* indices, const int* p, i64 seed, int* colors,
                 int first, int rounds, int stop, int* rows, int* arrived) {
    const Lists lists = LISTS;
    Extrema step = {indptr, indices, p, colors, (unsigned)seed, 0, 0, 0};
    int goal = 0;
    run_rounds<false>(lists, indptr, first, rounds, stop, rows, arrived, goal, step);
}
