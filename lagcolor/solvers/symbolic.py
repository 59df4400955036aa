"""The structure of a colored pattern: a coloring, the order of rows by color, and both triangles in this order."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from semirings.sparse import offset_type

from ..api.balance import balance as balanced
from ..api.color import color
from ..api.reduce import dense
from ..api.result import Coloring
from ..base import device as dev
from ..base.device import extremes
from ..base.errors import ColoringError, GraphError
from ..graph.graph import Graph
from ..graph.pattern import Pattern
from ..inputs.canonical import from_csr
from . import cpu_matrix


class Triangle(NamedTuple):
    """The part of the permuted matrix strictly below or above its diagonal, as CSR with sorted rows."""

    indptr: Any  # int32 or int64, shape (n + 1,)
    indices: Any  # int32, shape (m,): Places of columns
    source: Any  # int32 or int64, shape (m,): The number of each entry among the blocks of the matrix


class Symbolic:
    """A colored pattern of blocks: rows of one color have no entries in each other's columns.

    On a GPU, `order` and the other arrays are computed at first use: sweeps do not need them.
    """

    pattern: Pattern
    n: int
    block_size: int
    xp: Any
    coloring: Coloring
    alone: tuple[Any, ...] | None

    def __init__(
        self, P: Pattern, block_size: int = 1, coloring: Any = None, balance: bool = False, graph: Graph | None = None
    ) -> None:
        self.pattern, self.n, self.block_size, self.xp = P, P.rows, block_size, P.xp
        G = _graph(P) if graph is None else graph
        self.coloring = colored(G, coloring, block_size)
        if balance:
            self.coloring = balanced(G, self.coloring)
        symmetric = G.m == P.m - self.n  # with a diagonal entry in each row
        if not (symmetric and P.on_gpu):
            self._parts  # noqa: B018 (raises an error if a row has no diagonal entry)
        self.alone = None if symmetric else _alone(P)  # The first entry of P without a mirror image

    @cached_property
    def _groups(self) -> tuple[Any, Any]:
        offsets, order = self.coloring.groups()
        return dev.to_device(offsets, "cpu"), order

    @property
    def offsets(self) -> np.ndarray:
        """Where in `order` each color begins, on the CPU: int64, shape (k + 1,)."""
        return self._groups[0]

    def unknowns(self) -> Any:
        """Return a copy of the unknown at each place, block by block: int32, shape (n · block_size,)."""
        b = self.block_size
        with dev.using(self.order):
            return (self.order[:, None] * np.int32(b) + self.xp.arange(b, dtype=np.int32)).ravel()

    @property
    def order(self) -> Any:
        """The row at each place, color by color, ascending within a color: int32, shape (n,)."""
        return self._groups[1]

    @cached_property
    def place(self) -> Any:
        """The place of each row: int32, shape (n,)."""
        with dev.using(self.order):
            place = self.xp.empty(self.n, np.int32)
            place[self.order] = self.xp.arange(self.n, dtype=np.int32)
        return place

    @cached_property
    def _parts(self) -> tuple[Any, Triangle, Triangle]:
        with dev.using(self.order):
            return _split(self.pattern, self.order, self.place, self.block_size)

    @property
    def diagonal(self) -> Any:
        """The number of each diagonal block among the blocks of the matrix, by place."""
        return self._parts[0]

    @property
    def lower(self) -> Triangle:
        return self._parts[1]

    @property
    def upper(self) -> Triangle:
        return self._parts[2]

    @cached_property
    def mirror(self) -> Any:
        """The place of (j, i) in `upper` for each entry (i, j) of `lower`, −1 for none: int64, shape (m,)."""
        if self.xp is not np:
            from .gpu.structure import mirror

            return mirror(self.lower, self.upper)
        return cpu_matrix.mirror(self.lower, self.upper)

    def rows(self, T: Triangle) -> Any:
        """Return the place of the row of each entry: int64, shape (m,)."""
        return Pattern(T.indptr, T.indices, self.n).rows_of_entries().astype(np.int64)

    def named(self, row: int, column: int) -> str:
        """Return the name of an entry of the pattern, for errors."""
        return f"{'entry' if self.block_size == 1 else 'block'} ({row}, {column})"

    def where(self, place: int) -> str:
        """Return the name of the row at a place, by its number in the matrix, for errors."""
        row, b = int(self.order[place]), self.block_size
        return f"row {row}" if b == 1 else f"block row {row} (rows {row * b} to {row * b + b - 1})"


def colored(G: Graph, coloring: Any, block_size: int = 1) -> Coloring:
    """Return a proper coloring of G without unused colors: the caller's coloring, checked, or a new one."""
    if coloring is None:
        return color(G)
    try:
        colors = dense(G, getattr(coloring, "colors", coloring), "used for a multicolor sweep")
    except ColoringError as e:
        if block_size == 1:
            raise
        raise ColoringError(f"{e} (each vertex is a block row, of {block_size} unknowns: {G.n} in all)") from None
    if isinstance(coloring, Coloring) and coloring.device == G.device and coloring.shape == colors.shape:
        same = coloring.colors is colors or not extremes.count_true(coloring.colors != colors)  # no unused colors
        if same:
            return coloring
    return Coloring(colors, G, "given", "given", verified=True)


def missing(rows_with: Any, n: int, b: int) -> str:
    """Return the error about rows without a diagonal entry; `rows_with` has the others, ascending."""
    xp = dev.module_of(rows_with)
    off = xp.flatnonzero(rows_with != xp.arange(len(rows_with), dtype=np.int32))
    row = int(off[0]) if len(off) else len(rows_with)
    name = f"row {row} has no diagonal entry" if b == 1 else f"block row {row} (rows {row * b} …) has no diagonal block"
    taker = "multicolor_ilu0" if b == 1 else f"multicolor_ilu0 with block_size={b}"
    return (
        f"{name}: sweeps divide by it; permute rows so that it is there, or remove row and column; {taker} takes "
        "stored zeros, as by A = A.tocsr(); A.setdiag(A.diagonal()), where elimination fills them in"
    )


def _graph(P: Pattern) -> Graph:
    """Return the graph of P ∪ Pᵀ, without its diagonal."""
    if P.xp is not np:
        from .gpu.structure import off_diagonal

        if (found := off_diagonal(P)) is not None:
            return Graph(*found)
    return Graph(*from_csr(P.indptr, P.indices, P.rows, symmetrize=True))


def _split(P: Pattern, order: Any, place: Any, b: int) -> tuple[Any, Triangle, Triangle]:
    """Return the diagonal's entries by place, and both triangles."""
    found = None
    if P.on_gpu:
        from .gpu import structure

        found = structure.triangles(P, order, place)
    else:
        found = cpu_matrix.triangles(P.indptr, P.indices, order, place)
    if found is None:  # rows are too long for the kernels of a GPU
        found = _sorted(P, place)
    diagonal, lower, upper = found
    if len(lower[1]) + len(upper[1]) + P.rows > P.m:
        raise GraphError(missing(P.xp.sort(order[diagonal >= 0]), P.rows, b))
    return diagonal, Triangle(*lower), Triangle(*upper)


def _sorted(P: Pattern, place: Any) -> tuple[Any, Triangle, Triangle]:
    """Return the diagonal's entries by place, −1 for none, and both triangles, by sorting keys."""
    xp, n = P.xp, P.rows
    i, j = place[P.rows_of_entries()], place[P.indices]
    diagonal, there = xp.full(n, -1, np.int64), xp.flatnonzero(i == j)
    diagonal[i[there]] = there
    lower, upper = (_triangle(xp, i, j, xp.flatnonzero(part), n) for part in (j < i, j > i))
    return diagonal, lower, upper


def _triangle(xp: Any, i: Any, j: Any, entries: Any, n: int) -> Triangle:
    """Return the triangle of these entries, at rows i and columns j."""
    key = i[entries].astype(np.int64) * n + j[entries]
    source = entries[xp.argsort(key)]
    indptr = xp.zeros(n + 1, offset_type(len(source)))
    indptr[1:] = xp.cumsum(dev.counts(i[source], n))
    return Triangle(indptr, xp.ascontiguousarray(j[source]), source)


def _alone(P: Pattern) -> tuple[int, int]:
    """Return the first entry without a mirror image; the pattern must have one."""
    xp, n, columns = P.xp, P.rows, P.indices.astype(np.int64)
    rows = P.rows_of_entries().astype(np.int64)
    at = int(xp.flatnonzero(_found(xp, rows * n + columns, columns * n + rows) < 0)[0])
    return int(rows[at]), int(columns[at])


def _found(xp: Any, ascending: Any, wanted: Any) -> Any:
    """Return the places of numbers ≥ 0 in an ascending array, −1 for none."""
    at = xp.searchsorted(ascending, wanted)
    return xp.where(xp.append(ascending, np.int64(-1))[at] == wanted, at, -1)
