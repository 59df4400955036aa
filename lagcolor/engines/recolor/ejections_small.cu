// Ejections in one launch that the host does not wait for, for small graphs; symbols as in ejections.py.
//
// All blocks go through the vertices together: for the number of colors, then once per color to save, where the coloring that
// is complete is written to `colors` and the vertices of the highest color lose theirs. The rounds between are the first
// block's, whose barriers take a tenth of those of a grid; lists have some tens of vertices. The others wait.
//
// Bytes: 16 per vertex for each color saved; 12 per entry of a listed row, 4 more where neighbours are ejected.
//
// variants: OFFSET_BITS=32,64 GROUP=32 BLOCK=256,512,1024
#include "device/include/append.cuh"
#include "device/include/clock.cuh"
#include "device/include/grid.cuh"


#define TICKS 4  // rounds between two looks at the clock
#include "engines/recolor/ejections.cuh"

// In global memory, zeros before the launch but for `begun`.
struct Words {
    u64 begun;  // when the coloring began, by the device's clock
    int arrived, most, n_here, n_later, go_on, unused;
};

struct Limits {
    int least;           // colors
    int rounds;          // in all
    unsigned salt;
    unsigned extra;      // nanoseconds, and hundredths of the time since `begun`; both 0: no limit
    unsigned hundredths;
};

// What the host gets.
struct Outcome {
    int first, last;            // colors before and after
    int rounds;
    int nanoseconds_before, nanoseconds;  // since `begun`, and in this kernel
};

// When the coloring begins; all words to 0.
extern "C" __global__ void begin(Words* words) {
    const Words now = {nanoseconds(), 0, 0, 0, 0, 0, 0};
    *words = now;
}

static __device__ __forceinline__ void wait_for_all(int* arrived, int& goal) {
    if (gridDim.x == 1) __syncthreads();
    else grid_barrier(arrived, goal);
}

// By the first block: whether every vertex of the lists gets a color under k before a limit is reached.
static __device__ bool walk(Graph G, u64* state, int* wish, int* here, int* there, int* later, unsigned char* flags,
                            Words* words, int k, Weights by, Limits limits, u64 deadline, int& done) {
    __shared__ unsigned costs[GROUPS][WINDOW];
    __shared__ int n_there, n_later;
    __shared__ bool late;
    const int group = threadIdx.x / GROUP;
    int n_here = load_relaxed(&words->n_here);
    if (threadIdx.x == 0) {
        n_later = load_relaxed(&words->n_later);
        late = false;
    }
    __syncthreads();
    for (;;) {
        if (n_here == 0) {
            n_here = n_later;
            if (n_here == 0) return true;
            int* const list = here;
            here = later;
            later = list;
            __syncthreads();
            if (threadIdx.x == 0) n_later = 0;
        }
        if (done == limits.rounds || late) return false;
        if (threadIdx.x == 0) n_there = 0;
        const unsigned noise = mix((unsigned)done) ^ limits.salt;
        const Lists lists = {here, there, &n_there, &n_later, later, flags};
        for (int j = group; j < n_here; j += GROUPS)
            propose(G, state, wish, here[j], k, noise, flags + j, costs[group]);
        __syncthreads();
        for (int j = group; j < n_here; j += GROUPS) {
            const int v = here[j];
            if (!(flags[j] & BESIDE) || !loses(G, state, wish, v, noise)) continue;
            Group::sync();  // all have read the flag
            if (RANK == 0) {
                flags[j] = LOST;
                there[atomicAdd(&n_there, 1)] = v;
            }
        }
        __syncthreads();
        for (int j = group; j < n_here; j += GROUPS) {
            if (flags[j] == LOST) continue;
            commit(G, state, wish, here[j], k, by, flags[j] & EJECTS, lists);
        }
        done++;
        if (threadIdx.x == 0 && deadline && done % TICKS == 0) late = nanoseconds() >= deadline;
        __syncthreads();
        n_here = n_there;
        int* const list = here;
        here = there;
        there = list;
        __syncthreads();  // all have read n_there
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    save_colors(const offset_t* indptr, const int* indices, int n, int* colors, u64* state, int* wish, int* here,
                int* there, int* later, unsigned char* flags, Words* words, int least, int most_rounds, unsigned salt,
                unsigned extra, unsigned hundredths, long long knee, long long first, long long gain,
                long long heaviest, Outcome* outcome) {
    const Graph G = {indptr, indices};
    const Limits limits = {least, most_rounds, salt, extra, hundredths};
    const Weights by = {knee, gain, heaviest};
    const int start = blockIdx.x * BLOCK, step = gridDim.x * BLOCK;
    const u64 now = nanoseconds();
    u64 deadline = 0;
    int goal = 0, most = 0, rounds = 0;
    for (int v = start + threadIdx.x; v < n; v += step) {
        const int code = colors[v] + 1;
        state[v] = (unsigned)code;
        most = code > most ? code : most;
    }
    most = Threads<BLOCK>::reduce<Most>(most);
    if (threadIdx.x == 0) atomicMax(&words->most, most);
    wait_for_all(&words->arrived, goal);
    const int before = load_relaxed(&words->most);
    if (limits.extra || limits.hundredths) deadline = now + limits.extra + (now - words->begun) * limits.hundredths / 100;
    int k = before;
    for (;;) {
        const bool more = k > limits.least && (k == before || load_relaxed(&words->go_on) == 1);
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
        if (blockIdx.x == 0) {
            const bool saved = walk(G, state, wish, here, there, later, flags, words, k - 1, by, limits, deadline, rounds);
            __syncthreads();
            if (threadIdx.x == 0) {
                const bool late = rounds >= limits.rounds || (deadline && nanoseconds() >= deadline);
                store_relaxed(&words->n_here, 0);
                store_relaxed(&words->n_later, 0);
                store_relaxed(&words->go_on, saved ? late ? 2 : 1 : 0);
            }
        }
        wait_for_all(&words->arrived, goal);
        if (load_relaxed(&words->go_on) == 0) break;
        k--;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        const Outcome all = {before, k, rounds, (int)(now - words->begun), (int)(nanoseconds() - now)};
        *outcome = all;
    }
}
