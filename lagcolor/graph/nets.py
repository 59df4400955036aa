"""Structures of problems: a `Graph`, or `Nets`, in which two vertices of one net must not share a color.

==============  ===================================================================================
hops            1 for a graph, whose rows have the neighbors of each vertex; 2 for nets; 0 for a `ComputedGraph`
patterns        the graph; or the nets of each vertex, and the vertices of each net
closed          whether a net also has the vertex of its number
conflict_graph  the graph of the pairs that constrain each other, if constraints are pairs
==============  ===================================================================================

Both also have `n`, `m`, `labels`, `indices`, `xp`, `on_gpu`, `device` and `on`. The problem's algorithm "first_fit"
(`problems/registry.py`) colors a structure. `Problem.lower_bound` of the input needs no structure.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..base.compile_clock import importing
from ..base.errors import OptionError
from .graph import Graph
from .pattern import Pattern, unsigned

# Equal nets are searched if nets have at least `REPEATS` reads on average, and `EQUAL` equal ones would suffice.
REPEATS, EQUAL = 64, 8
MOST_READS = 1 << 28  # for balance and reduce: up to 1 GB for the graph, and 1 GB to sort it


class Nets:
    """A hypergraph in both directions: the nets of each vertex and the vertices of each net; immutable.

    ==========  =======================  ====================  ==========
    problem     vertices                 nets                  `closed`
    ==========  =======================  ====================  ==========
    columns     columns of the pattern   its rows              no
    rows        rows                     columns               no
    distance2   vertices of the graph    neighborhoods         yes
    edges       edges of the graph       its vertices          no
    ==========  =======================  ====================  ==========

    Parameters
    ----------
    of_vertices : Pattern
        n × k: row v has the nets of vertex v.
    members : Pattern, optional
        k × n, its transpose: row e has the vertices of net e. Default: computed at first use.
    closed : bool
        Whether net v also has vertex v, without an entry for it (a `Graph` has no diagonal); then n = k.
    of_edges : bool
        Whether each vertex is an edge of a graph, in the two nets of its ends.
    labels : sequence, optional
        The user's names of the vertices. Default: the names of the rows of `of_vertices`.
    """

    __slots__ = ("_labels", "_members", "closed", "m", "n", "of_edges", "of_vertices", "on_gpu")
    hops: ClassVar[int] = 2
    closed: bool
    m: int  # stored entries of `of_vertices`
    n: int  # vertices
    of_edges: bool
    of_vertices: Pattern
    on_gpu: bool  # whether the arrays are CuPy arrays

    def __init__(
        self, of_vertices: Pattern, members: Pattern | None = None, closed: bool = False, of_edges: bool = False,
        labels: Any = None,
    ) -> None:  # fmt: skip
        self.of_vertices, self._members, self.closed, self.of_edges = of_vertices, members, closed, of_edges
        self._labels = of_vertices.labels if labels is None else labels
        self.n, self.m, self.on_gpu = of_vertices.rows, len(of_vertices.indices), of_vertices.on_gpu

    @classmethod
    def columns(cls, P: Pattern) -> Nets:
        """Return the columns of a pattern, which conflict if a row has both."""
        return cls(P.T, P)

    @classmethod
    def rows(cls, P: Pattern) -> Nets:
        """Return the rows of a pattern, which conflict if a column has both."""
        return cls(P)

    @classmethod
    def neighborhoods(cls, G: Graph) -> Nets:
        """Return the vertices of a graph, which conflict at a distance of one or two."""
        return cls(G, G, closed=True)

    @classmethod
    def incidence(cls, G: Graph) -> Nets:
        """Return the edges of a graph, in the order of `Graph.edges`, which conflict if they have a common end."""

        def make() -> Nets:
            u, v = G.edges
            both = G.xp.empty((len(u), 2), np.int32)
            both[:, 0], both[:, 1] = u, v
            indptr = G.xp.arange(0, 2 * len(u) + 1, 2, dtype=G.indptr.dtype)
            of_edges = Pattern(indptr, both.reshape(-1), G.n)
            return cls(of_edges, of_edges.T, of_edges=True)

        return G._cached("incidence", make)

    @property
    def members(self) -> Pattern:
        """The vertices of each net."""
        return self.of_vertices.T if self._members is None else self._members

    @property
    def patterns(self) -> tuple[Pattern, Pattern]:
        """The nets of each vertex, and the vertices of each net."""
        return self.of_vertices, self.members

    @property
    def largest_net(self) -> int:
        """Size of the largest net, a lower bound of colors; 1 if no vertex is in a net, 0 without vertices."""
        return max(self.members.max_degree + self.closed, 1) if self.n else 0

    @property
    def labels(self) -> Any:
        """The user's names of the vertices; None if they are 0, 1 …."""
        return self._labels

    @property
    def indices(self) -> Any:
        """The nets of all vertices, an array on the device of the structure."""
        return self.of_vertices.indices

    @property
    def xp(self) -> Any:
        """numpy or cupy."""
        return self.of_vertices.xp

    @property
    def device(self) -> str:
        """ "cpu", "cuda:0" …"""
        return self.of_vertices.device

    def on(self, device: str) -> Nets:
        """Return the nets on a device; the same object if they are already there."""
        if (of_vertices := self.of_vertices.on(device)) is self.of_vertices:
            return self
        members = of_vertices if self.closed else None if self._members is None else self._members.on(device)
        return Nets(of_vertices, members, self.closed, self.of_edges, self._labels)

    def called(self, labels: Any) -> Nets:
        """Return the nets with other names of the vertices."""
        return Nets(self.of_vertices, self._members, self.closed, self.of_edges, labels)

    def reads(self, most: int) -> int:
        """Return the number of entries that two hops read; if it is over `most`, equal nets may count once."""
        reads = self._reads_of(slice(None))
        if not most < reads <= EQUAL * most or reads <= REPEATS * self.of_vertices.columns:
            return reads
        return self.on("cpu")._reads_of(self._first)

    def _reads_of(self, some: Any) -> int:
        if self.on_gpu and self.members.rows:  # `some` is all nets
            return self.members.degree_extremes.squares + (2 * self.m + self.n if self.closed else 0)
        sizes = self.members.degrees[some].astype(np.float64) + self.closed
        return int((sizes * sizes).sum())  # not by BLAS, whose threads keep cores busy afterwards

    @property
    def _first(self) -> np.ndarray:
        """Whether each net is the first one with its vertices; on the CPU."""

        def find() -> np.ndarray:
            with importing():
                from .conflicts import distinct

            indptr, indices = unsigned(self.on("cpu").members)
            return distinct(indptr, indices, self.closed)

        return self.of_vertices._cached(f"first of equal nets, {self.closed}", find)

    def conflict_graph(self, most_reads: int, most_entries: int | None = None) -> Graph | None:
        """Return the graph of pairs that share a net, on the CPU; None if it needs more reads or entries.

        Nets with the same vertices are read once.
        """
        if (reads := self.reads(most_reads)) > most_reads:
            return None
        with importing():
            from .conflicts import graph_of_pairs

        several = reads > REPEATS * self.of_vertices.columns or reads < self._reads_of(slice(None))
        most = reads if most_entries is None else min(reads, most_entries)
        arrays = tuple(a for P in self.on("cpu").patterns for a in unsigned(P))
        return graph_of_pairs(arrays, self.closed, self._first if several else None, most)

    def __repr__(self) -> str:
        return f"<Nets: {self.n:,} vertices in {self.of_vertices.columns:,} nets, {self.m:,} entries, on {self.device}>"


type Structure = Graph | Nets


def pairs(H: Structure) -> Graph:
    """Return the graph of the pairs that constrain each other, on the device of the structure.

    Raises
    ------
    OptionError
        The graph would be too large.
    """
    refuse_large(H)
    graph: Any = H.conflict_graph(MOST_READS)
    return graph.on(H.device)


def refuse_large(H: Structure) -> None:
    """Raise an error if the graph of `pairs` would be too large."""
    if isinstance(H, Nets) and H.reads(MOST_READS) > MOST_READS:
        raise OptionError(
            f"the graph of the pairs that may not share a color is too large: to build it needs over {MOST_READS:,} "
            "reads; capacity= of color limits classes without it, and quality='best' finds fewer colors"
        )


def offsets_of(H: Structure) -> Any:
    """Return a common type for the offsets of all patterns, because the user's arrays may have different types."""
    return np.result_type(*(P.indptr.dtype for P in H.patterns))


def csr(H: Structure, none: Any = None) -> tuple[Any, ...]:
    """Return offsets (of one type) and indices of vertices and of nets (`none` without nets), and `closed`."""
    kind = offsets_of(H)
    found = [a for P in H.patterns for a in (P.indptr.astype(kind, copy=False), P.indices)]
    return *found, *[none] * (4 - len(found)), np.int32(H.closed)
