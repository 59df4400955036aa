"""Cycle elimination: the edges of a graph, all from the vertex that comes first to the one that comes later.

The paper turns an edge ⟨i, j⟩ with i > j around. Of an undirected graph in natural order nothing need be turned: the
parents of vertex v are the neighbours of smaller id, with which its sorted row begins. For another order the graph is
written anew, a vertex renamed to its position, parents at the head of each row; the rest of Feluca knows ids only.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ... import device as dev
from ...device import threads as cpu_threads
from ...device.compiled import njit
from ...graph import Graph
from ...orders import Priorities

SOURCE = Path(__file__).with_suffix(".cu")
BLOCK = 256


@dataclass(frozen=True)
class Dag:
    """A graph whose rows begin with the neighbours of smaller id, the parents.

    Attributes
    ----------
    indptr, indices : arrays
        As of `Graph`, but only the parents' place in a row is certain.
    sequence : array of int32 or None
        The vertex of the graph that id i stands for; None: itself.
    max_degree : int
    """

    indptr: Any
    indices: Any
    sequence: Any
    max_degree: int

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.indptr) - 1

    @property
    def m(self) -> int:
        """Stored entries: twice the edges."""
        return len(self.indices)

    def graph(self) -> Graph:
        """The same as a Graph, for engines that take rows in any order."""
        out = Graph(self.indptr, self.indices)
        out._cached("max_degree", lambda: self.max_degree)
        return out

    def by_vertex(self, colors: Any) -> Any:
        """Colors of ids as colors of the graph's own vertices."""
        if self.sequence is None:
            return colors
        out = dev.module_of(colors).empty_like(colors)
        out[self.sequence] = colors
        return out


def dag(G: Graph, p: Priorities, threads: int | None = None) -> Dag:
    """The DAG of a graph in any order; those of named orders are kept with the graph.

    Parameters
    ----------
    G : Graph
    p : Priorities
    threads : int, optional
        CPU threads.
    """
    if p.is_natural:
        return Dag(G.indptr, G.indices, None, G.max_degree)
    make = on_gpu if G.on_gpu else on_cpu
    if p.name == "user":
        return make(G, p, threads)
    return G._cached(f"feluca dag {p.name} {p.seed}", lambda: make(G, p, threads))


def on_gpu(G: Graph, p: Priorities, threads: int | None) -> Dag:
    """The DAG made by a kernel."""
    cp = dev.cupy()
    indptr = cp.zeros(G.n + 1, G.indptr.dtype)
    indptr[1:] = cp.cumsum(G.degrees[p.sequence], dtype=G.indptr.dtype)
    indices = cp.empty(G.m, np.int32)
    if G.n:
        kernel = dev.kernel(SOURCE, "orient", OFFSET_BITS=8 * G.indptr.itemsize)
        blocks = min(-(-G.n * 32 // BLOCK), 2**16 - 1)
        kernel((blocks,), (BLOCK,), (G.indptr, G.indices, p.p, p.sequence, indptr, indices, G.n))
    return Dag(indptr, indices, p.sequence, G.max_degree)


def on_cpu(G: Graph, p: Priorities, threads: int | None) -> Dag:
    """The DAG made by CPU threads."""
    indptr = np.zeros(G.n + 1, G.indptr.dtype)
    np.cumsum(G.degrees[p.sequence], out=indptr[1:])
    indices = np.empty(G.m, np.int32)
    workers = cpu_threads.count(threads, G.m)
    parts = np.linspace(0, G.n, workers + 1).astype(np.int64)
    cpu_threads.run(
        lambda t: orient(G.indptr, G.indices, p.p, p.sequence, indptr, indices, parts[t], parts[t + 1]), workers
    )
    return Dag(indptr, indices, p.sequence, G.max_degree)


@njit(cache=True, nogil=True)
def orient(
    indptr: Any, indices: Any, p: Any, sequence: Any, new_indptr: Any, new_indices: Any, first: Any, stop: Any
) -> None:
    """Rows `first` … `stop` − 1 of the renamed graph: parents from the front, children from the back."""
    last = sequence.size - 1
    for i in range(first, stop):
        v = sequence[i]
        front, back = new_indptr[i], new_indptr[i + 1]
        for e in range(indptr[v], indptr[v + 1]):
            position = last - p[indices[e]]
            if position < i:
                new_indices[front] = position
                front += 1
            else:
                back -= 1
                new_indices[back] = position
