"""Equations of compressed matrices, for the verifiers of star and acyclic colorings and bicolorings.

For vertex v and color c, a compressed matrix has the sum of the entries of row v in columns of color c: an equation.
Its number is the position of the first of these entries. No algorithm uses this module.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device import read_only
from ..base.device.compiled import njit


def ranked(colors: np.ndarray) -> tuple[np.ndarray, int]:
    """Colors renumbered to 0 … k−1 in increasing order (int32), negative colors to −1; and k."""
    used, rank = np.unique(colors, return_inverse=True)
    below = int(np.searchsorted(used, 0))
    return np.where(colors < 0, -1, rank.reshape(colors.shape) - below).astype(np.int32), len(used) - below


def equations(indptr: np.ndarray, indices: np.ndarray, colors: np.ndarray, k: int) -> np.ndarray:
    """Equation of each entry: the first entry of its row in a column of the same color; −1 without a color."""
    out = np.full(len(indices), -1, np.int64)
    _equations(*plain(indptr, indices), colors, np.full(k, -1, np.int64), out)
    return out


def sizes(equation: np.ndarray) -> np.ndarray:
    """Number of entries in the equation of each entry; 0 if it is in none."""
    has = equation >= 0
    number = np.bincount(equation[has], minlength=len(equation))
    return np.where(has, number[equation], 0)


def mirrored(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Position of each entry in the transpose; a symmetric CSR is its own transpose: int64, shape (m,)."""
    columns = int(indices.max(initial=-1)) + 1
    starts = np.zeros(columns + 1, np.int64)
    np.cumsum(np.bincount(indices, minlength=columns), out=starts[1:])
    out = np.empty(len(indices), np.int64)
    _places(plain(indptr, indices)[1], starts, out)
    return out


def unsolved(first: np.ndarray, second: np.ndarray, count: int) -> np.ndarray:
    """Mask of the unknowns that no order of substitution finds."""
    has = np.concatenate([first[first >= 0], second[second >= 0]])
    number, open_ = np.bincount(has, minlength=count), np.ones(len(first), bool)
    ready = np.flatnonzero(number == 1)
    stack = np.concatenate([ready, np.empty(np.count_nonzero(number > 1), np.int64)])
    _solve(first, second, number, np.zeros(count, np.int64), stack, len(ready), open_)
    return open_


def unfound(P: Any, colors: np.ndarray, direct: bool, neutral: bool = False) -> tuple[np.ndarray, ...]:
    """Row and column of each entry of a symmetric pattern, faulty entries, and a mask of faulty entries of one color.

    If colors can be `neutral`, entries of the diagonal and of vertices without a color must be found too. With
    direct decompression an entry whose ends have one color can then be found as well.
    """
    classes, k = ranked(colors)
    i, j = np.repeat(np.arange(P.rows, dtype=np.int32), np.diff(P.indptr)), P.indices
    E = equations(P.indptr, P.indices, classes, k)
    same = (i < j) & (classes[i] == classes[j]) & (classes[i] >= 0)
    if neutral:
        upper = np.flatnonzero(i <= j)
        same &= not direct
    else:
        upper = np.flatnonzero((i < j) & (classes[i] >= 0) & (classes[j] >= 0) & ~same)
    mirror = mirrored(P.indptr, P.indices)[upper]
    if direct:
        number = sizes(E)
        left = (number[upper] != 1) & (number[mirror] != 1)
    else:
        left = unsolved(E[upper], np.where(i[upper] == j[upper], -1, E[mirror]), P.m)
    wrong = same.copy()
    wrong[upper[left]] = True
    return i, j, np.flatnonzero(wrong), same


def plain(indptr: np.ndarray, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Offsets and columns as read-only contiguous int64 and int32, so that numba compiles for one type."""
    return read_only(np.ascontiguousarray(indptr, np.int64)), read_only(np.ascontiguousarray(indices, np.int32))


@njit(cache=True, nogil=True)
def _equations(indptr: Any, indices: Any, colors: Any, first: Any, out: Any) -> None:
    for v in range(len(indptr) - 1):
        for e in range(indptr[v], indptr[v + 1]):
            c = colors[indices[e]]
            if c >= 0:
                if first[c] < indptr[v]:
                    first[c] = e
                out[e] = first[c]


@njit(cache=True, nogil=True)
def _places(indices: Any, starts: Any, out: Any) -> None:
    for e in range(len(indices)):
        out[e] = starts[indices[e]]
        starts[indices[e]] += 1


@njit(cache=True, nogil=True)
def _solve(first: Any, second: Any, number: Any, names: Any, stack: Any, top: Any, open_: Any) -> None:
    """Solve equations with one unknown left, each on `stack` once; `names` has the exclusive or of unknowns left."""
    for u in range(len(first)):
        if first[u] >= 0:
            names[first[u]] ^= u
        if second[u] >= 0:
            names[second[u]] ^= u
    while top:
        top -= 1
        q = stack[top]
        if number[q] != 1:  # already solved from the other side
            continue
        u = names[q]
        open_[u] = False
        for side in range(2):
            other = second[u] if side else first[u]
            if other >= 0:
                number[other] -= 1
                names[other] ^= u
                if number[other] == 1:
                    stack[top] = other
                    top += 1
