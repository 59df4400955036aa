// variants: OFFSET_BITS=32,64
// The recursion stage. `draw` gives every vertex an initial color; `csr_round_first` and `csr_round` are rounds over all
// vertices in plain CSR (edges.cu has them over the edge list); `rounds` does the others in one launch, each over
// those who changed in the one before.
//
// c_r are the colors after r rounds and X_r is who conflicts under them; c_r and X_r are in array and list r mod 2.
//
// Bytes: a round over all reads 4(n + 1) + 4m, gathers m/2 colors and writes 4n; one of `rounds` reads the rows of who
// changed (all of them, to find who conflicts now, and the half with the parents to choose) and gathers as many colors.
// What cannot matter is not looked at: an edge neither end of which has changed.
//
// Lost on an H200: 8 threads a short row in rounds over all (up to 95 % longer) and in the others (up to 25 %), 8 gathers
// in flight (up to 11 %), and more blocks than 32 per multiprocessor in rounds over all (up to 10 %). A thread a short row
// and 4 gathers are the best or within 2 % of it on the ten graphs.
#include "device/include/search.cuh"
#include "papers/feluca/feluca.cuh"

extern "C" __global__ void draw(int* colors, int* others, i64 n, i64 word, i64 size) {
    for (i64 v = (i64)blockIdx.x * blockDim.x + threadIdx.x; v < n; v += (i64)gridDim.x * blockDim.x)
        colors[v] = others[v] = initial_color((int)v, (unsigned)word, size);
}

// A bit for each color in use.
static __device__ void find_used(const int* colors, i64 n, unsigned* seen) {
    u64 low = 0;  // of colors below 64
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 v = (i64)blockIdx.x * blockDim.x + threadIdx.x; v < n; v += 4 * step) {
        int c[4];
#pragma unroll
        for (int k = 0; k < 4; k++) c[k] = v + k * step < n ? colors[v + k * step] : -1;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (c[k] < 0) continue;
            if (c[k] < 64) low |= 1ull << c[k];
            else take_color(seen, c[k]);
        }
    }
    low = reduce_warp<Either>(low);
    if (threadIdx.x % WARP != 0) return;
    for (int half = 0; half < 2; half++) {
        const unsigned bits = (unsigned)(low >> 32 * half);
        if (bits && bits & ~load_relaxed(seen + half)) atomicOr(seen + half, bits);
    }
}

extern "C" __global__ void used(const int* colors, i64 n, unsigned* seen) { find_used(colors, n, seen); }

// ---- a round over all vertices ------------------------------------------------------------------

template <class Group, class Color>
static __device__ __forceinline__ void renew(int v, const offset_t* indptr, const int* indices, Color color, int* after,
                                             int length, unsigned word, Found& found, LIST_PARAMETERS) {
    const int c = select_color<Group>(v, indptr, indices, color, length, word);
    if (Group::lane() != 0) return;
    after[v] = c < 0 ? color(v) : c;
    if (c >= 0) add_found(found, v, indptr, LIST);
}

// A tile of BLOCK vertices: short rows by a thread each, then the long ones by warps, then those of hubs by the block.
template <class Color>
static __device__ void round_of_all(const offset_t* indptr, const int* indices, i64 n, Color color, int* after,
                                    int length, unsigned word, LIST_PARAMETERS) {
    __shared__ Found found;
    __shared__ int put_off[BLOCK], n_put_off;
    begin_found(found);
    for (i64 tile = (i64)blockIdx.x * BLOCK; tile < n; tile += (i64)gridDim.x * BLOCK) {
        if (threadIdx.x == 0) n_put_off = 0;
        __syncthreads();
        if (tile + threadIdx.x < n) {
            const int v = (int)tile + threadIdx.x;
            if (class_of((i64)(indptr[v + 1] - indptr[v])) == 0)
                renew<SingleThread>(v, indptr, indices, color, after, length, word, found, LIST);
            else
                put_off[atomicAdd(&n_put_off, 1)] = v;
        }
        __syncthreads();
        for (int i = threadIdx.x / WARP; i < n_put_off; i += BLOCK / WARP) {
            const int w = put_off[i];
            if (class_of((i64)(indptr[w + 1] - indptr[w])) == 1)
                renew<Warp>(w, indptr, indices, color, after, length, word, found, LIST);
        }
        for (int i = 0; i < n_put_off; i++) {
            const int w = put_off[i];
            if (class_of((i64)(indptr[w + 1] - indptr[w])) == 2)
                renew<Block>(w, indptr, indices, color, after, length, word, found, LIST);
        }
        flush_found(found, FOUND_ROOM - BLOCK, indptr, LIST);  // there is room for another tile
    }
    flush_found(found, 0, indptr, LIST);
}

extern "C" __global__ void csr_round_first(const offset_t* indptr, const int* indices, i64 n, i64 size, i64 word,
                                           int* after, i64 length, LIST_PARAMETERS) {
    round_of_all(indptr, indices, n, Drawn{(unsigned)word, size}, after, (int)length, word_of_round(word, 0), LIST);
}

extern "C" __global__ void csr_round(const offset_t* indptr, const int* indices, i64 n, const int* before, i64 word,
                                     int* after, i64 length, LIST_PARAMETERS) {
    round_of_all(indptr, indices, n, Stored{before}, after, (int)length, word_of_round(word, 1), LIST);
}

// ---- rounds over who changed ----------------------------------------------------------------------

enum { SEGMENT = 4096, SHARED_HUBS = 1024 };  // entries that a block takes of a row; hubs whose rows are shared

// What the blocks that share a row know so far; all 0 when none works on it.
struct Joint {
    u64 low, near;
    int above, arrived;  // the greatest color and 1; blocks that are through
};

// One thread of each of `blocks` calls; true for the last, which then has what all have found.
static __device__ bool join(Joint* joint, int blocks, Parents& found) {
    if (blocks == 1) return true;
    if (found.low) atomicOr(&joint->low, found.low);
    if (found.near) atomicOr(&joint->near, found.near);
    if (found.greatest >= 0) atomicMax(&joint->above, found.greatest + 1);
    __threadfence();
    if (atomicAdd(&joint->arrived, 1) < blocks - 1) return false;
    __threadfence();
    found.low = atomicExch(&joint->low, 0ull);
    found.near = atomicExch(&joint->near, 0ull);
    found.greatest = atomicExch(&joint->above, 0) - 1;
    atomicExch(&joint->arrived, 0);
    return true;
}

// Rows of up to SHARED_HUBS hubs in segments, a block each: else all would wait for the block with the longest row.
template <class Work>
static __device__ void share_hubs(const offset_t* indptr, const int* list, i64 begin, int hubs, Joint* joints, Work& work) {
    __shared__ int upto[SHARED_HUBS];  // segments up to each hub
    const int each = SHARED_HUBS / BLOCK;
    int sizes[each], total = 0;
    for (int k = 0; k < each; k++) {
        const int i = threadIdx.x * each + k, v = i < hubs ? list[begin + i] : -1;
        total += sizes[k] = v < 0 ? 0 : (int)((indptr[v + 1] - indptr[v] + SEGMENT - 1) / SEGMENT);
    }
    int all;
    total = Threads<BLOCK>::sum_before(total, all);
    for (int k = 0; k < each; k++) upto[threadIdx.x * each + k] = total += sizes[k];
    __syncthreads();
    for (int s = blockIdx.x; s < upto[SHARED_HUBS - 1]; s += gridDim.x) {
        const int i = first_over(upto, 0, hubs - 1, s);
        const int before = i ? upto[i - 1] : 0;
        work.share(begin + i, s - before, upto[i] - before, joints + i);
        work.settle();
    }
    __syncthreads();
}

// The hubs of a list. Where they are many, whole rows keep all blocks busy.
template <class Work>
static __device__ __forceinline__ void for_all_hubs(const offset_t* indptr, const int* list, i64 begin, const int* counts,
                                                    Work& work, int* ticket, Joint* joints) {
    const int hubs = load_relaxed(counts + 2);
    if (hubs > SHARED_HUBS) for_hubs(begin, counts, work, ticket);
    else if (hubs) share_hubs(indptr, list, begin, hubs, joints, work);
}

enum { HUBS = 1, ANYONE = 2 };  // who is pending
#define CLAIMED -2  // instead of the color before: a thread will choose a color for this vertex

// A vertex that has changed reads its row once. If it has the color of a parent it takes another and goes into the next
// list. Children that now have its color, and have not changed themselves (those look for themselves), it claims: the
// block that claimed one chooses for it. Colors of now are only read; what a vertex had before becomes what it gets.
//
// The word before[u] says all about a child u of the color now[v]: it is that color where u has not changed and no thread
// has claimed it, and another in every other case, for whoever conflicts gets another color.
struct Round {
    const offset_t* indptr;
    const int* indices;
    const int* changed;
    const int* now;
    int* before;
    int length;
    unsigned word;
    Found& found;
    int* list;
    i64 begin_1, begin_2;
    int *counts, *pending;

    __device__ __forceinline__ void settle(int least = FOUND_ROOM / 2) {
        choose(least);
        flush_found(found, least, indptr, LIST);
    }

    __device__ __forceinline__ void report(int own, int u) {
        if (load_relaxed(before + u) != own || atomicCAS(before + u, own, CLAIMED) != own) return;
        const int at = atomicAdd(&found.count, 1);
        if (at < FOUND_ROOM) {
            found.items[at] = ~u;
            return;
        }
        leave(ANYONE);
        const int part = class_of((i64)(indptr[u + 1] - indptr[u]));
        list[begin_of(part, begin_1, begin_2) + atomicAdd(counts + part, 1)] = u;
    }

    // A vertex is claimed and in the list, but without a color: all blocks see to them later.
    __device__ __forceinline__ void leave(int who) { atomicOr(pending, who); }

    // What this thread finds in entries `e` … `end` - 1 of a row.
    template <class Group> __device__ __forceinline__ Parents scan(int v, int own, offset_t e, offset_t end) {
        const int base = base_of(own);
        const offset_t size = Group::SIZE;
        Parents parents = no_parents();
        for (e += Group::lane(); e < end; e += BATCH * size) {
            int u[BATCH], c[BATCH];
#pragma unroll
            for (int k = 0; k < BATCH; k++) u[k] = e + k * size < end ? indices[e + k * size] : -1;
#pragma unroll
            for (int k = 0; k < BATCH; k++) c[k] = u[k] >= 0 ? now[u[k]] : -1;
#pragma unroll
            for (int k = 0; k < BATCH; k++) {
                if (u[k] < 0) continue;
                if (u[k] < v) include(parents, c[k], base);
                else if (c[k] == own) report(own, u[k]);
            }
        }
        return parents;
    }

    // One thread calls, with what all found.
    __device__ __forceinline__ void finish(int v, int own, bool hit, const Parents& parents) {
        store_relaxed(before + v, hit ? next_color(v, own, parents, length, word) : own);
        if (hit) add_found(found, v, indptr, LIST);
    }

    template <class Group> __device__ __forceinline__ void operator()(Group, i64 at) {
        const int v = changed[at], own = now[v];
        Parents parents = scan<Group>(v, own, indptr[v], indptr[v + 1]);
        const bool hit = Group::any(conflicts(parents, own));
        if (hit) parents = all_of<Group>(parents);
        if (Group::lane() == 0) finish(v, own, hit, parents);
    }

    // Segment `part` of `parts`; the whole block calls.
    __device__ __forceinline__ void share(i64 at, int part, int parts, Joint* joint) {
        const int v = changed[at], own = now[v];
        const offset_t begin = indptr[v] + (offset_t)part * SEGMENT, end = indptr[v + 1];
        Parents parents = all_of<Block>(scan<Block>(v, own, begin, end - begin < SEGMENT ? end : begin + SEGMENT));
        if (threadIdx.x == 0 && join(joint, parts, parents)) finish(v, own, conflicts(parents, own), parents);
    }

    // Colors for the claimed of this block; hubs are left to the first block that has time. The whole block calls.
    __device__ __forceinline__ void choose(int least) {
        __syncthreads();
        const int total = found.count < FOUND_ROOM ? found.count : FOUND_ROOM;
        __syncthreads();
        if (total <= least) return;
        choose_for<8>(total, THREAD_MOST);
        __syncthreads();
        choose_for<WARP>(total, WARP_MOST);
        for (int i = threadIdx.x; i < total; i += BLOCK) {
            if (found.items[i] >= 0) continue;
            found.items[i] = ~found.items[i];
            leave(HUBS);
        }
    }

    template <int SIZE> __device__ __forceinline__ void choose_for(int total, int most) {
        for (int i = threadIdx.x / SIZE; i < total; i += BLOCK / SIZE) {
            const int u = ~found.items[i];
            __syncwarp(Threads<SIZE>::lanes());
            if (u < 0 || indptr[u + 1] - indptr[u] > most) continue;
            const int c = select_color<Threads<SIZE>>(u, indptr, indices, Stored{now}, length, word);
            if (threadIdx.x % SIZE != 0) continue;
            store_relaxed(before + u, c);
            found.items[i] = u;
        }
        __syncthreads();
    }
};

struct Pending {
    const offset_t* indptr;
    const int* indices;
    const int* list;
    const int* now;
    int* after;
    int length;
    unsigned word;

    __device__ __forceinline__ void settle() {}

    template <class Group> __device__ __forceinline__ void operator()(Group, i64 at) {
        const int v = list[at];
        const bool open = Group::any(load_relaxed(after + v) == CLAIMED);  // all look before one writes
        if (!open) return;
        const int c = select_color<Group>(v, indptr, indices, Stored{now}, length, word);
        if (Group::lane() == 0) store_relaxed(after + v, c);
    }

    // The last block writes when all have looked.
    __device__ __forceinline__ void share(i64 at, int part, int parts, Joint* joint) {
        const int v = list[at];
        if (!Block::any(load_relaxed(after + v) == CLAIMED)) return;
        const int own = now[v];
        const offset_t begin = indptr[v] + (offset_t)part * SEGMENT, end = indptr[v + 1];
        Parents found = parents_within<Block>(v, base_of(own), begin, end - begin < SEGMENT ? end : begin + SEGMENT,
                                              indices, Stored{now});
        found = all_of<Block>(found);
        if (threadIdx.x != 0 || !join(joint, parts, found)) return;
        store_relaxed(after + v, next_color(v, own, found, length, word));
    }
};

// Whether the second stage takes over after round r, as Plan.switches has it: sizes[k] is how many conflict.
static __device__ bool switches(i64 n, i64 r, const i64* sizes, i64 alpha, i64 fraction) {
    const i64 million = 1000000;
    if (fraction >= 0 && (n - sizes[2]) * million > fraction * n) return true;
    return alpha >= 0 && r >= 2 && sizes[0] * million <= (million + alpha) * sizes[1] &&
           sizes[1] * million <= (million + alpha) * sizes[2];
}

static __device__ i64 size_of(const int* counts) {
    return (i64)load_relaxed(counts) + load_relaxed(counts + 1) + load_relaxed(counts + 2);
}

// From X_1 in list 1 and c_2 in array 0 on; counts[r] has the three sizes of X_r. Ends with state[0] = r such that X_r
// is empty or left to the second stage, or after `most` rounds with -1 - r, to be started again: `first` is the r of the
// first list to be made. A round costs a grid barrier, and another where some are pending. Where no vertex is left,
// `seen` says which colors are in use, if it has room for those of `most` rounds.
extern "C" __global__ void rounds(const offset_t* indptr, const int* indices, i64 n, int* colors_even, int* colors_odd,
                                  int* list_even, int* list_odd, i64 begin_1, i64 begin_2, int* counts, i64 length,
                                  i64 alpha, i64 fraction, i64 word, i64 first, i64 most, int* arrived, int* tickets,
                                  int* pending, int* state, unsigned* seen, Joint* joints) {
    __shared__ Found found;
    int goal = 0;
    i64 sizes[3] = {size_of(counts), size_of(counts + CLASSES), 0};
    begin_found(found);
    for (i64 k = 2;; k++) {
        const i64 r = first + k - 2;
        const unsigned salt = word_of_round(word, r);
        int *now = r % 2 ? colors_odd : colors_even, *after = r % 2 ? colors_even : colors_odd;
        int *list = r % 2 ? list_odd : list_even, *changed = r % 2 ? list_even : list_odd, *found_of = counts + CLASSES * k;
        Round round = {indptr, indices, changed, now,     after,   (int)length, salt,
                       found,  list,    begin_1, begin_2, found_of, pending + k};
        for_all_hubs(indptr, changed, begin_2, found_of - CLASSES, round, tickets + 2 * k, joints);
        for_rows<true>(begin_1, found_of - CLASSES, round);
        round.settle(0);
        grid_barrier(arrived, goal);
        sizes[2] = size_of(found_of);
        const bool ends = sizes[2] == 0 || switches(n, r, sizes, alpha, fraction);
        if (ends || k == most + 1) {
            if (blockIdx.x == 0 && threadIdx.x == 0) state[0] = (int)(ends ? r : -1 - r);
            if (ends && sizes[2] == 0 && first == 2) find_used(now, n, seen);
            if (ends) return;
        }
        if (const int open = load_relaxed(pending + k)) {
            Pending rest = {indptr, indices, list, now, after, (int)length, salt};
            for_all_hubs(indptr, list, begin_2, found_of, rest, tickets + 2 * k + 1, joints);
            if (open & ANYONE) for_rows<false>(begin_1, found_of, rest);
            if (k <= most) grid_barrier(arrived, goal);
        }
        if (k == most + 1) return;
        sizes[0] = sizes[1];
        sizes[1] = sizes[2];
    }
}
