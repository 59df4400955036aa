"""Colorings of Osama et al. in CuPy: loops that run an ElementwiseKernel per round, one thread per vertex.

========  ===================================================================================
v         an uncolored vertex, one per thread
weight    a permutation; vertices of larger weight are colored earlier
color     color of the round; or k, its number, if rounds have no color
C         color of each vertex, from 1 on; 0 or less while uncolored
========  ===================================================================================

Nothing here uses lanes of a warp, PTX or cooperative launches, so it runs on all devices of CuPy.

Threads read words that other threads write in the same round. Loads and stores are `volatile`, which CUDA and HIP both
have, in place of the relaxed atomics of other kernels. Colors do not depend on the schedule: a neighbor that gets its
color in the current round still counts as a candidate (is, jp), is excluded (mis), or is waited for (min_color). The
number of rounds of mis and min_color depends on it. In natural order a path with increasing ids takes a round per
vertex.

Each loop ends: every round decides the uncolored vertex of greatest weight.

Reference: Osama, Truong, Yang, Buluç, Owens 2019, "Graph Coloring on the GPU", Algorithms 2 to 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base import device as dev
from ...base.log import Log
from ...graph.graph import Graph
from ...orders import Priorities
from ...problems.registry import coloring
from .adapter import PAPER

ROW: dict[str, Any] = {"style": "algebra", "engines": ("cuda",), "order": "random", "seed": 0, "needs": "p"}
GRAPH = "int32 v, raw P indptr, raw int32 indices, raw int32 weight"
SHARED = """
#ifndef SHARED_LOAD
#define SHARED_LOAD(a, v) (*(const volatile int*)&a[v])
#define SHARED_STORE(a, v, x) (*(volatile int*)&a[v] = (x))
#endif
"""


def kernel(name: str, more: str, out: str, operation: str) -> Any:
    """ElementwiseKernel over uncolored vertices."""
    return dev.elementwise(f"elementwise_{name}", GRAPH + more, out, operation, SHARED)


def rounds(G: Graph, C: Any, log: Log | None) -> Iterator[Any]:
    """Yield the uncolored vertices before each round."""
    left = dev.cupy().arange(G.n, dtype=np.int32)
    while len(left):
        yield left
        still = left[C[left] <= 0]
        if log is not None:
            log.round(active=len(left), colored=len(left) - len(still), conflicts=0)
        left = still


@coloring("elementwise_is", paper=f"{PAPER} 2", bound="rounds", variant_of="luby_is", **ROW)
def elementwise_is(G: Graph, p: Priorities, log: Log) -> Any:
    """Independent sets in an ElementwiseKernel: all local maxima of a round take a new color."""
    take = kernel("is", ", int32 color", "raw int32 C", """
        bool largest = true;
        for (P e = indptr[v]; e < indptr[v + 1] && largest; ++e) {
            const int u = indices[e], d = SHARED_LOAD(C, u);
            largest = (d && d != color) || weight[u] < weight[v];
        }
        if (largest) SHARED_STORE(C, v, color);
    """)  # fmt: skip
    C = dev.cupy().zeros(G.n, np.int32)
    for color, left in enumerate(rounds(G, C, log), 1):
        take(left, G.indptr, G.indices, p.p, color, C)
    return C - 1


@coloring("elementwise_mis", paper=f"{PAPER} 3", bound="Δ+1", oracle="first_fit", variant_of="luby_mis", **ROW)
def elementwise_mis(G: Graph, p: Priorities, log: Log) -> Any:
    """Maximal independent sets in an ElementwiseKernel, one per color: sequential first-fit in parallel."""
    # C is -color if a neighbor has this color, so that the vertex cannot take it.
    join = kernel("mis", ", int32 color", "raw int32 C", """
        bool out = false, largest = true;
        for (P e = indptr[v]; e < indptr[v + 1] && !out; ++e) {
            const int u = indices[e], d = SHARED_LOAD(C, u);
            out = d == color;
            largest = largest && (d > 0 || d == -color || weight[u] < weight[v]);
        }
        if (out) SHARED_STORE(C, v, -color);
        else if (largest) SHARED_STORE(C, v, color);
    """)  # fmt: skip
    C = dev.cupy().zeros(G.n, np.int32)
    for color, left in enumerate(rounds(G, C, None), 1):
        undecided, n_left = left, len(left)
        while len(undecided):
            join(undecided, G.indptr, G.indices, p.p, color, C)
            now = C[undecided]
            found = int((now == color).sum())
            log.round(active=n_left, colored=found, conflicts=0)
            undecided, n_left = undecided[(now != color) & (now != -color)], n_left - found
    return C - 1


@coloring("elementwise_jp", paper=f"{PAPER} 4", bound="rounds", variant_of="jones_plassmann_gb", **ROW)
def elementwise_jp(G: Graph, p: Priorities, log: Log) -> Any:
    """Jones–Plassmann in an ElementwiseKernel: a whole frontier takes the one least color free for all of it."""
    # C is -1 in the frontier before it is colored; taken[d] is the last round in which its neighbors had color d.
    scatter = kernel("jp", ", int32 k", "raw int32 C, raw int32 taken", """
        bool largest = true;
        for (P e = indptr[v]; e < indptr[v + 1] && largest; ++e) {
            const int u = indices[e];
            largest = SHARED_LOAD(C, u) > 0 || weight[u] < weight[v];
        }
        if (largest) {
            SHARED_STORE(C, v, -1);
            for (P e = indptr[v]; e < indptr[v + 1]; ++e) {
                const int d = SHARED_LOAD(C, indices[e]);
                if (d > 0) SHARED_STORE(taken, d, k);
            }
        }
    """)  # fmt: skip
    cp = dev.cupy()
    C, taken = cp.zeros(G.n, np.int32), cp.zeros(64, np.int32)
    for k, left in enumerate(rounds(G, C, log), 1):
        if k == len(taken):  # a round adds at most one color
            taken = cp.zeros(2 * k, np.int32)
        scatter(left, G.indptr, G.indices, p.p, k, C, taken)
        color = 1 + int((taken[1:] != k).argmax())
        C[left[C[left] < 0]] = color
    return C - 1


@coloring(
    "elementwise_min_color",
    paper=f"{PAPER} 4",
    bound="Δ+1",
    oracle="first_fit",
    variant_of="jones_plassmann_min",
    **ROW,
)
def elementwise_min_color(G: Graph, p: Priorities, log: Log) -> Any:
    """Jones–Plassmann in an ElementwiseKernel: each vertex of the frontier takes its own least free color."""
    # v waits while a larger neighbor has no color, so all its colored neighbors are larger. A pass checks 64 colors.
    take = kernel("min_color", "", "raw int32 C", """
        int own = 0;
        bool waits = false;
        for (int base = 1; !own && !waits; base += 64) {
            unsigned long long taken = 0;
            for (P e = indptr[v]; e < indptr[v + 1] && !waits; ++e) {
                const int u = indices[e], d = SHARED_LOAD(C, u);
                waits = !d && weight[u] > weight[v];
                if (d >= base && d - base < 64) taken |= 1ull << (d - base);
            }
            if (~taken) own = base + __ffsll(~taken) - 1;
        }
        if (!waits) SHARED_STORE(C, v, own);
    """)  # fmt: skip
    C = dev.cupy().zeros(G.n, np.int32)
    for left in rounds(G, C, log):
        take(left, G.indptr, G.indices, p.p, C)
    return C - 1


@coloring(
    "elementwise_scatter_min_color",
    paper=f"{PAPER} 4",
    bound="Δ+1",
    oracle="first_fit",
    variant_of="jones_plassmann_min",
    **ROW,
)
def elementwise_scatter_min_color(G: Graph, p: Priorities, log: Log) -> Any:
    """Jones–Plassmann in ElementwiseKernels: scatter colors into a mask per vertex, then take the least free."""
    # The mask of v has degree + 1 bits from word first[v] on, one per color that v can get. waits[v]: number of larger
    # uncolored neighbors. A vertex of the frontier scatters its color to each smaller neighbor.
    take = kernel("scatter_min_color_take", ", raw int64 first, raw uint32 mask", "raw int32 C", """
        long long word = first[v];
        while (!~mask[word]) ++word;
        C[v] = (int)(32 * (word - first[v])) + __ffs(~mask[word]);
    """)  # fmt: skip
    # Atomics write mask and waits; the next launch reads them.
    scatter = kernel("scatter_min_color", ", raw int32 C, raw int64 first", "raw uint32 mask, raw int32 waits", """
        for (P e = indptr[v]; e < indptr[v + 1]; ++e) {
            const int u = indices[e], bit = C[v] - 1;
            if (weight[u] > weight[v]) continue;
            if (bit <= indptr[u + 1] - indptr[u]) atomicOr(&mask[first[u] + bit / 32], 1u << bit % 32);
            atomicSub(&waits[u], 1);
        }
    """)  # fmt: skip
    count = kernel("scatter_min_color_count", "", "raw int32 waits", """
        for (P e = indptr[v]; e < indptr[v + 1]; ++e) waits[v] += weight[indices[e]] > weight[v];
    """)  # fmt: skip
    cp = dev.cupy()
    words = cp.diff(G.indptr).astype(np.int64) // 32 + 1
    first = cp.cumsum(words) - words
    mask = cp.zeros(int(words.sum()), np.uint32)
    C, waits = cp.zeros(G.n, np.int32), cp.zeros(G.n, np.int32)
    count(cp.arange(G.n, dtype=np.int32), G.indptr, G.indices, p.p, waits)
    for left in rounds(G, C, log):
        frontier = left[waits[left] == 0]
        take(frontier, G.indptr, G.indices, p.p, first, mask, C)
        scatter(frontier, G.indptr, G.indices, p.p, C, first, mask, waits)
    return C - 1
