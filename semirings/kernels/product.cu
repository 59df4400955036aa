// w = u ⊗⊕ A by rows (pull) or from the entries of u (push).
//
// Specialised by the monoid (monoid.cuh), MULTIPLY (an expression in x and y of type D), the types
// D_TYPE, U_TYPE (vector), A_TYPE (matrix), OFFSET_TYPE, and USES_U, USES_A, ISO, SWAP (A on the left).
// Pull is deterministic: the order of a row's sum depends on the matrix alone. Push is where the monoid
// does not round.
//
// Rows come in bins of similar degree, `width` lanes to a row, UNROLL entries a lane in flight; rows of
// thousands of entries are cut into chunks, a block each, so that a hub costs what its edges cost.
// `work` holds the edges of u's entries where the host does not know them; it decides on the device
// whether the push or the pull kernels, both launched, do anything.

// variants: Z_TYPE=int ADD="x > y ? x : y" IDENTITY=0 TERMINAL=9 STOP=1 ATOMIC=3 D_TYPE=int U_TYPE=int A_TYPE=bool OFFSET_TYPE=int MULTIPLY=x USES_U=1 USES_A=0 ISO=1 SWAP=0
// variants: Z_TYPE=bool ADD=x IDENTITY=0 TERMINAL=0 STOP=2 ATOMIC=0 D_TYPE=bool U_TYPE=float A_TYPE=bool OFFSET_TYPE=int MULTIPLY="D(1)" USES_U=0 USES_A=0 ISO=1 SWAP=0
// variants: Z_TYPE=double ADD="x * y" IDENTITY=0x3ff0000000000000 TERMINAL=0 STOP=0 ATOMIC=0 D_TYPE=double U_TYPE=double A_TYPE=float OFFSET_TYPE="long long" MULTIPLY="x * y" USES_U=1 USES_A=1 ISO=0 SWAP=1

#include "common.cuh"
#include "monoid.cuh"

typedef D_TYPE D;
typedef U_TYPE U;
typedef A_TYPE A;
typedef OFFSET_TYPE Offset;

#define UNROLL 4
#define TILE (4 * BLOCK)

#define MATRIX_PARAMETERS const Offset *indptr, const int *indices, const A *a_values
#define VECTOR_PARAMETERS const U *u_values, const u8 *u_present
#define DECISION_PARAMETERS const u64 *work, i64 limit
#define PULLING (work == nullptr || *work > (u64)limit)
#define PUSHING (work == nullptr || *work <= (u64)limit)

// Of a power of two.
__device__ inline int log2_of(int width) { return __ffs(width) - 1; }

__device__ inline Z multiply(D x, D y) { return cast<Z>(MULTIPLY); }

// u(j) ⊗ A's entry number k, or the other way round.
__device__ inline Z product(U u, const A *a_values, Offset k) {
    D left = USES_U ? cast<D>(u) : D(1);
    D right = USES_A ? cast<D>(a_values[ISO ? Offset(0) : k]) : D(1);
    return SWAP ? multiply(right, left) : multiply(left, right);
}

// Adds the entries from `first` to `last` that lanes `lane`, `lane` + `width` … see. Lanes of a group stay
// together; `group` names them, for the vote to stop early.
__device__ inline void sum_entries(Sum &s, Offset first, Offset last, int lane, int width, unsigned group,
                                   const int *indices, const A *a_values, VECTOR_PARAMETERS) {
    for (Offset base = first; base < last; base += UNROLL * width) {
        int j[UNROLL];
        U u[UNROLL];
#pragma unroll
        for (int q = 0; q < UNROLL; q++) {
            Offset k = base + q * width + lane;
            j[q] = k < last ? load_once(indices + k) : -1;
        }
        if (u_present != nullptr) {
#pragma unroll
            for (int q = 0; q < UNROLL; q++)
                if (j[q] >= 0 && !u_present[j[q]]) j[q] = -1;
        }
#pragma unroll
        for (int q = 0; q < UNROLL; q++) u[q] = USES_U && j[q] >= 0 ? u_values[j[q]] : U(0);
#pragma unroll
        for (int q = 0; q < UNROLL; q++)
            if (j[q] >= 0) s.add_value(product(u[q], a_values, base + q * width + lane));
#if STOP
        if (base + UNROLL * width < last && __any_sync(group, s.done())) break;
#endif
    }
}

// Sums one row with `width` lanes and writes its entry. The whole warp calls; row −1 is no row.
__device__ inline void pull_row(int row, int width, MATRIX_PARAMETERS, VECTOR_PARAMETERS, Z *t_values, u8 *t_present) {
    int lane = threadIdx.x & (width - 1);
    unsigned start = (threadIdx.x % WARP) - lane;
    unsigned group = (width == WARP ? ALL_LANES : ((1u << width) - 1)) << start;
    Sum s;
    if (row >= 0)
        sum_entries(s, indptr[row], indptr[row + 1], lane, width, group, indices, a_values, u_values, u_present);
    __syncwarp();
    add_up(s, width);
    if (row >= 0 && lane == 0) {
        if (s.has) t_values[row] = s.value;
        if (t_present != nullptr) t_present[row] = s.has;
    }
}

// Every row of a bin: rows[0 … count), or rows 0 … count where there is no list.
extern "C" __global__ void pull_all(MATRIX_PARAMETERS, VECTOR_PARAMETERS, const int *rows, i64 count, i64 width,
                                    Z *t_values, u8 *t_present, DECISION_PARAMETERS) {
    if (!PULLING) return;
    i64 slot = ((i64)blockIdx.x * BLOCK + threadIdx.x) >> log2_of((int)width);
    int row = slot >= count ? -1 : rows == nullptr ? (int)slot : rows[slot];
    pull_row(row, (int)width, indptr, indices, a_values, u_values, u_present, t_values, t_present);
}

// The rows of a bin that the mask keeps. A block first lists those of its tile, so that rows which
// are left out cost their mask and no lanes.
extern "C" __global__ void pull_masked(MATRIX_PARAMETERS, VECTOR_PARAMETERS, const int *rows, i64 count, i64 width,
                                       Z *t_values, u8 *t_present, DECISION_PARAMETERS, MASK_PARAMETERS) {
    if (!PULLING) return;
    __shared__ int kept[TILE];
    __shared__ int n_kept;
    if (threadIdx.x == 0) n_kept = 0;
    __syncthreads();
    int row[TILE / BLOCK];
    bool keep[TILE / BLOCK];
#pragma unroll
    for (int q = 0; q < TILE / BLOCK; q++) {
        i64 slot = (i64)blockIdx.x * TILE + q * BLOCK + threadIdx.x;
        row[q] = slot >= count ? -1 : rows == nullptr ? (int)slot : rows[slot];
        keep[q] = row[q] >= 0 && holds(row[q], MASK);
        if (row[q] >= 0 && !keep[q]) t_present[row[q]] = 0;
    }
#pragma unroll
    for (int q = 0; q < TILE / BLOCK; q++) append(keep[q], row[q], kept, &n_kept);
    __syncthreads();
    int shift = log2_of((int)width), groups = BLOCK >> shift;
    for (int base = 0; base < n_kept; base += groups) {
        int slot = base + (threadIdx.x >> shift);
        pull_row(slot < n_kept ? kept[slot] : -1, (int)width, indptr, indices, a_values, u_values, u_present, t_values,
                 t_present);
    }
}

// Long rows, a block to a chunk of one; pull_combine adds the chunks up.
extern "C" __global__ void pull_chunks(MATRIX_PARAMETERS, VECTOR_PARAMETERS, const int *chunk_row,
                                       const i64 *chunk_first, i64 chunk_size, Z *partial, u8 *partial_has,
                                       DECISION_PARAMETERS, MASK_PARAMETERS) {
    if (!PULLING) return;
    int row = chunk_row[blockIdx.x];
    if (!holds(row, MASK)) return;
    Offset first = (Offset)chunk_first[blockIdx.x], last = indptr[row + 1];
    if (last - first > chunk_size) last = first + (Offset)chunk_size;
    Sum s;
    int warp = threadIdx.x / WARP, share = (int)((last - first + BLOCK / WARP - 1) / (BLOCK / WARP));
    Offset from = first + warp * share, to = from + share < last ? from + share : last;
    sum_entries(s, from, to, threadIdx.x % WARP, WARP, ALL_LANES, indices, a_values, u_values, u_present);
    __syncwarp();
    add_up_block(s);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s.value;
        partial_has[blockIdx.x] = s.has;
    }
}

// A warp to a long row: adds its chunks up.
extern "C" __global__ void pull_combine(const int *long_rows, const int *long_first, i64 count, const Z *partial,
                                        const u8 *partial_has, Z *t_values, u8 *t_present, DECISION_PARAMETERS,
                                        MASK_PARAMETERS) {
    if (!PULLING) return;
    i64 slot = ((i64)blockIdx.x * BLOCK + threadIdx.x) / WARP;
    int row = slot < count ? long_rows[slot] : -1, lane = threadIdx.x % WARP;
    bool keep = row >= 0 && holds(row, MASK);
    Sum s;
    if (keep)
        for (int c = long_first[slot] + lane; c < long_first[slot + 1]; c += WARP) s.add_sum(partial[c], partial_has[c]);
    __syncwarp();
    add_up(s, WARP);
    if (row >= 0 && lane == 0) {
        if (s.has) t_values[row] = s.value;
        if (t_present != nullptr) t_present[row] = s.has;
    }
}

// Adds u ⊗ A's entries from `first` to `last` to the entries of w they lead to.
__device__ inline void push_entries(U u, Offset first, Offset last, int lane, int width, const int *indices,
                                    const A *a_values, Word *sums, u8 *t_present, MASK_PARAMETERS) {
    for (Offset k = first + lane; k < last; k += width) {
        int j = load_once(indices + k);
        if (holds(j, MASK)) add_to_entry(sums, t_present, j, product(u, a_values, k));
    }
}

// The entries of u among a bin's rows, `width` lanes to an entry; a block lists those of its tile first.
extern "C" __global__ void push(MATRIX_PARAMETERS, VECTOR_PARAMETERS, const int *rows, i64 count, i64 width,
                                Word *sums, u8 *t_present, DECISION_PARAMETERS, MASK_PARAMETERS) {
    if (!PUSHING) return;
    __shared__ int found[TILE];
    __shared__ int n_found;
    if (threadIdx.x == 0) n_found = 0;
    __syncthreads();
    int row[TILE / BLOCK];
    bool keep[TILE / BLOCK];
#pragma unroll
    for (int q = 0; q < TILE / BLOCK; q++) {
        i64 slot = (i64)blockIdx.x * TILE + q * BLOCK + threadIdx.x;
        row[q] = slot >= count ? -1 : rows == nullptr ? (int)slot : rows[slot];
        keep[q] = row[q] >= 0 && (u_present == nullptr || u_present[row[q]]);
    }
#pragma unroll
    for (int q = 0; q < TILE / BLOCK; q++) append(keep[q], row[q], found, &n_found);
    __syncthreads();
    int shift = log2_of((int)width), groups = BLOCK >> shift;
    for (int slot = threadIdx.x >> shift; slot < n_found; slot += groups) {
        int i = found[slot];
        push_entries(USES_U ? u_values[i] : U(0), indptr[i], indptr[i + 1], threadIdx.x & ((int)width - 1), (int)width,
                     indices, a_values, sums, t_present, MASK);
    }
}

// Long rows, a block to a chunk of one.
extern "C" __global__ void push_chunks(MATRIX_PARAMETERS, VECTOR_PARAMETERS, const int *chunk_row,
                                       const i64 *chunk_first, i64 chunk_size, Word *sums, u8 *t_present,
                                       DECISION_PARAMETERS, MASK_PARAMETERS) {
    if (!PUSHING) return;
    int row = chunk_row[blockIdx.x];
    if (u_present != nullptr && !u_present[row]) return;
    Offset first = (Offset)chunk_first[blockIdx.x], last = indptr[row + 1];
    if (last - first > chunk_size) last = first + (Offset)chunk_size;
    push_entries(USES_U ? u_values[row] : U(0), first, last, threadIdx.x, BLOCK, indices, a_values, sums, t_present,
                 MASK);
}

// Sums in words become values: only bool needs it, whose words are wider.
extern "C" __global__ void finish_push(const Word *sums, Z *t_values, i64 n, DECISION_PARAMETERS) {
    if (!PUSHING) return;
    i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) t_values[i] = from_word<Z>(sums[i]);
}
