// Union-find with parities, by edges in any order: link[v] = 2 · ancestor + (1 if v is on the other side than the
// ancestor); a root links to itself, with parity 0.
//
// Shared state: the numbers of ancestors only decrease. A root becomes a child by compare-and-swap. Each later link of
// this vertex is to a proper ancestor with the parity along the path, so a stale link is also correct, only longer, and
// relaxed order is enough. Progress: a failed swap means that another edge has hooked the root, which happens at most
// once per vertex.
#pragma once
#include "base/device/include/common.cuh"

static __device__ unsigned load(const int* link, unsigned v) { return (unsigned)load_relaxed(link + v); }

// Put the vertices of links `a` and `b` on different sides; return false for an odd cycle. The link of the larger
// number moves up, so that they meet at the first common ancestor, and seldom reach the root (Rem's algorithm). Links
// on the way are split.
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
