// Set colors from the positions of vertices in a lattice, and check whether they are the colors of first-fit by id.
// Symbols as in lattice.py.
//
// Bytes that must move: 4 per vertex written, then 8 of offsets, 4 per entry and its color (from L2).
//
// variants: OFFSET_BITS=32,64
#include "base/device/include/group.cuh"

#define BLOCK 256
#define GROUP 4  // lanes of a row
typedef Threads<GROUP> Group;

extern "C" __global__ void __launch_bounds__(BLOCK)
    set_colors(unsigned n, unsigned line, unsigned plane, u64 table, int* colors) {
    const unsigned v = blockIdx.x * BLOCK + threadIdx.x;
    if (v >= n) return;
    const unsigned place = v % line % 2 | v % plane / line % 2 << 1 | v / plane % 2 << 2;
    colors[v] = (int)(table >> 8 * place & 255);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    check_colors(i64 n, const offset_t* __restrict__ indptr, const int* __restrict__ indices,
                 const int* __restrict__ colors, int* wrong) {
    const i64 v = ((i64)blockIdx.x * BLOCK + threadIdx.x) / GROUP;
    if (v >= n) return;
    const offset_t begin = indptr[v], end = indptr[v + 1];
    u64 taken = 0;
    for (offset_t e = begin + Group::lane(); e < end; e += GROUP) {
        const int u = indices[e];
        if (u < v) taken |= (u64)1 << colors[u];
    }
    taken = Group::template reduce<Either>(taken);
    const int c = colors[v];
    if (Group::lane() == 0 && (taken & (((u64)2 << c) - 1)) != ((u64)1 << c) - 1) *wrong = 1;
}
