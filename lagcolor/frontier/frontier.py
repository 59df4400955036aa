"""A set of vertices or edges on one device. The host need not know its size."""

from __future__ import annotations

from typing import Any

from ..base import imported_from


@imported_from("lagcolor.frontier.operators")
class Frontier:
    """Input and output of operators: a list of vertices or edges (``kind`` "vertices", "edges") or marks ("bitmap").

    A list may contain a vertex twice if an `advance` emitted it twice (then it is not `distinct`). The order of a list
    is not defined: on a GPU it changes from run to run, and no operator's result depends on it.

    On a GPU a list has up to three parts, one per class of degrees, so that the work of vertices need not be
    distributed again: part k is ``items[begins[k]:begins[k] + counts[k]]`` (``items`` None: position is vertex).
    `counts` are on the device, and `bounds` are the host's bounds of them. On the CPU `items` is the list itself.

    Edges are positions in ``G.indices``. `graph` is the graph's `indptr` and identifies the graph. A reference to the
    graph, which stores a frontier of all vertices, would be a cycle and delay the release of memory.
    """

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
