"""The k-th power of a graph: an edge joins two vertices at a distance of at most k. On one core of a CPU.

A breadth-first search from each vertex goes k levels deep, and ends early where it has all of its component. It keeps
the vertices with larger ids; `mirror` makes sorted rows of the pairs. Since a search may read the whole graph, a sample
of vertices tells first whether the power is far too large.

==========  ==================================================================
sizes       vertices of the component of each vertex
queue       what a search has found, level by level; one longer than n
seen_by     of each vertex, the last one whose search found it
pairs       the later vertices within k edges of each; `ends`: where they end
==========  ==================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings.sparse import offset_type

from ..base.device import large_pages, unsigned_view
from ..base.device.compiled import njit
from ..base.errors import OptionError
from ..base.log import stage
from .components import components
from .conflicts import EMPTY, ONE, ZERO, mirror
from .graph import Graph
from .pattern import unsigned

MOST_ENTRIES = 1 << 28  # 1 GB of columns, and 0.5 GB of pairs while they are sorted
SAMPLE, SAMPLE_READS = 256, 1 << 26  # searches for the estimate, and entries that they read, at most
Arrays = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
SLICE = 1 << 20  # entries that are read between two chances for Ctrl-C


def power(G: Graph, k: int) -> Graph:
    """The graph of the pairs at a distance of 1 … k, on the device of G; an error if it has over `MOST_ENTRIES`."""
    if k == 1 or G.m == 0:
        return G
    H, k = G.on("cpu"), min(k, G.n)  # no way is longer than n - 1
    search = _search(H)
    about = _estimate(H, search, k)
    rows = _pairs(H, search, k) if about <= 2 * MOST_ENTRIES else None
    if rows is None:
        about = max(about, MOST_ENTRIES)
        raise OptionError(
            f"problem='distance{k}' stores the pairs of vertices within {k} edges: about {about:,} entries, "
            f"{about * 4 / 1e9:,.1f} GB, where {MOST_ENTRIES:,} are allowed: take a smaller distance, or a part of the "
            "graph; distances 1 and 2 store no pairs"
        )
    ends, pairs = rows
    m = 2 * int(ends[-1])
    indptr, indices = np.zeros(H.n + 1, offset_type(m)), large_pages(m, np.int32)
    mirror(ends, pairs, unsigned_view(indptr)[1:], unsigned_view(indices))
    return Graph(indptr, indices, G.labels).on(G.device)


def _estimate(G: Graph, search: Arrays, k: int) -> int:
    """About how many entries the power has, of searches from some vertices; of all, where these are few."""
    some = np.random.default_rng(0).permutation(G.n)[:SAMPLE]
    reads = found = 0
    for done, v in enumerate(some.tolist()):
        if reads > SAMPLE_READS:
            return found * G.n // done
        size, read = ball(*search, np.uint64(v), k)
        reads, found = reads + int(read), found + int(size) - 1
    return found * G.n // len(some)


def _pairs(G: Graph, search: Arrays, k: int) -> tuple[np.ndarray, np.ndarray] | None:
    """The pairs of all vertices, and where each vertex's end; None where there are too many."""
    most = min(MOST_ENTRIES, G.n * (G.n - 1)) // 2
    ends, pairs = np.zeros(G.n + 1, np.uint64), np.empty(most + G.n, np.uint32)  # of virtual memory
    search[-1].fill(EMPTY)
    v, shown = 0, stage("converting", G.n, "vertices")
    while v < G.n:
        v = int(fill(search, np.uint64(v), k, ends, pairs))
        if ends[v] > MOST_ENTRIES // 2:
            return None
        shown.at(v)
    return ends, pairs


def _search(G: Graph) -> Arrays:
    """What searches read and keep: the graph, `sizes`, `queue` and `seen_by`."""
    _, part = components(G)
    sizes = np.bincount(part)[part].astype(np.uint64)
    return *unsigned(G), sizes, np.empty(G.n + 1, np.uint32), np.full(G.n, EMPTY, np.uint32)


@njit(cache=True, nogil=True)
def ball(indptr: Any, indices: Any, sizes: Any, queue: Any, seen_by: Any, v: Any, k: Any) -> Any:
    """Put the vertices within k edges of v, itself first, into the queue: their number, and how many entries it read.

    Each place is written before it is known whether it counts.
    """
    me, head, tail, reads = np.uint32(v), ZERO, ONE, ZERO
    queue[0] = seen_by[v] = me
    while k > 0 and head < tail < sizes[v]:
        k, level = k - 1, tail
        while head < level and tail < sizes[v]:
            w = np.uint64(queue[head])
            head += ONE
            reads += np.uint64(indptr[w + ONE] - indptr[w])
            for e in range(indptr[w], indptr[w + ONE]):
                u = np.uint64(indices[e])
                queue[tail] = np.uint32(u)
                tail += np.uint64(seen_by[u] != me)
                seen_by[u] = me
    return tail, reads


@njit(cache=True, nogil=True)
def fill(search: Any, v: Any, k: Any, ends: Any, pairs: Any) -> Any:
    """Add the later vertices within k edges of v and of those that follow; returns where it stopped.

    It stops after a slice of reads, or where there are too many pairs. A vertex adds fewer than n.
    """
    indptr, indices, sizes, queue, seen_by = search
    n, reads, at = np.uint64(sizes.size), ZERO, ends[v]
    most = np.uint64(pairs.size) - n
    while v < n and reads < SLICE and at <= most:
        count, read = ball(indptr, indices, sizes, queue, seen_by, v, k)
        for i in range(ONE, count):
            pairs[at] = queue[i]
            at += np.uint64(queue[i] > v)
        v += ONE
        ends[v] = at
        reads += read + ONE
    return v
