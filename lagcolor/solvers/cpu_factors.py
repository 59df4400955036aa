"""The compiled loops that factor on CPU threads, color by color: rows of one color do not depend on each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device.compiled import njit
from ..base.device.parallel import end_part, parallel, take_part


@njit(cache=True, nogil=True, error_model="numpy")
def reciprocal(d: Any) -> Any:
    """1 / d; infinite for 0, also of complex numbers, whose division by 0 raises in numba."""
    return d + np.inf if d == 0 else 1 / d


@njit(cache=True, nogil=True, error_model="numpy")
def factor_rows(L: Any, U: Any, mirror: Any, diagonal: Any, scale: Any, begin: Any, end: Any) -> None:
    """Row i less l_ik times row k of U, for each k of its lower part in turn, where row i has entries.

    With `mirror`, where entries (k, i) are in U, the diagonal alone: D_i = a_ii − Σ a_ik a_ki / D_k over earlier rows.
    """
    (Lp, Li, Lv), (Up, Ui, Uv) = L, U
    for i in range(begin, end):
        d = diagonal[i]
        for e in range(Lp[i], Lp[i + 1]):
            k = Li[e]
            f = Lv[e] * scale[k]
            if mirror.size:
                if mirror[e] >= 0:
                    d -= f * Uv[mirror[e]]
                continue
            below, above = e + 1, Up[i]
            for t in range(Up[k], Up[k + 1]):
                j = Ui[t]
                if j < i:
                    while below < Lp[i + 1] and Li[below] < j:
                        below += 1
                    if below < Lp[i + 1] and Li[below] == j:
                        Lv[below] -= f * Uv[t]
                elif j == i:
                    d -= f * Uv[t]
                else:
                    while above < Up[i + 1] and Ui[above] < j:
                        above += 1
                    if above == Up[i + 1]:
                        break
                    if Ui[above] == j:
                        Uv[above] -= f * Uv[t]
        scale[i] = reciprocal(d)


# ---- blocks, as numbers of an array of blocks, without views -----------------------------------


@njit(cache=True, nogil=True, error_model="numpy")
def product(X: Any, x: Any, Y: Any, y: Any, out: Any) -> None:
    """out_0 = X_x Y_y."""
    b = X.shape[1]
    for p in range(b):
        for q in range(b):
            s = X[x, p, 0] * Y[y, 0, q]
            for t in range(1, b):
                s += X[x, p, t] * Y[y, t, q]
            out[0, p, q] = s


@njit(cache=True, nogil=True, error_model="numpy")
def subtract_product(X: Any, Y: Any, y: Any, out: Any, o: Any) -> None:
    """out_o -= X_0 Y_y."""
    b = X.shape[1]
    for p in range(b):
        for q in range(b):
            s = out[o, p, q]
            for t in range(b):
                s -= X[0, p, t] * Y[y, t, q]
            out[o, p, q] = s


@njit(cache=True, nogil=True, error_model="numpy")
def copy(X: Any, x: Any, out: Any) -> None:
    """out_0 = X_x."""
    b = X.shape[1]
    for p in range(b):
        for q in range(b):
            out[0, p, q] = X[x, p, q]


@njit(cache=True, nogil=True, error_model="numpy")
def invert(rest: Any, out: Any, o: Any) -> None:
    """out_o = the inverse of rest_0, which is overwritten, by Gauss-Jordan with row pivots; NaN where there is none."""
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
    """The inverse of each block."""
    rest = np.empty((1, *blocks.shape[1:]), blocks.dtype)
    for i in range(len(blocks)):
        copy(blocks, i, rest)
        invert(rest, out, i)


@njit(cache=True, nogil=True, error_model="numpy")
def factor_blocks(L: Any, U: Any, mirror: Any, diagonal: Any, scale: Any, begin: Any, end: Any) -> None:
    """As `factor_rows`."""
    (Lp, Li, Lv), (Up, Ui, Uv) = L, U
    b = scale.shape[1]
    f, d = np.empty((1, b, b), scale.dtype), np.empty((1, b, b), scale.dtype)
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
        invert(d, scale, i)


# ---- over the colors -----------------------------------------------------------------------------------------


@parallel(error_model="numpy")
def factor(t: Any, shared: Any, split: Any, triangles: Any, mirror: Any, diagonal: Any, scale: Any) -> None:
    (parts, colors, stages), (L, U) = split, triangles
    stage, part = take_part(shared, stages, 0, t)
    while part >= 0:
        for step in range(stages[stage, 0], stages[stage + 1, 0]):
            c = colors[step]
            begin, stop = parts[c, part], parts[c, part + 1]
            if scale.ndim == 1:  # one branch is left when compiled
                factor_rows(L, U, mirror, diagonal, scale, begin, stop)
            else:
                factor_blocks(L, U, mirror, diagonal, scale, begin, stop)
        end_part(shared)
        stage, part = take_part(shared, stages, stage, t)
