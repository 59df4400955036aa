"""Positions of a matrix's entries in its products: a gather, and levels of differences for substitution.

`recovery` computes the positions for each problem; `Recovery` reads the entries.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..api.result import Coloring
from ..base import device as dev
from ..base.device import extremes
from ..base.errors import GraphError
from ..graph.bipartite import Augmented
from ..graph.graph import Graph
from ..graph.pattern import Pattern

if TYPE_CHECKING:
    from ..engines.two_colored.substitution import Substitution

# Arguments of `dev.elementwise`: name, inputs, outputs, and the code per entry.
SUBSTITUTE = (
    "substitute",
    "I source, I target, I entry, I mirror",
    "raw T rest, raw T values",
    "const T x = rest[source]; values[entry] = x; values[mirror] = x; atomicAdd(&rest[target], (T)(0 - x))",
)
# A type that CuPy adds atomically. Integers wrap around, so unsigned ones can replace signed ones.
ADDED = {
    "float16": "float32", "float32": "float32", "float64": "float64", "int32": "uint32", "uint32": "uint32",
    "int64": "uint64", "uint64": "uint64",
}  # fmt: skip


class Level(NamedTuple):
    """Entries that can be read after the earlier levels have been subtracted."""

    source: Any  # int64, shape (l,): Position of each value in the products
    target: Any  # int64, shape (l,): Position from which the value is then subtracted
    entries: Any  # int64, shape (l,): Index of the stored entry
    # int64, shape (l,): Index of the entry on the other side of the diagonal; the entry itself if there is none
    mirror: Any


@dataclass(frozen=True)
class Recovery:
    """The positions from which stored entries are recovered, and the recovery."""

    # int64 or int32, shape (nnz,): Position of each entry in the products; any position if a level has the entry
    source: Any
    levels: tuple[Level, ...] = ()  # The levels of substitution, in order; empty if decompression is direct

    def __call__(self, flat: Any) -> Any:
        """Return the stored entries, from the products in one dimension."""
        if not len(self.source):  # there may be no products either
            return flat[:0]
        if dev.is_cupy(flat):
            with dev.using(self.source):
                return self._on_gpu(flat)
        library = type(flat).__module__.partition(".")[0]
        if library == "torch":
            return self._in_torch(flat)
        values = flat[dev.to_device(self.source, "cpu")]  # also of a pattern on a GPU, for arrays of JAX
        if not self.levels:
            return values
        if library in ("jax", "jaxlib"):
            return self._functional(flat, values)
        if flat.dtype == bool:
            raise GraphError("products of type bool have no differences: use A.astype(int), or decompress directly")
        rest = flat.copy()
        for level in self.levels:
            found = rest[level.source]
            values[level.entries] = found
            values[level.mirror] = found
            np.subtract.at(rest, level.target, found)
        return values

    def _on_gpu(self, flat: Any) -> Any:
        """Recover the entries of CuPy arrays, one kernel per level; other types where addition is not atomic."""
        dtype = flat.dtype
        if not self.levels:
            return flat[self.source]
        if dtype.kind == "c":  # recovery is linear
            return self._on_gpu(flat.real.copy()) + dtype.type(1j) * self._on_gpu(flat.imag.copy())
        added = ADDED.get(dtype.name)
        if added is None:
            raise GraphError(f"products of type {dtype} are not decompressed by substitution on a GPU: use float32")
        rest = flat.astype(added) if added == "float32" else flat.copy().view(added)
        values = rest[self.source]
        for level in self.levels:
            dev.elementwise(*SUBSTITUTE)(level.source, level.target, level.entries, level.mirror, rest, values)
        return values.astype(dtype) if added == "float32" else values.view(dtype)

    def _in_torch(self, flat: Any) -> Any:
        """Recover the entries of torch tensors, on their device; gradients pass through."""
        import torch

        def at(places: Any) -> Any:
            return torch.as_tensor(places, dtype=torch.int64, device=flat.device)

        values, rest = flat[at(self.source)], flat.clone() if self.levels else flat
        for level in self.levels:
            found = rest[at(level.source)]
            values[at(level.entries)] = found
            values[at(level.mirror)] = found
            rest.index_add_(0, at(level.target), -found)
        return values

    def _functional(self, flat: Any, values: Any) -> Any:
        """Recover the entries of immutable JAX arrays by a scan over parts of levels, all of one length."""
        import jax

        def step(state: Any, part: Level) -> Any:
            rest, values = state
            found = rest[part.source]
            values = values.at[part.entries].set(found, mode="drop").at[part.mirror].set(found, mode="drop")
            return (rest.at[part.target].add(-found, mode="drop"), values), None

        (_, values), _ = jax.lax.scan(step, (flat, values), self._parts(flat.size))
        return values

    def _parts(self, size: int) -> Level:
        """Return the levels as NumPy arrays of shape (parts, length), padded by indices out of range, to be dropped.

        The length is the mean length of a level, so that numbers of parts and of indices at most double.
        """
        sizes = np.array([len(level.source) for level in self.levels])
        length = max(int(sizes.mean()), 1)
        parts = -(-sizes // length)
        begin = np.repeat(np.concatenate([[0], np.cumsum(parts)[:-1]]) * length, sizes)
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        outside = (0, size, len(self.source), len(self.source))
        found = []
        for pieces, padding in zip(zip(*self.levels, strict=True), outside, strict=True):
            array = np.full(int(parts.sum()) * length, padding, np.int64)
            array[begin + within] = np.concatenate([dev.to_device(piece, "cpu") for piece in pieces])
            found.append(array.reshape(-1, length))
        return Level(*found)


# ---- places of each problem ------------------------------------------------------------------------------------------


def recovery(P: Pattern, coloring: Coloring) -> Recovery:
    """Return the positions of the stored entries of P in the products of a coloring."""
    with dev.using(P.indices):
        if P.on_gpu and coloring.problem in STRIDES:
            return _there(P, coloring)
        found = RECOVERIES[coloring.problem](P, coloring)
        if P.on_gpu and _is_narrow(P, coloring):
            return Recovery(found.source.astype(np.int32), found.levels)
        return found


def _is_narrow(P: Pattern, coloring: Coloring) -> bool:
    """Whether positions in the products fit 32 bits, which reads a third less."""
    return (P.rows + P.columns) * coloring.n_colors < 2**31


def _there(P: Pattern, coloring: Coloring) -> Recovery:
    """Compute positions of direct recovery on a GPU, by one kernel over the entries."""
    from ..engines.two_colored import direct

    colors, both = dev.to_device(coloring.colors, P.device), coloring.problem == "star_bicoloring"
    strides = direct.Strides(*STRIDES[coloring.problem](P, coloring.n_colors, colors))
    dtype = np.int32 if _is_narrow(P, coloring) else np.int64
    of = Augmented.of(P) if both else P
    return Recovery(direct.places(of, colors, strides, P.m, both or coloring.problem == "star", dtype))


def _of_both(P: Pattern, k: int, colors: Any) -> tuple[int, ...]:
    """Strides of a star bicoloring: column products come first; vertex `P.rows` is the first column."""
    rows = extremes.largest(colors[: P.rows]) + 1
    return k - rows, rows, P.rows * (k - rows) - P.rows, 1, P.columns


# Arguments of `direct.Strides` for entry (v, u), on a GPU. Diagonal entries need no special case.
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
    """Recovery by a star coloring or bicoloring: each entry is the only term of a sum of one of its ends."""
    from ..engines.two_colored.direct import recover

    return places.recovery(*recover(places.graph, places.colors))


def by_levels(places: _Places, device: str) -> Recovery:
    """Recovery by an acyclic coloring: from the leaves of two-colored trees to their roots. Computed on the CPU."""
    from ..engines.two_colored.substitution import recover

    return places.levels(recover(places.graph, places.colors), device)


class _Places:
    """Positions of a colored graph's sums in the products, and indices of its entries among the stored ones."""

    graph: Graph
    colors: Any  # int32, shape (n,)
    stored: Any  # int64, shape (graph.m,): The stored entry of each entry of the graph
    place: Any  # (vertex, color) → position in the products of the sum of the vertex's neighbors of the color, int64

    def __init__(self, P: Pattern, coloring: Coloring) -> None:
        self.P, self.colors = P, dev.to_device(coloring.colors, P.device)

    def first(self) -> Any:
        """Return a position for each stored entry; only positions of entries outside the graph are final."""
        return self.P.xp.zeros(self.P.m, np.int64)

    def recovery(self, vertex: Any, color: Any) -> Recovery:
        """Recovery from sums that contain a single entry."""
        source = self.first()
        source[self.stored] = self.place(vertex, color)
        return Recovery(source)

    def levels(self, found: Substitution, device: str) -> Recovery:
        """Recovery by substitution. If the sum of a target is not read again, subtract from a sum already read."""
        source = self.place(found.vertex, found.color)
        target = np.where(found.parent_color < 0, source, self.place(found.parent, found.parent_color))
        parts = [source, target, self.stored[found.entry], self.stored[found.mirror]]
        parts = [dev.to_device(np.ascontiguousarray(part, np.int64), device) for part in parts]
        bounds = list(itertools.pairwise(found.levels.tolist()))
        levels = tuple(Level(*(part[a:b] for part in parts)) for a, b in bounds)
        return Recovery(dev.to_device(self.first(), device), levels)


class Symmetric(_Places):
    """Positions in a symmetric matrix. Its graph lacks the diagonal; vertex v's diagonal entry is in v's color."""

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
    """Positions in any matrix. Its graph joins rows and columns; the first half of its entries are the matrix's."""

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
        """Recovery: an entry that is the only term of both of its sums is read from the sum of its row."""
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
