"""Jones–Plassmann with a least color for each vertex of the frontier: colors as bits, in a semiring of "or".

=====  ======================================================================================
w      weight of each candidate, 0 once it has a color
f      frontier: the candidates that exceed all their neighbors; what is left of it has no color yet
base   first color of the window of 64 at hand, less one
b      1 << (color − base − 1) of each vertex with a color in the window, else 0
s      the colors around a frontier vertex: the "or" of its neighbors' b
z      lowest zero bit of s; 64 where the window is full
c      color, from 1 on; 0 uncolored
=====  ======================================================================================

A frontier is independent, so that its vertices can choose at once; each takes the least color that no
neighbor has. All colored neighbors come earlier in the order, hence this is sequential first-fit.

It ends: the largest candidate is in every frontier, and a vertex of degree d is done after d / 64 + 1
windows at most.

Reference: Osama, Truong, Yang, Buluç, Owens 2019, "Graph Coloring on the GPU", Algorithm 4, with the
choice of Jones and Plassmann 1993 in place of one color for the whole frontier.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings import BinaryOp, UnaryOp, binary_op, bor, bor_first, eq, gt, lt, max_times, plus, unary_op

from ..core.result import Log
from .adapter import in_verbs

WINDOW = 64


def _bit_of(x: Any, base: Any) -> Any:
    k = x - base - np.uint64(1)
    return np.uint64(1) << k if k < np.uint64(WINDOW) else np.uint64(0)


def _lowest_zero(x: Any) -> Any:
    k = np.uint64(0)
    while x & np.uint64(1):
        x >>= np.uint64(1)
        k += np.uint64(1)
    return k


# Color 0 minus one wraps around to the largest number, and so falls outside every window.
bit_of: BinaryOp = binary_op("bit_of", "x - y - 1 < 64 ? D(1) << (x - y - 1) : D(0)", _bit_of, types=("uint64",))
lowest_zero: UnaryOp = unary_op(
    "lowest_zero", "x == ~D(0) ? D(64) : D(__ffsll(~x) - 1)", _lowest_zero, types=("uint64",)
)


@in_verbs("jones_plassmann_min", 4, bound="Δ+1", oracle="first_fit", chain=1, instead="jones_plassmann")
def jones_plassmann_min(A: Any, w: Any, E: Any, log: Log) -> Any:
    """Jones–Plassmann in verbs: each vertex of the frontier takes its own least free color."""
    c = E.zeros(A.nrows)
    left = A.nrows
    while left:
        t = E.vxm(w, A, max_times, mask=w)  # t⟨w⟩ = wᵀ max.× A
        f = E.ewise_add(gt, w, t)  # f = w > t
        E.assign(w, 0, mask=f)  # w⟨f⟩ = 0
        found = E.reduce(plus["int64"], f)
        base = 0
        while E.any(f):  # a pass for each 64 colors around the frontier
            b = E.apply(bit_of["uint64"], c, right=base)
            s = E.zeros(A.nrows, np.uint64)
            E.vxm(b, A, bor_first, mask=f, accum=bor, out=s)  # s⟨f⟩ |= bᵀ ∨.first A
            z = E.apply(lowest_zero, s)
            x = E.apply(plus, z, right=base + 1)
            E.assign(c, x, mask=E.apply(lt, z, right=WINDOW, mask=f))  # c⟨f ∧ z < 64⟩ = base + 1 + z
            f = E.apply(eq, z, right=WINDOW, mask=f)
            base += WINDOW
        log.round(active=left, colored=found, conflicts=0)
        left -= found
    return c
