"""A graph in pieces that are colored one by one: the blocks of its kernel. Each is reduced and split again.

A block is a largest part that stays connected without any one of its vertices. Two blocks share one vertex at most, a
cut vertex. So a coloring of each with k colors gives one of all: a block after the one before swaps two colors, so
that the cut vertex has its color already. In a block alone cut vertices have fewer neighbors, so that more of them go.

References
----------
Hopcroft, Tarjan 1973, "Algorithm 447: efficient algorithms for graph manipulation".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.device.compiled import njit
from ...graph.components import induced
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from .k_core import Core

MOST, DEEPEST = 1000, 50  # blocks of one graph, and of blocks, beyond which they stay together
ONE32 = np.uint32(1)


class Piece:
    """The kernel of a graph, in pieces where it has several blocks; `vertices` are numbers in the whole graph."""

    kernel: Core
    vertices: np.ndarray  # uint32: numbers of the vertices of the kernel in the whole graph
    found: np.ndarray | None  # int32: the coloring of a kernel without parts, once there is one

    def __init__(self, G: Graph, k: int, vertices: np.ndarray, depth: int = 0) -> None:
        self.kernel = Core(G, k)
        self.vertices, H = vertices[self.kernel.vertices], self.kernel.graph
        self.found = None if H.n else np.empty(0, np.int32)
        blocks = blocks_of(H) if H.n and depth < DEEPEST else []
        self._parts = [
            (block, Piece(induced(H, block), k, self.vertices[block], depth + 1)) for block in blocks
            if 1 < len(blocks) <= MOST
        ]  # fmt: skip

    def leaves(self) -> Iterator[Piece]:
        """The pieces without parts that have vertices."""
        if self.kernel.graph.n and not self._parts:
            yield self
        for _, piece in self._parts:
            yield from piece.leaves()

    def colors(self) -> np.ndarray:
        """The coloring of the whole graph, once all leaves have one."""
        out = self.found
        if self._parts:
            out = np.full(self.kernel.graph.n, -1, np.int32)
            for block, piece in self._parts:
                colors, there = piece.colors(), out[block]
                for i in np.flatnonzero(there >= 0):  # the cut vertex
                    colors = swapped(colors, colors[i], there[i])
                out[block] = colors
        assert out is not None
        return self.kernel.extend(out)


def swapped(colors: np.ndarray, a: int, b: int) -> np.ndarray:
    """The coloring with two colors swapped."""
    return np.where(colors == a, b, np.where(colors == b, a, colors)).astype(np.int32)


def blocks_of(G: Graph) -> list[np.ndarray]:
    """The vertices of each block, uint32, rising; each block but the first of a component meets those before once."""
    members, offsets = np.empty(G.n + G.m, np.uint32), np.empty(G.n + G.m // 2 + 1, np.int64)
    count = split(*unsigned(G), members, offsets)
    return [np.sort(members[offsets[i] : offsets[i + 1]]) for i in range(count - 1, -1, -1)]


@njit(cache=True, nogil=True)
def split(indptr: Any, indices: Any, members: Any, offsets: Any) -> Any:
    """Write the vertices of each block, a block after those below it; how many there are.

    Depth-first search: `low` is the first vertex that is reached from below by one edge. Where none is before u, u and
    what waits since its child are a block.
    """
    n = indptr.size - 1
    when, low, cursor = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    path, waiting = np.empty(n, np.uint32), np.empty(n, np.uint32)
    time, count, written = 0, 0, 0
    offsets[0] = 0
    for root in range(n):
        if when[root]:
            continue
        time += 1
        when[root] = low[root] = time
        cursor[root] = indptr[root]
        path[0], length, waits = root, 1, 0
        while length:
            u = path[length - 1]
            if cursor[u] < np.int64(indptr[u + ONE32]):
                v = indices[cursor[u]]
                cursor[u] += 1
                if when[v]:
                    low[u] = min(low[u], when[v])
                    continue
                time += 1
                when[v] = low[v] = time
                cursor[v] = indptr[v]
                path[length], waiting[waits] = v, v
                length += 1
                waits += 1
                continue
            length -= 1
            if length == 0:
                break
            above = path[length - 1]
            low[above] = min(low[above], low[u])
            if low[u] < when[above]:
                continue
            written, waits = write_block(above, u, waiting, waits, members, written)
            count += 1
            offsets[count] = written
    return count


@njit(cache=True, nogil=True)
def write_block(above: Any, u: Any, waiting: Any, waits: Any, members: Any, written: Any) -> Any:
    """Write a vertex and what waits from the one below it on; the ends of what is written and of what waits."""
    members[written] = above
    written += 1
    while True:
        waits -= 1
        members[written] = waiting[waits]
        written += 1
        if waiting[waits] == u:
            return written, waits
