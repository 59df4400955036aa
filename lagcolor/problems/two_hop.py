"""Columns, rows and distance 2: two vertices in one net have different colors.

`on_cpu` and `on_gpu` check whether a net has two vertices of one color. If so, NumPy sorts the entries of the pattern
by net and color on the CPU, and names repeated pairs. The squared graph is not built. A pattern whose rows are colored
has the nets of each vertex, not the vertices of each net. The verifier reads it class by class, so that it need not
trust a transpose.

A violation is a vertex in a net with an earlier vertex of the same color. A net is a row, a column, or a neighborhood.

References
----------
Coleman, Moré 1983, "Estimation of sparse Jacobian matrices and graph coloring problems" (structurally orthogonal
columns); Gebremedhin, Manne, Pothen 2005, "What color is your Jacobian?" (partial distance 2, distance 2).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device import extremes
from ..base.device.compiled import njit
from ..graph.graph import Graph
from ..graph.nets import Nets
from ..graph.pattern import Pattern
from . import on_cpu, on_gpu
from .report import SHOWN, Report, by_color, called, slices

Triples = list[tuple[int, int, int]]  # vertex, vertex, net
Sentence = Callable[[Any, int, int, int, int], str]  # pattern, vertex, vertex, net, color → message


class Columns:
    """Problem of columns: two columns of one color share no row."""

    structure = staticmethod(Nets.columns)

    def check(self, P: Pattern, colors: Any) -> Report:
        """Check a coloring. See `Problem.verify`."""
        checks, faults = (on_cpu.columns, on_gpu.columns), named(in_rows, self._sentence)
        return on_cpu.inspect(P, colors, P.columns, checks, faults, P.column_labels)

    def _sentence(self, P: Pattern, u: int, v: int, row: int, color: int) -> str:
        a, b = (called(column, P.column_labels) for column in (u, v))
        return f"columns {a} and {b} both have color {color}, and row {called(row, P.labels)} has an entry in both"

    def neighborhood(self, P: Pattern, v: int) -> Any:
        """Columns that share a row with column v, int32, increasing."""
        return neighbors(P.T, P, v)

    def upper_bound(self, P: Pattern) -> int:
        """One more than the largest sum, over the rows of a column, of the other entries of the row."""
        with dev.using(P.indices):
            return min(P.columns, 1 + most_constraints(P.T, P.degrees - 1)) if P.columns else 0

    def lower_bound(self, P: Pattern) -> int:
        """Number of entries of the longest row."""
        return max(P.max_degree, 1) if P.columns else 0


class Rows:
    """Problem of rows: two rows of one color share no column."""

    structure = staticmethod(Nets.rows)

    def check(self, P: Pattern, colors: Any) -> Report:
        """Check a coloring. See `Problem.verify`."""
        checks, faults = (on_cpu.rows, on_gpu.rows), named(in_classes, self._sentence)
        return on_cpu.inspect(P, colors, P.rows, checks, faults, P.labels)

    def _sentence(self, P: Pattern, u: int, v: int, column: int, color: int) -> str:
        a, b = (called(row, P.labels) for row in (u, v))
        of = called(column, P.column_labels)
        return f"rows {a} and {b} both have color {color}, and column {of} has an entry in both"

    def neighborhood(self, P: Pattern, v: int) -> Any:
        """Rows that share a column with row v, int32, increasing."""
        return neighbors(P, P.T, v)

    def upper_bound(self, P: Pattern) -> int:
        """One more than the largest sum, over the columns of a row, of the other entries of the column."""
        with dev.using(P.indices):
            return min(P.rows, 1 + most_constraints(P, entries_of_columns(P) - 1)) if P.rows else 0

    def lower_bound(self, P: Pattern) -> int:
        """Number of entries of the longest column."""
        if P.rows == 0 or P.columns == 0:
            return min(P.rows, 1)
        with dev.using(P.indices):
            return max(extremes.largest(entries_of_columns(P)), 1)


class Distance2:
    """Problem of distance 2: two vertices of one color are neither neighbors nor neighbors of one vertex."""

    structure = staticmethod(Nets.neighborhoods)

    def check(self, G: Graph, colors: Any) -> Report:
        """Check a coloring. See `Problem.verify`."""
        checks, faults = (on_cpu.neighborhoods, on_gpu.neighborhoods), named(partial(in_rows, closed=True), _sentence)
        return on_cpu.inspect(G, colors, G.n, checks, faults, G.labels)

    def neighborhood(self, G: Graph, v: int) -> Any:
        """Vertices at distance one or two from v, int32, increasing."""
        direct = G.indices[int(G.indptr[v]) : int(G.indptr[v + 1])]
        return np.union1d(direct, neighbors(G, G, v)).astype(np.int32)

    def upper_bound(self, G: Graph) -> int:
        """One more than the largest sum of the degrees of a vertex's neighbors."""
        with dev.using(G.indices):
            return min(G.n, 1 + most_constraints(G, G.degrees)) if G.n else 0

    def lower_bound(self, G: Graph) -> int:
        """One more than the largest degree."""
        return G.max_degree + 1 if G.n else 0


def _sentence(G: Graph, u: int, v: int, center: int, color: int) -> str:
    why = "they are neighbors" if center in (u, v) else f"vertex {called(center, G.labels)} is a neighbor of both"
    return f"vertices {called(u, G.labels)} and {called(v, G.labels)} both have color {color}, and {why}"


def named(find: Callable[[Any, np.ndarray], tuple[int, Triples]], sentence: Sentence) -> on_cpu.Named:
    """Function that runs `find` and writes a message for each violation."""

    def sentences(P: Pattern, colors: np.ndarray, narrow: np.ndarray) -> tuple[int, list[str]]:
        count, first = find(P, narrow)
        return count, [sentence(P, min(u, v), max(u, v), net, int(colors[u])) for u, v, net in first]

    return sentences


def in_rows(P: Pattern, colors: np.ndarray, closed: bool = False) -> tuple[int, Triples]:
    """Violations if each row is a net of its columns, with `closed` also of the vertex of the row."""
    count, first = 0, Triples()
    for begin, end in slices(P.indptr[1:]):
        nets, vertices = _entries(P, np.arange(begin, end))
        if closed:
            own = np.arange(begin, end)
            at = P.indptr[begin:end] - P.indptr[begin]
            nets, vertices = np.insert(nets, at, own), np.insert(vertices, at, own)
        count, first = _add(count, first, nets, vertices, colors)
    return count, first


def in_classes(P: Pattern, colors: np.ndarray) -> tuple[int, Triples]:
    """Violations if each row is a vertex and its columns are its nets; class by class."""
    rows = by_color(colors)[np.count_nonzero(colors < 0) :]
    ends = np.flatnonzero(np.diff(colors[rows], append=-1)) + 1  # ends of classes
    count, first = 0, Triples()
    for begin, end in slices(np.cumsum(np.diff(P.indptr)[rows], dtype=np.int64)[ends - 1]):
        vertices, nets = _entries(P, rows[0 if begin == 0 else ends[begin - 1] : ends[end - 1]])
        count, first = _add(count, first, nets, vertices, colors)
    return count, first


def _entries(P: Pattern, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Row and column of each entry of some rows, in the order of these rows."""
    begin, length = P.indptr[rows].astype(np.int64), np.diff(P.indptr)[rows]
    at = np.arange(int(length.sum())) + np.repeat(begin - (np.cumsum(length) - length), length)
    return np.repeat(rows, length), P.indices[at]


def _add(
    count: int, first: Triples, nets: np.ndarray, vertices: np.ndarray, colors: np.ndarray
) -> tuple[int, Triples]:  # fmt: skip
    """Count entries whose vertex has the color of an earlier vertex in the net, and append the first."""
    c = colors[vertices]
    key, order = nets.astype(np.int64) * len(colors) + c, np.flatnonzero(c >= 0)
    order = order[np.argsort(key[order], kind="stable")]
    same = key[order][1:] == key[order][:-1]
    later, earlier = order[1:][same], order[:-1][same]
    some = np.argsort(later)[: SHOWN - len(first)]
    columns = vertices[earlier[some]], vertices[later[some]], nets[later[some]]
    triples = zip(*(column.tolist() for column in columns), strict=True)
    return count + len(later), [*first, *triples]


def neighbors(nets: Pattern, members: Pattern, v: int) -> np.ndarray:
    """Other vertices in the nets of v, int32, increasing, in plain NumPy."""
    mine = nets.indices[int(nets.indptr[v]) : int(nets.indptr[v + 1])]
    rows = [members.indices[int(members.indptr[e]) : int(members.indptr[e + 1])] for e in mine]
    near = np.unique(np.concatenate([np.empty(0, np.int32), *rows]))
    return near[near != v].astype(np.int32)


def most_constraints(nets: Pattern, in_net: Any) -> int:
    """Largest sum of `in_net` over the nets of a vertex; each net adds at most `in_net` to its neighborhood."""
    if nets.rows == 0:
        return 0
    sums = nets.xp.zeros(nets.m + 1, np.int64)
    nets.xp.cumsum(in_net[nets.indices], out=sums[1:])
    return extremes.largest(sums[nets.indptr[1:]] - sums[nets.indptr[:-1]])


def entries_of_columns(P: Pattern) -> Any:
    """Number of entries of each column, int32, on the pattern's device."""

    def count() -> Any:
        if P.on_gpu:
            return dev.counts(P.indices, P.columns).astype(np.int32)
        out = np.zeros(P.columns, np.int32)
        _count(dev.in_bits(P.indices), out)
        return out

    return P._cached("entries of columns", count)


@njit(cache=True, nogil=True)
def _count(indices: Any, out: Any) -> None:
    """Count indices without the copy as int64 that NumPy's bincount makes."""
    for e in range(indices.size):
        out[indices[e]] += 1
