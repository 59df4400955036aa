"""Bicolorings for Jacobians: colors of rows and columns that determine all entries, directly or by substitution.

Directly, an entry (i, j) must be the only entry of row i in columns of the color of j, or the only entry of column j in
rows of the color of i: the groups are structurally biorthogonal. By substitution, entries must have an order in which
each is alone in this way among the entries not found before. A row or column of color −1 is neutral, in no group.

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
    """Acyclic bicoloring: all entries are found by substitution."""

    structure = staticmethod(Augmented.of)

    def check(self, P: Pattern, colors: Any) -> Report:
        """Check a coloring; a violation is an entry that no order of substitution finds. See `Problem.verify`."""
        B = Bicolored.of(P, colors)
        by_row = B.by_row[B.place]
        left = unsolved(B.by_column, np.where(by_row < 0, -1, by_row + B.P.m), 2 * B.P.m)
        return B.findings(np.flatnonzero(left), "cannot be found by substitution")

    def upper_bound(self, P: Pattern) -> int:
        """One plus the number of rows that share a column with a row, at most all rows; plus the same for columns."""
        row, column = P.max_degree, P.T.max_degree
        return min(P.rows, row * max(column - 1, 0) + 1) + min(P.columns, column * max(row - 1, 0) + 1)

    def lower_bound(self, P: Pattern) -> int:
        """Fewest products with as many numbers as there are entries; see `numbers`."""
        of_columns, of_rows = numbers(P), numbers(P.T)
        return int((np.arange(len(of_columns)) + np.searchsorted(of_rows, P.m - of_columns)).min())


class Star(Acyclic):
    """Star bicoloring: every entry is read directly. The bounds of acyclic bicolorings hold."""

    def check(self, P: Pattern, colors: Any) -> Report:
        """Check a coloring; a violation is an entry that is not alone in either of its sums. See `Problem.verify`."""
        if found := on_gpu.checked(P, colors, P.rows + P.columns, on_gpu.biorthogonal, neutral=True):
            return found
        B = Bicolored.of(P, colors)
        alone = (sizes(B.by_column) == 1) | (sizes(B.by_row)[B.place] == 1)
        return B.findings(np.flatnonzero(~alone), "is alone neither in its row nor in its column")


def numbers(P: Pattern) -> np.ndarray:
    """Most numbers in products with 0, 1, 2, … groups of columns: a row has at most one per group and per entry."""
    if not P.m:
        return np.zeros(1, np.int64)
    with dev.using(P.indices):
        rows = dev.to_device(dev.counts(P.degrees, P.max_degree + 1), "cpu")
    longer = P.rows - np.cumsum(rows)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(longer[:-1])])


class Bicolored(NamedTuple):
    """A pattern with colors of rows and columns, and the sums that contain its entries."""

    P: Pattern
    colors: np.ndarray  # shape (rows + columns,)
    # int64, shape (m,): number of the sum over the row of each entry, for the color of its column; −1: none
    by_column: np.ndarray
    # int64, shape (m,), in the order of the transpose: number of the sum over the column, for the color of the row
    by_row: np.ndarray
    place: np.ndarray  # int64, shape (m,): position of each entry in the transpose

    @classmethod
    def of(cls, P: Pattern, colors: Any) -> Bicolored:
        """Move a pattern and its colors to the CPU and number the sums."""
        P = P.on("cpu")
        array = dev.to_device(fitting(colors, P.rows + P.columns, "row and column"), "cpu").astype(np.int64)
        (rows, r), (columns, c) = ranked(array[: P.rows]), ranked(array[P.rows :])
        by_column = equations(P.indptr, P.indices, columns, c)
        by_row = equations(P.T.indptr, P.T.indices, rows, r)
        return cls(P, array, by_column, by_row, mirrored(P.indptr, P.indices))

    def findings(self, entries: np.ndarray, fault: str) -> Report:
        """Report on faulty entries, and on column colors that are not over all row colors."""
        P, rows, columns = self.P, self.colors[: self.P.rows], self.colors[self.P.rows :]
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
        neutral = np.zeros(len(self.colors), bool)
        return Report.of(self.colors, len(entries) + min(len(mixed), 1), names[:SHOWN], neutral)
