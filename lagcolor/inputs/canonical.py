"""The `Structure` that every reader returns, and its canonical CSR: sorted rows without duplicates.

A graph comes from two kinds of input. *Edges* are undirected, each in one direction or both: the graph is their union
with their mirror images. A *matrix* must be symmetric: an entry without its mirror image is an error, unless the caller
requests the union. Both skip the diagonal and merge duplicates, and both return the caller's own arrays if these are
canonical already.

`canonical_cpu` (numba, counting sorts) and `canonical_gpu` (CuPy, one or two sorts of 64-bit keys) do the work. This
module checks the arrays first (checks.py) and chooses the engine of their device.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from semirings.sparse import fault

from ..base import device as dev
from ..base.compile_clock import importing
from ..base.device import extremes
from ..base.errors import GraphError
from . import checks

SPARSE, SMALL = 16, 1 << 20  # rows per entry, and rows, over which arrays with an element per row dominate memory

Csr = tuple[Any, Any]


@dataclass
class Structure:
    """Index arrays of any integer type, in any order, unchecked."""

    # Undirected edges, or the entries of a square matrix in one of three layouts
    kind: Literal["edges", "coo", "csr", "csc"]
    first: Any  # `first` and `second`: the two ends, rows and columns, or offsets and indices; on one device
    second: Any
    n: int | None  # Number of vertices; None (edges only): largest index + 1
    labels: Sequence[Any] | None = None  # Names of the vertices
    names: tuple[str, str] = ("u", "v")  # What errors call the arrays of edges
    # ``check(edges)`` raises an error if a file declares another number of undirected edges than its graph has
    check: Callable[[int], None] | None = None
    columns: int | None = None  # Number of columns if the matrix is not square; n is then the number of rows
    no_graph: str = ""  # Message of the error if such a matrix should be a graph
    column_labels: Sequence[Any] | None = None  # Names of the columns; `labels` are then names of the rows
    # Whether the numbers of the edges may be foreign keys, which become labels if they are far apart
    loose: bool = False
    base: int = 0  # First number of rows and columns in a file, for entries in errors
    # ``line_of(i, j)`` returns the line of a file with the entry of vertices i and j, counted from 0
    line_of: Callable[[int, int], int] | None = None
    # ``repeats()`` returns the ends of an edge that a graph with parallel edges contains more than once, or None
    repeats: Callable[[], tuple[int, int] | None] | None = None

    def on(self, device: str) -> Structure:
        """Return the structure with its arrays on `device`, so that the work is done there."""
        return replace(self, first=dev.to_device(self.first, device), second=dev.to_device(self.second, device))

    def distinct_edges(self) -> int:
        """Return the number of different undirected edges without self-loops, by a sort; for edges on the CPU."""
        assert self.kind == "edges"
        low, high = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        keys = np.sort((low.astype(np.int64) << 32 | high.astype(np.int64))[low != high])
        return len(keys) and 1 + int(np.count_nonzero(keys[1:] != keys[:-1]))

    def canonical(self, symmetrize: bool) -> tuple[Any, Any]:
        """Return offsets and columns of the canonical graph."""
        if self.columns is not None:
            raise GraphError(self.no_graph)
        if self.kind == "edges":
            return from_edges(self.first, self.second, self.n, self.names)
        assert self.n is not None
        called = range(self.base, self.base + self.n) if self.base and self.labels is None else self.labels
        if self.kind == "coo":
            return from_coo(self.first, self.second, self.n, symmetrize, called)
        return from_csr(self.first, self.second, self.n, symmetrize, called, csc=self.kind == "csc")

    def pattern(self) -> tuple[Any, Any, tuple[int, int]]:
        """Return offsets, columns and shape of the canonical pattern, of any shape, with its diagonal."""
        n = self.n if self.n is not None else vertices_of_pair(self.first, self.second, self.names)
        shape = (n, n if self.columns is None else self.columns)
        return *pattern(self.kind, self.first, self.second, shape), shape


def from_edges(u: Any, v: Any, n: int | None = None, names: tuple[str, str] = ("u", "v")) -> Csr:
    """Return offsets and columns of the undirected graph of the edges u[i] – v[i]."""
    with dev.using(u):
        n = _check_pair(u, v, n, names, "; leave it out if it stands for none, and pass names as strings")
        if _has_few(u, n):
            ids, u, v = _compact(u, v)
            return _spread(_engine(u).from_edges(u, v, len(ids)), ids, n, ids)
        return _engine(u).from_edges(u, v, n)


def from_coo(rows: Any, cols: Any, n: int, symmetrize: bool = False, labels: Sequence[Any] | None = None) -> Csr:
    """Return offsets and columns of the square matrix with entries (rows[i], cols[i]); as `from_csr`."""
    with dev.using(rows):
        _check_pair(rows, cols, n, ("row indices", "column indices"))
        if symmetrize:
            return from_edges(rows, cols, n)
        if _has_few(rows, n):
            ids, rows, cols = _compact(rows, cols)
            *found, alone = _engine(rows).from_coo(rows, cols, len(ids))
            alone = None if alone is None else tuple(ids[list(alone)].tolist())
            return _spread(_symmetric((*found, alone), labels), ids, n, ids)
        return _symmetric(_engine(rows).from_coo(rows, cols, n), labels)


def from_csr(
    indptr: Any, indices: Any, n: int, symmetrize: bool = False, labels: Sequence[Any] | None = None, csc: bool = False
) -> Csr:
    """Return offsets and columns of the square matrix with these rows; the input's arrays if they are canonical."""
    on_gpu = dev.is_cupy(indices)
    if not on_gpu and (found := _module("cpu").at_once(indptr, indices, n)) is not None:
        return found
    with dev.using(indices):
        engine = _engine(indices)
        if on_gpu and not dev.is_rocm() and engine.is_canonical_unchecked(indptr, indices, n):
            return checks.offsets(indptr, len(indices)), checks.int32(indices)
        name = "row indices" if csc else "column indices"
        indptr, indices = checks.csr(indptr, indices, n)
        if not checks.is_int32(indices):
            indices = checks.indices(indices, n, name)
        if engine.is_canonical(indptr, indices):
            return indptr, indices
        checks.in_range(indices, n, name)
        if symmetrize:
            return engine.union(indptr, indices, n)
        return _symmetric(engine.from_csr(indptr, indices, n, csc), labels)


def check_sound(A: Any, ranges: bool = True) -> None:
    """Raise an error for a sparse matrix with damaged arrays; `ranges` as in `semirings.sparse.fault`."""
    if wrong := fault(A, ranges):
        raise GraphError(f"the sparse matrix is damaged: {wrong}")


def repeated(structure: Structure, edges: int) -> tuple[int, int] | None:
    """Return the ends of an edge that occurs more than once, or None; all edges in both directions count once."""
    if structure.repeats is not None:
        return structure.repeats()
    if structure.kind != "edges":
        return None
    u, v = structure.first, structure.second
    with dev.using(u):
        count = extremes.count_true(u != v)
        return None if count == edges else twice(u, v, directed=count == 2 * edges)


def twice(u: Any, v: Any, directed: bool) -> tuple[int, int] | None:
    """Return the least pair u[i] ≠ v[i] that occurs twice, or None; an undirected pair is a set."""
    xp, apart = dev.module_of(u), u != v
    u, v = u[apart].astype(np.int64), v[apart].astype(np.int64)
    keys = u << 32 | v if directed else xp.minimum(u, v) << 32 | xp.maximum(u, v)
    keys.sort()
    found = keys[1:][keys[1:] == keys[:-1]]
    return divmod(int(found[0]), 1 << 32) if len(found) else None


def parallel(ends: tuple[int, int], labels: Sequence[Any] | None) -> GraphError:
    """Return the error about an edge that occurs twice, if edges are colored."""
    u, v = ends if labels is None else (labels[i] for i in ends)
    error = GraphError(
        f"edge ({u!r}, {v!r}) is there more than once, and problem='edges' has one color for it: to give parallel "
        "edges a color each, pass the numbers of their ends, `lagcolor.color_pairs(pairs, n)`; to count each once, "
        "pass `lagcolor.Graph.of(x)`. A list may have both directions of an edge if it has both of all edges"
    )
    error.entry = ends
    return error


def vertices_of_pair(u: Any, v: Any, names: tuple[str, str]) -> int:
    """Return the largest index of two arrays + 1."""
    return max(checks.vertices_of(a, name) for a, name in zip((u, v), names, strict=True))


def pattern(kind: str, first: Any, second: Any, shape: tuple[int, int]) -> Csr:
    """Return offsets and columns of a matrix of any shape, with its diagonal; the input's arrays if canonical."""
    if kind == "csr" and not dev.is_cupy(second) and (found := _module("cpu").pattern_at_once(first, second, *shape)):
        return found
    with dev.using(second):
        engine, (rows, columns) = _engine(second), shape
        for n in shape:
            checks.vertices(n)
        if kind in ("coo", "edges"):
            first, second = _entries(first, second, shape, mirrored=kind == "edges")
            if _has_few(first, max(shape)):
                ids, first, second = _compact(first, second)
                return _spread(engine.entries(first, second, len(ids), len(ids)), ids, rows, ids)
            return engine.entries(first, second, rows, columns)
        outer, inner, name = (rows, columns, "column") if kind == "csr" else (columns, rows, "row")
        indptr, indices = checks.csr(first, second, outer)
        checks.integers(indices, f"{name} indices")
        indices = checks.indices(indices, inner, f"{name} indices", f"{name}s")
        if kind == "csc":
            return engine.transpose(indptr, indices, rows)
        if engine.rows_rise(indptr, indices):
            return indptr, indices
        return engine.transpose(*engine.transpose(indptr, indices, columns), rows)


def _entries(rows: Any, cols: Any, shape: tuple[int, int], mirrored: bool) -> Csr:
    """Return the checked row and column of each entry, int32; with `mirrored`, also of the mirror images."""
    for a, n, name in zip((rows, cols), shape, ("row", "column"), strict=True):
        checks.integers(a, f"{name} indices")
        checks.in_range(a, n, f"{name} indices", f"{name}s")
    if len(rows) != len(cols):
        raise GraphError(f"row and column indices must be of one length: {len(rows)} and {len(cols)}")
    rows, cols = checks.int32(rows), checks.int32(cols)
    if not mirrored:
        return rows, cols
    xp = dev.module_of(rows)
    return xp.concatenate([rows, cols]), xp.concatenate([cols, rows])


def transpose(indptr: Any, indices: Any, columns: int) -> Csr:
    """Return offsets and columns of the transpose of a canonical pattern."""
    if not dev.is_cupy(indices):
        with importing():
            from . import transpose_cpu

        return transpose_cpu.transpose(indptr, indices, columns)
    with dev.using(indices):
        return _engine(indices).transpose(indptr, indices, columns)


def _has_few(ends: Any, n: int) -> bool:
    """Whether far fewer vertices than `n` have entries, on a CPU: only the vertices with entries are then converted."""
    return n > SPARSE * len(ends) + SMALL and not dev.is_cupy(ends)


def _compact(u: Any, v: Any) -> tuple[Any, Any, Any]:
    """Return the vertices with entries, ascending, and the ends of entries as places among them, int32."""
    ids = np.union1d(u, v).astype(np.int32)
    return ids, *(np.searchsorted(ids, end).astype(np.int32) for end in (u, v))


def _spread(found: Any, rows: Any, n: int, columns: Any) -> Csr:
    """Return a matrix of n rows from a matrix of few rows and columns, whose numbers are `rows` and `columns`."""
    indptr, indices = found
    out = np.zeros(n + 1, indptr.dtype)
    few = int(np.searchsorted(rows, n))  # numbers from n on are of columns only
    out[rows[:few] + np.int64(1)] = np.diff(indptr)[:few]
    return np.cumsum(out, out=out), columns[indices]


def _engine(array: Any) -> Any:
    """Return the module for the device of an array."""
    return _module("cpu" if not dev.is_cupy(array) else "rocm" if dev.is_rocm() else "gpu")


@functools.cache
def _module(kind: str) -> Any:
    """Return the module for a kind of device, imported at first use."""
    with importing():
        if kind == "gpu":
            from . import canonical_gpu as gpu

            return gpu
        from . import canonical_cpu as cpu

        return OnTheHost(cpu) if kind == "rocm" else cpu


class OnTheHost:
    """The functions of `canonical_cpu` on copies of a GPU's arrays; CuPy for ROCm does not compile canonical.cu."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def __getattr__(self, name: str) -> Any:
        return functools.partial(self._run, getattr(self._engine, name))

    def _run(self, function: Any, *args: Any) -> Any:
        cp = dev.cupy()
        found = function(*(x.get() if dev.is_cupy(x) else x for x in args))
        if not isinstance(found, tuple):
            return found
        return tuple(cp.asarray(x) if isinstance(x, np.ndarray) else x for x in found)


def _check_pair(u: Any, v: Any, n: int | None, names: tuple[str, str], remedy: str = "") -> int:
    """Check a pair of index arrays, and return the number of vertices."""
    for a, name in zip((u, v), names, strict=True):
        checks.integers(a, name)
    if len(u) != len(v):
        raise GraphError(f"{names[0]} and {names[1]} must be of one length, one entry per edge: {len(u)} and {len(v)}")
    if n is None:
        n = vertices_of_pair(u, v, names)
    checks.vertices(n)
    for a, name in zip((u, v), names, strict=True):
        checks.in_range(a, n, name, remedy=remedy)
    return n


def _symmetric(found: tuple[Any, Any, tuple[int, int] | None], labels: Sequence[Any] | None) -> Csr:
    """Return the CSR that an engine has found, or raise the error about an entry without a mirror image."""
    indptr, indices, alone = found
    if alone is not None:
        i, j = alone if labels is None else (labels[k] for k in alone)
        error = GraphError(
            f"not symmetric: entry ({i!r}, {j!r}) is there, ({j!r}, {i!r}) is not; "
            "pass symmetrize=True to take each entry for an undirected edge"
        )
        error.entry = alone
        raise error
    return indptr, indices
