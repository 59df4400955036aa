"""Compiled loops of sweeps and factors on CPU threads, color by color: rows of a color are independent of each other.

`order` has the unknown at each place of the vector `w`, and `scale` a number or a block per row. `L` and `U` are the
triangles, and `T` is one of them, as CSR arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device.compiled import inner, njit
from ..base.device.parallel import end_part, parallel, take_part

SYMMETRIC, FORWARD, BACKWARD = 0, 1, 2
GATHER, SCATTER = -1, -2  # the steps before and after the colors
ONE, TWO, THREE = np.uint64(1), np.uint64(2), np.uint64(3)


@njit(cache=True, nogil=True)
def divide(Lp: Any, Up: Any, offsets: Any, whole: Any, parts: Any) -> None:
    """Write first rows of parts of each color with equally many entries, and its end; if `whole`, all in one part."""
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


# ---- rows of a color: w = weight w + scale (r - L w - U w); terms with None are left out -------------------------


@inner()
def relax(L: Any, U: Any, scale: Any, weight: Any, order: Any, r: Any, w: Any, begin: Any, end: Any) -> None:
    """Update rows of numbers or of blocks. Entries may have a narrower type than vectors."""
    if scale.ndim == 1:  # the compiler keeps only one branch
        relax_numbers(L, U, scale, weight, order, r, w, begin, end)
    else:
        relax_blocks(L, U, scale, weight, order, r, w, begin, end)


@inner()
def relax_numbers(L: Any, U: Any, scale: Any, weight: Any, order: Any, r: Any, w: Any, begin: Any, end: Any) -> None:
    """Update rows of numbers; without `weight`, the old w is not read, because NaN would stay NaN."""
    for i in range(np.uint64(begin), np.uint64(end)):
        s = w.dtype.type(0) if r is None else r[order[i]]
        if L is not None:
            s = residual(L, w, i, s)
        if U is not None:
            s = residual(U, w, i, s)
        w[i] = scale[i] * s if weight is None else weight * w[i] + scale[i] * s


@njit(cache=True, nogil=True, inline="always")
def residual(T: Any, w: Any, i: Any, s: Any) -> Any:
    """Return s less row i of T w."""
    indptr, indices, values = T
    for e in range(indptr[i], indptr[i + ONE]):
        s -= values[e] * w[indices[e]]
    return s


@inner()
def relax_blocks(L: Any, U: Any, scale: Any, weight: Any, order: Any, r: Any, w: Any, begin: Any, end: Any) -> None:
    """Update rows of blocks, as `relax_numbers`."""
    b = np.uint64(scale.shape[1])
    s = np.empty(b, w.dtype)
    for i in range(np.uint64(begin), np.uint64(end)):
        for p in range(b):
            s[p] = 0 if r is None else r[order[i * b + p]]
        if L is not None:
            subtract(s, L, w, i)
        if U is not None:
            subtract(s, U, w, i)
        for p in range(b):
            t = w.dtype.type(0) if weight is None else weight * w[i * b + p]
            for q in range(b):
                t += scale[i, p, q] * s[q]
            w[i * b + p] = t


@njit(cache=True, nogil=True, inline="always")
def threes(T: Any, w: Any, i: Any, x: Any, y: Any, z: Any) -> Any:
    """Return (x, y, z) less row i of T w, for blocks of three."""
    indptr, indices, values = T
    for e in range(indptr[i], indptr[i + ONE]):
        j = indices[e] * THREE
        p, q, r = w[j], w[j + ONE], w[j + TWO]
        x -= values[e, 0, 0] * p + values[e, 0, 1] * q + values[e, 0, 2] * r
        y -= values[e, 1, 0] * p + values[e, 1, 1] * q + values[e, 1, 2] * r
        z -= values[e, 2, 0] * p + values[e, 2, 1] * q + values[e, 2, 2] * r
    return x, y, z


@inner()
def subtract(s: Any, T: Any, w: Any, i: Any) -> None:
    """Subtract row i of T w from s."""
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


@inner()
def gather(x: Any, order: Any, w: Any, begin: Any, end: Any) -> None:
    """Copy the unknowns of x to w, in the order of places."""
    for i in range(np.uint64(begin), np.uint64(end)):
        w[i] = x[order[i]]


@inner()
def scatter(w: Any, order: Any, x: Any, begin: Any, end: Any) -> None:
    """Copy w to x, in the order of unknowns."""
    for i in range(np.uint64(begin), np.uint64(end)):
        x[order[i]] = w[i]


# ---- sweeps over the colors ----------------------------------------------------------------------------------


@parallel
def apply(t: Any, shared: Any, split: Any, triangles: Any, scale: Any, vectors: Any, how: Any) -> None:
    (parts, colors, stages), (L, U), (order, r, w, out), (weight, mode) = split, triangles, vectors, how
    k, b = len(parts), len(w) // max(len(scale), 1)
    stage, part = take_part(shared, stages, 0, t)
    while part >= 0:
        for step in range(stages[stage, 0], stages[stage + 1, 0]):
            begin, stop = parts[colors[step], part], parts[colors[step], part + 1]
            if step < k:
                relax(U if mode == BACKWARD else L, None, scale, None, order, r, w, begin, stop)
            else:
                relax(None, U, scale, weight, order, None, w, begin, stop)
            if step >= k or mode != SYMMETRIC:
                scatter(w, order, out, b * begin, b * stop)
        end_part(shared)
        stage, part = take_part(shared, stages, stage, t)


@parallel
def smooth(t: Any, shared: Any, split: Any, triangles: Any, scale: Any, vectors: Any, weight: Any) -> None:
    (parts, colors, stages), (L, U), (order, b, w, x) = split, triangles, vectors
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
            elif weight == 0:
                relax(L, U, scale, None, order, b, w, parts[c, part], parts[c, part + 1])
            else:
                relax(L, U, scale, weight, order, b, w, parts[c, part], parts[c, part + 1])
        end_part(shared)
        stage, part = take_part(shared, stages, stage, t)


# ---- factors of arrays of numbers or of blocks, without views ------------------------------------------------


@inner(error_model="numpy")
def reciprocal(d: Any) -> Any:
    """Return 1 / d; infinite for 0, also for complex numbers, whose division by 0 raises an error in numba."""
    return d + np.inf if d == 0 else 1 / d


@inner(error_model="numpy")
def product(X: Any, x: Any, Y: Any, y: Any, out: Any) -> None:
    """Set out_0 = X_x Y_y."""
    if X.ndim == 1:
        out[0] = X[x] * Y[y]
    else:
        b = X.shape[1]
        for p in range(b):
            for q in range(b):
                s = X[x, p, 0] * Y[y, 0, q]
                for t in range(1, b):
                    s += X[x, p, t] * Y[y, t, q]
                out[0, p, q] = s


@inner(error_model="numpy")
def subtract_product(X: Any, Y: Any, y: Any, out: Any, o: Any) -> None:
    """Subtract X_0 Y_y from out_o."""
    if X.ndim == 1:
        out[o] -= X[0] * Y[y]
    else:
        b = X.shape[1]
        for p in range(b):
            for q in range(b):
                s = out[o, p, q]
                for t in range(b):
                    s -= X[0, p, t] * Y[y, t, q]
                out[o, p, q] = s


@inner(error_model="numpy")
def copy(X: Any, x: Any, out: Any) -> None:
    """Set out_0 = X_x."""
    if X.ndim == 1:
        out[0] = X[x]
    else:
        b = X.shape[1]
        for p in range(b):
            for q in range(b):
                out[0, p, q] = X[x, p, q]


@inner(error_model="numpy")
def invert(rest: Any, out: Any, o: Any) -> None:
    """Set out_o to the inverse of rest_0, by Gauss-Jordan with row pivots; NaN if singular. rest_0 is overwritten."""
    b = out.shape[1]
    for p in range(b):
        for q in range(b):
            out[o, p, q] = p == q
    for k in range(b):
        pivot = k
        for p in range(k + 1, b):
            if abs(rest[0, p, k]) > abs(rest[0, pivot, k]):
                pivot = p
        f = reciprocal(rest[0, pivot, k])
        if not abs(rest[0, pivot, k]) > 0:
            f *= np.nan
        for q in range(b):
            x, y = rest[0, pivot, q], out[o, pivot, q]
            rest[0, pivot, q], out[o, pivot, q] = rest[0, k, q], out[o, k, q]
            rest[0, k, q], out[o, k, q] = x * f, y * f
        for p in range(b):
            if p != k:
                f = rest[0, p, k]
                for q in range(b):
                    rest[0, p, q] -= f * rest[0, k, q]
                    out[o, p, q] -= f * out[o, k, q]


@njit(cache=True, nogil=True, error_model="numpy")
def invert_all(blocks: Any, out: Any) -> None:
    """Invert each block."""
    rest = np.empty((1, *blocks.shape[1:]), blocks.dtype)
    for i in range(len(blocks)):
        copy(blocks, i, rest)
        invert(rest, out, i)


@inner(error_model="numpy")
def factor_rows(L: Any, U: Any, mirror: Any, diagonal: Any, scale: Any, begin: Any, end: Any) -> None:
    """Subtract l_ik times row k of U from row i, for each k of its lower part in order, at the entries of row i.

    With `mirror`, the places of (k, i) in U, compute only D_i = a_ii − Σ a_ik a_ki / D_k over earlier rows k.
    """
    (Lp, Li, Lv), (Up, Ui, Uv) = L, U
    f, d = np.empty_like(scale[:1]), np.empty_like(scale[:1])
    for i in range(begin, end):
        copy(diagonal, i, d)
        for e in range(Lp[i], Lp[i + 1]):
            k = Li[e]
            product(Lv, e, scale, k, f)
            if mirror.size:
                if mirror[e] >= 0:
                    subtract_product(f, Uv, mirror[e], d, 0)
                continue
            below, above = e + 1, Up[i]
            for t in range(Up[k], Up[k + 1]):
                j = Ui[t]
                if j < i:
                    while below < Lp[i + 1] and Li[below] < j:
                        below += 1
                    if below < Lp[i + 1] and Li[below] == j:
                        subtract_product(f, Uv, t, Lv, below)
                elif j == i:
                    subtract_product(f, Uv, t, d, 0)
                else:
                    while above < Up[i + 1] and Ui[above] < j:
                        above += 1
                    if above == Up[i + 1]:
                        break
                    if Ui[above] == j:
                        subtract_product(f, Uv, t, Uv, above)
        if scale.ndim == 1:
            scale[i] = reciprocal(d[0])
        else:
            invert(d, scale, i)


@parallel(error_model="numpy")
def factor(t: Any, shared: Any, split: Any, triangles: Any, mirror: Any, diagonal: Any, scale: Any) -> None:
    (parts, colors, stages), (L, U) = split, triangles
    stage, part = take_part(shared, stages, 0, t)
    while part >= 0:
        for step in range(stages[stage, 0], stages[stage + 1, 0]):
            c = colors[step]
            factor_rows(L, U, mirror, diagonal, scale, parts[c, part], parts[c, part + 1])
        end_part(shared)
        stage, part = take_part(shared, stages, stage, t)
