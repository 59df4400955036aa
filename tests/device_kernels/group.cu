// variants: WIDTH=1,2,8,32,256
// Each function of a group of WIDTH threads by itself, twice in a row.
#include "base/device/include/group.cuh"

#define HERE (blockIdx.x * blockDim.x + threadIdx.x)
typedef Threads<WIDTH> Group;

extern "C" __global__ void places(int* lane, int* index, unsigned* lanes) {
    lane[HERE] = Group::lane();
    index[HERE] = Group::index();
    lanes[HERE] = Group::lanes();
}

extern "C" __global__ void votes(const int* yes, int* any, int* none) {
    any[HERE] = Group::any(yes[HERE] != 0);
    none[HERE] = !Group::any(yes[HERE] == 0);
}

template <class Sum, class T> static __device__ void reductions(T x, T* out) {
    out[5 * HERE] = (T)Group::template reduce<Plus>((Sum)x);  // sums of ints may wrap around
    out[5 * HERE + 1] = Group::template reduce<Most>(x);
    out[5 * HERE + 2] = Group::template reduce<Least>(x);
    out[5 * HERE + 3] = Group::template reduce<Either>(x);
    out[5 * HERE + 4] = Group::template reduce<Both>(x);
}
extern "C" __global__ void reductions_int(const int* x, int* out) { reductions<unsigned>(x[HERE], out); }
extern "C" __global__ void reductions_u64(const u64* x, u64* out) { reductions<u64>(x[HERE], out); }

template <class G>
static __device__ void both_ranks(bool yes, int* rank, int* total, int* other, int* rest) {
    if constexpr (G::SIZE >= WARP) {
        rank[HERE] = G::rank(yes, total[HERE]);
        other[HERE] = G::rank(!yes, rest[HERE]);
    }
}
extern "C" __global__ void ranks(const int* yes, int* rank, int* total, int* other, int* rest) {
    both_ranks<Group>(yes[HERE] != 0, rank, total, other, rest);
}

template <class G> static __device__ void both_sums(u64 x, u64* before, u64* total, u64* again) {
    if constexpr (G::SIZE >= WARP) {
        before[HERE] = G::sum_before(x, total[HERE]);
        u64 all;
        again[HERE] = G::sum_before(total[HERE], all);
    }
}
extern "C" __global__ void sums(const u64* x, u64* before, u64* total, u64* again) {
    both_sums<Group>(x[HERE], before, total, again);
}

// A word that goes from the first thread of a group to all others by way of memory.
extern "C" __global__ void through_memory(const int* x, int* word, int* out) {
    const int group = HERE / WIDTH;
    for (int turn = 0; turn < 3; turn++) {
        if (Group::lane() == 0) ((volatile int*)word)[group] = x[group] + turn;
        Group::sync();
        out[3 * HERE + turn] = ((volatile int*)word)[group];
        Group::sync();
    }
}

// A thread with a degree.
extern "C" __global__ void classes(const int* degree, const long long* wide, long long thread_most, long long warp_most,
                                   int* out, int* out_wide) {
    out[HERE] = degree_class(degree[HERE], (int)thread_most, (int)warp_most);
    out_wide[HERE] = degree_class(wide[HERE], (int)thread_most, (int)warp_most);
}
