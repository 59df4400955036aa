// Ejections in one cooperative launch, or in several that continue each other; symbols as in ejections.py.
//
// All blocks pass over the vertices together: first to find the number of colors, then once per color to save. Each
// such pass writes the complete coloring to `colors`, and the vertices of the highest color lose it. In the rounds, the
// first block processes short lists alone, because its barriers take a tenth of the time of grid barriers. All blocks
// share long lists and long rows. A warp processes a vertex, or a block if that is faster. The order of the lists
// differs from run to run; the colors do not depend on it.
//
// A launch ends early at a limit of rounds or work; `Words` and the lists store the state. After a color that was not
// saved, the next launch begins from `colors`.
//
// Bytes: 16 per vertex for each color saved; 12 per entry of a listed row, 4 more if neighbors are ejected.
//
// variants: OFFSET_BITS=32,64 BLOCK=1024
#include "base/device/include/append.cuh"
#include "base/device/include/clock.cuh"
#include "base/device/include/grid.cuh"

#include "engines/improve/ejections.cuh"

#define LEAST_ROUNDS 64
#ifndef WIDE
#define WIDE 16384  // all blocks share a round if the previous round had this number of entries
#endif
#ifndef BARRIERS
#define BARRIERS 8192  // entries that a block reads in the time of its barriers for a vertex
#endif

#define SAVED 1
#define STOPPED 2
#define PAUSED 3

// State of a search in global memory; zeros before the first launch.
struct Words {
    int arrived, most;  // count of barriers, zero before each launch; the largest color + 1 of the first coloring
    u64 degree;         // the largest + 1
    // Work so far; work when the list became shorter than ever; work at the start of the limits. Below: length, rounds.
    u64 work, spent, from_work;
    int fewest, since, from_rounds;
    int first, k, goal;  // numbers of colors: at first (0 before the first launch), now, goal (0: no color is open)
    int n_here, n_later, size, lists, done, status;
    int long_list, n_there;  // whether all blocks do the next round; length of the list after it
};

// Limits of a search and of a launch.
struct Limits {
    int rounds;  // in total
    int stuck;   // rounds in which the list does not become shorter than ever before
    i64 work;    // entries read, and a_vertex for each vertex in the list of a round
    i64 stuck_work;
    int pause_rounds;
    i64 pause_work;
    int a_vertex;
    unsigned salt;
    int long_list;  // all blocks share a round of a list of this length or more
    int listed;     // expected work per listed vertex: a color is not started if its list exceeds the remaining work
};

// Result for the host.
struct Outcome {
    int first, last;  // colors before and after
    int rounds;
    int nanoseconds;
    int status, n_here, size;
    unsigned work;
    int work_above;  // upper 32 bits
};

static __device__ __forceinline__ void wait_for_all(int* arrived, int& goal) {
    if (gridDim.x == 1) __syncthreads();
    else grid_barrier(arrived, goal);
}

// Arrays and state of a block's search. Each of the three lists has capacity for all n vertices.
struct Search {
    Graph G;
    u64* state;
    int *wish, *lists;
    unsigned char* flags;
    Words* words;
    unsigned* costs;  // for each warp, in shared memory
    Weights by;
    int n, k, here, there, later;
    i64 degree;  // the largest

    __device__ int* list(int which) const { return lists + (i64)which * n; }
};

// Counters that grow in a round: the next list, `later`, and the work.
struct Counts {
    int *n_there, *n_later;
    u64* work;
};

// Runs a round with the groups of this block, or of all `blocks`, which wait for each other.
template <class Group>
static __device__ __noinline__ void round_by(const Search& w, int n_here, int blocks, Counts counts, int a_vertex,
                                             unsigned noise, int& goal) {
    const int group = threadIdx.x / Group::SIZE, step = blocks * (BLOCK / Group::SIZE);
    const int first = blocks == 1 ? group : group * blocks + (int)blockIdx.x;
    unsigned* const costs = w.costs + group * (WINDOW * (Group::SIZE / WARP));
    const int* const here = w.list(w.here);
    int* const there = w.list(w.there);
    unsigned char* const flags = w.flags;
    const Lists lists = {here, there, counts.n_there, counts.n_later, w.list(w.later), flags};
    const auto wait = [&] {
        if (blocks == 1) __syncthreads();
        else grid_barrier(&w.words->arrived, goal);
    };
    i64 mine = 0;
    for (int j = first; j < n_here; j += step)
        mine += a_vertex + propose<Group>(w.G, w.state, w.wish, here[j], w.k, noise, flags + j, costs);
    if (RANK == 0 && mine) atomicAdd(counts.work, (u64)mine);
    wait();
    for (int j = first; j < n_here; j += step) {
        const int v = here[j];
        if (!(flags[j] & ADJACENT) || !loses<Group>(w.G, w.state, w.wish, v, noise)) continue;
        Group::sync();  // all have read the flag
        if (RANK == 0) {
            flags[j] = LOST;
            there[atomicAdd(counts.n_there, 1)] = v;
        }
    }
    wait();
    for (int j = first; j < n_here; j += step) {
        if (flags[j] == LOST) continue;
        commit<Group>(w.G, w.state, w.wish, here[j], w.k, w.by, flags[j] & EJECTS, lists);
    }
    wait();
}

// Runs a round: a block per vertex if rows are long and each block has few vertices, else a warp per vertex.
static __device__ __forceinline__ void round(const Search& w, int n_here, int blocks, Counts counts, int a_vertex,
                                             unsigned noise, int& goal) {
    if (n_here * (w.degree + BARRIERS) <= blocks * (BLOCK / WARP) * w.degree)
        round_by<Threads<BLOCK>>(w, n_here, blocks, counts, a_vertex, noise, goal);
    else round_by<Warp>(w, n_here, blocks, counts, a_vertex, noise, goal);
}

// Packs the roles of the three lists into one word.
static __device__ __forceinline__ int packed(const Search& w) { return w.here | w.there << 2 | w.later << 4; }
static __device__ __forceinline__ void unpack(Search& w, int lists) {
    w.here = lists & 3, w.there = lists >> 2 & 3, w.later = lists >> 4;
}

// Runs a round with all blocks. Each block calls this after a barrier; the first block has published the lists.
static __device__ void round_of_all(Search w, Limits limits, int& goal) {
    Words* const words = w.words;
    const int n_here = load_relaxed(&words->n_here);
    unpack(w, load_relaxed(&words->lists));
    const unsigned noise = mix((unsigned)load_relaxed(&words->done)) ^ limits.salt;
    round(w, n_here, gridDim.x, {&words->n_there, &words->n_later, &words->work}, limits.a_vertex, noise, goal);
}

// Loop of the other blocks: wait for the first block, and take part in the rounds that it shares.
static __device__ void help(const Search& w, Limits limits, int& goal) {
    for (;;) {
        grid_barrier(&w.words->arrived, goal);
        if (!load_relaxed(&w.words->long_list)) return;
        round_of_all(w, limits, goal);
    }
}

// Loop of the first block: rounds until every listed vertex has a color below k, or a limit is reached.
static __device__ int run_rounds(Search w, Limits limits, int& goal) {
    __shared__ int n_there, n_later;
    __shared__ u64 work;
    Words* const words = w.words;
    int n_here = load_relaxed(&words->n_here), done = load_relaxed(&words->done);
    int fewest = load_relaxed(&words->fewest), since = load_relaxed(&words->since), status = 0;
    i64 spent = (i64)load_relaxed(&words->work), shorter = (i64)load_relaxed(&words->spent), last = spent;
    const int from_rounds = load_relaxed(&words->from_rounds);
    const i64 from_work = (i64)load_relaxed(&words->from_work);
    unpack(w, load_relaxed(&words->lists));
    if (threadIdx.x == 0) {
        n_later = load_relaxed(&words->n_later);
        work = (u64)spent;
    }
    __syncthreads();
    if (limits.listed && (i64)limits.listed * n_here > limits.work - (spent - from_work)) status = STOPPED;
    while (!status) {
        if (n_here == 0) {
            n_here = n_later;
            fewest = 0x7fffffff;
            if (n_here == 0) {
                status = SAVED;
                break;
            }
            const int list = w.here;
            w.here = w.later;
            w.later = list;
            __syncthreads();
            if (threadIdx.x == 0) n_later = 0;
        }
        if (n_here < fewest) {
            fewest = n_here;
            since = done;
            shorter = spent;
        }
        if (done - from_rounds >= limits.rounds || done - since >= limits.stuck) status = STOPPED;
        else if (spent - from_work > limits.work || spent - shorter > limits.stuck_work) status = STOPPED;
        else if (done >= limits.pause_rounds || spent >= limits.pause_work) status = PAUSED;
        if (status) break;
        const bool wide = n_here >= limits.long_list || spent - last >= WIDE;
        last = spent;
        if (wide && gridDim.x > 1) {
            if (threadIdx.x == 0) {
                store_relaxed(&words->n_here, n_here);
                store_relaxed(&words->n_there, 0);
                store_relaxed(&words->n_later, n_later);
                store_relaxed(&words->work, work);
                store_relaxed(&words->done, done);
                store_relaxed(&words->lists, packed(w));
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
            round(w, n_here, 1, {&n_there, &n_later, &work}, limits.a_vertex, noise, goal);
        }
        done++;
        n_here = n_there;
        spent = (i64)work;
        const int list = w.here;
        w.here = w.there;
        w.there = list;
        __syncthreads();  // all have read both
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        const bool open = status == PAUSED;
        store_relaxed(&words->n_here, open ? n_here : 0);
        store_relaxed(&words->n_later, open ? n_later : 0);
        store_relaxed(&words->fewest, fewest);
        store_relaxed(&words->since, since);
        store_relaxed(&words->spent, (u64)shorter);
        store_relaxed(&words->work, work);
        store_relaxed(&words->done, done);
        store_relaxed(&words->lists, packed(w));
        store_relaxed(&words->long_list, 0);
        store_relaxed(&words->status, status);
        if (!open) store_relaxed(&words->goal, 0);
    }
    return status;
}

// Computes the largest degree and the number of colors, in `words`; called by all blocks.
static __device__ void look(Graph G, int n, const int* colors, Words* words, int& goal) {
    const int start = blockIdx.x * BLOCK, step = gridDim.x * BLOCK;
    int most = 0;
    i64 degree = 0;
    for (int v = start + threadIdx.x; v < n; v += step) {
        most = colors[v] >= most ? colors[v] + 1 : most;
        degree = Most()(degree, (i64)(G.indptr[v + 1] - G.indptr[v] + 1));
    }
    most = Threads<BLOCK>::reduce<Most>(most);
    degree = Threads<BLOCK>::reduce<Most>(degree);
    if (threadIdx.x == 0) {
        atomicMax(&words->most, most);
        atomicMax(&words->degree, (u64)degree);
    }
    wait_for_all(&words->arrived, goal);
}

// Lists the vertices whose code is above `to`, and removes their color. Reads the coloring from `colors` if a launch
// begins, else writes it there. If `fresh` is not 0, it is the number of colors that the initial weights depend on.
static __device__ void open_color(const Search& w, int* colors, int to, bool begins, int fresh) {
    const int step = gridDim.x * BLOCK;
    const offset_t* const indptr = w.G.indptr;
    for (int base = blockIdx.x * BLOCK; base < w.n; base += AT_ONCE * step) {
        const int v = base + (int)threadIdx.x;
        u64 x[AT_ONCE];
        int code[AT_ONCE], hard = 0, easy = 0;
        long long degree[AT_ONCE];
        for (int q = 0; q < AT_ONCE; q++) {
            const int u = v + q * step;
            x[q] = u < w.n && !fresh ? w.state[u] : 0;
            code[q] = u < w.n && begins ? colors[u] + 1 : (int)(unsigned)x[q];
            degree[q] = u < w.n && fresh ? indptr[u + 1] - indptr[u] : 0;
        }
        for (int q = 0; q < AT_ONCE; q++) {
            const int u = v + q * step;
            const bool top = code[q] > to;
            if (u < w.n && !begins) colors[u] = code[q] - 1;
            if (u < w.n && (top || begins)) {
                const int weight = fresh ? weight_of(degree[q], fresh, w.by) : (int)(x[q] >> 32);
                w.state[u] = (u64)(unsigned)weight << 32 | (unsigned)(top ? 0 : code[q]);
            }
            if (!top) continue;
            w.wish[u] = -1;
            if (indptr[u + 1] - indptr[u] >= to) hard |= 1 << q;
            else easy |= 1 << q;
        }
        if (!__syncthreads_or(hard | easy)) continue;
        int place = append_several(__popc(hard), &w.words->n_here);
        int behind = append_several(__popc(easy), &w.words->n_later);
        for (int q = 0; q < AT_ONCE; q++) {
            if (hard >> q & 1) w.list(0)[place++] = v + q * step;
            if (easy >> q & 1) w.list(2)[behind++] = v + q * step;
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    save_colors(const offset_t* indptr, const int* indices, int n, int* colors, u64* state, int* wish, int* lists,
                unsigned char* flags, Words* words, int rounds, int of_square, int most_rounds, int stuck, int eighths,
                i64 of_entries, int work_of_square, i64 extra_work, int stuck_parts, int each, int listed,
                int long_rows, int one_by_one, int least, int pause_rounds, i64 pause_work, int long_list, int a_vertex,
                unsigned salt, i64 knee, i64 first, i64 gain, i64 heaviest, Outcome* outcome) {
    __shared__ unsigned costs[BLOCK / WARP * WINDOW];
    const Graph G = {indptr, indices};
    const Weights by = {knee, first, gain, heaviest};
    const bool leads = blockIdx.x == 0 && threadIdx.x == 0;
    const u64 now = nanoseconds();
    int goal = 0;  // of barriers
    const bool fresh = load_relaxed(&words->first) == 0;
    if (fresh) look(G, n, colors, words, goal);
    const int before = load_relaxed(&words->most);
    const i64 square = (i64)before * before, of_colors = work_of_square * square + extra_work;
    const i64 most_work = of_entries < of_colors ? of_entries : of_colors;
    const i64 degree = (i64)load_relaxed(&words->degree) - 1;
    const i64 rows = long_rows / (degree > 1 ? degree : 1), short_rows = rows > LEAST_ROUNDS ? rows : LEAST_ROUNDS;
    const i64 many = long_rows && short_rows < most_rounds ? short_rows : most_rounds;
    const Limits limits = {(int)(of_square * square < many ? of_square * square : many) + rounds,
                           (int)(eighths * square >> 3) + stuck, most_work, most_work / stuck_parts, pause_rounds,
                           pause_work, a_vertex, salt, long_list, listed};
    int k = fresh ? before : load_relaxed(&words->k), status = SAVED;
    int to = fresh ? 0 : load_relaxed(&words->goal);
    for (bool begins = true;; begins = false) {
        const bool open = to == 0, more = status == SAVED && k > least;
        if (open && !more && (begins || !one_by_one)) break;
        if (open) to = one_by_one ? k - 1 : least;
        const Search w = {G, state, wish, lists, flags, words, costs, by, n, to, 0, 1, 2, degree};
        if (open) open_color(w, colors, more ? to : 0x7fffffff, begins, begins && fresh ? k : 0);
        if (!more) break;
        if (open) wait_for_all(&words->arrived, goal);
        if (open && blockIdx.x == 0) {
            if (threadIdx.x == 0) {
                const int done = load_relaxed(&words->done);
                const u64 work = load_relaxed(&words->work);
                store_relaxed(&words->size, load_relaxed(&words->n_here) + load_relaxed(&words->n_later));
                store_relaxed(&words->fewest, 0x7fffffff);
                store_relaxed(&words->since, done);
                store_relaxed(&words->spent, work);
                store_relaxed(&words->lists, 0 | 1 << 2 | 2 << 4);
                store_relaxed(&words->goal, to);
                if (each) {
                    store_relaxed(&words->from_rounds, done);
                    store_relaxed(&words->from_work, work);
                }
            }
            __syncthreads();
        }
        if (blockIdx.x == 0) {
            run_rounds(w, limits, goal);
            wait_for_all(&words->arrived, goal);
        } else {
            help(w, limits, goal);
        }
        status = load_relaxed(&words->status);
        if (status != SAVED) break;
        k = to;
        to = 0;
    }
    if (leads) {
        store_relaxed(&words->first, before);
        store_relaxed(&words->k, k);
        const u64 work = load_relaxed(&words->work);
        const Outcome all = {before, k, load_relaxed(&words->done), (int)(nanoseconds() - now), status,
                             load_relaxed(&words->n_here), load_relaxed(&words->size), (unsigned)work, (int)(work >> 32)};
        *outcome = all;
    }
}
