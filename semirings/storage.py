"""Vectors and matrices of the GPU engine, and the distribution of a matrix's rows over threads.

The array module `cp` (CuPy) is always an argument.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .algebra import BOOL
from .sparse import MOST_ROWS, offset_type

UNROLL = 4  # entries that a lane has in flight, as in product.cu
CHUNK = 2048  # entries of a long row that a block processes
# (largest degree, lanes per row), if degrees differ much; longer rows are cut into chunks.
BINS = ((4, 1), (16, 4), (64, 16), (1024, 32))
BLOCK = 256  # as in common.cuh

# Mean row lengths from which, on one H200, streaming is faster than a gather (2d-2e20 0.0123 → 0.0084 ms; fd7-200 0.100
# → 0.123), batches of 4096 entries are faster than 2048 (fem27-128 0.092 to 0.107; fd7-200 0.115 to 0.100), and indices
# should bypass L1 (with a mask fd7-200 0.0546 → 0.0504, rgg_n_2_22 0.0429 → 0.0394; kron_g500-logn21 0.180 → 0.195).
STREAMED, LONG_ROWS, SPARED = 5, 10, 32


@dataclass(frozen=True)
class Tuning:
    """Parameters that change the speed of products, but no result; see product.cu."""

    stream: int = 2048  # entries that a block streams through shared memory at a time; 0: rows are never streamed
    # rows are not streamed if one has more batches than this, because it would delay its block
    batches: int = 16
    index_load: str = ".L1::no_allocate"  # PTX modifier for loads of indices, between ``ld.global.nc`` and the type
    # with a mask and at least this number of rows, a block writes the sums of all its rows, including excluded ones
    staged_rows: int = 1 << 21


def tuning_for(mean: float) -> Tuning:
    """Best tuning for a matrix of `mean` entries per row."""
    stream = 4096 if mean >= LONG_ROWS else 2048 if mean >= STREAMED else 0
    return Tuning(stream, index_load=".L1::no_allocate" if mean >= SPARED else "")


class Vector:
    """Vector on one device: full (`values`), bitmap (`values`, `present`) or sparse (`values`, `indices`)."""

    __slots__ = ("_nvals", "dtype", "indices", "present", "size", "values")
    dtype: np.dtype[Any]
    indices: Any
    present: Any
    size: int
    values: Any

    def __init__(self, size: int, values: Any, present: Any = None, indices: Any = None) -> None:
        self.size = size
        self.dtype = np.dtype(values.dtype)
        self.store(values, present, indices)

    def store(self, values: Any, present: Any = None, indices: Any = None) -> None:
        """Replace the contents by arrays for the same size and type."""
        self.values, self.present, self.indices = values, present, indices
        self._nvals: int | None = None

    @property
    def format(self) -> str:
        return "sparse" if self.indices is not None else "full" if self.present is None else "bitmap"

    @property
    def known_nvals(self) -> int | None:
        """Number of entries if the host knows it, else None."""
        if self.indices is not None:
            return len(self.indices)
        return self.size if self.present is None else self._nvals

    @property
    def nvals(self) -> int:
        """Number of entries; the host waits for the device if it does not know it."""
        known = self.known_nvals
        if known is None:
            known = self._nvals = int(self.present.sum())
        return known

    def __repr__(self) -> str:
        return f"<Vector of {self.size} {self.dtype}, {self.format}>"


@dataclass
class Chunks:
    """Long rows cut into chunks: row and first entry of each chunk, and the first chunk of each long row."""

    row: Any
    first: Any
    long_rows: Any
    long_first: Any


@dataclass(frozen=True)
class Bin:
    """`count` rows of a list, or all rows (None), with `width` lanes per row."""

    rows: Any
    count: int
    width: int


@dataclass
class Plan:
    """Distribution of the rows of a matrix over threads."""

    bins: list[Bin]
    chunks: Chunks | None
    stream: int  # lanes per row if streaming all rows is faster, else 0
    all_rows: bool  # True if every row has an entry


def make_plan(cp: Any, indptr: Any, nvals: int, batch: int = 0, batches: int = 16) -> Plan:
    """Plan of a CSR matrix; rows with over `batches` · `batch` entries prevent streaming. The host waits."""
    n = len(indptr) - 1
    if nvals == 0:
        return Plan([Bin(None, n, 1)], None, 0, n == 0)
    degrees = cp.diff(indptr)
    longest, nonempty = int(degrees.max()), int((degrees > 0).sum())
    width = 1
    while width < 32 and width * UNROLL < nvals / nonempty:
        width *= 2
    stream = stream_width(nvals / n, batch)
    stream = stream if longest <= batches * batch else 0
    if longest <= 8 * UNROLL * width:
        return Plan([Bin(None, n, width)], None, stream, nonempty == n)
    bins, least = [], -1
    for most, lanes in BINS:
        rows = cp.flatnonzero((degrees > least) & (degrees <= most)).astype(np.int32)
        if len(rows):
            bins.append(Bin(rows, len(rows), lanes))
        least = most
    rows = cp.flatnonzero(degrees > least).astype(np.int32)
    return Plan(bins, _cut(cp, indptr, rows) if len(rows) else None, stream, nonempty == n)


def stream_width(mean: float, batch: int) -> int:
    """Fewest lanes per row such that the rows of a block fit a batch; 0 if rows are too long."""
    width = 1
    while width <= 32 and BLOCK // width * mean > 0.95 * batch:
        width *= 2
    return width if width <= 32 else 0


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
    """CSR matrix on one device. The transpose and the plan are computed at first use, and cached."""

    def __init__(
        self,
        cp: Any,
        indptr: Any,  # int32 or int64, shape (nrows + 1,)
        indices: Any,  # int32, shape (nvals,)
        values: Any,  # shape (nvals,) or (1,)
        ncols: int,
        symmetric: bool = False,
        tuning: Tuning | None = None,
    ) -> None:
        n = len(indptr) - 1
        if max(n, ncols) > MOST_ROWS:
            raise ValueError(f"matrix of {n} × {ncols}: the GPU engine supports up to {MOST_ROWS:,} rows and columns")
        if symmetric and n != ncols:
            raise ValueError(f"matrix of {n} × {ncols} cannot be symmetric")
        self.pattern = values is None  # every entry is 1, in any type
        self.nvals = len(indices)
        self.indptr = cp.asarray(indptr, dtype=offset_type(self.nvals), order="C")
        self.indices = cp.asarray(indices, dtype=np.int32, order="C")
        self.values = cp.asarray(np.ones(1, BOOL) if values is None else values, order="C").reshape(-1)
        self.iso = values is None or np.ndim(values) == 0
        self.nrows, self.ncols, self.symmetric = n, ncols, symmetric
        self.dtype = np.dtype(self.values.dtype)
        self.tuning = tuning or tuning_for(self.nvals / max(n, 1))
        self._cp = cp
        self._plan: Plan | None = None
        self.products: dict[Any, Any] = {}  # caches of products.py for products by this matrix
        self.programs: dict[Any, Any] = {}
        self._transpose: Matrix | None = self if symmetric else None

    @property
    def plan(self) -> Plan:
        if self._plan is None:
            self._plan = make_plan(self._cp, self.indptr, self.nvals, self.tuning.stream, self.tuning.batches)
        return self._plan

    @property
    def transpose(self) -> Matrix:
        """Transpose, also in CSR; a symmetric matrix is its own transpose."""
        if self._transpose is None:
            cp = self._cp
            order = cp.argsort(self.indices, kind="stable")
            # The row of entry k is the number of rows that end at or before it.
            rows = cp.searchsorted(self.indptr[1:], order.astype(self.indptr.dtype), side="right").astype(np.int32)
            starts = cp.searchsorted(self.indices[order], cp.arange(self.ncols + 1, dtype=np.int32), side="left")
            values = None if self.pattern else self.values.reshape(()) if self.iso else self.values[order]
            t = type(self)(cp, starts, rows, values, self.nrows, tuning=self.tuning)
            t._transpose = self
            self._transpose = t
        return self._transpose
