// Placeholders, so that each operator's file compiles alone; codegen.py replaces them by the caller's functors.
#pragma once
#define Z_TYPE int
#define ADD ops::max(x, y)
#define IDENTITY 0
#define TERMINAL 9
#define STOP 1
#define ATOMIC 3
#define ARGUMENT_PARAMETERS , int *level, i64 depth
#define ARGUMENTS , level, depth

__device__ inline bool edge(int v, int u, offset_t e, int *level, i64 depth) {
    return v != u && e >= 0 && claim(level, u, -1, depth);
}
__device__ inline int value(int v, int u, offset_t e, int *level, i64 depth) {
    return v != u && e >= 0 && depth ? load(level, u) : 0;
}
__device__ inline bool then(int v, int x, int *level, i64 depth) { return x > load(level, v) && depth; }
__device__ inline bool element(i64 x, int *level, i64 depth) { return add(level, x, 1) < depth; }
