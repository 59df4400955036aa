// Check the colors of one GPU's rows by the equations of first-fit, with a thread per vertex: no state and no queue.
// Only the order's hash is shared with the engines. colors and degrees are of all vertices, rows of this GPU's range.
//
// variants: OFFSET_BITS=32,64
#include "base/device/include/group.cuh"
#include "orders/spread.cuh"

#define BLOCK 256

// found[0] counts vertices without a color, found[1] entries whose ends have equal colors (two entries per edge), and
// found[2] vertices whose color is not the least that no earlier neighbor has in the order largest_first_spread.
// found[2] needs `degrees`, all under 64. `worst` becomes the least of all these vertices.
extern "C" __global__ void __launch_bounds__(BLOCK)
    check_rows(i64 n, int first_id, const offset_t* __restrict__ indptr, const int* __restrict__ indices,
               const int* __restrict__ colors, const u8* __restrict__ degrees, unsigned seed, u64* found, int* worst) {
    u64 bare = 0, conflicts = 0, other = 0;
    int at = 0x7fffffff;
    for (i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (i64)gridDim.x * BLOCK) {
        const int v = first_id + (int)i, mine = colors[v], degree = (int)(indptr[i + 1] - indptr[i]);
        const unsigned group = tie_group(v, degree, seed);
        u64 taken = 0;
        int same = 0;
        for (offset_t e = indptr[i]; e < indptr[i + 1]; e++) {
            const int u = indices[e], c = colors[u];
            same += c == mine;
            if (!degrees || c < 0 || c >= 64) continue;
            bool earlier = degrees[u] > degree;
            if (degrees[u] == degree) {
                const unsigned its = tie_group(u, degree, seed);
                earlier = its < group || (its == group && rank_of(u) < rank_of(v));
            }
            if (earlier) taken |= 1ull << c;
        }
        const bool wrong = degrees && mine != __ffsll((long long)~taken) - 1;
        bare += mine < 0;
        conflicts += same;
        other += wrong;
        if (mine < 0 || same || wrong) at = min(at, v);
    }
    bare = Threads<BLOCK>::reduce<Plus>(bare);
    conflicts = Threads<BLOCK>::reduce<Plus>(conflicts);
    other = Threads<BLOCK>::reduce<Plus>(other);
    at = Threads<BLOCK>::reduce<Least>(at);
    if (threadIdx.x != 0) return;
    if (bare) atomicAdd(found, bare);
    if (conflicts) atomicAdd(found + 1, conflicts);
    if (other) atomicAdd(found + 2, other);
    if (at != 0x7fffffff) atomicMin(worst, at);
}
