// TabuCol, a search per block, for a number of iterations from initial colors. population.py launches it and explains
// its arrays.
//
// table: number of neighbors of v by color, 16 bits each, two colors per word; in shared memory if SHARED_TABLE. BARRED
// is added to entries that are not allowed: tabu, or v's own color. Rows in shared memory have an odd number of words,
// so that a column is spread over the banks; rows in device memory are read four words at a time. Counts change by
// atomic additions to words: an addition to one half does not change the other half.
//
// An iteration has two phases, with a barrier after each. The first phase only writes the color of the last moved
// vertex. Groups of GROUP threads read the rows of vertices in conflict. The key of an entry is its change and random
// bits, and the least key is the move. In the second phase neighbors' counts change, and tabu entries that are due end.
// The thread that owns the move makes it, and stores the tabu entry of its reverse in registers until it ends.
//
// Vertices in conflict are in a list. Vertices no longer in conflict are skipped, until the list is built again.
//
// variants: BLOCK=64,256,512 GROUP=4,8,16,32 SHARED_TABLE=0,1
#include "base/device/include/group.cuh"
#include "base/device/include/hash.cuh"

typedef unsigned short u16;
typedef Threads<BLOCK> Block;

#define BARRED 0x8000u
#define COUNT 0x7fffu
#define LISTED 0x8000u  // of a vertex's color: it is in the list
#define NONE 0xffffffffu
#define STEP 0x9e3779b9u  // between inputs of the hash
#define RENEW 16          // iterations between two builds of the list, and two reads of `first`
#define WARPS (BLOCK / WARP)
#define GROUPS (BLOCK / GROUP)
#define AHEAD 2  // neighbors that a thread reads at a time
#define SLOTS 2  // entries of the tabu list per thread
#define LARGEST_TENURE (SLOTS * BLOCK - 1)

extern __shared__ unsigned memory[];

// First bit of a color's entry in its word.
__device__ __forceinline__ int side(int c) { return (c & 1) << 4; }

struct Search {
    unsigned* table;
    u16 *color, *listed;
    int* offsets;
    int n, words, color_bits, entry_bits;
    int last, last_color;  // the last move, which `color` contains after the next first phase

    __device__ __forceinline__ int color_of(int v) const { return v == last ? last_color : (int)(color[v] & ~LISTED); }
    __device__ __forceinline__ unsigned* word(int v, int c) const { return table + v * words + (c >> 1); }
    __device__ __forceinline__ unsigned load(const unsigned* at) const { return SHARED_TABLE ? *at : __ldcg(at); }
    __device__ __forceinline__ unsigned entry(int v, int c) const { return load(word(v, c)) >> side(c) & 0xffffu; }
    __device__ __forceinline__ int conflicts(int v) const { return entry(v, color_of(v)) & COUNT; }
    __device__ __forceinline__ unsigned mask() const { return (1u << entry_bits) - 1; }
    // Values of the change in a key: no change; not allowed.
    __device__ __forceinline__ unsigned even() const { return 1u << (31 - entry_bits); }
    __device__ __forceinline__ unsigned never() const { return 2 * even() - 1; }
};

// Minimum of each half.
__device__ __forceinline__ unsigned least_halves(unsigned a, unsigned b) {
#ifdef __CUDA_ARCH__
    return __vminu2(a, b);
#else
    return min(a >> 16, b >> 16) << 16 | min(a & 0xffffu, b & 0xffffu);
#endif
}

__device__ __forceinline__ unsigned least_of_warp(unsigned x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_min_sync(ALL_LANES, x);
#else
    return reduce_warp<Least>(x);
#endif
}

// Inverse of an odd x modulo 2^32: Newton's iteration from 5 bits on.
__device__ __forceinline__ unsigned inverse(unsigned x) {
    unsigned y = 3 * x ^ 2;
    for (int i = 0; i < 3; i++) y *= 2 - x * y;
    return y;
}

// Lists the vertices in conflict, and writes the last move to `color`. All threads call it, between two moves.
static __device__ void renew(Search& s, int* n_listed) {
    if (threadIdx.x == 0) *n_listed = 0;
    __syncthreads();
    for (int v = threadIdx.x; v < s.n; v += BLOCK) {
        const bool in = s.conflicts(v) > 0;
        s.color[v] = (u16)(s.color_of(v) | (in ? LISTED : 0));
        if (in) s.listed[atomicAdd(n_listed, 1)] = (u16)v;
    }
    s.last = -1;
    __syncthreads();
}

// Initial value of a word whose halves from this one on belong to no color.
static __device__ __forceinline__ unsigned barred_from(int half) { return half > 1 ? 0 : half == 1 ? BARRED << 16 : BARRED * 0x10001u; }

// Fills the table; returns the number of edges in conflict.
static __device__ int fill(Search& s, const u16* indices, int k) {
    for (int i = threadIdx.x; i < s.n * s.words; i += BLOCK)
        s.table[i] = barred_from(k - 2 * (i % s.words));
    __syncthreads();
    for (int v = threadIdx.x / WARP; v < s.n; v += WARPS) {
        const int c = s.color[v];
        for (int e = s.offsets[v] + threadIdx.x % WARP; e < s.offsets[v + 1]; e += WARP)
            atomicAdd(s.word(indices[e], c), 1u << side(c));
    }
    __syncthreads();
    int twice = 0;
    for (int v = threadIdx.x; v < s.n; v += BLOCK) {
        twice += s.conflicts(v);
        atomicAdd(s.word(v, s.color[v]), BARRED << side(s.color[v]));
    }
    return Block::reduce<Plus>(twice) / 2;
}

// Returns the least key of the allowed moves that this thread reads.
static __device__ __forceinline__ unsigned scan(const Search& s, int n_listed, int pairs, unsigned multiplier, unsigned shift) {
    const int rank = threadIdx.x % GROUP, group = threadIdx.x / GROUP, first_lane = threadIdx.x % WARP - rank;
    const unsigned never = s.never() * 0x10001u, mask = s.mask();
    unsigned best = NONE;
    for (int base = 0; base < n_listed; base += BLOCK) {
        const int i = base + rank * GROUPS + group;
        unsigned mine = 0;  // vertex, and edges in conflict
        if (i < n_listed) {
            const int v = s.listed[i];
            mine = (unsigned)v << 16 | (unsigned)s.conflicts(v);
        }
        const unsigned votes = __ballot_sync(ALL_LANES, (mine & 0xffffu) != 0);
        const unsigned all = (1u << (GROUP - 1)) * 2 - 1;
        unsigned left = votes >> first_lane & all;
        int rows = 0;
        for (int g = 0; g < WARP; g += GROUP) rows = max(rows, __popc(votes >> g & all));
#pragma unroll 2
        for (int r = 0; r < rows; r++) {
            const unsigned of = __shfl_sync(ALL_LANES, mine, first_lane + (left ? __ffs((int)left) - 1 : 0));
            if (left) {
                const unsigned v = of >> 16, own = min(of & 0xffffu, s.even() - 1);
                const unsigned* row = s.table + (int)v * s.words;
                const unsigned less = (s.even() - own) * 0x10001u;
                const unsigned start = (v << s.color_bits) * multiplier + shift;
                const auto look = [&](unsigned word, int j) {
                    const unsigned x = least_halves(word + less, never), h = start + 2 * (unsigned)j * multiplier;
                    best = min(best, x << s.entry_bits | (h & mask));
                    best = min(best, x >> 16 << s.entry_bits | ((h + multiplier) & mask));
                };
#if SHARED_TABLE
#pragma unroll 4
                for (int j = rank; j < pairs; j += GROUP) look(row[j], j);
#else
#pragma unroll 4
                for (int j = 4 * rank; j < pairs; j += 4 * GROUP) {
                    const int4 four = __ldcg((const int4*)(row + j));
                    look((unsigned)four.x, j), look((unsigned)four.y, j + 1);
                    look((unsigned)four.z, j + 2), look((unsigned)four.w, j + 3);
                }
#endif
            }
            left &= left - 1;
        }
    }
    return best;
}

// Returns the key of a tabu move if it leads below the best value, else NONE.
static __device__ __forceinline__ unsigned aspired(const Search& s, unsigned tabu, int value, int best_value, unsigned multiplier,
                                                   unsigned shift) {
    const int v = (int)(tabu >> s.color_bits), c = (int)(tabu & ((1u << s.color_bits) - 1));
    const int own = s.conflicts(v), other = (int)(s.entry(v, c) & COUNT);
    if (own == 0 || value + other - own >= best_value) return NONE;
    const unsigned x = min((unsigned)other + s.even() - min((unsigned)own, s.even() - 1), s.never());
    return x << s.entry_bits | ((tabu * multiplier + shift) & s.mask());
}

// Random numbers of an iteration: the bijection x → x · `multiplier` + `shift` of entries, and `back`, the inverse of
// `multiplier`.
struct Draw {
    unsigned shift, multiplier, back;
};

static __device__ Draw draw(int t, unsigned salt) {
    const unsigned shift = mix((unsigned)t, salt), multiplier = mix(shift + STEP) | 1;
    return {shift, multiplier, inverse(multiplier)};
}

// start, best: colors of each search; values: edges in conflict in `best`; ran: number of iterations. first: the least
// number of iterations until success; searches with more iterations stop.
extern "C" __global__ void __launch_bounds__(BLOCK)
    improve(const int* __restrict__ indptr, const u16* __restrict__ indices, const u16* __restrict__ starts, u16* best,
            int* values, int* ran, unsigned* tables, const unsigned* seeds, int* first, long long n, long long k,
            long long color_bits, long long entry_bits, long long turn, long long brood, long long most) {
    __shared__ unsigned keys[WARPS];
    __shared__ Draw drawn;
    __shared__ int n_listed, shared_value, stop;
    Search s;
    s.n = (int)n;
    s.words = SHARED_TABLE ? (int)(k + 1) / 2 | 1 : (int)(k + 7) / 8 * 4;
    s.color_bits = (int)color_bits;
    s.entry_bits = (int)entry_bits;
    s.last = -1;
    s.last_color = 0;
    const long long table_words = n * s.words;
    s.table = SHARED_TABLE ? memory : tables + blockIdx.x * table_words;
    s.offsets = (int*)(memory + (SHARED_TABLE ? table_words : 0));
    s.color = (u16*)(s.offsets + n + 1);
    s.listed = s.color + (n + n % 2);
    const int pairs = (int)(k + 1) / 2, lane = threadIdx.x % WARP;
    const unsigned salt = mix(seeds[blockIdx.x] + STEP * (unsigned)turn), colors = (1u << color_bits) - 1;
    const u16* start = starts + blockIdx.x / brood * n;
    best += blockIdx.x * n;
    for (int v = threadIdx.x; v < n; v += BLOCK) s.color[v] = start[v];
    for (int v = threadIdx.x; v <= n; v += BLOCK) s.offsets[v] = indptr[v];
    __syncthreads();
    int value = fill(s, indices, (int)k), best_value = value + 1, t = 0;
    unsigned tabu[SLOTS];  // this thread's entries of the tabu list, and the iterations at which they end
    int until[SLOTS];
    for (int i = 0; i < SLOTS; i++) tabu[i] = NONE;
    if (threadIdx.x == 0) {
        shared_value = value;
        drawn = draw(1, salt);
    }
    while (true) {
        if (value < best_value) {
            best_value = value;
            for (int v = threadIdx.x; v < n; v += BLOCK) best[v] = (u16)s.color_of(v);
        }
        if (value == 0 || t == most) break;
        if (t % RENEW == 0) {
            if (threadIdx.x == 0) stop = load_relaxed(first) < t;
            renew(s, &n_listed);
            if (stop) break;
        }
        t++;
        const Draw now = drawn;
        unsigned key = scan(s, n_listed, pairs, now.multiplier, now.shift);
        for (int i = 0; i < SLOTS; i++)
            if (tabu[i] != NONE) key = min(key, aspired(s, tabu[i], value, best_value, now.multiplier, now.shift));
        key = least_of_warp(key);
        if (lane == 0) keys[threadIdx.x / WARP] = key;
        if (threadIdx.x == 0 && s.last >= 0) s.color[s.last] = (u16)(s.last_color | LISTED);
        __syncthreads();
        key = least_of_warp(keys[lane % WARPS]);
        const unsigned move = ((key & s.mask()) - now.shift) * now.back & s.mask();
        const bool moves = key >> entry_bits < s.never(), mine = threadIdx.x == t % BLOCK;
        const int v = (int)(move >> color_bits), c = (int)(move & colors);
        const int old = moves ? s.color[v] & ~LISTED : 0, end = moves ? s.offsets[v + 1] : 0;
        int e = (moves ? s.offsets[v] : 0) + threadIdx.x, ahead[AHEAD];
        for (int i = 0; i < AHEAD; i++) ahead[i] = e + i * BLOCK < end ? indices[e + i * BLOCK] : -1;
        for (int i = 0; i < SLOTS; i++)
            if (tabu[i] != NONE && (until[i] == t + 1 || (moves && tabu[i] == move))) {
                const int ended = (int)(tabu[i] & colors);
                if (!moves || tabu[i] != move)
                    atomicSub(s.word((int)(tabu[i] >> color_bits), ended), BARRED << side(ended));
                tabu[i] = NONE;
            }
        if (mine) {
            if (moves) {
                unsigned *to = s.word(v, c), *from = s.word(v, old);
                const unsigned there = atomicAdd(to, 0u) >> side(c), here = atomicAdd(from, 0u) >> side(old);
                if (!(there & BARRED)) atomicAdd(to, BARRED << side(c));
                value += (int)(there & COUNT) - (int)(here & COUNT);
                shared_value = value;
                const int tenure = (int)((u64)mix(now.multiplier + STEP) * 10 >> 32) + 3 * value / 5;
                const unsigned entry = tenure > 0 ? (unsigned)v << color_bits | (unsigned)old : NONE;
                for (int i = 0; i < SLOTS; i++)
                    if (t / BLOCK % SLOTS == i) {  // constant indices, so that both arrays stay in registers
                        tabu[i] = entry;
                        until[i] = t + 1 + min(tenure, LARGEST_TENURE);
                    }
                if (tenure == 0) atomicSub(from, BARRED << side(old));
            }
            drawn = draw(t + 1, salt);
        }
        if (moves) {
            s.last = v;
            s.last_color = c;
        }
        const unsigned less = 1u << side(old), more = 1u << side(c);
        while (e < end) {
            for (int i = 0; i < AHEAD; i++) {
                const int u = ahead[i];
                if (u < 0) continue;
                atomicSub(s.word(u, old), less);
                atomicAdd(s.word(u, c), more);
                if (s.color[u] == c) {  // and not in the list
                    s.color[u] = (u16)(c | LISTED);
                    s.listed[atomicAdd(&n_listed, 1)] = (u16)u;
                }
            }
            e += AHEAD * BLOCK;
            for (int i = 0; i < AHEAD; i++) ahead[i] = e + i * BLOCK < end ? indices[e + i * BLOCK] : -1;
        }
        __syncthreads();
        value = shared_value;
    }
    if (threadIdx.x == 0) {
        values[blockIdx.x] = best_value;
        ran[blockIdx.x] = t;
        if (best_value == 0) atomicMin(first, t);
    }
}
