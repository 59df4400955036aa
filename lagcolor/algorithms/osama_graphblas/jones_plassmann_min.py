"""Jones–Plassmann with a least color for each vertex of the frontier: colors as bits, in a semiring of "or".

========  ===================================================================================
weight    weight of each candidate, 0 once it has a color
max       largest weight of a candidate's neighbors; absent without neighbors
frontier  uncolored candidates whose weight exceeds max
base      first color of the current window of 64 colors, minus 1
bits      1 << (color − base − 1) for each vertex with a color in the window, else 0
colors    "or" of the bits of a frontier vertex's neighbors
free      lowest zero bit of colors; 64 if the window is full
color     least free color of each vertex, if the window has one
C         color of each vertex, from 1 on; 0 uncolored
========  ===================================================================================

A frontier is independent, so its vertices can choose at once; each takes the least color that no neighbor has. All
colored neighbors come earlier in the order, so the result is sequential first-fit.

It ends: every frontier has the candidate of largest weight, and a vertex of degree d needs at most d / 64 + 1 windows.

Reference: Osama, Truong, Yang, Buluç, Owens 2019, "Graph Coloring on the GPU", Algorithm 4, with the
choice of Jones and Plassmann 1993 in place of one color for the whole frontier.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings import BinaryOp, UnaryOp, binary_op, bor, bor_first, eq, gt, lt, max_times, plus, unary_op

from ...base.log import Log
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


# Color 0 minus one wraps around to the largest number, which is outside every window.
bit_of: BinaryOp = binary_op("bit_of", "x - y - 1 < 64 ? D(1) << (x - y - 1) : D(0)", _bit_of, types=("uint64",))
lowest_zero: UnaryOp = unary_op(
    "lowest_zero", "x == ~D(0) ? D(64) : D(__ffsll(~x) - 1)", _lowest_zero, types=("uint64",)
)


@in_verbs("jones_plassmann_min", 4, bound="Δ+1", oracle="first_fit")
def jones_plassmann_min(A: Any, weight: Any, E: Any, log: Log) -> Any:
    """Jones–Plassmann in verbs: each vertex of the frontier takes its own least free color."""
    C = E.zeros(A.nrows)
    left = A.nrows
    while left:
        max = E.vxm(weight, A, max_times, mask=weight)  # max⟨weight⟩ = weightᵀ max.× A
        frontier = E.ewise_add(gt, weight, max)  # frontier = weight > max
        E.assign(weight, 0, mask=frontier)  # weight⟨frontier⟩ = 0
        found = E.reduce(plus["int64"], frontier)
        base = 0
        while E.any(frontier):  # a pass for each 64 colors around the frontier
            bits = E.apply(bit_of["uint64"], C, right=base)
            colors = E.zeros(A.nrows, np.uint64)
            E.vxm(bits, A, bor_first, mask=frontier, accum=bor, out=colors)  # colors⟨frontier⟩ |= bitsᵀ ∨.first A
            free = E.apply(lowest_zero, colors)
            color = E.apply(plus, free, right=base + 1)
            E.assign(C, color, mask=E.apply(lt, free, right=WINDOW, mask=frontier))  # C⟨frontier ∧ free < 64⟩ = color
            frontier = E.apply(eq, free, right=WINDOW, mask=frontier)
            base += WINDOW
        log.round(active=left, colored=found, conflicts=0)
        left -= found
    return C
