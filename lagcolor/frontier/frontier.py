"""A set of vertices or edges, on one device, whose size the host need not know."""

from __future__ import annotations

from typing import Any


class Frontier:
    """What operators take and make: a list of vertices (``kind`` "vertices") or edges, or marks on vertices ("bitmap").

    A list may name a vertex twice, where an `advance` put it out twice (then it is not `distinct`). The order within
    a list means nothing: on a GPU it changes from run to run, and no operator's result depends on it.

    On a GPU a list has up to three parts, one per class of degrees, so that sharing out the work of a vertex costs
    nothing: part k is ``items[begins[k]:begins[k] + counts[k]]`` (``items`` None: position is vertex). `bounds` are
    what the host knows of `counts`, which are on the device. On the CPU `items` is the list itself.

    Edges are positions in ``G.indices``. `graph` is the graph's `indptr`, to know it again by: a reference to the
    graph, which keeps a frontier of all vertices, would be a cycle, and its memory freed late.
    """

    __module__ = "lagcolor.frontier.operators"
    __slots__ = ("begins", "bounds", "counts", "distinct", "graph", "items", "kind")
    begins: tuple[Any, ...]
    bounds: tuple[Any, ...]
    counts: Any
    distinct: bool
    graph: Any
    items: Any
    kind: str

    def __init__(
        self,
        graph: Any,
        kind: str,
        items: Any,
        begins: tuple[int, ...],
        bounds: tuple[int, ...],
        counts: Any,
        distinct: bool = True,
    ) -> None:
        self.kind, self.items, self.begins, self.bounds, self.counts = kind, items, begins, bounds, counts
        self.graph, self.distinct = graph, distinct

    @property
    def bound(self) -> int:
        """Upper bound of the number of elements, known without a synchronization; exact on the CPU."""
        return sum(self.bounds)

    def __repr__(self) -> str:
        return f"<Frontier: up to {self.bound:,} {self.kind}>"
