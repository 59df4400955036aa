"""Bicolorings: colors of rows and of columns, such that every entry is found, directly or by substitution. Jacobians.

Directly, an entry (i, j) must be the only one of row i in columns of the color of j, or the only one of column j in
rows of the color of i: the groups are structurally biorthogonal. By substitution, entries must have an order such that
each is alone in this way among those that have not been found before. −1 is neutral: that row or column is in no group.

References
----------
Coleman, Verma 1998, "The efficient computation of sparse Jacobian matrices using automatic differentiation";
Gebremedhin, Manne, Pothen 2005, section 5; Montoison, Dalle, Gebremedhin 2025, "Revisiting sparse matrix coloring and
bicoloring".
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..base import device as dev
from ..graph.bipartite import Augmented
from ..graph.pattern import Pattern
from . import on_gpu
from .equations import equations, mirrored, ranked, sizes, unsolved
from .report import SHOWN, Report, called, fitting


class Acyclic:
    """All entries are found by substitution."""

    structure = staticmethod(Augmented.of)

    def check(self, P: Pattern, colors: Any) -> Report:
        """See `Problem.verify`. A violation is an entry that no order of substitution finds."""
        B = Bicolored.of(P, colors)
        by_row = B.by_row[B.place]
        left = unsolved(B.by_column, np.where(by_row < 0, -1, by_row + B.P.m), 2 * B.P.m)
        return B.findings(np.flatnonzero(left), "cannot be found by substitution")

    def upper_bound(self, P: Pattern) -> int:
        """Rows that share a column with one, and one; as many of columns; at most all."""
        row, column = P.max_degree, P.T.max_degree
        return min(P.rows, row * max(column - 1, 0) + 1) + min(P.columns, column * max(row - 1, 0) + 1)

    def lower_bound(self, P: Pattern) -> int:
        """The fewest products that have as many numbers as there are entries; see `numbers`."""
        of_columns, of_rows = numbers(P), numbers(P.T)
        return int((np.arange(len(of_columns)) + np.searchsorted(of_rows, P.m - of_columns)).min())


class Star(Acyclic):
    """Every entry is read directly. The bounds of acyclic bicolorings hold."""

    def check(self, P: Pattern, colors: Any) -> Report:
        """See `Problem.verify`. A violation is an entry that is not alone in either of its sums."""
        if found := on_gpu.checked(P, colors, P.rows + P.columns, on_gpu.biorthogonal, neutral=True):
            return found
        B = Bicolored.of(P, colors)
        alone = (sizes(B.by_column) == 1) | (sizes(B.by_row)[B.place] == 1)
        return B.findings(np.flatnonzero(~alone), "is alone neither in its row nor in its column")


def numbers(P: Pattern) -> np.ndarray:
    """The most numbers that products of 0, 1, 2 … groups of columns have, at most one per group and entry of a row."""
    if not P.m:
        return np.zeros(1, np.int64)
    with dev.using(P.indices):
        rows = dev.to_device(dev.counts(P.degrees, P.max_degree + 1), "cpu")
    longer = P.rows - np.cumsum(rows)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(longer[:-1])])


class Bicolored(NamedTuple):
    """A pattern with colors of rows and columns, and the sums that its entries are in."""

    P: Pattern
    given: np.ndarray  # array, shape (rows + columns,): the colors
    # array of int64, shape (m,): the sum of each entry over its row, for the color of its column; −1: none
    by_column: np.ndarray
    # array of int64, shape (m,): in the order of the transpose: the sum over its column, for the color of its row
    by_row: np.ndarray
    place: np.ndarray  # array of int64, shape (m,): of each entry in the transpose

    @classmethod
    def of(cls, P: Pattern, colors: Any) -> Bicolored:
        """On the CPU."""
        P = P.on("cpu")
        given = dev.to_device(fitting(colors, P.rows + P.columns, "row and column"), "cpu").astype(np.int64)
        (rows, r), (columns, c) = ranked(given[: P.rows]), ranked(given[P.rows :])
        by_column = equations(P.indptr, P.indices, columns, c)
        by_row = equations(P.T.indptr, P.T.indices, rows, r)
        return cls(P, given, by_column, by_row, mirrored(P.indptr, P.indices))

    def findings(self, entries: np.ndarray, fault: str) -> Report:
        """The report on entries at fault, and on colors that rows do not have before columns."""
        P, rows, columns = self.P, self.given[: self.P.rows], self.given[self.P.rows :]
        names = []
        highest = int(rows.max(initial=-1))
        mixed = np.flatnonzero((columns >= 0) & (columns <= highest))
        if len(mixed):
            i, j = int(np.argmax(rows)), int(mixed[0])
            a, b = called(j, P.column_labels), called(i, P.labels)
            names.append(f"column {a} has color {columns[j]} and row {b} color {highest}: rows have the lower colors")
        of = np.searchsorted(P.indptr, entries[:SHOWN], side="right") - 1
        for i, j in zip(of.tolist(), P.indices[entries[:SHOWN]].tolist(), strict=True):
            entry = f"({called(i, P.labels)}, {called(j, P.column_labels)})"
            names.append(f"entry {entry} of colors {rows[i]} and {columns[j]} {fault}")
        neutral = np.zeros(len(self.given), bool)
        return Report.of(self.given, len(entries) + min(len(mixed), 1), names[:SHOWN], neutral)
