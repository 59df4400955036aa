"""Vertices and nets: what distance-2 problems color. Two vertices of one net may not share a color."""

from __future__ import annotations

from typing import Any

from .graph import Graph
from .pattern import Pattern


class Hops:
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
    nets : Pattern
        n × k: row v has the nets that vertex v is in.
    members : Pattern, optional
        k × n, its transpose: row e has the vertices that are in net e. None: made at first use.
    closed : bool
        n = k, and net v has vertex v as well, without an entry for it (a `Graph` has no diagonal).
    """

    __slots__ = ("_members", "closed", "nets")

    def __init__(self, nets: Pattern, members: Pattern | None = None, closed: bool = False) -> None:
        self.nets, self._members, self.closed = nets, members, closed

    @classmethod
    def columns(cls, P: Pattern) -> Hops:
        """The columns of a pattern, which conflict where a row has both."""
        return cls(P.T, P)

    @classmethod
    def rows(cls, P: Pattern) -> Hops:
        """The rows of a pattern, which conflict where a column has both."""
        return cls(P)

    @classmethod
    def neighborhoods(cls, G: Graph) -> Hops:
        """The vertices of a graph, which conflict at a distance of one or two."""
        return cls(G, G, closed=True)

    @property
    def members(self) -> Pattern:
        """The vertices of each net."""
        return self.nets.T if self._members is None else self._members

    @property
    def members_at_hand(self) -> bool:
        """Whether `members` is there without transposing anything."""
        return self._members is not None

    @property
    def n(self) -> int:
        """Number of vertices."""
        return self.nets.rows

    @property
    def m(self) -> int:
        """Number of stored entries of `nets`."""
        return self.nets.m

    @property
    def largest_net(self) -> int:
        """Vertices of the largest net: no coloring has fewer colors. 1 where vertices are in no net, 0 without any."""
        return max(self.members.max_degree + self.closed, 1) if self.n else 0

    @property
    def indices(self) -> Any:
        """The nets of all vertices; tells the device."""
        return self.nets.indices

    @property
    def xp(self) -> Any:
        """numpy or cupy."""
        return self.nets.xp

    @property
    def on_gpu(self) -> bool:
        """Whether the arrays are CuPy's."""
        return self.nets.on_gpu

    @property
    def device(self) -> str:
        """ "cpu", "cuda:0" …"""
        return self.nets.device

    def on(self, device: str) -> Hops:
        """The same on another device."""
        nets = self.nets.on(device)
        members = nets if self.closed else None if self._members is None else self._members.on(device)
        return Hops(nets, members, self.closed)

    def __repr__(self) -> str:
        return f"<Hops: {self.n:,} vertices in {self.nets.columns:,} nets, {self.m:,} entries, on {self.device}>"
