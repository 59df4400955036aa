// compute: functor element(x) on every element of a frontier, vertices or edges. filter (KEEP 1): elements where it is
// true make the next frontier; they stay in the part that they are in.
//
// Bytes: 4 or 8 an element, the same again for each one kept, and what the functor touches.
// variants: OFFSET_BITS=32,64 CLASSES=3 KEEP=0,1 EDGES=0,1
#include "frontier.cuh"

#if EDGES
typedef offset_t Item;
#else
typedef int Item;
#endif
#include "functors.cuh"

extern "C" __global__ void elements(LIST_PARAMETERS, KEPT_PARAMETERS ARGUMENT_PARAMETERS) {
    const i64 count = COUNT;
    for (i64 base = (i64)blockIdx.x * BLOCK; base < count; base += (i64)gridDim.x * BLOCK) {
        const i64 i = base + threadIdx.x;
#if KEEP
        const Item x = i < count ? ITEM(i) : 0;
        const bool keep = i < count && element(x ARGUMENTS);
        put_by_block(keep, x, kept + kept_begin, kept_counts + part);
#else
        if (i < count) element(ITEM(i) ARGUMENTS);
#endif
    }
}
