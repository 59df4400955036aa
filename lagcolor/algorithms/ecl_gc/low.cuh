// Vertices with up to WORD_MOST earlier neighbors: oriented and colored by one thread each (Algorithms 1 and 3).
//
// A warp's vertices are 32 neighboring ids in every 32 times the number of warps. Those that are pending are in its
// list, with a mask of their pending neighbors: places in the row, counted from the multiple of 4 at or before its
// begin. The row is in the graph, or for degrees over WORD_MOST in `dag`.
#pragma once
#include "algorithms/ecl_gc/ecl_gc.cuh"

#define CUT 0x80000000u  // in a mask: Shortcut 2 has dropped a neighbor

// Entries e … e + 7 of a row whose bits are set, 0 elsewhere; e is a multiple of 4, and `whole` says that pieces of 16
// bytes may be read there.
static __device__ __forceinline__ void read_eight(int* u, const int* entries, offset_t e, unsigned wanted, bool whole) {
#pragma unroll
    for (int half = 0; half < 8; half += 4) {
        const unsigned bits = wanted >> half & 15;
        int4 four = {0, 0, 0, 0};
        if (whole) {
            if (bits) four = *reinterpret_cast<const int4*>(entries + e + half);
        } else {
            if (bits & 1) four.x = entries[e + half];
            if (bits & 2) four.y = entries[e + half + 1];
            if (bits & 4) four.z = entries[e + half + 2];
            if (bits & 8) four.w = entries[e + half + 3];
        }
        u[half] = four.x, u[half + 1] = four.y, u[half + 2] = four.z, u[half + 3] = four.w;
    }
}

// Writes the outcome of a visit; whether v is still pending. `seen`: colors possible for neighbors without a color.
static __device__ __forceinline__ bool settle(const Run& g, int v, unsigned possible, unsigned before, bool alone,
                                              unsigned seen) {
    const unsigned best = FIRST_COLOR >> __clz((int)possible);
    const bool done = alone || (g.sc1 && !(seen & best));
    if (done) possible = best;
    if (possible != before) store_relaxed(g.state + v, possible);
    return !done;
}

// Orients v and visits it for the first time; its pending neighbors, if any, are in `mask`, as places from the
// multiple of 4 at or before the begin of its row.
static __device__ bool visit_first(const Run& g, int v, offset_t begin, int degree, unsigned& mask, Tally& tally) {
    const offset_t end = begin + degree, base = begin & ~(offset_t)3;
    const Place at = place_of(g.order, v, degree);
    unsigned taken = 0, seen = 0;
    int earlier_ones = 0;
    mask = 0;
    for (offset_t e = base; e < end; e += 8) {
        int u[8];
        unsigned w[8];
        const int skip = e < begin ? (int)(begin - e) : 0, stop = end - e < 8 ? (int)(end - e) : 8;
        const unsigned wanted = (1u << stop) - (1u << skip);
        read_eight(u, g.indices, e, wanted, g.aligned && e + 8 <= g.m);
        const unsigned before = earlier<8>(g.order, u, wanted, at);
#pragma unroll
        for (int k = 0; k < 8; k++) w[k] = before >> k & 1 ? load_unfenced(g.state + u[k]) : 1u;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            if (!(before >> k & 1)) continue;
            if (has_color(w[k])) {
                taken |= colors_in(w[k]);
            } else {
                seen |= colors_in(w[k]);
                mask |= 1u << (int)(e - base + k);
            }
        }
        earlier_ones += __popc(before);
    }
    const int left = __popc(mask);
    unsigned possible = first_colors(earlier_ones + 1) & ~taken;
    if (g.sc2)  // as many colors as can be needed
        for (int more = __popc(possible) - left - 1; more > 0; more--) possible &= possible - 1;
    const bool waits = settle(g, v, possible, first_colors(degree + 1), left == 0, seen);
    tally.add(VISITS);
    if (!waits) tally.add(earlier_ones == 0 ? INITIALLY : left == 0 ? CONVENTIONALLY : BY_SHORTCUT);
    return waits;
}

// Visits v again: Shortcut 2 drops neighbors, Shortcut 1 may give it a color.
static __device__ bool visit_again(const Run& g, int v, unsigned& mask, Tally& tally) {
    const offset_t begin = g.indptr[v], base = begin & ~(offset_t)3;
    const bool low = g.indptr[v + 1] - begin <= WORD_MOST;
    const int* entries = low ? g.indices : g.dag;
    const unsigned before = load_unfenced(g.state + v);
    unsigned possible = before, seen = 0;
    for (unsigned rest = mask & ~CUT; rest;) {
        int u[8];
        unsigned w[8];
        const int place = (__ffs((int)rest) - 1) & ~3;
        const unsigned wanted = rest >> place & 255;
        rest &= ~(255u << place);
        read_eight(u, entries, base + place, wanted, low ? g.aligned && base + place + 8 <= g.m : true);
#pragma unroll
        for (int k = 0; k < 8; k++) w[k] = wanted >> k & 1 ? load_unfenced(g.state + u[k]) : 1u;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            if (!(wanted >> k & 1)) continue;
            const unsigned theirs = colors_in(w[k]);
            const bool done = has_color(w[k]), apart = !(theirs & possible);
            if (apart && g.sc2) {
                possible &= possible - 1;  // one pending neighbor less, so one color less: the worst
                if (!done) mask |= CUT;
            } else if (done) {
                possible &= ~theirs;
            } else {
                seen |= theirs;
                continue;
            }
            mask &= ~(1u << (place + k));
        }
    }
    const bool alone = !(mask & ~CUT), waits = settle(g, v, possible, before, alone, seen);
    tally.add(VISITS);
    if (!waits) tally.add(alone && !(mask & CUT) ? CONVENTIONALLY : BY_SHORTCUT);
    return waits;
}

// Place k of this warp's list: 32 by 32, as its vertices are.
static __device__ __forceinline__ long long low_place(int k) {
    return ((long long)(k / WARP) * warp_count() + warp_index()) * WARP + k % WARP;
}

static __device__ __forceinline__ int keep_low(const Run& g, int kept, bool waits, int v, unsigned mask) {
    const unsigned ballot = __ballot_sync(ALL_LANES, waits);
    if (waits) g.list[low_place(kept + rank_in(ballot))] = make_int2(v, (int)mask);
    return kept + __popc(ballot);
}

// The first visit of all vertices of this warp; how many are pending.
static __device__ int first_sweep(const Run& g, Tally& tally) {
    int kept = 0;
    for (int k = Warp::lane(); low_place(k) - Warp::lane() < g.n; k += WARP) {
        const long long v = low_place(k);
        bool waits = false;
        unsigned mask = 0;
        if (v < g.n) {
            const offset_t begin = g.indptr[v], degree = g.indptr[v + 1] - begin;
            if (degree <= WORD_MOST) {
                waits = visit_first(g, (int)v, begin, (int)degree, mask, tally);
            } else {
                const unsigned w = load_unfenced(g.state + v);
                waits = !(w & 1) && !has_color(w);
                if (waits) mask = ((1u << (__popc(w) - 1)) - 1) << (int)(begin & 3);
                if (!(w & 1) && !waits) tally.add(INITIALLY);
            }
        }
        kept = keep_low(g, kept, waits, (int)v, mask);
    }
    __syncwarp();
    return kept;
}

// Visits the pending ones; how many still are.
static __device__ int sweep_low(const Run& g, int count, Tally& tally) {
    int kept = 0;
    for (int first = 0; first < count; first += WARP) {
        const int k = first + Warp::lane();
        const int2 entry = k < count ? g.list[low_place(k)] : make_int2(-1, 0);
        unsigned mask = (unsigned)entry.y;
        const bool waits = entry.x >= 0 && visit_again(g, entry.x, mask, tally);
        __syncwarp();  // all reads of these places are done
        kept = keep_low(g, kept, waits, entry.x, mask);
    }
    __syncwarp();
    return kept;
}

// The colors of this warp's vertices, but for high ones, which have them.
static __device__ void write_colors(const Run& g) {
    for (int k = Warp::lane(); low_place(k) < g.n; k += WARP) {
        const unsigned w = load_unfenced(g.state + low_place(k));
        if (!(w & 1)) g.colors[low_place(k)] = (int)color_of(w);
    }
}
