"""The compiled loops of sweeps on CPU threads: over colors, and over the rows of one color.

`order` has the unknown at each place of the vector `w`, `scale` a number or a block per row. `L` and `U` are the
triangles, and `T` is one: CSR arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device.compiled import njit
from ..base.device.parallel import end_part, parallel, take_part

SYMMETRIC, FORWARD, BACKWARD = 0, 1, 2
GATHER, SCATTER = -1, -2  # the steps before and after the colors
ONE, TWO, THREE = np.uint64(1), np.uint64(2), np.uint64(3)


@njit(cache=True, nogil=True)
def divide(Lp: Any, Up: Any, offsets: Any, whole: Any, parts: Any) -> None:
    """First rows of the parts of each color, and its end: as many entries for each, all in the first if `whole`."""
    count = parts.shape[1] - 1
    for c in range(len(parts)):
        begin, end = offsets[c], offsets[c + 1]
        parts[c, 0], parts[c, 1:] = begin, end
        before = Lp[begin] + Up[begin] + begin
        work = np.int64(Lp[end] + Up[end] + end - before)
        for t in range(1, 1 if whole[c] else count):
            low, high = parts[c, t - 1], end
            while low < high:
                middle = (low + high) // 2
                if Lp[middle] + Up[middle] + middle - before < work * t // count:
                    low = middle + 1
                else:
                    high = middle
            parts[c, t] = low


# ---- one number per row --------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def solve_rows(T: Any, scale: Any, order: Any, r: Any, w: Any, begin: Any, end: Any) -> None:
    """w = scale (r - T w) in these rows, whose entries of T are in rows done before."""
    indptr, indices, values = T
    for i in range(np.uint64(begin), np.uint64(end)):
        s = r[order[i]]
        for e in range(indptr[i], indptr[i + ONE]):
            s -= values[e] * w[indices[e]]
        w[i] = scale[i] * s


@njit(cache=True, nogil=True)
def return_rows(T: Any, scale: Any, weight: Any, w: Any, begin: Any, end: Any) -> None:
    """w = weight w - scale (T w) in these rows: entries may be narrower than vectors, and so would products be."""
    indptr, indices, values = T
    for i in range(np.uint64(begin), np.uint64(end)):
        s = weight - weight
        for e in range(indptr[i], indptr[i + ONE]):
            s -= values[e] * w[indices[e]]
        w[i] = weight * w[i] + scale[i] * s


@njit(cache=True, nogil=True, inline="always")
def residual(L: Any, U: Any, w: Any, i: Any, s: Any) -> Any:
    """s less row i of L w and of U w."""
    (Lp, Li, Lv), (Up, Ui, Uv) = L, U
    for e in range(Lp[i], Lp[i + ONE]):
        s -= Lv[e] * w[Li[e]]
    for e in range(Up[i], Up[i + ONE]):
        s -= Uv[e] * w[Ui[e]]
    return s


@njit(cache=True, nogil=True)
def smooth_rows(matrix: Any, kept: Any, order: Any, b: Any, w: Any, begin: Any, end: Any) -> None:
    """w = kept w + scale (b - L w - U w) in these rows; w is not read where kept is zero: NaN would stay NaN."""
    L, U, scale = matrix
    if kept == 0:
        for i in range(np.uint64(begin), np.uint64(end)):
            w[i] = scale[i] * residual(L, U, w, i, b[order[i]])
    else:
        for i in range(np.uint64(begin), np.uint64(end)):
            w[i] = kept * w[i] + scale[i] * residual(L, U, w, i, b[order[i]])


@njit(cache=True, nogil=True)
def gather(x: Any, order: Any, w: Any, begin: Any, end: Any) -> None:
    """Unknowns of x in the order of places."""
    for i in range(np.uint64(begin), np.uint64(end)):
        w[i] = x[order[i]]


@njit(cache=True, nogil=True)
def scatter(w: Any, order: Any, x: Any, begin: Any, end: Any) -> None:
    """Back to the order of unknowns."""
    for i in range(np.uint64(begin), np.uint64(end)):
        x[order[i]] = w[i]


# ---- blocks --------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True, inline="always")
def threes(T: Any, w: Any, i: Any, x: Any, y: Any, z: Any) -> Any:
    """(x, y, z) less row i of T w, for blocks of three."""
    indptr, indices, values = T
    for e in range(indptr[i], indptr[i + ONE]):
        j = indices[e] * THREE
        p, q, r = w[j], w[j + ONE], w[j + TWO]
        x -= values[e, 0, 0] * p + values[e, 0, 1] * q + values[e, 0, 2] * r
        y -= values[e, 1, 0] * p + values[e, 1, 1] * q + values[e, 1, 2] * r
        z -= values[e, 2, 0] * p + values[e, 2, 1] * q + values[e, 2, 2] * r
    return x, y, z


@njit(cache=True, nogil=True)
def subtract(s: Any, T: Any, w: Any, i: Any) -> None:
    """s -= row i of T w."""
    b = np.uint64(len(s))
    if b == THREE:
        s[0], s[1], s[2] = threes(T, w, i, s[0], s[1], s[2])
        return
    indptr, indices, values = T
    for e in range(indptr[i], indptr[i + ONE]):
        j = indices[e] * b
        for p in range(b):
            t = s[p]
            for q in range(b):
                t -= values[e, p, q] * w[j + q]
            s[p] = t


@njit(cache=True, nogil=True)
def solve_blocks(T: Any, scale: Any, order: Any, r: Any, w: Any, begin: Any, end: Any) -> None:
    """As `solve_rows`."""
    b = np.uint64(scale.shape[1])
    s = np.empty(b, w.dtype)
    for i in range(np.uint64(begin), np.uint64(end)):
        for p in range(b):
            s[p] = r[order[i * b + p]]
        subtract(s, T, w, i)
        for p in range(b):
            t = s[0] - s[0]
            for q in range(b):
                t += scale[i, p, q] * s[q]
            w[i * b + p] = t


@njit(cache=True, nogil=True)
def return_blocks(T: Any, scale: Any, weight: Any, w: Any, begin: Any, end: Any) -> None:
    """As `return_rows`."""
    b = np.uint64(scale.shape[1])
    s = np.empty(b, w.dtype)
    for i in range(np.uint64(begin), np.uint64(end)):
        s[:] = 0
        subtract(s, T, w, i)
        for p in range(b):
            t = weight * w[i * b + p]
            for q in range(b):
                t += scale[i, p, q] * s[q]
            w[i * b + p] = t


@njit(cache=True, nogil=True)
def smooth_blocks(matrix: Any, kept: Any, order: Any, r: Any, w: Any, begin: Any, end: Any) -> None:
    """As `smooth_rows`."""
    L, U, scale = matrix
    b = np.uint64(scale.shape[1])
    s = np.empty(b, w.dtype)
    for i in range(np.uint64(begin), np.uint64(end)):
        for p in range(b):
            s[p] = r[order[i * b + p]]
        subtract(s, L, w, i)
        subtract(s, U, w, i)
        for p in range(b):
            t = kept if kept == 0 else kept * w[i * b + p]
            for q in range(b):
                t += scale[i, p, q] * s[q]
            w[i * b + p] = t


# ---- over the colors -----------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def solve(T: Any, scale: Any, order: Any, r: Any, w: Any, begin: Any, end: Any) -> None:
    """`solve_rows` or `solve_blocks`."""
    if scale.ndim == 1:  # one branch is left when compiled
        solve_rows(T, scale, order, r, w, begin, end)
    else:
        solve_blocks(T, scale, order, r, w, begin, end)


@parallel
def apply(t: Any, shared: Any, split: Any, triangles: Any, scale: Any, vectors: Any, how: Any) -> None:
    (parts, colors, stages), (L, U), (order, r, w, out), (weight, mode) = split, triangles, vectors, how
    k, b = len(parts), len(w) // max(len(scale), 1)
    stage, part = take_part(shared, stages, 0, t)
    while part >= 0:
        for step in range(stages[stage, 0], stages[stage + 1, 0]):
            begin, stop = parts[colors[step], part], parts[colors[step], part + 1]
            if step < k:
                solve(U if mode == BACKWARD else L, scale, order, r, w, begin, stop)
            elif scale.ndim == 1:
                return_rows(U, scale, weight, w, begin, stop)
            else:
                return_blocks(U, scale, weight, w, begin, stop)
            if step >= k or mode != SYMMETRIC:
                scatter(w, order, out, b * begin, b * stop)
        end_part(shared)
        stage, part = take_part(shared, stages, stage, t)


@parallel
def smooth(t: Any, shared: Any, split: Any, triangles: Any, scale: Any, vectors: Any, kept: Any) -> None:
    (parts, colors, stages), (order, b, w, x) = split, vectors
    matrix = *triangles, scale
    size = len(w) // max(len(scale), 1)
    stage, part = take_part(shared, stages, 0, t)
    while part >= 0:
        for step in range(stages[stage, 0], stages[stage + 1, 0]):
            c = colors[step]
            if c < 0:
                for each in range(len(parts)):
                    begin, stop = size * parts[each, part], size * parts[each, part + 1]
                    if c == GATHER:
                        gather(x, order, w, begin, stop)
                    else:
                        scatter(w, order, x, begin, stop)
            elif scale.ndim == 1:
                smooth_rows(matrix, kept, order, b, w, parts[c, part], parts[c, part + 1])
            else:
                smooth_blocks(matrix, kept, order, b, w, parts[c, part], parts[c, part + 1])
        end_part(shared)
        stage, part = take_part(shared, stages, stage, t)
