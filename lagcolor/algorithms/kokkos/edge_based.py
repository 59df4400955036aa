"""Speculative coloring by edges (Deveci et al. 2016, EB): vertices try colors, edges decide which of them try again.

==========  =======================================================================================
colors      color that a vertex tries, and keeps unless it loses
lost        1: a neighbor of larger p tries the same color
rivals      number of neighbors of larger p that tried the same color and lost as well
forbidden   degree + 1 bits per vertex: colors of neighbors that keep theirs
live edges  edges whose ends have both lost
==========  =======================================================================================

A round has three phases. (1) A vertex that has lost chooses the least color that is not forbidden, after it skips
rivals / 2 free colors, at most 32. (2) If both ends of a live edge have one color, the end of smaller p loses. (3) If
one end has lost, the edge forbids it the color of the other. The edge is then done, as is an edge without a loser;
edges with two losers stay live. In the first round each vertex tries one of min(1 + degree / 3, 10) colors, by a hash
of its id, and all edges are live.

Phases separate reads from writes, and the writes commute, so the colors do not depend on the schedule. Unlike the
paper's algorithm, this one is deterministic, equally on CPU and GPU. Threads share edges, so hubs cause no imbalance.

The paper stores 32 forbidden colors per vertex and reads the edges again for the next 32. Degree + 1 bits per vertex,
m / 8 + 4 n bytes in total, are always enough, and an edge is done once one of its ends is final.

The time depends on how many edges stay live after the first round, because each is read twice in every later round.
Live edges summed over all later rounds, divided by the number of edges (colors in parentheses), by first colors:

======================  ===========  ============  ===========  ===========  ==============
first colors            r4_20        rmat20        road         grid3d:80    social:1e6,10
======================  ===========  ============  ===========  ===========  ==============
1 + degree / 16, 8      1.03 (8)     1.57 (19)     0.48 (5)     0.83 (7)     1.60 (70)
1 + degree / 4, 4       0.51 (8)     1.57 (20)     0.34 (5)     0.56 (7)     1.51 (73)
1 + degree / 3, 10      0.38 (8)     0.70 (22)     0.21 (5)     0.37 (7)     0.86 (71)
1 + degree / 2, 12      0.24 (11)    0.53 (23)     0.13 (5)     0.26 (7)     0.69 (71)
======================  ===========  ============  ===========  ===========  ==============

Proper: an edge is done if its ends are final with different colors, or if the color of its final end is forbidden for
the other. Progress: the loser of largest p loses to no other loser in the next round, and cannot choose a color of a
final neighbor. At most degree + 1 colors: f final neighbors forbid at most f colors, and rivals are other neighbors.

In the default order (larger ⌈log₂ degree⌉ first, then a hash) vertices are compared by keys computed on the fly, and
nothing is sorted. On social:60000,10 it takes 29 colors, the random order 41. Without the limit of 32 skipped colors,
the random order takes 80.

References
----------
Deveci, Boman, Devine, Rajamanickam 2016, "Parallel graph coloring for manycore architectures", IPDPS (EB).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device.compiled import njit
from ...base.device.intrinsics import ctz64
from ...base.log import Log
from ...engines.rounds.worklists import NULL, ROUNDS, close_gaps, without_gaps
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...orders import Priorities
from ...orders.ties import mix, seed_word
from ...problems.registry import coloring

SOURCE = dev.Source(__file__)
MOST_PASSED = 32  # largest number of free colors that a vertex skips because of rivals
SPREAD, MOST = 3, 10  # first colors: 1 + degree / SPREAD, at most MOST (which is at most 32)
EACH = 4  # entries or vertices per thread, equal to DEEP in the .cu file
VERTICES = 0  # column of `counts`: vertices that lost
FIVE, WORD_MASK = np.uint64(5), np.uint64(31)


@coloring(
    "speculative_eb",
    style="kernel",
    paper="Deveci, Boman, Devine, Rajamanickam 2016, EB",
    bound="Δ+1",
    passes=True,
    order="largest_log_first",
    seed=0,
    needs=None,
)
def speculative_eb(G: Graph, p: Priorities, log: Log) -> Any:
    """Speculative coloring by edges: an edge selects the end that must choose again."""
    if G.n == 0:
        return G.xp.empty(0, np.int32)
    keys = None if _by_keys(p) else p.p
    word = seed_word(p.seed or 0)
    return _gpu(G, keys, log, word) if G.on_gpu else _cpu(G, keys, log, word)


def _gpu(G: Graph, p: Any, log: Log, word: int) -> Any:
    cp = dev.cupy()
    n, m = G.n, G.m
    words, rivals, low = cp.empty(n, np.uint32), cp.empty(n, np.int32), cp.empty(n, np.uint32)
    high, losers, edges = cp.zeros(m // 32 + 1, np.uint32), cp.empty(2 * n, np.int32), cp.empty(2 * m, np.int32)
    counts, arrived = cp.zeros((ROUNDS + 1, 2), np.uint64), cp.zeros(1, np.int32)
    graph = (G.indptr, G.indices, NULL if p is None else p, np.int32(n), np.int64(word))
    marks = (*graph, words, rivals, low, high)
    run = SOURCE.of(G.indptr)
    run.launch("begin", n, *graph, np.int32(SPREAD), np.int32(MOST), words, rivals, low)
    if m:
        run.launch("first_clashes", -(-m // EACH), *marks, np.int64(m))
        run.launch("first_losers", -(-n // EACH), np.int32(n), words, rivals, losers, counts)
        run.launch("first_forbid", -(-m // EACH), *marks, np.int64(m), edges, counts)
    left, first = n, 0
    while left:
        lists = (losers, np.int64(n), edges, np.int64(m // 2), np.int32(first), np.int32(ROUNDS))
        run.cooperative("color_rounds", n + m, *marks, *lists, counts, arrived)
        table = cp.asnumpy(counts).astype(np.int64)
        for after in table[1 if first else 0 :, VERTICES].tolist():
            log.round(active=left, colored=left - after, conflicts=after, ms=None)
            left = after
            if not left:
                break
        first += ROUNDS
        if left:  # more rounds than one launch can do
            counts.fill(0)
            arrived.fill(0)
            counts[0] = cp.asarray(table[-1].astype(np.uint64))
    colors = words.view(np.int32)
    close_gaps(G, colors)
    return colors


# ---- CPU ---------------------------------------------------------------------------------------------------------


def _cpu(G: Graph, p: Any, log: Log, word: int) -> np.ndarray:
    indptr, indices = unsigned(G)
    n, m = G.n, G.m
    hashes = _hashes(n, word)
    colors = (hashes * np.minimum(G.degrees // SPREAD + 1, MOST).astype(np.uint64) >> np.uint64(32)).astype(np.int32)
    lost, rivals, forbidden = np.zeros(n, np.int32), np.zeros(n, np.int32), np.zeros(m // 32 + n, np.uint32)
    if p is None:
        level = np.frexp(np.maximum(G.degrees - 1, 0).astype(np.float64))[1].astype(np.uint64)
        p = level << np.uint64(32) | hashes
    u = np.repeat(np.arange(n, dtype=np.uint32), G.degrees)
    up = u < indices
    edges = np.stack([u[up], indices[up]], axis=1)
    left = n
    while left:
        clashes(edges, p, colors, lost)
        edges = edges[: forbid(edges, p, colors, lost, rivals, forbidden, indptr)]
        losers = np.flatnonzero(lost).astype(np.uint32)
        log.round(active=left, colored=left - len(losers), conflicts=len(losers))
        choose(losers, indptr, colors, lost, rivals, forbidden)
        left = len(losers)
    return without_gaps(colors)


def _hashes(n: int, word: int) -> np.ndarray:
    return mix(np, np.arange(n, dtype=np.uint32) ^ np.uint32(word ^ seed_word(0)), 0).astype(np.uint64)


def _by_keys(p: Priorities) -> bool:
    return p.name == "largest_log_first" and p.seed is not None


@njit(cache=True, nogil=True)
def clashes(edges: Any, p: Any, colors: Any, lost: Any) -> None:
    """Phase 2: of each edge with one color on both ends, the end of smaller p loses."""
    for i in range(np.uint64(len(edges))):
        u, v = edges[i, 0], edges[i, 1]
        if colors[u] == colors[v]:
            lost[v if p[u] > p[v] else u] = 1


@njit(cache=True, nogil=True)
def forbid(edges: Any, p: Any, colors: Any, lost: Any, rivals: Any, forbidden: Any, indptr: Any) -> Any:
    """Phase 3: forbid colors, count rivals, and move live edges to the front; return their number."""
    live = np.uint64(0)
    for i in range(np.uint64(len(edges))):
        u, v = edges[i, 0], edges[i, 1]
        if lost[u] & lost[v]:
            if colors[u] == colors[v]:
                rivals[v if p[u] > p[v] else u] += 1
            edges[live, 0] = u
            edges[live, 1] = v
            live += np.uint64(1)
        elif lost[u] | lost[v]:
            w = u if lost[u] else v
            c = np.uint64(colors[v] if lost[u] else colors[u])
            begin = np.uint64(indptr[w])
            if c <= np.uint64(indptr[w + np.uint32(1)]) - begin:
                forbidden[(begin >> FIVE) + np.uint64(w) + (c >> FIVE)] |= np.uint32(1) << np.uint32(c & WORD_MASK)
    return live


@njit(cache=True, nogil=True)
def choose(losers: Any, indptr: Any, colors: Any, lost: Any, rivals: Any, forbidden: Any) -> None:
    """Phase 1: choose the least color that is not forbidden, after skipping half as many as there are rivals."""
    for v in losers:
        start = (np.uint64(indptr[v]) >> FIVE) + np.uint64(v)
        skip = min(rivals[v] >> 1, MOST_PASSED)
        at = start
        free = np.uint64(np.uint32(~forbidden[at]))
        while True:
            while free == 0:
                at += np.uint64(1)
                free = np.uint64(np.uint32(~forbidden[at]))
            if skip == 0:
                break
            free &= free - np.uint64(1)
            skip -= 1
        colors[v] = np.int32(((at - start) << FIVE) + ctz64(free))
        lost[v] = 0
        rivals[v] = 0
