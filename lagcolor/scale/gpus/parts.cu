// Rows of a range of vertices of one of several GPUs: the range of their neighbors, and the rows of a mesh.
//
// variants: OFFSET_BITS=32,64
#include "base/device/include/group.cuh"

#define BLOCK 256

// found[0] = the least neighbor, found[1] = the largest, found[2] = the largest degree. *pushes += the number of other
// GPUs that receive the color of each vertex: GPUs with an id from the first neighbor to the last, because rows are
// sorted. `firsts` has the first id of each GPU, and n.
extern "C" __global__ void __launch_bounds__(BLOCK)
    look_at_rows(i64 n, const offset_t* __restrict__ indptr, const int* __restrict__ indices, int gpus, int mine,
                 const int* __restrict__ firsts, int* found, u64* pushes) {
    int low = 0x7fffffff, high = -1, degree = 0;
    u64 sent = 0;
    for (i64 v = (i64)blockIdx.x * BLOCK + threadIdx.x; v < n; v += (i64)gridDim.x * BLOCK) {
        const offset_t begin = indptr[v], end = indptr[v + 1];
        if (begin == end) continue;
        const int first = indices[begin], last = indices[end - 1];
        low = min(low, first);
        high = max(high, last);
        degree = max(degree, (int)(end - begin));
        for (int gpu = 0; gpu < gpus; gpu++) sent += gpu != mine && first < firsts[gpu + 1] && last >= firsts[gpu];
    }
    low = Threads<BLOCK>::reduce<Least>(low);
    high = Threads<BLOCK>::reduce<Most>(high);
    degree = Threads<BLOCK>::reduce<Most>(degree);
    sent = Threads<BLOCK>::reduce<Plus>(sent);
    if (threadIdx.x != 0) return;
    atomicMin(found, low);
    atomicMax(found + 1, high);
    atomicMax(found + 2, degree);
    if (sent) atomicAdd(pushes, sent);
}

// A mesh: vertex (z · height + y) · width + x is adjacent to the vertices at `steps` from it that are in the box. Steps
// are in the order of the neighbors' ids.
struct Box {
    int width, height, depth;
    // Whether a vertex has a neighbor at a step; sets `neighbor`.
    __device__ __forceinline__ bool has(int x, int y, int z, const int* __restrict__ step, int& neighbor) const {
        x += step[0], y += step[1], z += step[2];
        if ((unsigned)x >= (unsigned)width || (unsigned)y >= (unsigned)height || (unsigned)z >= (unsigned)depth)
            return false;
        neighbor = (z * height + y) * width + x;
        return true;
    }
};

// Rows of vertices first_id, first_id + 1 ... If `indices` is null, ends[i] becomes the number of entries of row i;
// otherwise it is the place where the row begins.
extern "C" __global__ void __launch_bounds__(BLOCK)
    mesh_rows(i64 n, int first_id, int width, int height, int depth, const int* __restrict__ steps, int count,
              offset_t* ends, int* indices) {
    const Box box = {width, height, depth};
    for (i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (i64)gridDim.x * BLOCK) {
        const int v = first_id + (int)i, x = v % width, y = v / width % height, z = v / width / height;
        offset_t at = indices ? ends[i] : 0;
        int u;
        for (int s = 0; s < count; s++) {
            if (!box.has(x, y, z, steps + 3 * s, u)) continue;
            if (indices) indices[at] = u;
            at++;
        }
        if (!indices) ends[i] = at;
    }
}
