"""The index arrays of each problem: where in the products a matrix's entries are."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import device as dev
from ..augmented import Augmented
from ..graph import Graph
from ..pattern import Pattern
from ..result import Coloring
from .matrices import rows_of
from .recovery import Level, Recovery

if TYPE_CHECKING:
    from ..engines.acyclic.trees import Substitution


def recovery(P: Pattern, coloring: Coloring) -> Recovery:
    """Where the stored entries of P are in the products that a coloring of one of the problems means."""
    with dev.using(P.indices):
        return RECOVERIES[coloring.problem](P, coloring)


def by_columns(P: Pattern, coloring: Coloring) -> Recovery:
    """Entry (i, j) is in row i of the product of j's color."""
    k = coloring.n_colors
    return Recovery(rows_of(P) * k + coloring.colors[P.indices])


def by_rows(P: Pattern, coloring: Coloring) -> Recovery:
    """Entry (i, j) is in column j of the product of i's color."""
    colors = coloring.colors.astype(np.int64)
    return Recovery(colors[rows_of(P)] * P.columns + P.indices)


def alone(places: _Places) -> Recovery:
    """Of a star coloring or bicoloring: each entry is alone in the sum of one of its ends."""
    from ..engines.star.sets import recover

    return places.recovery(*recover(places.graph, places.colors))


def by_levels(places: _Places) -> Recovery:
    """Of an acyclic one: entries are found from the leaves of two-colored trees to their roots."""
    from ..engines.acyclic.trees import recover

    return places.levels(recover(places.graph, places.colors))


class _Places(ABC):
    """Where sums of a colored graph are in the products, and its entries among the stored ones; all on the CPU.

    Attributes
    ----------
    graph : Graph
    colors : array of int32, shape (n,)
    stored : array of int64, shape (graph.m,)
        The stored entry that each entry of the graph is.
    """

    graph: Graph
    colors: np.ndarray
    stored: np.ndarray

    def __init__(self, P: Pattern) -> None:
        self.P = P

    @abstractmethod
    def place(self, vertex: np.ndarray, color: np.ndarray) -> np.ndarray:
        """Of the sum of a vertex's neighbors of a color, in the products: int64."""

    def first(self) -> np.ndarray:
        """A place for each stored entry, right for those that are no entries of the graph."""
        return np.zeros(self.P.m, np.int64)

    def recovery(self, vertex: np.ndarray, color: np.ndarray) -> Recovery:
        """Of sums in each of which an entry is alone."""
        source = self.first()
        source[self.stored] = self.place(vertex, color)
        return Recovery(self._there(source))

    def levels(self, found: Substitution) -> Recovery:
        """Of an order of substitution; what is subtracted from a sum that is not read again goes to one read before."""
        source = self.place(found.vertex, found.color)
        target = np.where(found.parent_color < 0, source, self.place(found.parent, found.parent_color))
        parts = source, target, self.stored[found.entry], self.stored[found.mirror]
        bounds = list(itertools.pairwise(found.levels.tolist()))
        levels = tuple(Level(*(self._there(part[a:b]) for part in parts)) for a, b in bounds)
        return Recovery(self._there(self.first()), levels)

    def _there(self, array: np.ndarray) -> Any:
        return dev.to_device(np.ascontiguousarray(array, np.int64), self.P.device)


class Symmetric(_Places):
    """Of a symmetric matrix, whose graph has all entries but the diagonal's; those are in their own colors."""

    def __init__(self, P: Pattern, coloring: Coloring) -> None:
        super().__init__(P)
        self.graph, self.colors = coloring.graph.on("cpu"), coloring.to_numpy()
        self.k = coloring.n_colors
        self.rows = rows_of(P.on("cpu"))
        self.off = self.rows != P.on("cpu").indices
        self.stored = np.flatnonzero(self.off)

    def place(self, vertex: np.ndarray, color: np.ndarray) -> np.ndarray:
        return vertex.astype(np.int64) * self.k + color

    def first(self) -> np.ndarray:
        source = np.zeros(self.P.m, np.int64)
        diagonal = self.rows[~self.off]
        source[~self.off] = self.place(diagonal, self.colors[diagonal])
        return source


class Rectangular(_Places):
    """Of any matrix, whose graph joins rows and columns: the first half of its entries are the matrix's, in order."""

    def __init__(self, P: Pattern, coloring: Coloring) -> None:
        super().__init__(P)
        self.graph, self.colors = Augmented.of(P.on("cpu")), coloring.to_numpy()
        self.row_colors = int(self.colors[: P.rows].max(initial=-1)) + 1
        self.column_colors = coloring.n_colors - self.row_colors
        self.stored = np.empty(2 * P.m, np.int64)
        self.stored[: P.m] = np.arange(P.m)
        self.stored[P.m :] = np.argsort(P.on("cpu").indices, kind="stable")  # as the transpose has them

    def place(self, vertex: np.ndarray, color: np.ndarray) -> np.ndarray:
        (m, n), vertex = self.P.shape, vertex.astype(np.int64)
        of_row = vertex * self.column_colors + (color - self.row_colors)
        of_column = m * self.column_colors + color.astype(np.int64) * n + (vertex - m)
        return np.where(vertex < m, of_row, of_column)


RECOVERIES = {
    "columns": by_columns,
    "rows": by_rows,
    "star": lambda P, coloring: alone(Symmetric(P, coloring)),
    "acyclic": lambda P, coloring: by_levels(Symmetric(P, coloring)),
    "star_bicoloring": lambda P, coloring: alone(Rectangular(P, coloring)),
    "acyclic_bicoloring": lambda P, coloring: by_levels(Rectangular(P, coloring)),
}
