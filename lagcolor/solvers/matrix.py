"""The blocks of a sparse matrix of SciPy or CuPy, and the place of each stored entry in them."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from semirings.sparse import is_sparse

from ..base import device as dev
from ..base.device import extremes
from ..base.errors import GraphError, OptionError
from ..base.options import whole
from ..graph.graph import Graph
from ..graph.pattern import Pattern
from ..inputs.canonical import check_sound, pattern
from . import cpu_matrix

TYPES = ("float32", "float64", "complex64", "complex128")


@dataclass(frozen=True, eq=False)
class BlockLayout:
    """The b × b blocks of a square matrix, in canonical CSR order; with b = 1 they are its entries."""

    block_size: int
    pattern: Pattern  # The pattern of the blocks, n × n
    entries: Pattern  # The pattern of the matrix's entries; of its blocks if it is a BSR matrix with this block size
    scatter: Any  # int64, shape (nnz,): The place of each entry in the flat blocks; None if `entries` is `pattern`
    graph: Graph | None = None  # The graph of the pattern, if the pattern is symmetric and the graph is known

    @classmethod
    def of(cls, A: Any, block_size: int | None) -> tuple[BlockLayout, Any]:
        """Return the layout of a matrix, and its blocks, shape (m,) or (m, b, b)."""
        b = block_size_of(A, block_size)
        if (found := _inspected(A, b)) is not None:
            entries, graph = found
            if b == 1:
                return cls(b, entries, entries, None, graph), A.data
            layout = cls(b, *_blocks(entries, b))
            return layout, layout._filled(A.data)
        entries, data = canonical(A, b)
        # A copy, so that `values` notices later changes of the matrix in place.
        entries = Pattern(entries.indptr.copy(), entries.indices.copy(), entries.columns)
        whole_blocks = data.ndim == 3 or b == 1
        layout = cls(b, entries, entries, None) if whole_blocks else cls(b, *_blocks(entries, b))
        return layout, layout._filled(data)

    @property
    def n(self) -> int:
        """Number of block rows."""
        return self.pattern.rows

    @property
    def xp(self) -> Any:
        """NumPy or CuPy."""
        return self.pattern.xp

    def values(self, A: Any) -> Any:
        """Return the blocks of another matrix with the same entries."""
        check_matrix(A)
        if tuple(A.shape) != (self.n * self.block_size,) * 2:
            raise GraphError(
                f"update: the matrix has shape {tuple(A.shape)}, the one before {self.shape}: make the operator anew"
            )
        if self._is_mine_on_gpu(A):
            return self._filled(A.data)
        if self._has_my_arrays(A):
            data = _numbers(self.xp, A.data)
            _check_finite(self.xp, self.entries, data)
            return self._filled(data)
        b, has_blocks = self.block_size, self._is_of_my_blocks(A)
        if b > 1 and self.scatter is None and not has_blocks and not dev.is_cupy(getattr(A, "data", None)):
            A, has_blocks = A.tocsr().tobsr((b, b)), True  # the layout has only blocks, so compare blocks
        entries, data = canonical(A, b if has_blocks else 1)
        if entries.device != self.entries.device:
            raise GraphError(f"update: the matrix is on {entries.device}, and the one before on {self.entries.device}")
        self._check_same(self.pattern if has_blocks else self.entries, entries)
        return data if has_blocks else self._filled(data)

    def _is_of_my_blocks(self, A: Any) -> bool:
        """Whether a matrix is stored in blocks of this size; then only the pattern of blocks is compared."""
        return A.format == "bsr" and tuple(A.blocksize) == (self.block_size,) * 2

    def _has_my_arrays(self, A: Any) -> bool:
        """Whether a matrix has equal arrays of entries, so that nothing must be sorted or checked."""
        b = self.shape[0] // self.entries.rows if self.entries.rows else 1
        if A.format != ("csr" if b == 1 else "bsr") or (b > 1 and tuple(A.blocksize) != (b, b)):
            return False
        mine = self.entries
        if len(A.data) != mine.m:
            return False
        for theirs, own in ((A.indptr, mine.indptr), (A.indices, mine.indices)):
            if dev.device_of(theirs) != mine.device or len(theirs) != len(own) or not _equal(theirs, own):
                return False
        return True

    def _is_mine_on_gpu(self, A: Any) -> bool:
        """Whether a matrix on a GPU has equal arrays of entries and only finite numbers, by one pass."""
        mine = self.entries
        if not mine.on_gpu or A.format != "csr" or mine.rows != self.shape[0] or A.data.dtype.name not in TYPES:
            return False
        from .gpu.structure import same

        arrays = A.indptr, A.indices, A.data
        fits = len(A.data) == len(A.indices) == mine.m
        fits &= (A.indptr.dtype, A.indices.dtype) == (mine.indptr.dtype, mine.indices.dtype)
        here = all(dev.device_of(x) == mine.device and x.flags.c_contiguous for x in arrays)
        return bool(fits and here and same(mine, *arrays))

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the matrix."""
        return (self.n * self.block_size,) * 2

    def _filled(self, data: Any) -> Any:
        if self.scatter is None:
            return data
        b = self.block_size
        flat = self.xp.zeros(self.pattern.m * b * b, data.dtype)
        flat[self.scatter] = data
        return flat.reshape(-1, b, b)

    def _check_same(self, mine: Pattern, other: Pattern) -> None:
        """Raise an error that names the first row with other columns, if there is one."""
        xp, row = self.xp, -1
        if not _equal(mine.indptr, other.indptr):
            row = int(xp.flatnonzero(mine.indptr != other.indptr)[0]) - 1
        elif not _equal(mine.indices, other.indices):
            at = xp.flatnonzero(mine.indices != other.indices)[0]
            row = int(xp.searchsorted(mine.indptr, at, side="right")) - 1
        if row >= 0:
            rows = "block row" if other.rows < self.shape[0] else "row"
            raise GraphError(
                f"update: {rows} {row} has other columns than before; update takes new values of the same pattern, so "
                "make the operator anew, or store zeros where the patterns differ"
            )


def _inspected(A: Any, b: int) -> tuple[Pattern, Graph | None] | None:
    """Return the pattern of a canonical matrix of finite numbers on a GPU, and its graph; None for others."""
    if A.format != "csr" or not dev.is_cupy(A.data) or dev.is_rocm() or A.data.dtype.name not in TYPES:
        return None
    from .gpu.structure import inspected

    found = inspected(A.indptr, A.indices, A.data, with_graph=b == 1)
    if found is None:
        return None
    pattern, graph = found
    return pattern, None if graph is None else Graph(*graph)


def here(A: Any) -> AbstractContextManager[Any]:
    """Return a context that makes the device of a matrix current."""
    return dev.using(A.data) if hasattr(A, "data") and dev.is_cupy(A.data) else nullcontext()


def check_matrix(A: Any) -> None:
    """Raise an error for anything but a square sparse matrix of SciPy or CuPy with sound arrays."""
    check_sparse(A)
    with here(A):
        check_sound(A, ranges=A.format != "csr")  # `canonical` checks the rest of a CSR matrix


def check_sparse(A: Any) -> None:
    """Raise an error for anything but a square sparse matrix of SciPy or CuPy; arrays are not checked."""
    if not is_sparse(A):
        raise GraphError(
            f"solvers take sparse matrices of scipy.sparse or cupyx.scipy.sparse, not {type(A).__name__}: "
            "convert it, as by scipy.sparse.csr_array(A)"
        )
    if len(A.shape) != 2 or A.shape[0] != A.shape[1]:
        raise GraphError(f"solvers take square matrices, and this one has shape {tuple(A.shape)}")


def block_size_of(A: Any, block_size: int | None) -> int:
    """Return the requested block size; default: the block size of a BSR matrix with square blocks, else 1."""
    check_sparse(A)
    if block_size is None:
        own = getattr(A, "blocksize", (1, 1)) if A.format == "bsr" else (1, 1)
        return int(own[0]) if own[0] == own[1] else 1
    b = whole("block_size", block_size, 1)
    if A.shape[0] % b:
        raise OptionError(f"block_size = {b} does not divide the matrix's {A.shape[0]} rows")
    return int(b)


def canonical(A: Any, block_size: int) -> tuple[Pattern, Any]:
    """Return the pattern of a matrix's entries and their values in this order; blocks of a BSR matrix with this size.

    The matrix is not changed. Its flags about sorting and duplicates are not trusted.
    """
    if A.format == "bsr" and block_size > 1 and tuple(A.blocksize) == (block_size, block_size):
        n = A.shape[0] // block_size
        outer: Any = _Arrays(A.indptr, A.indices, (n, n))
    else:
        A = outer = A.tocsr()
    P, data = _pattern(outer), A.data
    xp = dev.module_of(data)
    as_stored = P.indices is A.indices or (P.m == len(A.indices) and _equal(P.indices, A.indices))
    if P.m != len(data) or not as_stored:  # unsorted, or with duplicates
        A = type(A)((data.copy(), A.indices.copy(), A.indptr.copy()), shape=A.shape)
        A.sum_duplicates()
        P, data = _pattern(outer if A.format == "bsr" else A), A.data
    data = _numbers(xp, data)
    _check_finite(xp, P, data)
    return P, data


class _Arrays:
    """Rows of blocks, with the attributes of a CSR matrix."""

    def __init__(self, indptr: Any, indices: Any, shape: tuple[int, int]) -> None:
        self.indptr, self.indices, self.shape = indptr, indices, shape


def _pattern(A: Any) -> Pattern:
    return Pattern(*pattern("csr", A.indptr, A.indices, A.shape), A.shape[1])


def _numbers(xp: Any, data: Any) -> Any:
    if data.dtype.kind in "biu":
        return data.astype(np.float64)
    if data.dtype.name not in TYPES:
        kind = "complex" if data.dtype.kind == "c" else "float"
        raise OptionError(f"entries are of type {data.dtype}: take A.astype({kind}), or another of {', '.join(TYPES)}")
    if not data.dtype.isnative:  # compiled code needs native byte order
        data = data.astype(data.dtype.newbyteorder("="))
    return xp.ascontiguousarray(data)


def _equal(x: Any, y: Any) -> bool:
    """Whether two arrays of one length on one device are equal."""
    return not extremes.count_true(x != y) if dev.is_cupy(x) else bool((x == y).all())


def _check_finite(xp: Any, P: Pattern, data: Any) -> None:
    finite = xp.isfinite(data)
    if not extremes.count_true(~finite) if dev.is_cupy(data) else finite.all():
        return
    at = int(xp.flatnonzero(~finite.ravel())[0])
    b = data.shape[1] if data.ndim == 3 else 1
    entry, within = divmod(at, b * b)
    row = (int(xp.searchsorted(P.indptr, entry, side="right")) - 1) * b + within // b
    column = int(P.indices[entry]) * b + within % b
    raise GraphError(
        f"entry ({row}, {column}) is {data.ravel()[at].item()}: a solver needs finite numbers, so mend row {row} "
        "of the matrix"
    )


def _blocks(entries: Pattern, b: int) -> tuple[Pattern, Pattern, Any]:
    """Return the pattern of the b × b blocks that have an entry, `entries`, and their places in flat blocks."""
    n = entries.rows // b
    if entries.on_gpu:
        from .gpu.structure import blocks

        indptr, indices, scatter = blocks(entries, b)
        return Pattern(indptr, indices, n), entries, scatter
    ends = np.zeros(n + 1, entries.indptr.dtype)
    columns, scatter = np.empty(entries.m, np.int32), np.empty(entries.m, np.int64)
    cpu_matrix.block_columns(entries.indptr, entries.indices, b, np.full(n, -1, np.int32), ends, columns)
    P = _pattern(_Arrays(ends, columns[: ends[-1]].copy(), (n, n)))  # sorts the columns
    cpu_matrix.block_places(entries.indptr, entries.indices, b, P.indptr, P.indices, np.empty(n, np.int64), scatter)
    return P, entries, scatter
