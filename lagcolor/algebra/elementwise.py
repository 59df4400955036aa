"""The colorings of Osama et al. on plain CuPy: an ElementwiseKernel per round, one thread per vertex, and its loop.

=====  ======================================================================================
v      a vertex that is left, one per thread
w      weights, a permutation: the largest of a neighborhood goes first
c      color, from 1 on; what is 0 or less has none yet
k      color of the round
=====  ======================================================================================

Nothing here relies on lanes of a warp, PTX or cooperative launches, so that it runs wherever CuPy does.

Threads of a round read what others write in it, by single loads and stores of an aligned word: `volatile`, which CUDA
and HIP have in common, in place of the relaxed atomics of other kernels. Colors do not depend on the schedule: a
neighbor that got its color in this very round counts as a candidate still (is, jp), is out for good (mis), or was
waited for in any case (min_color). How many rounds mis and min_color take does depend on it. A path whose ids rise
along it takes as many rounds as it has vertices, in the natural order.

Each loop ends: the vertex of greatest weight among those left is decided in every round.

Reference: Osama, Truong, Yang, Buluç, Owens 2019, "Graph Coloring on the GPU", Algorithms 2 to 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import device as dev
from ..core.graph import Graph
from ..core.registry import coloring
from ..core.result import Log
from ..orders import Priorities
from .adapter import PAPER

ROW: dict[str, Any] = {"style": "algebra", "engines": ("cuda",), "order": "random", "seed": 0, "needs": "p"}
GRAPH = "int32 v, raw P indptr, raw int32 indices, raw int32 w"
SHARED = """
#ifndef SHARED_LOAD
#define SHARED_LOAD(a, v) (*(const volatile int*)&a[v])
#define SHARED_STORE(a, v, x) (*(volatile int*)&a[v] = (x))
#endif
"""


def kernel(name: str, more: str, out: str, operation: str) -> Any:
    """An ElementwiseKernel over the vertices that are left."""
    return dev.elementwise(f"elementwise_{name}", GRAPH + more, out, operation, SHARED)


def rounds(G: Graph, c: Any, log: Log | None) -> Iterator[Any]:
    """The vertices that are left, before each round."""
    left = dev.cupy().arange(G.n, dtype=np.int32)
    while len(left):
        yield left
        still = left[c[left] <= 0]
        if log is not None:
            log.round(active=len(left), colored=len(left) - len(still), conflicts=0)
        left = still


@coloring("elementwise_is", paper=f"{PAPER} 2", bound="rounds", variant_of="luby_is", **ROW)
def elementwise_is(G: Graph, p: Priorities, log: Log) -> Any:
    """Independent sets in an ElementwiseKernel: a new color per round for all local maxima."""
    color = kernel("is", ", int32 k", "raw int32 c", """
        bool largest = true;
        for (P e = indptr[v]; e < indptr[v + 1] && largest; ++e) {
            const int u = indices[e], d = SHARED_LOAD(c, u);
            largest = (d && d != k) || w[u] < w[v];
        }
        if (largest) SHARED_STORE(c, v, k);
    """)  # fmt: skip
    c = dev.cupy().zeros(G.n, np.int32)
    for k, left in enumerate(rounds(G, c, log), 1):
        color(left, G.indptr, G.indices, p.p, k, c)
    return c - 1


@coloring("elementwise_mis", paper=f"{PAPER} 3", bound="Δ+1", oracle="first_fit", variant_of="luby_mis", **ROW)
def elementwise_mis(G: Graph, p: Priorities, log: Log) -> Any:
    """Maximal independent sets in an ElementwiseKernel, one per color: sequential first-fit in parallel."""
    # c is -k where a neighbor has color k: out of the race for this color.
    join = kernel("mis", ", int32 k", "raw int32 c", """
        bool out = false, largest = true;
        for (P e = indptr[v]; e < indptr[v + 1] && !out; ++e) {
            const int u = indices[e], d = SHARED_LOAD(c, u);
            out = d == k;
            largest = largest && (d > 0 || d == -k || w[u] < w[v]);
        }
        if (out) SHARED_STORE(c, v, -k);
        else if (largest) SHARED_STORE(c, v, k);
    """)  # fmt: skip
    c = dev.cupy().zeros(G.n, np.int32)
    for k, left in enumerate(rounds(G, c, None), 1):
        undecided, n_left = left, len(left)
        while len(undecided):
            join(undecided, G.indptr, G.indices, p.p, k, c)
            now = c[undecided]
            found = int((now == k).sum())
            log.round(active=n_left, colored=found, conflicts=0)
            undecided, n_left = undecided[(now != k) & (now != -k)], n_left - found
    return c - 1


@coloring("elementwise_jp", paper=f"{PAPER} 4", bound="rounds", variant_of="jones_plassmann_gb", **ROW)
def elementwise_jp(G: Graph, p: Priorities, log: Log) -> Any:
    """Jones–Plassmann in an ElementwiseKernel: a whole frontier takes the one least color free for all of it."""
    # c is -1 in the frontier until it has its color; taken[d] = k: in round k a neighbor of the frontier has color d.
    scatter = kernel("jp", ", int32 k", "raw int32 c, raw int32 taken", """
        bool largest = true;
        for (P e = indptr[v]; e < indptr[v + 1] && largest; ++e) {
            const int u = indices[e];
            largest = SHARED_LOAD(c, u) > 0 || w[u] < w[v];
        }
        if (largest) {
            SHARED_STORE(c, v, -1);
            for (P e = indptr[v]; e < indptr[v + 1]; ++e) {
                const int d = SHARED_LOAD(c, indices[e]);
                if (d > 0) SHARED_STORE(taken, d, k);
            }
        }
    """)  # fmt: skip
    cp = dev.cupy()
    c, taken = cp.zeros(G.n, np.int32), cp.zeros(64, np.int32)
    for k, left in enumerate(rounds(G, c, log), 1):
        if k == len(taken):  # color k may come up in round k
            taken = cp.zeros(2 * k, np.int32)
        scatter(left, G.indptr, G.indices, p.p, k, c, taken)
        least = 1 + int((taken[1:] != k).argmax())
        c[left[c[left] < 0]] = least
    return c - 1


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
    # While a larger neighbor has no color v waits, so that only larger ones have; 64 colors are looked at at a time.
    color = kernel("min_color", "", "raw int32 c", """
        int own = 0;
        bool waits = false;
        for (int base = 1; !own && !waits; base += 64) {
            unsigned long long taken = 0;
            for (P e = indptr[v]; e < indptr[v + 1] && !waits; ++e) {
                const int u = indices[e], d = SHARED_LOAD(c, u);
                waits = !d && w[u] > w[v];
                if (d >= base && d - base < 64) taken |= 1ull << (d - base);
            }
            if (~taken) own = base + __ffsll(~taken) - 1;
        }
        if (!waits) SHARED_STORE(c, v, own);
    """)  # fmt: skip
    c = dev.cupy().zeros(G.n, np.int32)
    for left in rounds(G, c, log):
        color(left, G.indptr, G.indices, p.p, c)
    return c - 1


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
    # A vertex has degree + 1 bits from word first[v] on, one per color that it can get; larger colors cannot matter.
    # waits[v]: larger neighbors without a color. A vertex of the frontier scatters its color to each smaller neighbor.
    color = kernel("scatter_min_color_take", ", raw int64 first, raw uint32 mask", "raw int32 c", """
        long long word = first[v];
        while (!~mask[word]) ++word;
        c[v] = (int)(32 * (word - first[v])) + __ffs(~mask[word]);
    """)  # fmt: skip
    # mask and waits are written by atomics and read in the next launch only.
    scatter = kernel("scatter_min_color", ", raw int32 c, raw int64 first", "raw uint32 mask, raw int32 waits", """
        for (P e = indptr[v]; e < indptr[v + 1]; ++e) {
            const int u = indices[e], bit = c[v] - 1;
            if (w[u] > w[v]) continue;
            if (bit <= indptr[u + 1] - indptr[u]) atomicOr(&mask[first[u] + bit / 32], 1u << bit % 32);
            atomicSub(&waits[u], 1);
        }
    """)  # fmt: skip
    count = kernel("scatter_min_color_count", "", "raw int32 waits", """
        for (P e = indptr[v]; e < indptr[v + 1]; ++e) waits[v] += w[indices[e]] > w[v];
    """)  # fmt: skip
    cp = dev.cupy()
    words = cp.diff(G.indptr).astype(np.int64) // 32 + 1
    first = cp.cumsum(words) - words
    mask = cp.zeros(int(words.sum()), np.uint32)
    c, waits = cp.zeros(G.n, np.int32), cp.zeros(G.n, np.int32)
    count(cp.arange(G.n, dtype=np.int32), G.indptr, G.indices, p.p, waits)
    for left in rounds(G, c, log):
        frontier = left[waits[left] == 0]
        color(frontier, G.indptr, G.indices, p.p, first, mask, c)
        scatter(frontier, G.indptr, G.indices, p.p, c, first, mask, waits)
    return c - 1
