// Rows of a range of vertices of a mesh, each written down from its coordinates: vertex (z · height + y) · width + x,
// next to those at the given steps that lie in the box. Steps rise as the ids of the neighbors do.
//
// variants: OFFSET_BITS=32,64
#include "base/device/include/common.cuh"

#define BLOCK 256

struct Box {
    int width, height, depth;
    // Whether the vertex has a neighbor at a step, which becomes that neighbor.
    __device__ __forceinline__ bool has(int x, int y, int z, const int* __restrict__ step, int& neighbor) const {
        x += step[0], y += step[1], z += step[2]; if ((unsigned)x >= (unsigned)width || (unsigned)y >= (unsigned)height
        || (unsigned)z >= (unsigned)depth) return false; neighbor = (z * height + y) * width + x; return true;
    }
};

// lengths[i] = entries of the row of vertex first_id + i.
extern "C" __global__ void __launch_bounds__(BLOCK)
    count_entries(i64 n, int first_id, int width, int height, int depth, const int* __restrict__ steps, int count,
                  offset_t* lengths) {
    const Box box = {width, height, depth};
    for (i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (i64)gridDim.x * BLOCK) {
        const int v = first_id + (int)i, x = v % width, y = v / width % height, z = v / width / height;
        int found = 0, u;
        for (int s = 0; s < count; s++) found += box.has(x, y, z, steps + 3 * s, u);
        lengths[i] = found;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    write_entries(i64 n, int first_id, int width, int height, int depth, const int* __restrict__ steps, int count,
                  const offset_t* __restrict__ indptr, int* indices) {
    const Box box = {width, height, depth};
    for (i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (i64)gridDim.x * BLOCK) {
        const int v = first_id + (int)i, x = v % width, y = v / width % height, z = v / width / height;
        offset_t at = indptr[i];
        int u;
        for (int s = 0; s < count; s++)
            if (box.has(x, y, z, steps + 3 * s, u)) indices[at++] = u;
    }
}
