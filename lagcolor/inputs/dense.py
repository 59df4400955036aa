"""Dense matrices: where they are not zero, block by block, as sorted rows.

Eight bytes are looked at as a word, and only words that are not zero byte by byte. In addition to the matrix and its
CSR there is one block and its marks.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .. import device as dev
from ..core.errors import AmbiguityWarning, GraphError, level_of_caller
from ..device import extremes
from ..device.compiled import njit
from ..device.intrinsics import ctz64
from .canonical import Structure
from .matrices import DENSE, of_shape

BLOCK = 1 << 20  # entries at a time
WORD = 8  # bytes
ONE, THREE, EIGHT = np.uint64(1), np.uint64(3), np.uint64(8)
LOW, HIGH = np.uint64(0x7F7F7F7F7F7F7F7F), np.uint64(0x8080808080808080)
SHORT = 64  # vertices that an element may have: 4³ in a cube of third order
FULL = 0.9  # share of entries that are not zero where these may be numbers of vertices


def dense(a: Any, diagonal: bool = True) -> Structure:
    """The nonzeros of an array of shape (rows, columns)."""
    if a.dtype.kind not in "biufc":
        raise GraphError(f"a dense matrix must hold numbers or booleans, not {a.dtype}")
    rows = int(a.shape[0])
    if isinstance(a, np.ma.MaskedArray):
        a = a.filled(0)
    if dev.is_cupy(a):
        structure = _on_gpu(a)
    elif a.flags.f_contiguous and not a.flags.c_contiguous:
        structure = Structure("csc", *_rows(a.T, diagonal, turned=True), rows)
    else:
        structure = Structure("csr", *_rows(a, diagonal), rows)
    return of_shape(structure, a.shape, DENSE)


def _rows(a: np.ndarray, diagonal: bool, turned: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Offsets (int64) and columns (int32) of the nonzeros; `turned`: NaN is at (column, row) for the user."""
    rows, columns = a.shape
    if not columns:
        return np.zeros(rows + 1, np.int64), np.empty(0, np.int32)
    indptr, parts = np.zeros(rows + 1, np.int64), []
    step = WORD * max(1, BLOCK // WORD // columns)  # rows: blocks of whole words
    nan: list[tuple[int, int]] = []
    for first in range(0, rows, step):
        flat = np.ascontiguousarray(a[first : first + step]).reshape(-1)
        if a.dtype.kind in "fc" and (bad := np.isnan(flat)).any():
            nan += [(first + p // columns, p % columns) for p in np.flatnonzero(bad).tolist()]
            if not turned:
                break
        marks = flat if flat.itemsize == 1 else flat != 0
        if len(marks) % WORD:
            marks = np.append(marks, np.zeros(-len(marks) % WORD, marks.dtype))
        part = np.empty(np.count_nonzero(marks) + 1, np.int32)
        words = marks.view(np.uint64)
        words.flags.writeable = False
        count = int(_columns(words, columns, first, diagonal, indptr, part))
        parts.append(part[:count])
    if nan:
        raise _is_nan(*min((j, i) if turned else (i, j) for i, j in nan))
    np.cumsum(indptr, out=indptr)
    return indptr, _joined(parts, int(indptr[-1]))


@njit(cache=True, nogil=True)
def _columns(words: Any, columns: Any, row: Any, diagonal: Any, indptr: Any, out: Any) -> Any:
    """The columns of bytes that are not zero in rows from `row` on, counted in `indptr`, one place further on."""
    count, before = np.uint64(0), np.uint64(0)  # entries in all, and before this row
    begin, size = np.uint64(0), np.uint64(columns)  # of this row
    i, own = np.uint64(row), np.uint64(row) + (np.uint64(columns) if diagonal else np.uint64(0))
    for w in range(np.uint64(words.size)):
        word = words[w]
        if word == 0:
            continue
        left = (((word & LOW) + LOW) | word) & HIGH  # the highest bit of each byte that is not zero
        while left:
            j = EIGHT * w + (ctz64(left) >> THREE) - begin
            left &= left - ONE
            if j >= size:
                indptr[i + ONE] = count - before
                before = count
                skip = j // size
                i += skip
                own += skip
                begin += skip * size
                j -= skip * size
            out[count] = j
            count += ONE if j != own else np.uint64(0)  # what is not to be there is written over
    indptr[i + ONE] = count - before
    return count


def _joined(parts: list[np.ndarray], m: int) -> np.ndarray:
    """One array of all, each part freed once it is copied."""
    out, end = np.empty(m, np.int32), m
    while parts:
        part = parts.pop()
        out[end - len(part) : end] = part
        end -= len(part)
    return out


def _on_gpu(a: Any) -> Structure:
    xp = dev.module_of(a)
    with dev.using(a):
        if a.dtype.kind in "fc":
            nan = xp.argwhere(xp.isnan(a))
            if len(nan):
                raise _is_nan(*(int(k) for k in nan[0]))
        rows, cols = xp.nonzero(a)
    return Structure("coo", rows, cols, int(a.shape[0]))


def warn_of_elements(a: Any, entries: int) -> None:
    """Warn where a dense matrix seems to have the vertices of an element of a mesh in each row, or each column.

    That is where it has integers, few of them in a row, at least one that is a number past the row's length, and hardly
    any zero: as a matrix it has one color per row.
    """
    (rows, columns), short, long = a.shape, min(a.shape), max(a.shape)
    if a.dtype.kind not in "iu" or not 2 <= short <= SHORT or long < 2 * short or entries < FULL * a.size:
        return
    with dev.using(a):
        least, largest = extremes.span(a.ravel())
        if least < -1 or largest < short:  # -1 fills the rows of smaller elements
            return
    name = dev.module_of(a).__name__
    if rows > columns:
        each, pairs = "row", f"({name}.repeat({name}.arange({rows}), {columns}), x.ravel())"
    else:
        each, pairs = "column", f"(x.ravel(), {name}.tile({name}.arange({columns}), {rows}))"
    warnings.warn(
        f"an integer array of shape {tuple(a.shape)} with hardly any zero is read as a dense matrix, whose {each}s all "
        f"meet. If each {each} has the vertices of an element, as in a mesh, pass these as entries, "
        f"`Pattern.of({pairs})`; if it is a matrix, pass `Pattern.of(x.astype(float))`, which is read without this "
        "warning",
        AmbiguityWarning,
        stacklevel=level_of_caller(),
    )


def _is_nan(i: int, j: int) -> GraphError:
    return GraphError(f"entry ({i}, {j}) of the dense matrix is NaN: neither an edge nor none")
