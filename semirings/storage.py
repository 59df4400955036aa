"""How the GPU engine stores vectors and matrices, and how a matrix's rows are spread over threads.

The array module `cp` (CuPy) is always passed in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .algebra import BOOL
from .sparse import MOST_ROWS, offset_type

UNROLL = 4  # entries a lane has in flight, as in product.cu
CHUNK = 2048  # entries of a long row that one block takes
# Degrees up to → lanes to a row, where degrees differ a lot; longer rows are cut into chunks.
BINS = ((4, 1), (16, 4), (64, 16), (1024, 32))
BLOCK = 256  # as in common.cuh

# Mean row from which, on one H200, streaming beats a gather (2d-2e20 0.0123 ms to 0.0084; fd7-200 0.100 to 0.123),
# batches of 4096 entries beat 2048 (fem27-128 0.092 to 0.107; fd7-200 0.115 to 0.100), and indices are best kept out of
# L1 (with a mask fd7-200 0.0546 to 0.0504, rgg_n_2_22 0.0429 to 0.0394; kron_g500-logn21 0.180 to 0.195).
STREAMED, LONG_ROWS, SPARED = 5, 10, 32


@dataclass(frozen=True)
class Tuning:
    """What the speed of products depends on, and no result does; see product.cu."""

    stream: int = 2048  # Entries that a block takes at a time through shared memory; 0: rows are never streamed
    # With a row of more batches than these the rows are not streamed as they come: it would hold up its block
    batches: int = 16
    index_load: str = ".L1::no_allocate"  # How PTX loads an index, between ``ld.global.nc`` and its type
    # Whether products without a mask read a copy of a matrix with hubs, sorted by falling degree: there the entries of
    # the vector that are read most are adjacent
    order: bool = True
    order_after: int = 16  # Products before that copy is built
    bands: int = 3  # Bands of columns of that copy that are gathered from shared memory; 0: a plain copy
    band: int = 0  # Columns of a band; 0: as many as fit
    band_threads: int = 512  # Threads of a block that sums a band, which has a multiprocessor's shared memory to itself
    # With a mask a block writes all sums of its rows, also those left out, where the rows are so many or more
    staged_rows: int = 1 << 21


def tuning_for(mean: float) -> Tuning:
    """What is best for a matrix of `mean` entries per row."""
    stream = 4096 if mean >= LONG_ROWS else 2048 if mean >= STREAMED else 0
    return Tuning(stream, index_load=".L1::no_allocate" if mean >= SPARED else "")


class Vector:
    """Full (`values`), bitmap (`values` and `present`) or sparse (`values` and `indices`), on one device."""

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


@dataclass(frozen=True)
class Bin:
    """`count` rows of a list, or from `start` on; lanes to a row, gathered or (0: not) streamed."""

    rows: Any
    start: int
    count: int
    width: int
    stream: int = 0


@dataclass
class Plan:
    """Which rows run with how many lanes."""

    bins: list[Bin]
    chunks: Chunks | None
    whole: Bin | None  # All rows at once, where streaming them pays
    all_rows: bool  # Whether every row has an entry


def make_plan(cp: Any, indptr: Any, nvals: int, batch: int = 0, batches: int = 16) -> Plan:
    """The plan of a CSR matrix; the host waits for the device.

    `batch`: entries that a block streams at a time; `batches`: how many of those a row may take.
    """
    n = len(indptr) - 1
    if nvals == 0:
        return Plan([Bin(None, 0, n, 1)], None, None, n == 0)
    degrees = cp.diff(indptr)
    longest, nonempty = int(degrees.max()), int((degrees > 0).sum())
    width = 1
    while width < 32 and width * UNROLL < nvals / nonempty:
        width *= 2
    stream = stream_width(nvals / n, batch)
    whole = Bin(None, 0, n, width, stream) if stream and longest <= batches * batch else None
    if longest <= 8 * UNROLL * width:
        return Plan([Bin(None, 0, n, width)], None, whole, nonempty == n)
    bins, least = [], -1
    for most, lanes in BINS:
        rows = cp.flatnonzero((degrees > least) & (degrees <= most)).astype(np.int32)
        if len(rows):
            bins.append(Bin(rows, 0, len(rows), lanes))
        least = most
    rows = cp.flatnonzero(degrees > least).astype(np.int32)
    return Plan(bins, _cut(cp, indptr, rows) if len(rows) else None, whole, nonempty == n)


def plan_of_falling(cp: Any, indptr: Any) -> Plan:
    """The plan of a matrix whose rows come by falling degree: a bin is a range of rows.

    None is streamed: on one H200 kron_g500-logn21 takes 0.80 ms so, and 0.83 with its short rows streamed.
    """
    degrees = cp.diff(indptr)
    starts = [int((degrees > most).sum()) for most, _ in reversed(BINS)] + [len(degrees)]
    bins = [
        Bin(None, start, stop - start, lanes)
        for (_, lanes), start, stop in zip(reversed(BINS), starts[:-1], starts[1:], strict=True)
        if start < stop
    ]
    rows = cp.arange(starts[0], dtype=np.int32)
    return Plan(bins, _cut(cp, indptr, rows) if len(rows) else None, None, int(degrees[-1]) > 0)


def stream_width(mean: float, batch: int) -> int:
    """The fewest lanes per row such that a block's rows fill a batch; 0 if rows are too long for that."""
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
    """CSR on one device. The transpose and the plan are computed at first use, and kept."""

    pattern: bool
    nvals: int
    indptr: Any
    indices: Any
    values: Any
    iso: bool
    nrows: int
    ncols: int
    symmetric: bool
    dtype: np.dtype[Any]
    tuning: Tuning

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
            raise ValueError(f"matrix of {n} × {ncols}: the GPU engine takes up to {MOST_ROWS:,} rows and columns")
        if symmetric and n != ncols:
            raise ValueError(f"matrix of {n} × {ncols} cannot be symmetric")
        self.pattern = values is None  # Every entry is 1, in any type
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
        self._ordered: Ordered | None = None
        self.products: dict[Any, Any] = {}  # what products.py found out about products by this matrix, and the kernels
        self.programs: dict[Any, Any] = {}
        self.has_hot_columns: bool | None = None  # see products.py
        self.banded: Any = None  # see bands.py
        self.pulls = 0  # products that its copy by falling degree could have served
        self._transpose: Matrix | None = self if symmetric else None

    @property
    def plan(self) -> Plan:
        if self._plan is None:
            self._plan = make_plan(self._cp, self.indptr, self.nvals, self.tuning.stream, self.tuning.batches)
        return self._plan

    @property
    def ordered(self) -> Ordered:
        """The copy by falling degree, computed at first use."""
        if self._ordered is None:
            self._ordered = order(self._cp, self)
        return self._ordered

    @property
    def transpose(self) -> Matrix:
        """The transpose, also by rows; a symmetric matrix is its own."""
        if self._transpose is None:
            cp = self._cp
            order = cp.argsort(self.indices, kind="stable")
            # the row of entry k: how many rows end at or before it
            rows = cp.searchsorted(self.indptr[1:], order.astype(self.indptr.dtype), side="right").astype(np.int32)
            starts = cp.searchsorted(self.indices[order], cp.arange(self.ncols + 1, dtype=np.int32), side="left")
            values = None if self.pattern else self.values.reshape(()) if self.iso else self.values[order]
            t = type(self)(cp, starts, rows, values, self.nrows, tuning=self.tuning)
            t._transpose = self
            self._transpose = t
        return self._transpose


@dataclass
class Ordered:
    """A matrix with rows and columns by falling degree."""

    matrix: Matrix  # Row i of it is row ``rows[i]`` of the other, column j its column ``columns[j]``
    rows: Any
    columns: Any
    place: Any  # int64: Where a row of the other has gone


def by_falling_degree(cp: Any, A: Matrix) -> tuple[Any, Any, Any, Any, Any]:
    """The entries of `A` with rows and columns by falling degree."""
    rows = cp.argsort(-cp.diff(A.indptr), kind="stable")
    place = _inverse(cp, rows)
    columns, column_place = rows, place
    if not A.symmetric:
        columns = cp.argsort(-cp.bincount(A.indices, minlength=A.ncols), kind="stable")
        column_place = _inverse(cp, columns)
    of_entry = cp.searchsorted(A.indptr[1:], cp.arange(A.nvals, dtype=A.indptr.dtype), side="right")
    key = place[of_entry] * A.ncols + column_place[A.indices]
    del of_entry
    iso = A.iso
    by = None if iso else cp.argsort(key)
    return rows, columns, place, cp.sort(key) if iso else key[by], by


def order(cp: Any, A: Matrix) -> Ordered:
    """A copy of `A`: vector entries that many rows read share sectors, and long rows come first."""
    rows, columns, place, key, by = by_falling_degree(cp, A)
    iso = A.iso
    indptr = cp.zeros(A.nrows + 1, A.indptr.dtype)
    indptr[1:] = cp.cumsum(cp.diff(A.indptr)[rows])
    values = None if A.pattern else A.values if iso else A.values[by]
    B = Matrix(cp, indptr, (key % A.ncols).astype(np.int32), values, A.ncols, tuning=A.tuning)
    B.iso = iso
    B._plan = plan_of_falling(cp, indptr)
    return Ordered(B, rows, columns, place)


def _inverse(cp: Any, permutation: Any) -> Any:
    inverse = cp.empty(len(permutation), np.int64)
    inverse[permutation] = cp.arange(len(permutation))
    return inverse
