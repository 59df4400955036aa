"""What a problem makes of its input: a `Graph`, or `Nets`, where two vertices of one net may not share a color.

==============  ===================================================================================
hops            1 of a graph, whose rows have the vertices that constrain each; 2 of nets
patterns        the graph; or the nets of each vertex, and the vertices of each net
closed          whether a net has the vertex of its number, too
conflict_graph  the graph of the pairs that constrain each other, where constraints are pairs
==============  ===================================================================================

Both also have `n`, `m`, `labels`, `indices`, `xp`, `on_gpu`, `device` and `on`. The row "first_fit" of the problem's
algorithms (`core/registry.py`) colors it, and `Problem.lower_bound` of the input needs no structure.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeAlias

import numpy as np

from semirings.runtime.compile_clock import importing

from .graph import Graph
from .pattern import Pattern


class Nets:
    """A hypergraph in both directions: the nets of each vertex, and the vertices of each net; immutable.

    ==========  =======================  ====================  ==========
    problem     vertices                 nets                  `closed`
    ==========  =======================  ====================  ==========
    columns     columns of the pattern   its rows              no
    rows        rows                     columns               no
    distance2   vertices of the graph    neighborhoods         yes
    ==========  =======================  ====================  ==========

    Parameters
    ----------
    of_vertices : Pattern
        n × k: row v has the nets that vertex v is in.
    members : Pattern, optional
        k × n, its transpose: row e has the vertices that are in net e. None: made at first use.
    closed : bool
        n = k, and net v has vertex v as well, without an entry for it (a `Graph` has no diagonal).
    """

    __slots__ = ("_members", "closed", "of_vertices")
    hops: ClassVar[int] = 2

    def __init__(self, of_vertices: Pattern, members: Pattern | None = None, closed: bool = False) -> None:
        self.of_vertices, self._members, self.closed = of_vertices, members, closed

    @classmethod
    def columns(cls, P: Pattern) -> Nets:
        """The columns of a pattern, which conflict where a row has both."""
        return cls(P.T, P)

    @classmethod
    def rows(cls, P: Pattern) -> Nets:
        """The rows of a pattern, which conflict where a column has both."""
        return cls(P)

    @classmethod
    def neighborhoods(cls, G: Graph) -> Nets:
        """The vertices of a graph, which conflict at a distance of one or two."""
        return cls(G, G, closed=True)

    @property
    def members(self) -> Pattern:
        """The vertices of each net."""
        return self.of_vertices.T if self._members is None else self._members

    @property
    def patterns(self) -> tuple[Pattern, Pattern]:
        """The nets of each vertex, and the vertices of each net."""
        return self.of_vertices, self.members

    @property
    def members_at_hand(self) -> bool:
        """Whether `members` is there without transposing anything."""
        return self._members is not None

    @property
    def n(self) -> int:
        """Number of vertices."""
        return self.of_vertices.rows

    @property
    def m(self) -> int:
        """Number of stored entries of `of_vertices`."""
        return self.of_vertices.m

    @property
    def largest_net(self) -> int:
        """Vertices of the largest net: no coloring has fewer colors. 1 where vertices are in no net, 0 without any."""
        return max(self.members.max_degree + self.closed, 1) if self.n else 0

    @property
    def labels(self) -> Any:
        """The user's names of the vertices; None where these are 0, 1 …"""
        return self.of_vertices.labels

    @property
    def indices(self) -> Any:
        """The nets of all vertices; tells the device."""
        return self.of_vertices.indices

    @property
    def xp(self) -> Any:
        """numpy or cupy."""
        return self.of_vertices.xp

    @property
    def on_gpu(self) -> bool:
        """Whether the arrays are CuPy's."""
        return self.of_vertices.on_gpu

    @property
    def device(self) -> str:
        """ "cpu", "cuda:0" …"""
        return self.of_vertices.device

    def on(self, device: str) -> Nets:
        """The same on another device."""
        of_vertices = self.of_vertices.on(device)
        members = of_vertices if self.closed else None if self._members is None else self._members.on(device)
        return Nets(of_vertices, members, self.closed)

    def conflict_graph(self, most_entries: int) -> Graph | None:
        """The graph of the pairs of vertices that share a net; None where it may have more entries. On the CPU.

        The entries of each net are counted first.
        """
        P = self.of_vertices
        sizes = np.bincount(P.indices, minlength=P.columns).astype(np.float64) + self.closed
        if float(sizes @ sizes) > most_entries:
            return None
        with importing():
            import scipy.sparse as sp

        A = P.to_scipy().astype(bool)
        A = A + sp.eye_array(self.n, dtype=bool, format="csr") if self.closed else A
        return Graph.of((A @ A.T).tocsr(), n=self.n)

    def __repr__(self) -> str:
        return f"<Nets: {self.n:,} vertices in {self.of_vertices.columns:,} nets, {self.m:,} entries, on {self.device}>"


Structure: TypeAlias = Graph | Nets


def offsets_of(H: Structure) -> Any:
    """One type for the offsets of all patterns, since the user's own arrays may have another."""
    return np.result_type(*(P.indptr.dtype for P in H.patterns))


def csr(H: Structure, none: Any = None) -> tuple[Any, ...]:
    """Offsets, of one type, and indices of vertices and of nets (`none` without nets), and `closed`, for loops."""
    kind = offsets_of(H)
    found = [a for P in H.patterns for a in (P.indptr.astype(kind, copy=False), P.indices)]
    return *found, *[none] * (4 - len(found)), np.int32(H.closed)
