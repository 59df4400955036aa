// Operations on lists: count the vertices and edges of each degree class, sort vertices into classes, mark the vertices
// of lists, and list the degrees that merge sums.
//
// Bytes: 4 or 8 per vertex for its offsets, 4 per vertex written.
// variants: OFFSET_BITS=32,64 CLASSES=1,3
#include "frontier.cuh"

typedef int Item;

// totals: numbers of vertices of the three classes, then of their edges.
extern "C" __global__ void survey(const offset_t *indptr, i64 n, u64 *totals) {
    u64 mine[6] = {0, 0, 0, 0, 0, 0};
    for (i64 v = (i64)blockIdx.x * BLOCK + threadIdx.x; v < n; v += (i64)gridDim.x * BLOCK) {
        const i64 degree = indptr[v + 1] - indptr[v];
        for (int k = 0; k < 3; k++) {
            mine[k] += class_of(degree) == k;
            mine[3 + k] += class_of(degree) == k ? degree : 0;
        }
    }
    __syncwarp();
    for (int k = 0; k < 6; k++) add_from_warp(totals + k, mine[k]);
}

// List vertices[0 … n-1] (null: all vertices) by degree class; with marks, only the marked ones.
extern "C" __global__ void classify(const int *vertices, const u8 *marks, i64 n, const offset_t *indptr, OUT_PARAMETERS)
{
    for (i64 base = (i64)blockIdx.x * BLOCK; base < n; base += (i64)gridDim.x * BLOCK) {
        const i64 i = base + threadIdx.x;
        const int v = i < n ? (vertices == nullptr ? int(i) : vertices[i]) : 0;
        append_by_class(i < n && (marks == nullptr || marks[v]), v, indptr, OUT);
    }
}

extern "C" __global__ void mark(LIST_PARAMETERS, u8 *marks) {
    const i64 count = COUNT;
    for (i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x; i < count; i += (i64)gridDim.x * BLOCK)
        store(marks, ITEM(i), 1);
}

// The degree of each listed vertex; 0 after the end of the list, up to its bound.
extern "C" __global__ void degrees_of(LIST_PARAMETERS, const offset_t *indptr, i64 *degrees) {
    const i64 count = COUNT;
    for (i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x; i < bound; i += (i64)gridDim.x * BLOCK) {
        const int v = i < count ? ITEM(i) : 0;
        degrees[i] = i < count ? i64(indptr[v + 1] - indptr[v]) : 0;
    }
}
