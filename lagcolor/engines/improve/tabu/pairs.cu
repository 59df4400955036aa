// HEAD's step between two generations, a block per pair of parents. population.py launches it and explains its arrays.
//
// variants: BLOCK=64,256
#include "base/device/include/group.cuh"
#include "base/device/include/hash.cuh"

typedef unsigned short u16;
typedef Threads<BLOCK> Block;

#define NO_COLOR 0xffff
#define STEP 0x9e3779b9u  // between inputs of the hash
#define WORST 0x7fffffff

extern __shared__ int memory[];

static __device__ void copy(u16* to, const u16* from, int n) {
    for (int v = threadIdx.x; v < n; v += BLOCK) to[v] = from[v];
}

// GPX: the child takes the largest remaining class of each parent in turn (ties at random); the other vertices get
// random colors. sizes: 2k words.
static __device__ void cross(const u16* first, const u16* second, u16* child, int* sizes, int n, int k, unsigned salt) {
    for (int c = threadIdx.x; c < 2 * k; c += BLOCK) sizes[c] = 0;
    __syncthreads();
    for (int v = threadIdx.x; v < n; v += BLOCK) {
        child[v] = NO_COLOR;
        if (first[v] != NO_COLOR) atomicAdd(sizes + first[v], 1);
        if (second[v] != NO_COLOR) atomicAdd(sizes + k + second[v], 1);
    }
    __syncthreads();
    for (int c = 0; c < k; c++) {
        const u16* parent = c % 2 ? second : first;
        u64 key = 0;
        for (int d = threadIdx.x; d < k; d += BLOCK) {
            const unsigned random = mix((unsigned)c << 16 | (unsigned)d, salt) & 0xffff0000u;
            key = max(key, (u64)(unsigned)sizes[c % 2 * k + d] << 32 | random | (unsigned)d);
        }
        const int largest = (int)(Block::reduce<Most>(key) & 0xffff);
        for (int v = threadIdx.x; v < n; v += BLOCK)
            if (parent[v] == largest && child[v] == NO_COLOR) {
                child[v] = (u16)c;
                if (first[v] != NO_COLOR) atomicSub(sizes + first[v], 1);
                if (second[v] != NO_COLOR) atomicSub(sizes + k + second[v], 1);
            }
        __syncthreads();
    }
    for (int v = threadIdx.x; v < n; v += BLOCK)
        if (child[v] == NO_COLOR) child[v] = (u16)((u64)mix((unsigned)v + STEP, salt) * (u64)k >> 32);
    __syncthreads();
}

// Returns whether two colorings have the same classes, in any numbering. names: 2k words.
static __device__ bool same(const u16* a, const u16* b, int* names, int n, int k) {
    for (int c = threadIdx.x; c < 2 * k; c += BLOCK) names[c] = -1;
    __syncthreads();
    for (int v = threadIdx.x; v < n; v += BLOCK) {
        atomicMax(names + a[v], (int)b[v]);
        atomicMax(names + k + b[v], (int)a[v]);
    }
    __syncthreads();
    bool other = false;
    for (int v = threadIdx.x; v < n; v += BLOCK) other |= names[a[v]] != b[v] || names[k + b[v]] != a[v];
    return !Block::any(other);
}

// Returns the number of the best of `brood` searches from `begin` on; the first one in case of a tie.
static __device__ int best_of(const int* values, int begin, int brood) {
    int best = begin;
    for (int i = begin + 1; i < begin + brood; i++)
        if (values[i] < values[best]) best = i;
    return best;
}

// Crosses the next parents: the best result of the brood of each child, or at the end of a cycle the elite of the
// previous cycle. If two parents are equal, the second parent of the next pair replaces the second. If it is equal,
// too, both restart at random. fresh: `children` has the first parents, NO_COLOR for uncolored vertices.
extern "C" __global__ void __launch_bounds__(BLOCK)
    breed(const u16* found, const int* values, u16* elites, u16* cycle_best, int* cycle_values, int* ages, u16* children,
          int* alike, const unsigned* seeds, long long n_vertices, long long n_colors, long long cycle, long long turn,
          long long brood, long long fresh) {
    const int n = (int)n_vertices, k = (int)n_colors, pair = (int)blockIdx.x;
    int* sizes = memory;
    u16 *first = (u16*)(memory + 2 * k), *second = first + n, *child = second + n;
    u16 *elite = elites + pair * n_vertices, *of_cycle = cycle_best + pair * n_vertices;
    int of[2] = {2 * pair, 2 * pair + 1};  // the searches whose colors are the parents
    if (!fresh)
        for (int i = 0; i < 2; i++) of[i] = best_of(values, of[i] * (int)brood, (int)brood);
    copy(first, (fresh ? children : found) + of[0] * n_vertices, n);
    copy(second, (fresh ? children : found) + of[1] * n_vertices, n);
    int age = fresh ? 0 : ages[pair] + 1, value = fresh ? WORST : cycle_values[pair];
    __syncthreads();
    if (!fresh) {
        for (int i = 0; i < 2; i++)
            if (values[of[i]] < value) {
                value = values[of[i]];
                copy(of_cycle, i ? second : first, n);
            }
        __syncthreads();
        if (age % cycle == 0) {
            if (age > cycle) copy(first, elite, n);
            copy(elite, of_cycle, n);  // each thread has read what it writes
            value = WORST;
        }
        __syncthreads();
        if (same(first, second, sizes, n, k)) {
            age = 0;
            value = WORST;
            const int next = (pair + 1) % (int)gridDim.x;
            copy(second, found + best_of(values, (2 * next + 1) * (int)brood, (int)brood) * n_vertices, n);
            __syncthreads();
            if (next == pair || same(first, second, sizes, n, k)) {
                for (int v = threadIdx.x; v < n; v += BLOCK) first[v] = second[v] = NO_COLOR;
                if (threadIdx.x == 0) atomicAdd(alike, 1);
            }
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        ages[pair] = age;
        cycle_values[pair] = value;
    }
    for (int i = 0; i < 2; i++) {
        const unsigned salt = mix(seeds[(2 * pair + i) * brood] - STEP * (unsigned)turn);
        cross(i ? second : first, i ? first : second, child, sizes, n, k, salt);
        copy(children + (2 * pair + i) * n_vertices, child, n);
        __syncthreads();
    }
}
