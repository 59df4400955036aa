// variants: OFFSET_BITS=32,64 KEY=1 HASHED=0,1 TRACE=0
// variants: OFFSET_BITS=32,64 KEY=2 HASHED=0 TRACE=0
// variants: OFFSET_BITS=32 KEY=0 HASHED=0,1 TRACE=0
// variants: OFFSET_BITS=32 KEY=1,2 HASHED=0 TRACE=1
// ECL-GC, Algorithms 1 to 3 in one cooperative launch. Changes from the paper: __init__.py. Layout of a word: ecl_gc.cuh.
//
//   prepare   a word for every vertex as if all of its neighbors were earlier; lists of the vertices of high degree
//   orient    their earlier neighbors, compacted by a warp or a block (Algorithm 1)
//   color     every warp visits its own vertices until all have colors, with no barrier: `visit_high` (Algorithm 2)
//             by one warp or block, `visit_first` and `visit_again` (Algorithm 3) by one thread per vertex
//
// There is a grid barrier after each of the first two. In the third, words are read and written with relaxed atomics
// and are monotone (ecl_gc.cuh); everything else belongs to one warp or block. Progress: the earliest vertex without a
// color finds at its next visit that all of its earlier neighbors have theirs, and every warp visits each of its
// vertices again after some sweeps.
#include "base/device/include/clock.cuh"
#include "algorithms/ecl_gc/high.cuh"
#include "algorithms/ecl_gc/low.cuh"

#ifndef BLOCKS
#define BLOCKS 4  // per multiprocessor
#endif
#ifndef PATIENCE
#define PATIENCE 32  // sweeps over high vertices before the first over low ones
#endif
#ifndef SHARE
#define SHARE 4  // high vertices that are visited per low one
#endif
#ifndef NAP
#define NAP 200  // nanoseconds after a sweep without success
#endif

// ---- prepare -----------------------------------------------------------------------------------------------------------

// A place in the list of high vertices, and in the bitmaps, for each thread that is `wide`: one atomic per block.
static __device__ void list_high(const Run& g, int v, offset_t degree, bool wide) {
    __shared__ u64 base;
    const u64 words = wide ? degree / 32 + 1 : 0;
    u64 total;
    const u64 before = Block::sum_before(wide ? (u64)1 << COUNT_SHIFT | words : 0, total);
    if (threadIdx.x == 0) base = atomicAdd(&g.head->high, total);
    __syncthreads();
    const u64 at = base + before;
    if (wide) g.high[at >> COUNT_SHIFT] = {v, 0, -1, (unsigned)(at & (((u64)1 << COUNT_SHIFT) - 1))};
}

static __device__ void prepare(const Run& g) {
    for (long long first = (long long)blockIdx.x * BLOCK; first < g.n; first += (long long)gridDim.x * BLOCK) {
        const long long v = first + threadIdx.x;
        const offset_t degree = v < g.n ? g.indptr[v + 1] - g.indptr[v] : 0;
        const bool hub = degree >= HUB, wide = degree > WORD_MOST && !hub;
        if (v < g.n) {
            if (degree <= WORD_MOST) g.state[v] = first_colors((int)degree + 1);
#if KEY == 1
            g.order.codes[v] = (unsigned char)degree_code(degree);
#endif
        }
        if (hub) {
            const u64 at = atomicAdd(&g.head->high, (u64)(degree / 32 + 1));
            const int place = atomicAdd(&g.head->hubs, 1);
            g.hubs[place] = {(int)v, 0, -1, (unsigned)(at & (((u64)1 << COUNT_SHIFT) - 1))};
        }
        if (__syncthreads_or(wide)) list_high(g, (int)v, degree, wide);
    }
}

// ---- color ------------------------------------------------------------------------------------------------------------

// High vertices come first, since in most orders they are pending on each other only. While some are pending, low ones
// are swept again at once where the last sweep colored an eighth of them, else after SHARE times as many visits of high
// ones.
static __device__ void color_all(const Run& g, int hubs, int high, Tally& tally) {
    int low = -1, pause = PATIENCE;  // low: not visited yet; pause: sweeps over high ones before the next
    for (int sweep = 1; hubs || high || low; sweep++) {
        bool news = false;
        if (hubs) {  // the same for all threads of the block
            const int before = hubs;
            hubs = sweep_hubs(g, hubs, sweep, tally);
            news |= hubs < before;
        }
        if (high) {
            const int before = high;
            high = sweep_high(g, high, sweep, tally);
            news |= high < before;
        }
        if (low && (!(high || hubs) || --pause < 0)) {
            const int before = low;
            low = before < 0 ? first_sweep(g, tally) : sweep_low(g, before, tally);
            pause = before - low >= before / 8 ? 0 : SHARE * (low / WARP + 1) / (high / WARP + 1);
            news |= low < before || before < 0;
        }
        if (!news) nap(NAP);
    }
}

static __device__ void report(const Run& g, const Tally& tally) {
#if TRACE
    for (int k = 0; k < 4; k++) {
        add_from_warp(&g.head->tally[k], (u64)tally.count[k]);
    }
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS)
    ecl_gc(long long n, long long m, const offset_t* indptr, const int* indices, const int* p, int seed, int sc1, int
    sc2,
           unsigned* state, unsigned char* codes, int2* list, int* dag, unsigned* bitmaps, High* high_list, High*
           hub_list, Head* head, int* colors) {
    const bool aligned = reinterpret_cast<u64>(indices) % 16 == 0;
    const Run g = {n, m, indptr, indices, state, colors, list, dag, bitmaps, high_list, hub_list, head,
                   {indptr, p, codes, (unsigned)seed}, sc1 != 0, sc2 != 0, aligned};
    Tally tally = {};
    int goal = 0, hubs = 0, high = 0;
    prepare(g);
    grid_barrier(&head->arrived, goal);
    if (head->high) {
        orient_all(g, hubs, high);
        grid_barrier(&head->arrived, goal);
        take_moved(g, high);
    }
    color_all(g, hubs, high, tally);
    write_colors(g);
    report(g, tally);
}
