"""The kernel of a graph for k colors: what is left once vertices that find one of k colors in any case are removed.

Two rules remove a vertex, again and again:

- it has fewer than k neighbors left (what this rule alone leaves is the k-core);
- all of its neighbors left are neighbors of another vertex, which dominates it: the color of that one is free for it.

Those that are removed take the least color free in the reverse order, whatever the others have: whether k colors do is
a question about the kernel alone. Only the neighbors of a vertex that was removed can be dominated anew. The test reads
the row of the neighbor of least degree, and bisects rows of candidates until one neighbor is missing. In all it takes
WORK bisections for each entry of the k-core, which takes as long as a few passes.

References
----------
Matula, Beck 1983, "Smallest-last ordering and clustering and graph coloring algorithms"; Cheeseman, Kanefsky, Taylor
1991, "Where the really hard problems are", for both rules.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.graph import Graph
from ..device.compiled import njit
from .greedy.sequential import unsigned
from .recolor.clique import has

ONE32 = np.uint32(1)
WORK, LEAST_WORK = 4, 1 << 16  # bisections: for each entry of the core, and at least
GONE = -1


class Kernel:
    """The kernel of a graph on the CPU, and the way back.

    Parameters
    ----------
    G : Graph
    k : int
    dominated : bool
        Whether dominated vertices are removed; without that it is the k-core.

    Attributes
    ----------
    graph : Graph
        Of the vertices of the kernel, in their order.
    vertices : array of uint32
        Which these are.
    """

    def __init__(self, G: Graph, k: int, dominated: bool = True) -> None:
        self.G, self.k = G, k
        indptr, indices = unsigned(G)
        degrees, order = np.diff(G.indptr).astype(np.int32), np.empty(G.n, np.uint32)
        removed = peel(indptr, indices, degrees, k, order, 0)
        if dominated and removed < G.n:
            work = max(WORK * int(degrees[degrees > 0].sum()), LEAST_WORK)
            removed = dominate(indptr, indices, degrees, k, order, removed, work)
        self._order, kept = order[:removed], degrees >= 0
        self.vertices = np.flatnonzero(kept).astype(np.uint32)
        self.graph = G if removed == 0 else induced(G, self.vertices)

    def extend(self, colors: np.ndarray) -> np.ndarray:
        """A coloring of the whole graph from one of the kernel with k colors: int32, shape (n,)."""
        out = np.full(self.G.n, -1, np.int32)
        out[self.vertices] = colors
        back(*unsigned(self.G), self._order, np.full(self.k, -1, np.int64), out)
        return out


def induced(G: Graph, vertices: np.ndarray) -> Graph:
    """The graph of some vertices, uint32, rising."""
    kept = np.zeros(G.n, np.bool_)
    kept[vertices] = True
    number = np.cumsum(kept, dtype=np.int32) - np.int32(1)
    offsets = np.zeros(len(vertices) + 1, G.indptr.dtype)
    entries = np.empty(int(G.degrees[vertices].sum(dtype=np.int64)), np.int32)
    count = int(induce(*unsigned(G), vertices, kept, number, offsets, entries))
    return Graph(offsets, entries[:count].copy())


@njit(cache=True, nogil=True)
def peel(indptr: Any, indices: Any, degrees: Any, k: Any, order: Any, count: Any) -> Any:
    """Remove vertices with fewer than k neighbors left, to `order` after `count` others; the number of both.

    `degrees` of them becomes −1.
    """
    done = count
    for v in range(degrees.size):
        if 0 <= degrees[v] < k:
            degrees[v] = GONE
            order[count] = v
            count += 1
    return peel_from(indptr, indices, degrees, k, order, done, count)


@njit(cache=True, nogil=True)
def peel_from(indptr: Any, indices: Any, degrees: Any, k: Any, order: Any, done: Any, count: Any) -> Any:
    """The neighbors of the vertices from place `done` of `order` on lose one; who has fewer than k left follows."""
    while done < count:
        v = order[done]
        done += 1
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            if degrees[u] >= 0:
                degrees[u] -= 1
                if degrees[u] < k:
                    degrees[u] = GONE
                    order[count] = u
                    count += 1
    return count


@njit(cache=True, nogil=True)
def dominate(indptr: Any, indices: Any, degrees: Any, k: Any, order: Any, count: Any, work: Any) -> Any:
    """Remove dominated vertices, and those that then have fewer than k neighbors, until none is left or after `work`.

    Vertices wait in a stack; a vertex is in it once at most.
    """
    n = degrees.size
    stack, waits, top = np.empty(n, np.uint32), np.zeros(n, np.bool_), 0
    for v in range(n - 1, -1, -1):
        if degrees[v] >= 0:
            stack[top], waits[v] = v, True
            top += 1
    while top > 0 and work > 0:
        top -= 1
        u = stack[top]
        waits[u] = False
        if degrees[u] < 0:
            continue
        dominated, spent = is_dominated(indptr, indices, degrees, u)
        work -= spent
        if not dominated:
            continue
        before = count
        degrees[u], order[count] = GONE, u
        count = peel_from(indptr, indices, degrees, k, order, count, count + 1)
        for i in range(before, count):
            for e in range(indptr[order[i]], indptr[order[i] + ONE32]):
                w = indices[e]
                if degrees[w] >= 0 and not waits[w]:
                    stack[top], waits[w] = w, True
                    top += 1
    return count


@njit(cache=True, nogil=True)
def is_dominated(indptr: Any, indices: Any, degrees: Any, u: Any) -> Any:
    """Whether another vertex has all neighbors of u that are left; and the steps that this took."""
    begin, end = indptr[u], indptr[u + ONE32]
    first, least, steps = u, np.int64(2**62), np.int64(end - begin)
    for e in range(begin, end):
        w = indices[e]
        if degrees[w] >= 0 and indptr[w + ONE32] - indptr[w] < least:
            first, least = w, np.int64(indptr[w + ONE32] - indptr[w])
    for e in range(indptr[first], indptr[first + ONE32]):
        v = indices[e]
        steps += 1
        if degrees[v] < degrees[u] or v == u:
            continue
        low, high, covers = np.int64(indptr[v]), np.int64(indptr[v + ONE32]), True
        for f in range(begin, end):
            w = indices[f]
            if degrees[w] >= 0 and w != first:
                steps += 2
                if not has(indices, low, high, w):
                    covers = False
                    break
        if covers:
            return True, steps
    return False, steps


@njit(cache=True, nogil=True)
def induce(indptr: Any, indices: Any, vertices: Any, kept: Any, number: Any, offsets: Any, entries: Any) -> Any:
    """The rows of some vertices, less the others, in their numbers; how many entries these have."""
    at = np.uint64(0)
    for i in range(vertices.size):
        v = vertices[i]
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            if kept[u]:
                entries[at] = number[u]
                at += np.uint64(1)
        offsets[i + 1] = at
    return at


@njit(cache=True, nogil=True)
def back(indptr: Any, indices: Any, order: Any, seen: Any, colors: Any) -> None:
    """Give those that were removed the least color free, the last removed first; `seen`: −1 for each color."""
    for i in range(order.size - 1, -1, -1):
        v = order[i]
        for e in range(indptr[v], indptr[v + ONE32]):
            c = colors[indices[e]]
            if c >= 0:
                seen[c] = v
        c = 0
        while seen[c] == v:
            c += 1
        colors[v] = c
