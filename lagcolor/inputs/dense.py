"""Dense matrices: the CSR of their nonzeros, computed block by block.

Marks of nonzeros are read in words of eight bytes; only words that are not zero are read byte by byte. In addition to
the matrix and its CSR, memory has one block and its marks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import device as dev
from ..base.compile_clock import importing
from ..base.device import extremes
from ..base.errors import GraphError
from .canonical import Structure
from .matrices import DENSE, of_shape

BLOCK = 1 << 20  # entries of a block
WORD = 8  # bytes
SHORT = 64  # most vertices of an element of a mesh: 4³ in a cube of third order


def dense(a: Any, diagonal: bool = True, name: str = "x") -> Structure:
    """Return the structure of the nonzeros of an array of shape (rows, columns), which errors call `name`."""
    if a.dtype.kind not in "biufc":
        raise GraphError(f"a dense matrix must hold numbers or booleans, not {a.dtype}")
    rows = int(a.shape[0])
    if isinstance(a, np.ma.MaskedArray):
        a = a.filled(0)
    if dev.is_cupy(a):
        structure = _on_gpu(a, name)
    elif a.flags.f_contiguous and not a.flags.c_contiguous:
        structure = Structure("csc", *_rows(a.T, diagonal, name, turned=True), rows)
    else:
        structure = Structure("csr", *_rows(a, diagonal, name), rows)
    return of_shape(structure, a.shape, DENSE)


def _rows(a: np.ndarray, diagonal: bool, name: str, turned: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return offsets (int64) and columns (int32) of the nonzeros; `turned`: `a` is the user's array transposed."""
    rows, columns = a.shape
    if not columns:
        return np.zeros(rows + 1, np.int64), np.empty(0, np.int32)
    with importing():
        from .passes_cpu import columns_of

    indptr, parts = np.zeros(rows + 1, np.int64), []
    step = WORD * max(1, BLOCK // WORD // columns)  # rows: blocks of whole words
    wrong: list[tuple[int, int]] = []
    for first in range(0, rows, step):
        flat = np.ascontiguousarray(a[first : first + step]).reshape(-1)
        if a.dtype.kind in "fc" and not (finite := np.isfinite(flat)).all():
            wrong += [(first + p // columns, p % columns) for p in np.flatnonzero(~finite).tolist()]
            if not turned:
                break
        marks = flat if flat.itemsize == 1 else flat != 0
        if len(marks) % WORD:
            marks = np.append(marks, np.zeros(-len(marks) % WORD, marks.dtype))
        part = np.empty(np.count_nonzero(marks) + 1, np.int32)
        words = dev.read_only(marks.view(np.uint64))
        count = int(columns_of(words, columns, first, diagonal, indptr, part))
        parts.append(part[:count])
    if wrong:
        i, j = min((j, i) if turned else (i, j) for i, j in wrong)
        raise _not_finite(a.T if turned else a, i, j, name)
    np.cumsum(indptr, out=indptr)
    return indptr, _joined(parts, int(indptr[-1]))


def _joined(parts: list[np.ndarray], m: int) -> np.ndarray:
    """Join parts to one array of m numbers; each part is freed after it is copied."""
    out, end = np.empty(m, np.int32), m
    while parts:
        part = parts.pop()
        out[end - len(part) : end] = part
        end -= len(part)
    return out


def _on_gpu(a: Any, name: str) -> Structure:
    xp = dev.module_of(a)
    with dev.using(a):
        if a.dtype.kind in "fc":
            wrong = xp.argwhere(~xp.isfinite(a))
            if len(wrong):
                raise _not_finite(a, int(wrong[0, 0]), int(wrong[0, 1]), name)
        rows, cols = xp.nonzero(a)
    return Structure("coo", rows, cols, int(a.shape[0]))


def refuse_elements(a: Any) -> None:
    """Raise an error for integers that may be the vertices of an element of a mesh in each row, or each column.

    They may be if a number is at least the length of a row, and no row contains a number twice; −1 fills the rows of
    smaller elements. A square array is a matrix if it is symmetric or has a 0 in each row.
    """
    if a.dtype.kind not in "iu" or min(a.shape) < 3:
        return
    square = a.shape[0] == a.shape[1]
    with dev.using(a):
        least, largest = extremes.span(a.ravel())
        if least < -1 or (square and bool((a == a.T).all() | (a == 0).any(axis=1).all())):
            return
        turns = (False,) if a.shape[0] >= a.shape[1] else (True, False)
        turned = next((t for t in turns if _are_elements(a.T if t else a, largest)), None)
    if turned is None:
        return
    name, (rows, columns) = dev.module_of(a).__name__, a.shape
    each, x = ("column", "x.T") if turned else ("row", "x")
    pairs = (
        f"(x.ravel(), {name}.tile({name}.arange({columns}), {rows}))"
        if turned
        else f"({name}.repeat({name}.arange({rows}), {columns}), x.ravel())"
    )
    entries = "" if least < 0 else f", or to use them as entries, `Pattern.of({pairs})`"
    raise GraphError(
        f"an integer array of shape {tuple(a.shape)} with no number twice in a {each} may be a dense matrix, or have "
        f"the vertices of an element in each {each}, as in a mesh: for a matrix pass `Pattern.of(x.astype(float))`; to "
        f"color elements, `lagcolor.mesh.color_elements({x})`{entries}"
    )


def _are_elements(a: Any, largest: int) -> bool:
    """Whether rows are short, the largest number is at least their length, and no row has a number ≥ 0 twice."""
    if a.shape[1] > SHORT or largest < a.shape[1]:
        return False
    xp = dev.module_of(a)
    for part in (a[:SHORT], a):
        rows = xp.sort(part, axis=1)
        if bool(((rows[:, 1:] == rows[:, :-1]) & (rows[:, 1:] >= 0)).any()):
            return False
    return True


def _not_finite(a: Any, i: int, j: int, name: str) -> GraphError:
    """Return the error for a NaN or an infinite entry of an array that the user calls `name`."""
    xp = dev.module_of(a).__name__
    return GraphError(
        f"entry ({i}, {j}) of the dense matrix is {a[i, j]}, which may stand for no entry, as in scipy.sparse.csgraph, "
        f"or for one: pass `{xp}.isfinite({name}) & ({name} != 0)` for none, or `{name} != 0` for an entry"
    )
