// First-fit of Pauli strings, exact, by a pipeline of blocks of 128 classes.
//
// A string joins the first class that it may join. Whether it may join one of 128 classes depends only on the earlier
// strings that joined these classes. So batches of BLOCK strings, in order, pass the blocks of classes like a pipeline:
// stage s processes batch b in wave s + b, when earlier batches have left the stage, and the batch has left earlier
// stages. All stages of a wave are blocks of one launch; they share no data and do not wait for each other.
//
// A stage tests the strings of a batch against its classes at once, one thread per string. Then the strings that may
// join a class join it one by one, in order. Later strings that conflict with a new member may not join its class.
//
// RELATION  of a conflict: 0: they anticommute; 1: they commute; 2: different letters at a qubit, neither of them I
// QWORDS    words of x, and of z: ⌈qubits / 32⌉
//
// `half` is the number of qubits rounded up to a multiple of 4; rows of the additional qubits are 0.
// A level has rows of 128 bits: `half` rows of z and `half` of x, then (RELATION 1) one row of the classes that have
// this level; for RELATION 2 `half` rows for each of the letters X, Z and Y: classes that have another letter there.
//
// variants: RELATION=0,1,2 QWORDS=1,3,33 BLOCK=256 STAGED=1024
#include "base/device/include/group.cuh"

#define GENERAL 0
#define ANTI 1
#define QUBITWISE 2
#define WIDTH 128  // classes of a row

struct String {
    unsigned word[2 * QWORDS];  // x, then z
};

__device__ __forceinline__ String load(const unsigned* strings, int v) {
    String s;
    for (int w = 0; w < 2 * QWORDS; w++) s.word[w] = strings[(i64)v * (2 * QWORDS) + w];
    return s;
}

__device__ __forceinline__ int rows_per_level(int half) {
    return RELATION == QUBITWISE ? 3 * half : 2 * half + (RELATION == ANTI);
}

// Returns 32 bits of a string that select rows of a plane (0, 1, …).
template <class Words> __device__ __forceinline__ unsigned bits_of(const Words& word, int plane, int w) {
    const unsigned x = word[w], z = word[QWORDS + w];
    if (RELATION == QUBITWISE) return plane == 0 ? x & ~z : plane == 1 ? z & ~x : x & z;
    return plane ? z : x;
}

// Returns 32 bits of the properties of a plane that a string has, or gives to its class.
__device__ __forceinline__ unsigned property_of(const unsigned* word, int plane, int w) {
    const unsigned x = word[w], z = word[QWORDS + w];
    if (RELATION == QUBITWISE) return plane == 0 ? z : plane == 1 ? x : x ^ z;
    return plane ? x : z;
}

// Four predicated instructions; one instruction (R2P) sets seven predicates. A mask took three instructions per row.
__device__ __forceinline__ void combine(int4& sum, const int4 row, unsigned bits, int k) {
    if (!(bits & 1u << k)) return;
    if (RELATION == QUBITWISE) {
        sum.x |= row.x, sum.y |= row.y, sum.z |= row.z, sum.w |= row.w;
    } else {
        sum.x ^= row.x, sum.y ^= row.y, sum.z ^= row.z, sum.w ^= row.w;
    }
}

// Returns the classes of a level that conflict with a string. All lanes of a warp read the same rows.
__device__ __forceinline__ int4 conflicts(const String& s, const int4* rows, int half) {
    int4 sum = make_int4(0, 0, 0, 0);
    if (RELATION == ANTI) sum = rows[2 * half];
    for (int plane = 0; plane < (RELATION == QUBITWISE ? 3 : 2); plane++) {
        for (int w = 0; w < QWORDS; w++) {
            unsigned bits = bits_of(s.word, plane, w);
            const int stop = min(32, half - 32 * w);
            for (int k = 0; k < stop; k += 4, bits >>= 4, rows += 4) {
                const int4 a = rows[0], b = rows[1], c = rows[2], d = rows[3];
                combine(sum, a, bits, 0), combine(sum, b, bits, 1), combine(sum, c, bits, 2), combine(sum, d, bits, 3);
            }
        }
    }
    return sum;
}

// Returns whether two strings conflict.
__device__ __forceinline__ bool conflict(const String& a, const unsigned* b) {
    unsigned sum = 0;
    for (int w = 0; w < QWORDS; w++) {
        const unsigned xa = a.word[w], za = a.word[QWORDS + w], xb = b[w], zb = b[QWORDS + w];
        if (RELATION == QUBITWISE) sum |= (xa ^ xb | za ^ zb) & (xa | za) & (xb | zb);
        else sum ^= xa & zb ^ za & xb;
    }
    return RELATION == QUBITWISE ? sum != 0 : (__popc(sum) & 1) == (RELATION == GENERAL);
}

struct Exclusive {
    template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return a ^ b; }
};

__device__ __forceinline__ bool is_full(const int4 a) { return (a.x & a.y & a.z & a.w) == -1; }

// Returns `seen` and the classes that a string may not join because of a level. A warp calls.
__device__ __forceinline__ int4 tested(int4 seen, const String& s, const int4* rows, int levels, int half) {
    for (int level = 0; level < levels && !__all_sync(ALL_LANES, is_full(seen)); level++, rows += rows_per_level(half)) {
        const int4 found = conflicts(s, rows, half);
        seen.x |= found.x, seen.y |= found.y, seen.z |= found.z, seen.w |= found.w;
    }
    return seen;
}

// Does `tested` for all levels of a stage; a block calls. here: whether the thread has a string. Rows are copied to
// shared memory, as many as fit; reading rows one by one from global memory would cost an L2 access each.
__device__ int4 tested_in_block(const String& s, bool here, const int4* rows, int levels, int half) {
    __shared__ int4 staged[STAGED];
    const int per_level = rows_per_level(half), at_once = STAGED / max(per_level, 1);
    int4 seen = here ? make_int4(0, 0, 0, 0) : make_int4(-1, -1, -1, -1);
    if (at_once == 0) return tested(seen, s, rows, levels, half);
    for (int level = 0; level < levels; level += at_once) {
        if (!__syncthreads_or(!is_full(seen))) break;
        const int now = min(at_once, levels - level);
        for (int k = threadIdx.x; k < now * per_level; k += BLOCK) staged[k] = rows[(i64)level * per_level + k];
        __syncthreads();
        seen = tested(seen, s, staged, now, half);
    }
    return seen;
}

// Adds a string to the generators of a class unless it is a product of them; returns whether it was added. All lanes of
// a warp call. Generators are reduced: each has a pivot, a bit that no other generator has, so a string is reduced by
// the generators whose pivots it has.
__device__ bool extends_basis(const unsigned* string, int rank, int most, int* pivots, unsigned* basis) {
    const int words = 2 * QWORDS, lane = threadIdx.x % WARP;
    int pivot = -1;
    for (int w = 0; w < words; w++) {
        unsigned sum = 0;
        for (int r = lane; r < rank; r += WARP)
            if (string[pivots[r] / 32] >> pivots[r] % 32 & 1) sum ^= basis[(i64)r * words + w];
        const unsigned left = string[w] ^ reduce_warp<Exclusive>(sum);
        if (pivot < 0 && left) pivot = 32 * w + __ffs(left) - 1;
        if (lane == 0 && rank < most) basis[(i64)rank * words + w] = left;
    }
    if (pivot < 0) return false;  // always if rank == most
    __syncwarp();
    const unsigned* added = basis + (i64)rank * words;
    for (int r = lane; r < rank; r += WARP) {
        unsigned* row = basis + (i64)r * words;
        if (row[pivot / 32] >> pivot % 32 & 1)
            for (int w = 0; w < words; w++) row[w] ^= added[w];
    }
    if (lane == 0) pivots[rank] = pivot;
    __syncwarp();
    return true;
}

// Sets bit c of the rows of a level whose property the string has. All lanes of a warp call.
__device__ void set_rows(int* rows, int c, const unsigned* string, int half) {
    const int bit = (int)(1u << c % 32);
    for (int plane = 0; plane < (RELATION == QUBITWISE ? 3 : 2); plane++)
        for (int k = threadIdx.x % WARP; k < half; k += WARP)
            if (property_of(string, plane, k / 32) >> k % 32 & 1) atomicOr(rows + 4 * (plane * half + k) + c / 32, bit);
    if (RELATION == ANTI && threadIdx.x % WARP == 0) atomicOr(rows + 8 * half + c / 32, bit);
}

// Runs a wave. Strings that join no class remain in the queue, in order within a batch.
//
// strings  2 × QWORDS words each       queue, left  BLOCK strings per batch, and how many of them are left
// rows     of all levels of a stage    levels       used levels of a stage
// sizes    levels of a class           pivots, basis  `most` generators per class (RELATION 0)
// colors   of the strings; the first class of stage 0 is color `base`
extern "C" __global__ void __launch_bounds__(BLOCK) pass_stages(
    int wave, int first_stage, int batches, int half, int most, int base, const unsigned* strings, int* queue, int* left,
    int4* rows, int* levels, int* sizes, int* pivots, unsigned* basis, int* colors) {
    __shared__ unsigned wanting[BLOCK / WARP], joining[2 * QWORDS];
    __shared__ int joined_class, joined[BLOCK], joined_to[BLOCK];
    const int stage = first_stage + blockIdx.x, batch = wave - stage, i = threadIdx.x;
    const int count = left[batch];
    if (count == 0) return;
    int* const waiting = queue + (i64)batch * BLOCK;
    int4* const own = rows + (i64)stage * most * rows_per_level(half);
    const bool here = i < count;
    const int v = here ? waiting[i] : waiting[0];
    const String s = load(strings, v);
    const int4 closed = tested_in_block(s, here, own, levels[stage], half);
    unsigned open[4] = {~(unsigned)closed.x, ~(unsigned)closed.y, ~(unsigned)closed.z, ~(unsigned)closed.w};

    int joins = 0, color = -1;
    while (true) {  // in each turn but the last, a thread joins a class; then no class is open for it
        const unsigned votes = __ballot_sync(ALL_LANES, (open[0] | open[1] | open[2] | open[3]) != 0);
        if (i % WARP == 0) wanting[i / WARP] = votes;
        __syncthreads();
        int first = -1;
        for (int w = BLOCK / WARP - 1; w >= 0; w--)
            if (wanting[w]) first = WARP * w + __ffs(wanting[w]) - 1;
        if (first < 0) break;
        if (i == first) {
            for (int w = 3; w >= 0; w--)
                if (open[w]) color = 32 * w + __ffs(open[w]) - 1;
            for (int w = 0; w < 4; w++) open[w] = 0;
            for (int w = 0; w < 2 * QWORDS; w++) joining[w] = s.word[w];
            joined_class = joined_to[joins] = color;
            joined[joins] = v;
        }
        joins++;
        __syncthreads();
        const int c = joined_class;
        bool may = false;
        for (int w = 0; w < 4; w++) may |= w == c / 32 && open[w] >> c % 32 & 1;
        if (may && conflict(s, joining))
            for (int w = 0; w < 4; w++)
                if (w == c / 32) open[w] &= ~(1u << c % 32);
    }
    if (color >= 0) colors[v] = base + stage * WIDTH + color;

    // Each class belongs to a warp, which adds its strings in order; warps set bits of the same words.
    for (int j = 0; j < joins; j++) {
        const int c = joined_to[j];
        if (c % (BLOCK / WARP) != i / WARP) continue;
        const unsigned* string = strings + (i64)joined[j] * (2 * QWORDS);
        const i64 one = (i64)stage * WIDTH + c;
        const int level = RELATION == QUBITWISE ? 0 : sizes[one];
        if (RELATION == GENERAL &&
            !extends_basis(string, level, most, pivots + one * most, basis + one * most * (2 * QWORDS)))
            continue;
        set_rows((int*)(own + (i64)level * rows_per_level(half)), c, string, half);
        __syncwarp();
        if (i % WARP == 0) {
            sizes[one] = level + 1;
            atomicMax(levels + stage, level + 1);
        }
        __syncwarp();
    }

    int total;
    const int place = Threads<BLOCK>::rank(here && color < 0, total);
    if (here && color < 0) waiting[place] = v;
    if (i == 0) left[batch] = total;
}

// Computes rows as if each string were a class, in blocks of 128 strings; one warp per 32 strings.
extern "C" __global__ void slice_strings(int n, int half, const unsigned* strings, unsigned* rows) {
    const int v = blockIdx.x * BLOCK + threadIdx.x;
    const String s = load(strings, min(v, n - 1));
    rows += (i64)(v / WIDTH) * rows_per_level(half) * 4 + v % WIDTH / 32;
    for (int plane = 0; plane < (RELATION == QUBITWISE ? 3 : 2); plane++) {
        for (int k = 0; k < half; k++) {
            const bool has = v < n && property_of(s.word, plane, k / 32) >> k % 32 & 1;
            const unsigned word = __ballot_sync(ALL_LANES, has);
            if (v % WARP == 0) rows[4 * (i64)(plane * half + k)] = word;
        }
    }
    if (RELATION == ANTI) {
        const unsigned word = __ballot_sync(ALL_LANES, v < n);
        if (v % WARP == 0) rows[8 * (i64)half] = word;
    }
}

// Adds the number of conflicts of each string to `degrees`; one thread per string and share of the blocks of rows.
extern "C" __global__ void count_conflicts(
    int n, int groups, int half, const unsigned* strings, const int4* rows, int* degrees) {
    const int v = blockIdx.x * BLOCK + threadIdx.x;
    const String s = load(strings, min(v, n - 1));
    int sum = 0;
    for (int group = blockIdx.y; group < groups; group += gridDim.y) {
        const int4 found = conflicts(s, rows + (i64)group * rows_per_level(half), half);
        sum += __popc(found.x) + __popc(found.y) + __popc(found.z) + __popc(found.w);
    }
    if (RELATION == ANTI && blockIdx.y == 0) sum--;  // a string commutes with itself
    if (v < n && sum) atomicAdd(degrees + v, sum);
}

// Copies the first left[b] strings of each batch b, one batch after another; ends[b]: end of batch b.
extern "C" __global__ void waiting(const int* queue, const int* left, const int* ends, int* out) {
    const int b = blockIdx.x, i = threadIdx.x;
    if (i < left[b]) out[ends[b] - left[b] + i] = queue[(i64)b * BLOCK + i];
}
