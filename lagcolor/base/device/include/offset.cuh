// The type of offsets into the entries of a graph.
//
// A loop may add up to 2^16 to an offset, a vertex or a place in a list of vertices before it compares the sum with the
// end. In int32 all of these stay under 2^31 - 2^16 (semirings/sparse.py), so that no sum wraps around. Longer steps,
// such as the steps of a whole grid, are computed in 64 bits or unsigned.
#pragma once
#if OFFSET_BITS == 64
typedef long long offset_t;
#else
typedef int offset_t;
#endif
