// w = u ⊗⊕ A by rows (pull) or from the entries of u (push).
//
// Specialized by the monoid (monoid.cuh), MULTIPLY (an expression in x and y of type D), the types
// D_TYPE, U_TYPE (vector), A_TYPE (matrix), OFFSET_TYPE, and USES_U, USES_A, ISO, SWAP (A on the left).
// Pull is deterministic: the order of a row's sum depends only on the matrix. Push is deterministic if the monoid does
// not round.
//
// With a full vector a block streams the entries of its rows through shared memory. Otherwise rows are in bins of
// similar degree, with `width` lanes per row and UNROLL entries per lane in flight. Rows of thousands of entries are
// cut into chunks, one per block, so that the cost of a hub is its edges. If the host does not know the number of edges
// of u's entries, push and pull kernels are both launched, and `work`, this number, decides on the device which of them
// return at once.
//
// Slower on one H200, with a mask: reading the mask and the offsets of a block's next rows while it sums the last
// (fd7-200 0.0578 ms instead of 0.0546), masks of 8 rows per thread (0.064) and fewer lanes (0.065).

// variants: Z_TYPE=int ADD="x > y ? x : y" IDENTITY=0 TERMINAL=9 STOP=1 ATOMIC=3 D_TYPE=int U_TYPE=int A_TYPE=bool OFFSET_TYPE=int MULTIPLY=x USES_U=1 USES_A=0 ISO=1 SWAP=0
// variants: Z_TYPE=bool ADD=x IDENTITY=0 TERMINAL=0 STOP=2 ATOMIC=0 D_TYPE=bool U_TYPE=float A_TYPE=bool OFFSET_TYPE=int MULTIPLY="D(1)" USES_U=0 USES_A=0 ISO=1 SWAP=0
// variants: Z_TYPE=double ADD="x * y" IDENTITY=0x3ff0000000000000 TERMINAL=0 STOP=0 ATOMIC=0 D_TYPE=double U_TYPE=double A_TYPE=float OFFSET_TYPE="long long" MULTIPLY="x * y" USES_U=1 USES_A=1 ISO=0 SWAP=1

#include "rows.cuh"
#include "tile.cuh"

#ifndef STREAM
#define STREAM 2048
#endif

#define LONG_PART 128  // entries in shared memory that a warp adds up together

// All rows of a bin: rows[0 … count), or rows 0 … count - 1 without a list.
extern "C" __global__ void pull_all(MATRIX_PARAMETERS, VECTOR_PARAMETERS, const int *rows, i64 count, i64 width,
                                    Z *t_values, u8 *t_present, DECISION_PARAMETERS) {
    if (!PULLING) return;
    i64 slot = ((i64)blockIdx.x * BLOCK + threadIdx.x) >> log2_of((int)width);
    int row = slot >= count ? -1 : rows == nullptr ? (int)slot : rows[slot];
    Offset first = row < 0 ? Offset(0) : indptr[row], last = row < 0 ? Offset(0) : indptr[row + 1];
    pull_row(row, first, last, (int)width, indices, a_values, u_values, u_present, t_values, t_present);
}

struct alignas(4 * sizeof(Z)) FourProducts { Z x[4]; };

// Write the products of entries base … base + STREAM − 1 to shared memory; base is a multiple of 4. Columns of other
// rows are valid, so only the end of the matrix is checked.
__device__ inline void load_products(Offset base, Offset to, i64 nvals, const int *indices, const A *a_values,
                                     const U *u_values, FourProducts *products) {
    Four j[STREAM / BLOCK / 4];
    U u[STREAM / BLOCK];
#pragma unroll
    for (int q = 0; q < STREAM / BLOCK / 4; q++) {
        Offset k = base + 4 * (q * BLOCK + (int)threadIdx.x);
        j[q] = Four{{0, 0, 0, 0}};
        if (k < to) {
            if (k + 4 <= nvals) j[q] = load_four(indices + k);
            else
                for (int r = 0; k + r < nvals; r++) j[q].x[r] = indices[k + r];
        }
    }
#pragma unroll
    for (int q = 0; q < STREAM / BLOCK; q++) u[q] = USES_U ? u_values[j[q / 4].x[q % 4]] : U(0);
#pragma unroll
    for (int q = 0; q < STREAM / BLOCK / 4; q++) {
        Offset k = base + 4 * (q * BLOCK + (int)threadIdx.x);
        FourProducts p;
#pragma unroll
        for (int r = 0; r < 4; r++) p.x[r] = product(u[4 * q + r], a_values, k + r < nvals ? k + r : 0);
        products[q * BLOCK + threadIdx.x] = p;
    }
}

// Rows 0 … count - 1 of a product with a full vector, BLOCK / width per block. The block streams their entries through
// shared memory, which takes fewer instructions per entry than a gather row by row, and leaves no lane idle.
extern "C" __global__ void pull_stream(MATRIX_PARAMETERS, i64 nvals, const U *u_values, i64 count, i64 width,
                                       Z *t_values, u8 *t_present, DECISION_PARAMETERS) {
    if (!PULLING) return;
    __shared__ FourProducts fours[STREAM / 4];
    const Z *products = (const Z *)fours;
    int shift = log2_of((int)width), lane = threadIdx.x & ((int)width - 1), here = threadIdx.x % WARP;
    i64 slot = (i64)blockIdx.x * (BLOCK >> shift), end = slot + (BLOCK >> shift);
    if (end > count) end = count;
    Offset from = indptr[slot], to = indptr[end];
    slot += threadIdx.x >> shift;
    Offset first = slot < end ? indptr[slot] : to, last = slot < end ? indptr[slot + 1] : to;
    Sum s;
    for (Offset base = from & ~Offset(3); base < to; base += STREAM) {
        load_products(base, to, nvals, indices, a_values, u_values, fours);
        __syncthreads();
        int lo = first < base ? 0 : first - base < STREAM ? (int)(first - base) : STREAM;
        int hi = last < base ? 0 : last - base < STREAM ? (int)(last - base) : STREAM;
        bool many = hi - lo > LONG_PART;
        if (!many)
            for (int k = lo + lane; k < hi; k += (int)width) s.add_value(products[k]);
        for (unsigned left = __ballot_sync(ALL_LANES, many && lane == 0); left; left &= left - 1) {
            int leader = __ffs((int)left) - 1, stop = shuffle(hi, leader);
            Sum part;
            for (int k = shuffle(lo, leader) + here; k < stop; k += WARP) part.add_value(products[k]);
            __syncwarp();
            add_up(part, WARP);
            if (here == leader) s.add_sum(part.value, part.has);
        }
        if (to - base > STREAM) __syncthreads();
    }
    add_up(s, (int)width);
    if (slot < end && lane == 0) {
        if (s.has) t_values[slot] = s.value;
        if (t_present != nullptr) t_present[slot] = s.has;
    }
}

// Rows of a bin's list that are in the mask. A block first lists these rows of its tile, so that other rows only cost
// their mask and occupy no lanes.
extern "C" __global__ void pull_masked(MATRIX_PARAMETERS, VECTOR_PARAMETERS, const int *rows, i64 count, i64 width,
                                       Z *t_values, u8 *t_present, DECISION_PARAMETERS, MASK_PARAMETERS) {
    if (!PULLING) return;
    __shared__ int selected[TILE];
    __shared__ int n_selected;
    if (threadIdx.x == 0) n_selected = 0;
    __syncthreads();
    int row[TILE / BLOCK];
    bool keep[TILE / BLOCK];
#pragma unroll
    for (int q = 0; q < TILE / BLOCK; q++) {
        i64 slot = (i64)blockIdx.x * TILE + q * BLOCK + threadIdx.x;
        row[q] = slot >= count ? -1 : rows[slot];
        keep[q] = row[q] >= 0 && holds(row[q], MASK);
        if (row[q] >= 0 && !keep[q]) t_present[row[q]] = 0;
    }
    append<TILE / BLOCK>(keep, row, selected, &n_selected);
    __syncthreads();
    int shift = log2_of((int)width), groups = BLOCK >> shift;
    for (int base = 0; base < n_selected; base += groups) {
        int slot = base + (threadIdx.x >> shift), row = slot < n_selected ? selected[slot] : -1;
        Offset first = row < 0 ? Offset(0) : indptr[row], last = row < 0 ? Offset(0) : indptr[row + 1];
        pull_row(row, first, last, (int)width, indices, a_values, u_values, u_present, t_values, t_present);
    }
}

extern "C" __global__ void pull_chunks(MATRIX_PARAMETERS, VECTOR_PARAMETERS, const int *chunk_row,
                                       const i64 *chunk_first, i64 chunk_size, Z *partial, u8 *partial_has,
                                       DECISION_PARAMETERS, MASK_PARAMETERS) {
    if (!PULLING) return;
    pull_chunk(blockIdx.x, indptr, indices, a_values, u_values, u_present, chunk_row, chunk_first, chunk_size,
               partial, partial_has, MASK);
}

// Add up the chunks of long rows, a warp per row.
extern "C" __global__ void pull_combine(const int *long_rows, const int *long_first, i64 count, const Z *partial,
                                        const u8 *partial_has, Z *t_values, u8 *t_present, DECISION_PARAMETERS,
                                        MASK_PARAMETERS) {
    if (!PULLING) return;
    i64 slot = ((i64)blockIdx.x * BLOCK + threadIdx.x) / WARP;
    int row = slot < count ? long_rows[slot] : -1, lane = threadIdx.x % WARP;
    bool keep = row >= 0 && holds(row, MASK);
    Sum s;
    if (keep)
        for (int c = long_first[slot] + lane; c < long_first[slot + 1]; c += WARP) s.add_sum(partial[c],
        partial_has[c]);
    __syncwarp();
    add_up(s, WARP);
    if (row >= 0 && lane == 0) {
        if (s.has) t_values[row] = s.value;
        if (t_present != nullptr) t_present[row] = s.has;
    }
}

// Add the products of u and entries first … last − 1 of A to the entries of w in their columns.
__device__ inline void push_entries(U u, Offset first, Offset last, int lane, int width, const int *indices,
                                    const A *a_values, Word *sums, u8 *t_present, MASK_PARAMETERS) {
    for (Offset k = first + lane; k < last; k += width) {
        int j = load_once(indices + k);
        if (holds(j, MASK)) add_to_entry(sums, t_present, j, product(u, a_values, k));
    }
}

// Push the entries of u among a bin's rows, `width` lanes per entry; a block first lists the entries of its tile.
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
    append<TILE / BLOCK>(keep, row, found, &n_found);
    __syncthreads();
    int shift = log2_of((int)width), groups = BLOCK >> shift;
    for (int slot = threadIdx.x >> shift; slot < n_found; slot += groups) {
        int i = found[slot];
        push_entries(USES_U ? u_values[i] : U(0), indptr[i], indptr[i + 1], threadIdx.x & ((int)width - 1), (int)width,
                     indices, a_values, sums, t_present, MASK);
    }
}

// Push long rows, a block per chunk.
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

// Convert sums in words to values; only for bool, whose words are wider.
extern "C" __global__ void finish_push(const Word *sums, Z *t_values, i64 n, DECISION_PARAMETERS) {
    if (!PUSHING) return;
    i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) t_values[i] = from_word<Z>(sums[i]);
}
