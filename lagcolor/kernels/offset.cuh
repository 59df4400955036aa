// The type of offsets into the entries of a graph.
#pragma once
#if OFFSET_BITS == 64
typedef long long offset_t;
#else
typedef int offset_t;
#endif
