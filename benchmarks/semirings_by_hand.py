"""The colorings of Osama et al. 2019 straight in python-graphblas: what the CPU engine is measured against.

Each takes the adjacency pattern and the weights p + 1 (INT32, which it may change), and returns colors from 1 on.
"""

from __future__ import annotations

from typing import Any

import graphblas as gb
from graphblas import binary, monoid, semiring


def frontier(A: Any, w: Any) -> Any:
    """The candidates that exceed all theirs."""
    t = semiring.max_first(w @ A).new(mask=w.V)
    return w.ewise_add(t, binary.gt).new()


def take(c: Any, w: Any, f: Any, k: int) -> int:
    """Gives the frontier color k; its size."""
    c(mask=f.V) << k
    w(mask=f.V) << 0
    return f.reduce(monoid.plus["INT64"]).value


def luby_is(A: Any, w: Any) -> Any:
    c = gb.Vector.from_scalar(0, w.size, "INT32")
    left, k = w.size, 0
    while left:
        k += 1
        left -= take(c, w, frontier(A, w), k)
    return c


def luby_mis(A: Any, p: Any) -> Any:
    c = gb.Vector.from_scalar(0, p.size, "INT32")
    left, k = p.size, 0
    while left:
        k += 1
        w = p.dup()
        w(mask=c.V) << 0
        while w.reduce(monoid.max).value:
            f = frontier(A, w)
            left -= take(c, w, f, k)
            w(mask=semiring.lor_land(f @ A).new(mask=w.V).V) << 0
    return c


def jones_plassmann_gb(A: Any, w: Any) -> Any:
    c = gb.Vector.from_scalar(0, w.size, "INT32")
    left = w.size
    while left:
        f = frontier(A, w)
        beside = semiring.lor_land(f @ A).new(mask=c.V)
        taken = set(c.dup(mask=beside.V).to_coo()[1].tolist())
        left -= take(c, w, f, min(set(range(1, len(taken) + 2)) - taken))
    return c
