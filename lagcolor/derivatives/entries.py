"""The index arrays of each problem: where in the products a matrix's entries are."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..api.result import Coloring
from ..base import device as dev
from ..base.device import extremes
from ..graph.bipartite import Augmented
from ..graph.graph import Graph
from ..graph.pattern import Pattern
from .recovery import Level, Recovery

if TYPE_CHECKING:
    from ..engines.two_colored.substitution import Substitution


def recovery(P: Pattern, coloring: Coloring) -> Recovery:
    """Where the stored entries of P are in the products that a coloring of one of the problems means."""
    with dev.using(P.indices):
        if P.on_gpu and coloring.problem in STRIDES:
            return _there(P, coloring)
        found = RECOVERIES[coloring.problem](P, coloring)
        if P.on_gpu and _is_narrow(P, coloring):
            return Recovery(found.source.astype(np.int32), found.levels)
        return found


def _is_narrow(P: Pattern, coloring: Coloring) -> bool:
    """Whether places in the products fit 32 bits: a third less to read."""
    return (P.rows + P.columns) * coloring.n_colors < 2**31


def _there(P: Pattern, coloring: Coloring) -> Recovery:
    """Of products that are read directly, on a GPU: by a kernel that looks at each entry."""
    from ..engines.two_colored import direct

    colors, both = dev.to_device(coloring.colors, P.device), coloring.problem == "star_bicoloring"
    strides = direct.Strides(*STRIDES[coloring.problem](P, coloring.n_colors, colors))
    dtype = np.int32 if _is_narrow(P, coloring) else np.int64
    of = Augmented.of(P) if both else P
    return Recovery(direct.places(of, colors, strides, P.m, both or coloring.problem == "star", dtype))


def _of_both(P: Pattern, k: int, colors: Any) -> tuple[int, ...]:
    """Products of columns come first; vertex `P.rows` is the first column."""
    rows = extremes.largest(colors[: P.rows]) + 1
    return k - rows, rows, P.rows * (k - rows) - P.rows, 1, P.columns


# Of entry (v, u), on a GPU, as `direct.Strides` has them. A diagonal entry is alone in its row like any other.
STRIDES: dict[str, Callable[[Pattern, int, Any], tuple[int, ...]]] = {
    "columns": lambda P, k, colors: (k,),
    "rows": lambda P, k, colors: (0, 0, 0, 1, P.columns),
    "star": lambda P, k, colors: (k, 0, 0, k, 1),
    "star_bicoloring": _of_both,
}


def by_columns(P: Pattern, coloring: Coloring) -> Recovery:
    """Entry (i, j) is in row i of the product of j's color."""
    source = P.rows_of_entries().astype(np.int64)
    source *= coloring.n_colors
    source += coloring.colors[P.indices]
    return Recovery(source)


def by_rows(P: Pattern, coloring: Coloring) -> Recovery:
    """Entry (i, j) is in column j of the product of i's color."""
    colors = coloring.colors.astype(np.int64)
    return Recovery(colors[P.rows_of_entries()] * P.columns + P.indices)


def alone(places: _Places) -> Recovery:
    """Of a star coloring or bicoloring: each entry is alone in the sum of one of its ends."""
    from ..engines.two_colored.direct import recover

    return places.recovery(*recover(places.graph, places.colors))


def by_levels(places: _Places, device: str) -> Recovery:
    """Of an acyclic one: entries are found from the leaves of two-colored trees to their roots; made on the CPU."""
    from ..engines.two_colored.substitution import recover

    return places.levels(recover(places.graph, places.colors), device)


class _Places(ABC):
    """Where sums of a colored graph are in the products, and its entries among the stored ones."""

    graph: Graph
    colors: Any  # int32, shape (n,)
    stored: Any  # int64, shape (graph.m,): The stored entry that each entry of the graph is

    def __init__(self, P: Pattern, coloring: Coloring) -> None:
        self.P, self.colors = P, dev.to_device(coloring.colors, P.device)

    @abstractmethod
    def place(self, vertex: Any, color: Any) -> Any:
        """Of the sum of a vertex's neighbors of a color, in the products: int64."""

    def first(self) -> Any:
        """A place for each stored entry, right for those that are no entries of the graph."""
        return self.P.xp.zeros(self.P.m, np.int64)

    def recovery(self, vertex: Any, color: Any) -> Recovery:
        """From sums that contain a single entry."""
        source = self.first()
        source[self.stored] = self.place(vertex, color)
        return Recovery(source)

    def levels(self, found: Substitution, device: str) -> Recovery:
        """Of an order of substitution; what is subtracted from a sum that is not read again goes to one read before."""
        source = self.place(found.vertex, found.color)
        target = np.where(found.parent_color < 0, source, self.place(found.parent, found.parent_color))
        parts = [source, target, self.stored[found.entry], self.stored[found.mirror]]
        parts = [dev.to_device(np.ascontiguousarray(part, np.int64), device) for part in parts]
        bounds = list(itertools.pairwise(found.levels.tolist()))
        levels = tuple(Level(*(part[a:b] for part in parts)) for a, b in bounds)
        return Recovery(dev.to_device(self.first(), device), levels)


class Symmetric(_Places):
    """Of a symmetric matrix, whose graph has all entries but the diagonal's; those are in their own colors."""

    graph: Any
    k: int
    stored: Any
    diagonal: Any

    def __init__(self, P: Pattern, coloring: Coloring) -> None:
        super().__init__(P, coloring)
        self.graph = coloring.graph.on(P.device)
        self.k = coloring.n_colors
        off = P.rows_of_entries() != P.indices
        self.stored, self.diagonal = P.xp.flatnonzero(off), P.xp.flatnonzero(~off)

    def place(self, vertex: Any, color: Any) -> Any:
        return vertex.astype(np.int64) * self.k + color

    def first(self) -> Any:
        source, vertex = super().first(), self.P.indices[self.diagonal]
        source[self.diagonal] = self.place(vertex, self.colors[vertex])
        return source


class Rectangular(_Places):
    """Of any matrix, whose graph joins rows and columns: the first half of its entries are the matrix's, in order."""

    graph: Any
    row_colors: int
    column_colors: int
    stored: Any

    def __init__(self, P: Pattern, coloring: Coloring) -> None:
        from ..engines.two_colored.direct import mirror

        super().__init__(P, coloring)
        self.graph = Augmented.of(P)
        self.row_colors = extremes.largest(self.colors[: P.rows]) + 1
        self.column_colors = coloring.n_colors - self.row_colors
        self.stored = mirror(self.graph).astype(np.int64)
        self.stored[: P.m] = P.xp.arange(P.m)

    def place(self, vertex: Any, color: Any) -> Any:
        (m, n), vertex = self.P.shape, vertex.astype(np.int64)
        of_row = vertex * self.column_colors + (color - self.row_colors)
        of_column = m * self.column_colors + color.astype(np.int64) * n + (vertex - m)
        return self.P.xp.where(vertex < m, of_row, of_column)

    def recovery(self, vertex: Any, color: Any) -> Recovery:
        """An entry that is alone in both of its sums is read from the sum of its row."""
        m = self.P.m
        return Recovery(self.place(vertex[:m], color[:m]))


RECOVERIES: dict[str, Callable[[Pattern, Coloring], Recovery]] = {
    "columns": by_columns,
    "rows": by_rows,
    "star": lambda P, coloring: alone(Symmetric(P, coloring)),
    "acyclic": lambda P, coloring: by_levels(Symmetric(P.on("cpu"), coloring), P.device),
    "star_bicoloring": lambda P, coloring: alone(Rectangular(P, coloring)),
    "acyclic_bicoloring": lambda P, coloring: by_levels(Rectangular(P.on("cpu"), coloring), P.device),
}
