// Ejections in one launch that the host does not wait for; symbols as in ejections.py.
//
// All blocks go through the vertices together: for the number of colors, then once per color to save, where the coloring that
// is complete is written to `colors` and the vertices of the highest color lose theirs. The rounds between are the first
// block's where lists have some tens of vertices, for its barriers take a tenth of those of a grid; for long lists all
// blocks take them together. The colors are the same.
//
// Bytes: 16 per vertex for each color saved; 12 per entry of a listed row, 4 more where neighbours are ejected.
//
// variants: OFFSET_BITS=32,64 GROUP=32 BLOCK=1024
#include "device/include/append.cuh"
#include "device/include/clock.cuh"
#include "device/include/grid.cuh"

#include "engines/recolor/ejections.cuh"
#include "engines/recolor/largest.cuh"

#define LOOKED_AT 32  // entries of a row, in search of a triangle

// In global memory, zeros before the launch.
struct Words {
    u64 degree;  // the largest + 1, and how many vertices have it
    int arrived, most, n_here, n_later, go_on, odd;
    // Of a round by all blocks: whether it comes, which lists, its number, how many will be in the next, the work so far.
    int long_list, here, done, n_there;
    u64 work;
};

struct Limits {
    int least;      // colors
    int rounds;     // in all
    int stuck;      // rounds without a list that is shorter than before
    i64 work;       // entries read, and a_vertex for each vertex in the list of a round
    i64 stuck_work;
    int a_vertex;
    unsigned salt;
    int long_list;  // vertices of a list from which all blocks take a round
};

// What the host gets.
struct Outcome {
    int first, last;  // colors before and after
    int rounds;
    int degree, count;  // the largest, and how many vertices have it
    int odd;            // whether a triangle was found
    int nanoseconds;
};

// Whether the first two neighbours of v are neighbours, in a short row.
static __device__ __forceinline__ bool in_triangle(Graph G, int v) {
    const offset_t begin = G.indptr[v];
    if (G.indptr[v + 1] - begin < 2) return false;
    const int u = G.indices[begin], w = G.indices[begin + 1];
    const offset_t row = G.indptr[u], end = G.indptr[u + 1];
    bool found = false;
    for (offset_t e = row; e < end && e < row + LOOKED_AT; e++) found |= G.indices[e] == w;
    return found;
}

// A pair of this block's with that of the others.
static __device__ __forceinline__ void combine(u64* at, u64 mine) {
    u64 seen = load_relaxed(at);
    for (;;) {
        const u64 before = atomicCAS(at, seen, Larger()(seen, mine));
        if (before == seen) return;
        seen = before;
    }
}

static __device__ __forceinline__ void wait_for_all(int* arrived, int& goal) {
    if (gridDim.x == 1) __syncthreads();
    else grid_barrier(arrived, goal);
}

// What a walk reads and writes, and where the three lists are: each has room for all n vertices.
struct Walk {
    Graph G;
    u64* state;
    int *wish, *lists;
    unsigned char* flags;
    Words* words;
    unsigned (*costs)[WINDOW];  // of each group, in shared memory
    Weights by;
    int n, k, here, there, later;

    __device__ int* list(int which) const { return lists + (i64)which * n; }
};

// A round by the groups first, first + step …, which wait for each other by `wait`; *work grows by what it took.
template <class Wait>
static __device__ __forceinline__ void round(const Walk& w, int n_here, int first, int step, int* n_there, int* n_later,
                                             u64* work, int a_vertex, unsigned noise, Wait wait) {
    const int* const here = w.list(w.here);
    int* const there = w.list(w.there);
    unsigned char* const flags = w.flags;
    const Lists lists = {here, there, n_there, n_later, w.list(w.later), flags};
    i64 mine = 0;
    for (int j = first; j < n_here; j += step)
        mine += a_vertex + propose(w.G, w.state, w.wish, here[j], w.k, noise, flags + j, w.costs[threadIdx.x / GROUP]);
    if (RANK == 0 && mine) atomicAdd(work, (u64)mine);
    wait();
    for (int j = first; j < n_here; j += step) {
        const int v = here[j];
        if (!(flags[j] & BESIDE) || !loses(w.G, w.state, w.wish, v, noise)) continue;
        Group::sync();  // all have read the flag
        if (RANK == 0) {
            flags[j] = LOST;
            there[atomicAdd(n_there, 1)] = v;
        }
    }
    wait();
    for (int j = first; j < n_here; j += step) {
        if (flags[j] == LOST) continue;
        commit(w.G, w.state, w.wish, here[j], w.k, w.by, flags[j] & EJECTS, lists);
    }
    wait();
}

// The same by all blocks, each of which calls after a barrier; the lists are those that the first block has announced.
static __device__ void round_of_all(Walk w, Limits limits, int& goal) {
    Words* const words = w.words;
    const int n_here = load_relaxed(&words->n_here), at = load_relaxed(&words->here);
    w.here = at & 3, w.there = at >> 2 & 3, w.later = at >> 4;
    const unsigned noise = mix((unsigned)load_relaxed(&words->done)) ^ limits.salt;
    const int first = (threadIdx.x / GROUP) * gridDim.x + blockIdx.x, step = gridDim.x * GROUPS;
    round(w, n_here, first, step, &words->n_there, &words->n_later, &words->work, limits.a_vertex, noise,
          [&] { grid_barrier(&words->arrived, goal); });
}

// By the other blocks while the first one walks: they help where it calls them.
static __device__ void help(const Walk& w, Limits limits, int& goal) {
    for (;;) {
        grid_barrier(&w.words->arrived, goal);
        if (!load_relaxed(&w.words->long_list)) return;
        round_of_all(w, limits, goal);
    }
}

// By the first block: whether every vertex of the lists gets a color under k before a limit is reached.
static __device__ bool walk(Walk w, Limits limits, int& done, i64& spent, int& goal) {
    __shared__ int n_there, n_later;
    __shared__ u64 work;
    Words* const words = w.words;
    int n_here = load_relaxed(&words->n_here);
    if (threadIdx.x == 0) {
        n_later = load_relaxed(&words->n_later);
        work = (u64)spent;
    }
    __syncthreads();
    int fewest = 0x7fffffff, since = done;
    i64 before = spent;
    for (;;) {
        if (n_here == 0) {
            n_here = n_later;
            fewest = 0x7fffffff;
            if (n_here == 0) return true;
            const int list = w.here;
            w.here = w.later;
            w.later = list;
            __syncthreads();
            if (threadIdx.x == 0) n_later = 0;
        }
        if (n_here < fewest) {
            fewest = n_here;
            since = done;
            before = spent;
        }
        if (done == limits.rounds || done - since == limits.stuck) return false;
        if (spent > limits.work || spent - before > limits.stuck_work) return false;
        if (n_here >= limits.long_list && gridDim.x > 1) {
            if (threadIdx.x == 0) {
                store_relaxed(&words->n_here, n_here);
                store_relaxed(&words->n_there, 0);
                store_relaxed(&words->n_later, n_later);
                store_relaxed(&words->work, work);
                store_relaxed(&words->done, done);
                store_relaxed(&words->here, w.here | w.there << 2 | w.later << 4);
                store_relaxed(&words->long_list, 1);
            }
            grid_barrier(&words->arrived, goal);
            round_of_all(w, limits, goal);
            if (threadIdx.x == 0) {
                n_there = load_relaxed(&words->n_there);
                n_later = load_relaxed(&words->n_later);
                work = load_relaxed(&words->work);
            }
            __syncthreads();
        } else {
            if (threadIdx.x == 0) n_there = 0;
            const unsigned noise = mix((unsigned)done) ^ limits.salt;
            __syncthreads();
            round(w, n_here, threadIdx.x / GROUP, GROUPS, &n_there, &n_later, &work, limits.a_vertex, noise,
                  [] { __syncthreads(); });
        }
        done++;
        n_here = n_there;
        spent = (i64)work;
        const int list = w.here;
        w.here = w.there;
        w.there = list;
        __syncthreads();  // all have read both
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    save_colors(const offset_t* indptr, const int* indices, int n, int* colors, u64* state, int* wish, int* lists,
                unsigned char* flags, Words* words, int least, int of_square, int most_rounds,
                int least_rounds, int eighths, int least_stuck, i64 of_entries, int work_of_square, int beside,
                int stuck_parts, int a_vertex, unsigned salt, int long_list, i64 knee, i64 first, i64 gain, i64 heaviest,
                Outcome* outcome) {
    __shared__ unsigned costs[GROUPS][WINDOW];
    const Graph G = {indptr, indices};
    const Weights by = {knee, gain, heaviest};
    int *const here = lists, *const later = lists + 2 * (i64)n;
    const int start = blockIdx.x * BLOCK, step = gridDim.x * BLOCK;
    const u64 now = nanoseconds();
    int goal = 0, most = 0, rounds = 0;
    i64 spent = 0;
    u64 degrees = 0;
    for (int v = start + threadIdx.x; v < n; v += step) {
        const int code = colors[v] + 1;
        state[v] = (unsigned)code;
        most = code > most ? code : most;
        degrees = Larger()(degrees, (u64)(unsigned)(indptr[v + 1] - indptr[v] + 1) << 32 | 1);
    }
    most = Threads<BLOCK>::reduce<Most>(most);
    degrees = Threads<BLOCK>::reduce<Larger>(degrees);
    const int sample = start + (int)threadIdx.x;
    const bool odd = __syncthreads_or(sample < n && in_triangle(G, sample));
    if (threadIdx.x == 0) {
        atomicMax(&words->most, most);
        combine(&words->degree, degrees);
        if (odd) store_relaxed(&words->odd, 1);
    }
    wait_for_all(&words->arrived, goal);
    const int before = load_relaxed(&words->most);
    const i64 square = (i64)before * before, of_colors = work_of_square * square + beside;
    const i64 most_work = of_entries < of_colors ? of_entries : of_colors;
    const Limits limits = {least, (int)(of_square * square < most_rounds ? of_square * square : most_rounds) + least_rounds,
                           (int)(eighths * square >> 3) + least_stuck, most_work, most_work / stuck_parts, a_vertex, salt,
                           long_list};
    int k = before;
    for (;;) {
        const bool more = k > limits.least && (k == before || load_relaxed(&words->go_on));
        if (!more && k == before) break;
        for (int base = start; base < n; base += step) {
            const int v = base + (int)threadIdx.x;
            const u64 x = v < n ? state[v] : 0;
            const int code = (int)(unsigned)x;
            const long long degree = v < n ? indptr[v + 1] - indptr[v] : 0;
            if (v < n && k < before) colors[v] = code - 1;
            const bool top = more && code >= k, hard = top && degree >= k - 1;
            if (v < n && (top || k == before)) {
                const int weight = k == before ? weight_of(degree, k, knee, first, heaviest) : (int)(x >> 32);
                state[v] = (u64)(unsigned)weight << 32 | (unsigned)(top ? 0 : code);
                if (top) wish[v] = -1;
            }
            if (!__syncthreads_or(top)) continue;
            const int place = append_block(hard, &words->n_here), behind = append_block(top && !hard, &words->n_later);
            if (hard) here[place] = v;
            else if (top) later[behind] = v;
        }
        if (!more) break;
        wait_for_all(&words->arrived, goal);
        const Walk w = {G, state, wish, here, flags, words, costs, by, n, k - 1, 0, 1, 2};
        if (blockIdx.x == 0) {
            const bool saved = walk(w, limits, rounds, spent, goal);
            __syncthreads();
            if (threadIdx.x == 0) {
                store_relaxed(&words->n_here, 0);
                store_relaxed(&words->n_later, 0);
                store_relaxed(&words->long_list, 0);
                store_relaxed(&words->go_on, saved);
            }
            wait_for_all(&words->arrived, goal);
        } else {
            help(w, limits, goal);
        }
        if (!load_relaxed(&words->go_on)) break;
        k--;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        const u64 degree = load_relaxed(&words->degree);
        const Outcome all = {before, k, rounds, (int)(degree >> 32) - 1, (int)(unsigned)degree,
                             load_relaxed(&words->odd), (int)(nanoseconds() - now)};
        *outcome = all;
    }
}
