"""How the GPU engine stores vectors and matrices, and how a matrix's rows are spread over threads.

The array module `cp` (CuPy) is always passed in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .algebra import BOOL

UNROLL = 4  # entries a lane has in flight, as in product.cu
CHUNK = 2048  # entries of a long row that one block takes
# Degrees up to → lanes to a row, where degrees differ a lot; longer rows are cut into chunks.
BINS = ((4, 1), (16, 4), (64, 16), (1024, 32))
OFFSETS_32 = 2**31 - 2**16  # more entries than this need 64-bit offsets (a row's last batch overshoots a little)


class Vector:
    """Full (`values`), bitmap (`values` and `present`) or sparse (`values` and `indices`), on one device.

    Attributes
    ----------
    size : int
    dtype : numpy.dtype
    values : cupy.ndarray
        Shape (size,), or (nvals,) where sparse; values of absent entries mean nothing.
    present : cupy.ndarray of bool or None
    indices : cupy.ndarray of int64 or None
        Distinct, in any order.
    """

    __slots__ = ("_nvals", "dtype", "indices", "present", "size", "values")

    def __init__(self, size: int, values: Any, present: Any = None, indices: Any = None) -> None:
        self.size = size
        self.dtype = np.dtype(values.dtype)
        self.store(values, present, indices)

    def store(self, values: Any, present: Any = None, indices: Any = None) -> None:
        """New contents, of the same size and type."""
        self.values, self.present, self.indices = values, present, indices
        self._nvals: int | None = None

    @property
    def format(self) -> str:
        return "sparse" if self.indices is not None else "full" if self.present is None else "bitmap"

    @property
    def known_nvals(self) -> int | None:
        """Number of entries, where the host knows it without asking the device."""
        if self.indices is not None:
            return len(self.indices)
        return self.size if self.present is None else self._nvals

    @property
    def nvals(self) -> int:
        """Number of entries; the host waits for the device where it does not know it."""
        known = self.known_nvals
        if known is None:
            known = self._nvals = int(self.present.sum())
        return known

    def __repr__(self) -> str:
        return f"<Vector of {self.size} {self.dtype}, {self.format}>"


@dataclass
class Chunks:
    """Long rows cut into pieces: piece → its row and first entry; long row → its first piece."""

    row: Any
    first: Any
    long_rows: Any
    long_first: Any


@dataclass
class Plan:
    """Which rows run with how many lanes.

    Attributes
    ----------
    bins : list of (rows or None, number of rows, lanes to a row)
        None: rows 0, 1, 2 …
    chunks : Chunks or None
    all_rows : bool
        Whether every row has an entry.
    """

    bins: list[tuple[Any, int, int]]
    chunks: Chunks | None
    all_rows: bool


def make_plan(cp: Any, indptr: Any, nvals: int) -> Plan:
    """The plan of a CSR matrix; the host waits for the device, once a matrix."""
    n = len(indptr) - 1
    if nvals == 0:
        return Plan([(None, n, 1)], None, n == 0)
    degrees = cp.diff(indptr)
    longest, nonempty = int(degrees.max()), int((degrees > 0).sum())
    width = 1
    while width < 32 and width * UNROLL < nvals / nonempty:
        width *= 2
    if longest <= 8 * UNROLL * width:
        return Plan([(None, n, width)], None, nonempty == n)
    bins, least = [], -1
    for most, lanes in BINS:
        rows = cp.flatnonzero((degrees > least) & (degrees <= most)).astype(np.int32)
        if len(rows):
            bins.append((rows, len(rows), lanes))
        least = most
    rows = cp.flatnonzero(degrees > least).astype(np.int32)
    return Plan(bins, _cut(cp, indptr, rows) if len(rows) else None, nonempty == n)


def _cut(cp: Any, indptr: Any, rows: Any) -> Chunks:
    first, last = (cp.asnumpy(indptr[rows + k]).astype(np.int64) for k in (0, 1))
    pieces = -(-(last - first) // CHUNK)
    of = np.repeat(np.arange(len(pieces)), pieces)
    start = np.concatenate([[0], np.cumsum(pieces)])
    within = np.arange(len(of)) - start[of]
    return Chunks(
        cp.asarray(cp.asnumpy(rows)[of].astype(np.int32)),
        cp.asarray(first[of] + within * CHUNK),
        rows,
        cp.asarray(start.astype(np.int32)),
    )


class Matrix:
    """CSR on one device; the transpose and the plan are made when first needed, and kept.

    Attributes
    ----------
    indptr : cupy.ndarray of int32 or int64, shape (nrows + 1,)
    indices : cupy.ndarray of int32, shape (nvals,)
    values : cupy.ndarray, shape (nvals,) or (1,) where `iso`
    pattern : bool
        Every entry is 1, in any type.
    """

    def __init__(self, cp: Any, indptr: Any, indices: Any, values: Any, ncols: int, symmetric: bool = False) -> None:
        n = len(indptr) - 1
        if max(n, ncols) >= 2**31:
            raise ValueError(f"matrix of {n} × {ncols}: the GPU engine takes fewer than 2³¹ rows and columns")
        if symmetric and n != ncols:
            raise ValueError(f"matrix of {n} × {ncols} cannot be symmetric")
        self.pattern = values is None
        self.nvals = len(indices)
        self.indptr = cp.asarray(indptr, dtype=np.int32 if self.nvals < OFFSETS_32 else np.int64, order="C")
        self.indices = cp.asarray(indices, dtype=np.int32, order="C")
        self.values = cp.asarray(np.ones(1, BOOL) if values is None else values, order="C").reshape(-1)
        self.iso = values is None or np.ndim(values) == 0
        self.nrows, self.ncols, self.symmetric = n, ncols, symmetric
        self.dtype = np.dtype(self.values.dtype)
        self._cp = cp
        self._plan: Plan | None = None
        self._transpose: Matrix | None = self if symmetric else None

    @property
    def plan(self) -> Plan:
        if self._plan is None:
            self._plan = make_plan(self._cp, self.indptr, self.nvals)
        return self._plan

    @property
    def transpose(self) -> Matrix:
        """The transpose, also by rows; a symmetric matrix is its own."""
        if self._transpose is None:
            cp = self._cp
            order = cp.argsort(self.indices, kind="stable")
            # the row of entry k: how many rows end at or before it
            rows = cp.searchsorted(self.indptr[1:], order.astype(self.indptr.dtype), side="right").astype(np.int32)
            starts = cp.searchsorted(self.indices[order], cp.arange(self.ncols + 1, dtype=np.int32), side="left")
            values = None if self.pattern else self.values if self.iso else self.values[order]
            t = Matrix(cp, starts, rows, values, self.nrows)
            t.iso = self.iso
            t._transpose = self
            self._transpose = t
        return self._transpose
