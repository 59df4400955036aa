// variants: OFFSET_BITS=32,64
// The sequential spread stage, color-centric: a block takes a color and finds all vertices for it (section 4.2), chunk
// after chunk of the order that left.cu has made, one thread per vertex, in a pipeline.
//
// Of a chunk are candidates those without a color that no neighbour keeps from this one. A candidate takes the color once
// no parent in the chunk is one; it is out once a parent has taken it. Bits of the chunk in shared memory say who is
// either, and each thread goes once through the words of its parents there, however long it waits.
//
// near[i] of a block: an earlier vertex that took the current color is next to i. Only that block reads or writes it, so
// that no atomics are needed, and what one color does to later chunks need not be seen by the next before it goes on.
//
// Bytes: a byte written an edge between the left; for each chunk and color up to the last of the chunk 4 to 9 bytes a
// vertex, and as many words of parents as candidates come before.
#include "device/include/search.cuh"
#include "papers/feluca/feluca.cuh"

#define MOST_WARPS 32
enum { FEW = 8, SEGMENT = 4 * WARP };  // children that a thread marks, and those a warp marks at a time

// For who waits long: hundreds of blocks that poll one word keep others from writing it.
static __device__ __forceinline__ void pause(int ahead) {
#ifdef __CUDA_ARCH__
    __nanosleep(ahead < 16 ? 64 * ahead : 1024);
#endif
}

// A baton is passed from color to color, one for each 32 places of the order: in its high half the color that may look at
// them next, in its low half who has no color yet. Both in one word: who sees that it is its turn has all it needs.
// Returns the low half, or sets `over` where all vertices have got a color meanwhile.
static __device__ __forceinline__ unsigned await(const u64* baton, int c, const int* finished, bool& over) {
    while (true) {
        const int done = load_relaxed(finished);
        const u64 x = load_relaxed(baton);
        const int ahead = c - (int)(x >> 32);  // colors that have to go through it before
        if (ahead == 0) return (unsigned)x;
        if (done) {
            over = true;
            return 0;
        }
        if (ahead > 1) pause(ahead - 1);
    }
}

struct Bits {
    unsigned candidates[MOST_WARPS], takers[MOST_WARPS];  // of the chunk
    int who[MOST_WARPS * WARP], upto[MOST_WARPS * WARP];  // takers of the threads, and their segments up to each
    int sums[MOST_WARPS];
    bool over[2];
};

// Whether this thread takes the color. `mine` are the candidates of its warp, `some` says that there are any; the whole
// block calls.
static __device__ __forceinline__ bool decide(Bits& bits, unsigned mine, const unsigned* inside, unsigned& takers,
                                              bool& some) {
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    bool open = mine >> lane & 1, takes = false;
    int word = 0;  // of this thread's parents; those in the words before can no longer take the color, and have not
    takers = 0;
    if (lane == 0) bits.candidates[warp] = mine, bits.takers[warp] = 0;
    for (some = false; __syncthreads_or(open); some = true) {
        bool now = false;
        while (open && !now) {
            const unsigned waiting = bits.candidates[word], taken = bits.takers[word];
            const unsigned parents = waiting | taken ? inside[(i64)word * blockDim.x + threadIdx.x] : 0;
            if (parents & taken) open = false;
            else if (parents & waiting) break;
            else now = ++word > warp;
        }
        open &= !now;
        takes |= now;
        takers |= __ballot_sync(ALL_LANES, now);
        const unsigned still = __ballot_sync(ALL_LANES, open);
        __syncthreads();  // all have read the bits
        if (lane == 0) bits.candidates[warp] = still, bits.takers[warp] = takers;
    }
    return takes;
}

struct Classes {
    const offset_t* begins;
    const int *sizes, *children;
    unsigned char* near;
    Bits& bits;

    __device__ __forceinline__ void forget(i64 room) {
        for (i64 i = threadIdx.x; i < room / 4; i += blockDim.x) store_relaxed((int*)near + i, 0);
        __syncthreads();
    }

    // Marks the children of i for the threads that take it: long rows by segments, a warp each. The whole block calls;
    // what is marked is settled then.
    __device__ __forceinline__ void mark(bool takes, int i) {
        const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
        const int size = takes ? sizes[i] : 0, segments = size > FEW ? (size + SEGMENT - 1) / SEGMENT : 0;
        int upto = sum_until(segments);
        if (lane == WARP - 1) bits.sums[warp] = upto;
        if (segments == 0)
            for (int k = 0; k < size; k++) store_relaxed(near + children[begins[i] + k], (unsigned char)1);
        __syncthreads();
        int total = 0;
        for (int w = 0; w < warps; w++) {
            if (w == warp) upto += total;
            total += bits.sums[w];
        }
        if (total) {
            bits.upto[threadIdx.x] = upto;
            bits.who[threadIdx.x] = i;
            __syncthreads();
            for (int s = warp; s < total; s += warps) mark_segment(s);
        }
        __syncthreads();
    }

    __device__ __forceinline__ void mark_segment(int s) {
        const int t = first_over(bits.upto, 0, (int)blockDim.x - 1, s);
        const int i = bits.who[t], size = sizes[i];
        const int* row = children + begins[i];
        const int begin = (s - (t ? bits.upto[t - 1] : 0)) * SEGMENT + threadIdx.x % WARP;
        int child[SEGMENT / WARP];
#pragma unroll
        for (int k = 0; k < SEGMENT / WARP; k++) child[k] = begin + k * WARP < size ? row[begin + k * WARP] : -1;
#pragma unroll
        for (int k = 0; k < SEGMENT / WARP; k++)
            if (child[k] >= 0) store_relaxed(near + child[k], (unsigned char)1);
    }
};

// nears: `room` bytes per block, a multiple of 4. Threads of a block are as many as places of a chunk.
#define CLASSES_PARAMETERS const offset_t* begins, const int* sizes, const int* children, i64 n, i64 room, const int* order, const unsigned* fixed, i64 words, const unsigned* inside, unsigned char* nears, int* result, i64 colors

// The pipeline: block b has colors b, b + blocks … Color c goes through a chunk once color c - 1 is through with it. Of
// the colors in flight the least waits for none, and all blocks run at the same time, so some block always makes progress; when
// no vertex is open all stop, also those that wait.
extern "C" __global__ void take_in_turn(CLASSES_PARAMETERS, u64* batons, int* finished) {
    __shared__ Bits bits;
    Classes work = {begins, sizes, children, nears + room * blockIdx.x, bits};
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    if (threadIdx.x < 2) bits.over[threadIdx.x] = false;
    for (i64 c = blockIdx.x; c < colors; c += gridDim.x) {
        work.forget(room);
        unsigned left = 0;
        for (i64 chunk = 0; chunk * blockDim.x < n; chunk++) {
            const i64 at = chunk * blockDim.x + threadIdx.x;
            const int i = at < n ? order[at] : -1;
            const bool barred = i >= 0 && c / 32 < words && fixed[i * words + c / 32] >> c % 32 & 1;
            const bool wanted = i >= 0 && !barred && !load_relaxed(work.near + i);
            u64* baton = batons + chunk * warps + warp;
            unsigned open = 0, takers;
            bool over = false, some;
            if (lane == 0) {
                open = await(baton, (int)c, finished, over);
                if (over) bits.over[chunk & 1] = true;  // two in turn: some may still be looking at the one before
            }
            open = __shfl_sync(ALL_LANES, open, 0);
            const unsigned mine = __ballot_sync(ALL_LANES, wanted) & open;
            const bool takes = decide(bits, mine, inside + chunk * warps * blockDim.x, takers, some);
            if (bits.over[chunk & 1]) return;
            left |= open & ~takers;
            if (lane == 0) store_relaxed(baton, (u64)(c + 1) << 32 | (open & ~takers));
            if (takes) result[i] = (int)c;
            if (some) work.mark(takes, i);
        }
        if (!__syncthreads_or(left != 0)) {
            if (threadIdx.x == 0) store_relaxed(finished, 1);
            return;
        }
    }
}
