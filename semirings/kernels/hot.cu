// w = u ⊗⊕ A by rows, for a matrix with rows and columns by falling degree: the leading entries of the vector, which most
// rows read, are kept in shared memory. Random gathers are bound by L1, which looks up a line a cycle, so up to 32 cycles
// for a warp; shared memory serves 32 banks at once. (Counted for kron_g500 of scale 21: 181 M gathers / 132
// multiprocessors at 1.7 GHz are 0.81 ms.) Blocks go on from row to row, so that few of them fill shared memory.
//
// Specialised as product.cu is, and by HOT, how many entries.

// variants: Z_TYPE=int ADD="x > y ? x : y" IDENTITY=0 TERMINAL=9 STOP=1 ATOMIC=3 D_TYPE=int U_TYPE=int A_TYPE=bool OFFSET_TYPE=int MULTIPLY=x USES_U=1 USES_A=0 ISO=1 SWAP=0 HOT=1024,10240

#include "rows.cuh"

struct HotVector {
    const U *values, *hot;
    __device__ inline U operator[](int j) const { return j < HOT ? hot[j] : values[j]; }
};

// Fills shared memory with what is read most: in a matrix by falling degree the leading entries. The whole block calls.
__device__ inline void load_hot(U *hot, const U *u_values, i64 size) {
    for (int j = threadIdx.x; j < HOT && j < size; j += BLOCK) hot[j] = u_values[j];
    __syncthreads();
}

// pull_all for rows of a warp each, in blocks that go on from row to row.
extern "C" __global__ void pull_hot(MATRIX_PARAMETERS, VECTOR_PARAMETERS, const int *rows, i64 start, i64 count,
                                    i64 width, Z *t_values, u8 *t_present, DECISION_PARAMETERS, i64 size) {
    if (!PULLING) return;
    __shared__ U hot[HOT];
    load_hot(hot, u_values, size);
    for (i64 slot = (i64)blockIdx.x * (BLOCK / WARP) + threadIdx.x / WARP; slot < count;
         slot += (i64)gridDim.x * (BLOCK / WARP)) {
        int row = rows == nullptr ? (int)(start + slot) : rows[slot];
        pull_row(row, indptr[row], indptr[row + 1], WARP, indices, a_values, HotVector{u_values, hot}, u_present,
                 t_values, t_present);
    }
}

// pull_chunks in blocks that go on from chunk to chunk.
extern "C" __global__ void pull_chunks_hot(MATRIX_PARAMETERS, VECTOR_PARAMETERS, const int *chunk_row,
                                           const i64 *chunk_first, i64 chunks, i64 chunk_size, Z *partial,
                                           u8 *partial_has, DECISION_PARAMETERS, MASK_PARAMETERS, i64 size) {
    if (!PULLING) return;
    __shared__ U hot[HOT];
    load_hot(hot, u_values, size);
    for (i64 chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x)
        pull_chunk(chunk, indptr, indices, a_values, HotVector{u_values, hot}, u_present, chunk_row, chunk_first,
                   chunk_size, partial, partial_has, MASK);
}
