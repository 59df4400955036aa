"""The canonical sparsity pattern: an m × n CSR on one device. A `Graph` is its symmetric case without diagonal."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import Any, Self

import numpy as np

from semirings import sparse

from ..base import device as dev
from ..base import imported_from
from ..base.compile_clock import importing
from ..base.device.extremes import Degrees, degrees
from ..base.errors import GraphError, OptionError
from ..base.log import listened
from ..base.messages import counted
from ..inputs import pattern_arrays
from ..inputs.canonical import transpose
from .specs import resolve

SOURCE = dev.Source(__file__)
OFFSETS = (np.dtype(np.int32), np.dtype(np.int64))
EACH = 4  # entries per thread in pattern.cu
LENT = 1 << 20  # most entries of a copy in page-locked memory


@imported_from("lagcolor")
class Pattern:
    """The positions of the entries of a matrix, in canonical CSR form; immutable.

    All algorithms rely on this form and do not check it again: there are no duplicates, rows are sorted, columns are
    int32, offsets are int32 (int64 from 2³¹ − 2¹⁶ stored entries on, so that kernels may step past the end of a row),
    arrays are C-contiguous, and read-only on the CPU. There are at most 2³¹ − 2¹⁶ rows and columns.

    Use `Pattern.of` to convert an input. ``Pattern(indptr, indices, columns)`` checks the types of its arrays and
    trusts the numbers in them: with a wrong one, later calls read memory out of bounds.

    Parameters
    ----------
    indptr : array, shape (rows + 1,)
        Row offsets, int32 or int64, NumPy or CuPy. int32 offsets are copied to int64 if there are too many entries.
    indices : array of int32, shape (m,)
        The column of each stored entry.
    columns : int
        Number of columns.
    labels, column_labels : sequence, optional
        The names of rows and columns. None if they are the numbers from 0 on.
    convert_seconds : float
        The time of the conversion from the input.

    Attributes
    ----------
    rows, m : int
        Numbers of rows and of stored entries.
    on_gpu : bool
        Whether the arrays are CuPy arrays.

    Examples
    --------
    >>> import numpy as np
    >>> P = lagcolor.Pattern.of(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]))
    >>> P.shape, P.m, P.indices
    ((2, 3), 3, array([0, 2, 1], dtype=int32))
    """

    indptr: Any
    indices: Any
    columns: int
    labels: Any
    column_labels: Any
    convert_seconds: float
    _cache: dict[str, Any]
    m: int
    on_gpu: bool
    rows: int
    __slots__ = (
        "_cache", "column_labels", "columns", "convert_seconds", "indices", "indptr", "labels", "m", "on_gpu", "rows",
    )  # fmt: skip

    def __init__(
        self,
        indptr: Any,
        indices: Any,
        columns: int,
        labels: Any = None,
        column_labels: Any = None,
        convert_seconds: float = 0.0,
    ) -> None:
        if getattr(indices, "dtype", None) != np.int32 or getattr(indptr, "dtype", None) not in OFFSETS:
            kind, types = type(self).__name__, (getattr(a, "dtype", type(a).__name__) for a in (indptr, indices))
            raise GraphError(
                f"{kind}(indptr, indices) takes NumPy or CuPy arrays of int32 (indptr also of int64), not "
                f"{' and '.join(map(str, types))}: {kind}.of(scipy.sparse.csr_array((numpy.ones(len(indices)), "
                "indices, indptr))) converts others"
            )
        put = object.__setattr__  # `__setattr__` of this class refuses changes
        put(self, "rows", len(indptr) - 1)
        put(self, "m", len(indices))
        if indptr.itemsize < 8 and sparse.offset_type(self.m) is not np.int32:  # loops step past the end
            with dev.using(indptr):
                indptr = indptr.astype(np.int64)
        put(self, "indptr", dev.read_only(indptr))
        put(self, "indices", dev.read_only(indices))
        put(self, "columns", columns)
        put(self, "labels", labels)
        put(self, "column_labels", column_labels)
        put(self, "convert_seconds", convert_seconds)
        put(self, "_cache", {})
        put(self, "on_gpu", dev.is_cupy(indices))

    @classmethod
    @listened
    def of(
        cls, x: Any, *, shape: tuple[int, int] | None = None, device: str | None = None, format: str | None = None,
        header: bool | None = None, columns: Sequence[str] | None = None, progress: Any = None,
    ) -> Pattern:  # fmt: skip
        """Convert an input to a canonical pattern.

        Parameters
        ----------
        x : matrix-like
            *A matrix* of any shape: a sparse matrix or array of SciPy or CuPy (any format; indices of 32 or 64 bits), a
            `graphblas.Matrix`, a sparse tensor of torch (COO, CSR, CSC) or JAX (BCOO, BCSR), or a dense NumPy or CuPy
            array. All stored entries count, also zeros, and values are not read. In a dense array only nonzeros count.

            *Entries*: a pair of index arrays (rows, columns); a list or any other iterable of pairs; a dict from rows
            to columns; a table with two columns (pandas, polars, pyarrow …). They are numbers, or names, which become
            separate labels of rows and of columns.

            *A graph*: networkx, igraph or rustworkx, for its adjacency matrix. If nodes have networkx's attribute
            `bipartite` or igraph's `type`, nodes of one side are rows and the others columns.

            *A path*: a Matrix Market or npz file of any shape; an edge list or a Parquet file, whose ends are row and
            column; or the file of a graph. *A generator*, if there is no such file: "rgg:16". *A Pattern*, including a
            Graph, is returned unchanged.
        shape : pair of int, optional
            The shape, for entries with numbers. Default: the largest number of each plus one. For other inputs it must
            agree with their shape.
        device : str, optional
            The device of the result. Default: the device of `x`.
        format : str, optional
            The format of a file; see `lagcolor.io.read`. Default: determined by the file name.
        header : bool, optional
            For an edge list; see `lagcolor.io.read`.
        columns : pair of str, optional
            For an edge list; see `lagcolor.io.read`.
        progress : callable, True or None
            See `lagcolor.color`.

        Returns
        -------
        Pattern
            The pattern. It shares the arrays of the input if these are canonical. Do not write to them afterwards.

        Raises
        ------
        GraphError
            The input has another type, is malformed, or can be read in two ways. The message names the first wrong
            entry, or has code for each reading.
        DeviceError
            The call requests a GPU, and there is none.

        See Also
        --------
        Graph.of : Convert a symmetric matrix, or any other graph.
        """
        if isinstance(x, str) or hasattr(type(x), "__networkx_backend__"):
            x = resolve(x, device)
        if isinstance(x, (str, os.PathLike)):
            with importing():
                from ..io.formats import first_line
                from .files import pattern_arrays_of_file

            return Pattern(*pattern_arrays_of_file(x, shape, device, format, first_line(header, columns)))._of_file(x)
        if not isinstance(x, Pattern):
            if header is not None or columns is not None:
                raise OptionError(f"header and columns are for the path of an edge list, not {type(x).__qualname__}")
            return Pattern(*pattern_arrays(x, shape, device))
        if shape is not None and tuple(shape) != x.shape:
            raise GraphError(f"shape = {tuple(shape)}, but the pattern has shape {x.shape}: leave shape out")
        return x if device is None else x.on(device)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self.rows, self.columns

    @property
    def T(self) -> Pattern:  # noqa: N802 (as in NumPy)
        """The transpose, computed at first use and cached."""
        return self._cached("transpose", self._transposed)

    def _transposed(self) -> Pattern:
        indptr, indices = transpose(self.indptr, self.indices, self.columns)
        return Pattern(indptr, indices, self.rows, self.column_labels, self.labels)

    def turned(self) -> Pattern:
        """Return the transpose, with this pattern as its cached transpose."""
        T = self.T
        out = Pattern(T.indptr, T.indices, T.columns, T.labels, T.column_labels)
        out._cache["transpose"] = self  # `self` does not refer to `out`, so there is no cycle
        return out

    @property
    def device(self) -> str:
        """The device: "cpu", "cuda:0" …."""
        return dev.device_of(self.indices) if self.on_gpu else "cpu"

    @property
    def xp(self) -> Any:
        """The array module of this pattern: numpy or cupy."""
        return dev.cupy() if self.on_gpu else np

    @property
    def degrees(self) -> Any:
        """Number of entries of each row, int32, on the pattern's device."""
        return self._cached("degrees", self._degrees)

    def _degrees(self) -> Any:
        return dev.read_only((self.indptr[1:] - self.indptr[:-1]).astype(np.int32, copy=False))

    @property
    def max_degree(self) -> int:
        """Number of entries of the longest row; 0 without rows."""
        return self._cached("max_degree", self._max_degree)

    def _max_degree(self) -> int:
        """Compute the largest degree, on a GPU by one pass over the offsets."""
        if not self.rows:
            return 0
        return self.degree_extremes.largest if self.on_gpu else int(self.degrees.max())

    @property
    def degree_extremes(self) -> Degrees:
        """Smallest and largest degree, for at least one row, on a GPU."""
        return self._cached("degree_extremes", lambda: degrees(self.indptr))

    def rows_of_entries(self) -> Any:
        """Return the row of each stored entry: int32, shape (m,), on the pattern's device. Each call computes it."""
        with dev.using(self.indices):
            if not self.on_gpu:
                return np.repeat(np.arange(self.rows, dtype=np.int32), np.diff(self.indptr))
            if dev.is_rocm():
                entries = self.xp.arange(self.m, dtype=self.indptr.dtype)
                return (self.xp.searchsorted(self.indptr, entries, side="right") - 1).astype(np.int32)
            row = self.xp.empty(self.m, np.int32)
            args = (self.indptr, np.int32(self.rows), np.int64(self.m), row)
            SOURCE.of(self.indptr).launch("rows_of_entries", -(-self.m // EACH), *args)
            return row

    def on(self, device: str) -> Self:
        """Return the pattern on "cpu", "cuda" or "cuda:1"; the same object if it is already there."""
        kind, index = dev.parse_device(device)
        if self.device == (kind if kind == "cpu" else f"cuda:{index}"):
            return self
        out: Self = self._of(dev.to_device(self.indptr, device), dev.to_device(self.indices, device))
        return out._of_file(self._cache.get("file"))

    def _of_file(self, file: Any) -> Self:
        """Return the pattern, which now stores the path of its file, or None; a coloring does not replace this file."""
        self._cache["file"] = file and os.path.realpath(file)
        return self

    def _lent_to_cpu(self) -> Self:
        """Return a copy on the CPU of a pattern on a GPU, for the time of a call; large copies are cached."""
        if self.m > LENT:
            copy: Self = self._cached("on the CPU", partial(self.on, "cpu"))
            return copy
        return self._of(*dev.lent_to_cpu(self.indptr, self.indices))

    def _of(self, indptr: Any, indices: Any) -> Any:
        """Return a pattern with these arrays, of another device, and with the labels of this one."""
        return Pattern(indptr, indices, self.columns, self.labels, self.column_labels, self.convert_seconds)

    def to_scipy(self) -> Any:
        """Return the pattern as a ``scipy.sparse.csr_array`` of ones (int8), on the CPU."""
        import scipy.sparse as sp

        p = self.on("cpu")
        return sp.csr_array((np.ones(p.m, np.int8), p.indices.copy(), p.indptr.copy()), shape=p.shape)

    def _cached(self, key: str, make: Any) -> Any:
        if key not in self._cache:
            with dev.using(self.indices):
                self._cache[key] = make()
        return self._cache[key]

    def __repr__(self) -> str:
        return f"<Pattern: {self.rows:,} × {self.columns:,}, {counted(self.m, 'entries')}, on {self.device}>"

    def __reduce__(self) -> tuple[Any, ...]:
        made_of = self.indptr, self.indices, self.columns, self.labels, self.column_labels, self.convert_seconds
        return Pattern, made_of

    def __setattr__(self, name: str, value: Any) -> None:
        kind = type(self).__name__
        raise GraphError(f"a {kind} is immutable: cannot set {name!r}; make a new one with {kind}.of")


def entries_of(P: Pattern, rows: Any) -> tuple[Any, Any]:
    """Return pairs (index into `rows`, column) of the entries of some rows, row by row: int64 and int32."""
    xp = P.xp
    if P.on_gpu:
        return _entries_on_gpu(P, xp.asarray(rows.astype(np.int32, copy=False)))
    begin = P.indptr[rows].astype(np.int64)
    sizes = P.indptr[rows + 1].astype(np.int64) - begin
    ends = xp.cumsum(sizes)
    entries = xp.arange(int(ends[-1]) if len(ends) else 0, dtype=np.int64)
    index = xp.searchsorted(ends, entries, side="right")
    return index, P.indices[entries - (ends - sizes)[index] + begin[index]]


def _entries_on_gpu(P: Pattern, rows: Any) -> tuple[Any, Any]:
    """Return the result of `entries_of`, on a GPU."""
    xp, count, run = P.xp, len(rows), SOURCE.of(P.indptr)
    ends, m = xp.empty(count, np.int64), 0
    if count:
        run.launch("sizes_of_rows", count, P.indptr, rows, np.int32(count), ends)
        ends = xp.cumsum(ends)
        m = int(ends[-1])
    index, columns = xp.empty(m, np.int64), xp.empty(m, np.int32)
    run.launch("entries_of_rows", m, P.indptr, P.indices, rows, np.int32(count), ends, np.int64(m), index, columns)
    return index, columns


def unsigned(P: Pattern) -> tuple[np.ndarray, np.ndarray]:
    """Return the CSR arrays viewed as unsigned integers of the same width; cached."""
    views: tuple[np.ndarray, np.ndarray] | None = P._cache.get("unsigned")
    if views is None:
        views = P._cache["unsigned"] = dev.unsigned_view(P.indptr), P.indices.view(np.uint32)
    return views
