// Union-find with parities, by edges in any order: link[v] = 2 · ancestor + (v is on the other side of it); a root names
// itself, with parity 0.
//
// Shared state: ancestors only ever get smaller numbers. A root becomes a child by compare-and-swap; every later link
// of that vertex is to a proper ancestor with the parity along the path, so a stale one is as right as a fresh one,
// only longer, and relaxed order is enough. Progress: a failed swap means that another edge hooked that root, which
// happens to each vertex at most once.
#pragma once
#include "base/device/include/common.cuh"

static __device__ unsigned load(const int* link, unsigned v) { return (unsigned)load_relaxed(link + v); }

// Whether what `a` and `b` stand for is now known to be on different sides. Of the two the one with the larger number climbs,
// so that they meet at the first ancestor they share, and seldom go up to the root (Rem's algorithm). Links on the way are
// split.
static __device__ bool unite_two(int* link, unsigned a, unsigned b) {
    a ^= 1;
    while (a >> 1 != b >> 1) {
        if (a < b) {
            const unsigned other = a;
            a = b;
            b = other;
        }
        const unsigned v = a >> 1, up = load(link, v);
        if (up >> 1 == v) {
            if (atomicCAS((unsigned*)link + v, up, b ^ (a & 1)) == up) return true;
            continue;
        }
        if (up >> 1 > b >> 1) {
            const unsigned above = load(link, up >> 1) ^ (up & 1);
            if (above >> 1 != up >> 1) store_relaxed(link + v, (int)above);
        }
        a = up ^ (a & 1);
    }
    return a == b;
}
