"""Arrays of a sparse matrix: faults in matrices of SciPy and CuPy, and limits of int32 in kernels.

Both libraries check a new matrix once, and then trust its arrays. An index out of range can end the process when they
convert or multiply the matrix. `fault` is therefore called before any of their functions. It only reads attributes.

Loops along a row add the step of a warp or a block before they compare with the end. They exceed it by a few thousand,
always less than 2¹⁶, so numbers under 2³¹ − 2¹⁶ do not wrap around. Steps of a whole grid are counted in 64 bits.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np

LIBRARIES = ("scipy.sparse", "cupyx.scipy.sparse")
COMPRESSED, INTEGERS = ("csr", "csc", "bsr"), "iu"
INT32_LIMIT = 2**31 - 2**16  # from this number of entries on, offsets are int64
MOST_ROWS = 2**31 - 2**16  # largest number of rows and of columns


def offset_type(entries: int) -> Any:
    """Type of offsets: int32, or int64 for `INT32_LIMIT` or more entries."""
    return np.int32 if entries < INT32_LIMIT else np.int64


def is_sparse(x: Any) -> bool:
    """True for a sparse matrix or array of SciPy or CuPy; imports neither library."""
    return any(name in sys.modules and sys.modules[name].issparse(x) for name in LIBRARIES)


def fault(A: Any, ranges: bool = True) -> str:
    """Describe a fault in the arrays of a sparse matrix; an empty text if there is none."""
    if len(A.shape) != 2:
        return f"a matrix has rows and columns, but this array has shape {tuple(A.shape)}"
    if A.format in COMPRESSED:
        return _compressed(A, ranges or A.format == "bsr")
    if A.format == "coo":
        return _coordinates(A, ranges)
    return {"dia": _diagonals, "lil": _lists, "dok": _keys}.get(A.format, lambda _: "")(A)


def _compressed(A: Any, ranges: bool) -> str:
    sides, dimensions = ("row", "column"), 3 if A.format == "bsr" else 1
    rows, columns = A.shape
    wrong = _no_array(A, "data", dimensions) or _no_array(A, "indptr", 1) or _no_array(A, "indices", 1)
    if wrong:
        return wrong
    if A.format == "bsr":
        height, width = A.data.shape[1:]
        if not height or not width or rows % height or columns % width:
            return f"blocks of {height} × {width} do not divide the shape {tuple(A.shape)}"
        sides, rows, columns = ("block row", "block column"), rows // height, columns // width
    elif A.format == "csc":
        sides, rows, columns = ("column", "row"), columns, rows
    if len(A.indices) != len(A.data):
        return f"indices and data must have one length, not {len(A.indices)} and {len(A.data)}"
    if len(A.indptr) != rows + 1:
        return f"indptr must have {rows + 1} entries, one per {sides[0]} and one more, not {len(A.indptr)}"
    return (_offsets(A) or _indices(A.indices, A.indptr[-1], columns, sides[1])) if ranges else ""


def _offsets(A: Any) -> str:
    indptr = A.indptr
    if int(indptr[0]) != 0:
        return f"indptr[0] must be 0, but is {int(indptr[0])}"
    falls = indptr[1:] < indptr[:-1]
    if bool(falls.any()):
        at = int(falls.nonzero()[0][0])
        return f"indptr must not fall: indptr[{at}] = {int(indptr[at])}, then {int(indptr[at + 1])}"
    end, count = int(indptr[-1]), len(A.indices)
    if end == count:  # some conversions of SciPy read indices past the end
        return ""
    advice = ": call prune()" if end < count and hasattr(A, "prune") else ""
    return f"indptr ends at {end}, but there are {count} indices{advice}"


def _indices(a: Any, m: Any, size: int, side: str) -> str:
    """Describe a fault in the first m indices, which are numbers of rows or columns."""
    a = a[: int(m)]
    if not len(a) or (int(a.min()) >= 0 and int(a.max()) < size):
        return ""
    at = int(((a < 0) | (a >= size)).nonzero()[0][0])
    if int(a[at]) < 0:
        return f"{side} indices[{at}] = {int(a[at])} is negative; {side}s are numbered from 0"
    return f"{side} indices[{at}] = {int(a[at])} is out of range; there are {size} {side}s"


def _coordinates(A: Any, ranges: bool) -> str:
    wrong = _no_array(A, "data", 1) or _no_array(A, "row", 1) or _no_array(A, "col", 1)
    if wrong:
        return wrong
    if not len(A.row) == len(A.col) == len(A.data):
        return f"row, col and data must have one length, not {len(A.row)}, {len(A.col)} and {len(A.data)}"
    parts = zip((A.row, A.col), A.shape, ("row", "column"), strict=True)
    return next(filter(None, (_indices(a, len(a), size, side) for a, size, side in parts)), "") if ranges else ""


def _diagonals(A: Any) -> str:
    wrong = _no_array(A, "data", 2) or _no_array(A, "offsets", 1)
    if not wrong and len(A.offsets) != len(A.data):
        return f"offsets must be as many as rows of data, but there are {len(A.offsets)} for {len(A.data)}"
    return wrong


def _lists(A: Any) -> str:
    rows, columns = A.shape
    if not len(A.rows) == len(A.data) == rows:
        return f"there must be a list of columns and of data per row: {len(A.rows)} and {len(A.data)} for {rows} rows"
    for i, (columns_of, data_of) in enumerate(zip(A.rows, A.data, strict=True)):
        if not (isinstance(columns_of, list) and isinstance(data_of, list) and len(columns_of) == len(data_of)):
            return f"row {i} must have two lists of one length, columns and data"
    return _numbers(chain.from_iterable(A.rows), sum(map(len, A.rows)), columns, "column")


def _keys(A: Any) -> str:
    keys = list(A.keys())
    if not all(isinstance(key, tuple) and len(key) == 2 for key in keys):
        return "keys must be pairs (row, column)"
    parts = zip(zip(*keys, strict=True), A.shape, ("row", "column"), strict=True) if keys else ()
    return next(filter(None, (_numbers(a, len(a), size, side) for a, size, side in parts)), "")


def _numbers(values: Iterable[Any], count: int, size: int, side: str) -> str:
    """`_indices` for Python numbers."""
    try:
        return _indices(np.fromiter(values, np.int64, count), count, size, side)
    except (TypeError, ValueError, OverflowError):
        return f"{side} indices must be integers"


def _no_array(A: Any, name: str, dimensions: int) -> str:
    """Describe an attribute that is not an array of the matrix's library, or (except for data) not of integers."""
    a = getattr(A, name)
    cupyx = sys.modules.get(LIBRARIES[1])
    arrays = np if cupyx is None or not cupyx.issparse(A) else sys.modules["cupy"]
    if not isinstance(a, arrays.ndarray) or a.ndim != dimensions:
        found = f"an array of shape {tuple(a.shape)}" if hasattr(a, "shape") else type(a).__name__
        return f"{name} must be an array of {dimensions} dimension{'s' * (dimensions > 1)}, not {found}"
    if name != "data" and a.dtype.kind not in INTEGERS:
        return f"{name} must be integers, not {a.dtype}"
    return ""
