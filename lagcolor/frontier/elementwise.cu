// compute: call functor element(x) on each element of a frontier, vertices or edges. filter (KEEP 1): elements whose
// functor is true form the next frontier, in the same parts.
//
// Bytes: 4 or 8 per element, the same again per selected element, and the accesses of the functor.
// variants: OFFSET_BITS=32,64 CLASSES=3 KEEP=0,1 EDGES=0,1
#include "frontier.cuh"

#if EDGES
typedef offset_t Item;
#else
typedef int Item;
#endif
#include "functors.cuh"

extern "C" __global__ void elements(LIST_PARAMETERS, SELECTED_PARAMETERS ARGUMENT_PARAMETERS) {
    const i64 count = COUNT;
    for (i64 base = (i64)blockIdx.x * BLOCK; base < count; base += (i64)gridDim.x * BLOCK) {
        const i64 i = base + threadIdx.x;
#if KEEP
        const Item x = i < count ? ITEM(i) : 0;
        const bool keep = i < count && element(x ARGUMENTS);
        put_by_block(keep, x, selected + selected_begin, selected_counts + part);
#else
        if (i < count) element(ITEM(i) ARGUMENTS);
#endif
    }
}
