// variants: OFFSET_BITS=32,64 STATE_BITS=32 BLOCK=128 GROUP=4,8,32
// First-fit of vertices in nets, in any order: vertices of one net have different colors.
//
// A warp takes the next vertex of the sequence, reads all vertices of its nets, waits for earlier ones without a color,
// and takes the least color that none has. GROUP lanes read a net, several nets at a time.
//
// Progress: vertices are taken in order, so a warp has the earliest uncolored vertex, which does not wait. A warp has
// one vertex at a time, so one running block is enough.
//
// state[v] is the color of v, or 2^32 - 1 - position of an uncolored vertex; it changes once. Colors are bits of a
// warp's palette in shared memory; if all are taken, the nets are read again for the next colors.
//
// Bytes that must move: 4 per vertex of the sequence, 8 of offsets per vertex and per net read, 4 per entry of each net
// read, and a state for each.
#include "base/device/include/neighbors.cuh"
#include "base/device/include/nets.cuh"
#include "engines/greedy/first_fit.cuh"
#include "engines/two_hop/places.cuh"

#define WARPS (BLOCK / WARP)
#define WORDS 32  // of a palette: 1024 colors
#define EACH 4    // vertices of a net per lane at a time

typedef Threads<GROUP> Reader;
typedef Palette<Warp, WORDS> Colors;

// The state of u, which was s: wait for a color if u is earlier than `mine`.
static __device__ __forceinline__ unsigned await_color(int u, unsigned s, unsigned mine, const state_t* state) {
    for (unsigned idle = 0; s > mine; idle++) {
        doze(idle);
        s = load_relaxed(state + u);
    }
    return s;
}

// Mark the colors of earlier vertices of one net, if they are in the window; the lanes of a reader call.
static __device__ __forceinline__ void take_of_net(Colors colors, unsigned window, unsigned mine, offset_t begin,
                                                   offset_t end, const int* __restrict__ member, const state_t* state) {
    for (offset_t e = begin; e < end; e += min((offset_t)(EACH * GROUP), (offset_t)(end - e))) {
        int u[EACH];
        unsigned s[EACH];
        read_row<Reader, EACH>(member, e, end, u);
        read_words(state, u, mine, s);
#pragma unroll
        for (int q = 0; q < EACH; q++) {
            s[q] = await_color(u[q], s[q], mine, state);
            if (s[q] < UNCOLORED) colors.take(s[q] - window);
        }
    }
}

// The least color that no earlier vertex of the nets of v has; all lanes of the warp call.
static __device__ __forceinline__ unsigned least_of_nets(Colors colors, int v, unsigned mine, const Nets& h,
                                                         const state_t* state) {
    const offset_t begin = h.nets[v], end = h.nets[v + 1];
    for (unsigned window = 0;; window += Colors::COLORS) {
        colors.clear();
        for (offset_t e = begin + threadIdx.x % WARP / GROUP; e < end; e += WARP / GROUP) {
            const int net = h.net[e];
            if (h.closed && Reader::lane() == 0) {
                const unsigned s = await_color(net, load_relaxed(state + net), mine, state);
                if (s < UNCOLORED) colors.take(s - window);
            }
            take_of_net(colors, window, mine, h.members[net], h.members[net + 1], h.member, state);
        }
        const int least = colors.least();
        if (least >= 0) return window + least;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    color_in_nets(i64 n, const int* __restrict__ sequence, const offset_t* __restrict__ nets,
                  const int* __restrict__ net, const offset_t* __restrict__ members, const int* __restrict__ member,
                  int closed, unsigned* head, state_t* state) {
    __shared__ unsigned words[WARPS][WORDS];
    const Nets h = {nets, net, members, member, closed};
    const Colors colors = {words[threadIdx.x / WARP]};
    for (;;) {
        unsigned place = 0;
        if (threadIdx.x % WARP == 0) place = atomicAdd(head, 1u);
        place = __shfl_sync(ALL_LANES, place, 0);
        if ((i64)place >= n) return;
        const int v = vertex_at(sequence, place);
        const unsigned color = least_of_nets(colors, v, 0xffffffffu - place, h, state);
        if (threadIdx.x % WARP == 0) store_relaxed(state + v, color);
        __syncwarp();  // all have read the palette
    }
}
