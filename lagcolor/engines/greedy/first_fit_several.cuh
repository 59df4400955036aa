// First-fit of up to 32 EACH vertices of degree under 32 by a warp, EACH of a lane, all at the same time.
// In place of one after another by first_fit_warp.cuh: road-moscow 32 us for 58, mdual 31 for 58 (H200).
#pragma once
#include "engines/greedy/first_fit_spread.cuh"

#define PIECE 4   // edges of a vertex at a time

// Lane's j-th vertex of `count` has key keys[WARP j + lane]: vertex(key), -1 for none, and order_of(key), which says whether a
// neighbor is earlier. What a vertex waits for are the places in its row, as bits.
template <int EACH, class Vertex, class Order>
static __device__ __forceinline__ void color_several(unsigned* keys, int count, const Csr& G, state_t* state, Vertex vertex,
                                                     Order order_of) {
    constexpr int PAIR = EACH == 3 ? 1 : 2, ASK = EACH < 4 ? 2 : 1;
    const int lane = threadIdx.x % WARP;
    offset_t row[EACH];
    unsigned used[EACH], pending[EACH], open = 0;
    int degree[EACH];
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const unsigned key = j < count ? keys[WARP * j + lane] : ~0u;
        const int v = vertex(key);
        row[j] = v < 0 ? 0 : G.indptr[v];
        degree[j] = v < 0 ? 0 : (int)(G.indptr[v + 1] - row[j]);
        if (v >= 0) open |= 1u << j;
        used[j] = pending[j] = 0;
    }
#pragma unroll
    for (int first = 0; first + PAIR <= EACH; first += PAIR) {
        int most = degree[first];
#pragma unroll
        for (int j = 1; j < PAIR; j++) most = max(most, degree[first + j]);
        for (int k = 0; k < most; k += PIECE) {
            int u[PAIR][PIECE];
            unsigned s[PAIR][PIECE];
#pragma unroll
            for (int j = 0; j < PAIR; j++)
#pragma unroll
                for (int i = 0; i < PIECE; i++)
                    u[j][i] = k + i < degree[first + j] ? G.indices[row[first + j] + k + i] : -1;
#pragma unroll
            for (int j = 0; j < PAIR; j++)
#pragma unroll
                for (int i = 0; i < PIECE; i++) s[j][i] = u[j][i] >= 0 ? load_unfenced(state + u[j][i]) : 64u;
#pragma unroll
            for (int j = 0; j < PAIR; j++) {
                const auto order = order_of(first + j < count ? keys[WARP * (first + j) + lane] : ~0u);
#pragma unroll
                for (int i = 0; i < PIECE; i++) {
                    used[first + j] |= bit(s[j][i], used[first + j]);
                    if (s[j][i] >= UNCOLORED && order(u[j][i], s[j][i])) pending[first + j] |= 1u << (k + i);
                }
            }
        }
    }
    for (unsigned idle = 0;; idle++) {
        bool changed = false;
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            if (open >> j & 1 && !pending[j]) {
                store_relaxed(state + vertex(keys[WARP * j + lane]), (unsigned)least_free(used[j]));
                open &= ~(1u << j);
                changed = true;
            }
        }
        if (!__any_sync(ALL_LANES, open)) return;
        int place[EACH][ASK], u[EACH][ASK];
        unsigned s[EACH][ASK];
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            unsigned rest = pending[j];
#pragma unroll
            for (int i = 0; i < ASK; i++) {
                place[j][i] = __ffs((int)rest) - 1;
                u[j][i] = rest ? G.indices[row[j] + place[j][i]] : -1;
                rest &= rest - 1;
            }
        }
#pragma unroll
        for (int j = 0; j < EACH; j++)
#pragma unroll
            for (int i = 0; i < ASK; i++) s[j][i] = u[j][i] >= 0 ? load_unfenced(state + u[j][i]) : UNCOLORED;
#pragma unroll
        for (int j = 0; j < EACH; j++)
#pragma unroll
            for (int i = 0; i < ASK; i++) {
                used[j] |= bit(s[j][i], used[j]);
                if (s[j][i] < UNCOLORED) pending[j] &= ~(1u << place[j][i]), changed = true;
            }
        if (__any_sync(ALL_LANES, changed)) idle = 0;
        doze(idle);
    }
}
