"""The k-th power of a graph: an edge joins two vertices at a distance of at most k. On one core of a CPU.

A breadth-first search from each vertex has k levels, and ends early if it has found the whole component. Vertices with
larger ids are stored; `mirror` makes sorted rows from the pairs. Because a search may read the whole graph, a sample
of searches first estimates whether the power is far too large.

==========  ==================================================================
sizes       size of the component of each vertex
queue       vertices found by a search, level by level; n + 1 entries
seen_by     for each vertex, the last vertex whose search found it
pairs       later vertices within k edges of each vertex; `ends`: their ends
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
SAMPLE, SAMPLE_READS = 256, 1 << 26  # most searches for the estimate, and most entries that they read
Arrays = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
SLICE = 1 << 20  # entries that are read between two checks for Ctrl-C


def power(G: Graph, k: int) -> Graph:
    """Return the graph of the pairs at a distance of 1 … k, on G's device; error if it has over `MOST_ENTRIES`."""
    if k == 1 or G.m == 0:
        return G
    H, k = G.on("cpu"), min(k, G.n)  # no path is longer than n - 1
    part = components(H)[1]
    sizes = np.bincount(part)[part].astype(np.uint64)
    search = *unsigned(H), sizes, np.empty(H.n + 1, np.uint32), np.full(H.n, EMPTY, np.uint32)  # queue, seen_by
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
    """Estimate the number of entries of the power, from searches at up to `SAMPLE` vertices."""
    some = np.random.default_rng(0).permutation(G.n)[:SAMPLE]
    reads = found = 0
    for done, v in enumerate(some.tolist()):
        if reads > SAMPLE_READS:
            return found * G.n // done
        size, read = ball(*search, np.uint64(v), k)
        reads, found = reads + int(read), found + int(size) - 1
    return found * G.n // len(some)


def _pairs(G: Graph, search: Arrays, k: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the end of each vertex's pairs, and the pairs; None if there are too many."""
    most = min(MOST_ENTRIES, G.n * (G.n - 1)) // 2
    ends, pairs = np.zeros(G.n + 1, np.uint64), np.empty(most + G.n, np.uint32)  # virtual memory
    search[-1].fill(EMPTY)
    v, shown = 0, stage("converting", G.n, "vertices")
    while v < G.n:
        v = int(fill(search, np.uint64(v), k, ends, pairs))
        if ends[v] > MOST_ENTRIES // 2:
            return None
        shown.at(v)
    return ends, pairs


@njit(cache=True, nogil=True)
def ball(indptr: Any, indices: Any, sizes: Any, queue: Any, seen_by: Any, v: Any, k: Any) -> Any:
    """Queue the vertices within k edges of v, v first; return their number and the number of entries read.

    Each entry is written before the test whether it counts, without a branch.
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
    """Add the later vertices within k edges of v and of the vertices after v; return the next vertex.

    Stop after a slice of reads, or if there are too many pairs. A vertex adds fewer than n pairs.
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
