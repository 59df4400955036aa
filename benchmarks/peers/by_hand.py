"""The colorings of Osama et al. 2019 straight in python-graphblas, as a user of it would write them.

Each takes the adjacency pattern and the weights p + 1 (INT32), and returns colors from 1 on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness.peers import Library, Runs
from lagcolor.graph.graph import Graph


class Graphblas(Library):
    """Algorithms 2 to 4 without lagcolor's verbs, in its order "random"."""

    name, module, package = "graphblas", "graphblas", "python-graphblas"
    methods = (("luby_is", "random"), ("luby_mis", "random"), ("jones_plassmann", "random"))

    def _runs(self, G: Graph) -> Runs:
        import graphblas as gb

        from lagcolor.orders import Priorities

        A = gb.Matrix.from_csr(G.indptr, G.indices, True, ncols=G.n)
        weights = gb.Vector.from_dense(np.asarray(Priorities.of(G, "random", seed=0).p, np.int32) + np.int32(1))
        return {code: partial(_colors, METHODS[code.method], A, weights) for code in self.codes()}


def _colors(method: Callable[[Any, Any], Any], A: Any, weights: Any) -> np.ndarray:
    return method(A, weights.dup()).to_dense() - 1


def frontier(A: Any, w: Any) -> Any:
    """The candidates that exceed all theirs."""
    from graphblas import binary, semiring

    t = semiring.max_first(w @ A).new(mask=w.V)
    return w.ewise_add(t, binary.gt).new()


def take(c: Any, w: Any, f: Any, k: int) -> int:
    """Gives the frontier color k; its size."""
    from graphblas import monoid

    c(mask=f.V) << k
    w(mask=f.V) << 0
    return f.reduce(monoid.plus["INT64"]).value


def luby_is(A: Any, w: Any) -> Any:
    """Algorithm 2: an independent set a color."""
    c, left, k = _uncolored(w), w.size, 0
    while left:
        k += 1
        left -= take(c, w, frontier(A, w), k)
    return c


def luby_mis(A: Any, p: Any) -> Any:
    """Algorithm 3: a maximal independent set a color."""
    from graphblas import monoid, semiring

    c, left, k = _uncolored(p), p.size, 0
    while left:
        k += 1
        w = p.dup()
        w(mask=c.V) << 0
        while w.reduce(monoid.max).value:
            f = frontier(A, w)
            left -= take(c, w, f, k)
            w(mask=semiring.lor_land(f @ A).new(mask=w.V).V) << 0
    return c


def jones_plassmann(A: Any, w: Any) -> Any:
    """Algorithm 4: the least color that no neighbor of the independent set has."""
    from graphblas import semiring

    c, left = _uncolored(w), w.size
    while left:
        f = frontier(A, w)
        adjacent = semiring.lor_land(f @ A).new(mask=c.V)
        taken = set(c.dup(mask=adjacent.V).to_coo()[1].tolist())
        left -= take(c, w, f, min(set(range(1, len(taken) + 2)) - taken))
    return c


def _uncolored(w: Any) -> Any:
    import graphblas as gb

    return gb.Vector.from_scalar(0, w.size, "INT32")


METHODS: dict[str, Callable[[Any, Any], Any]] = {
    "luby_is": luby_is,
    "luby_mis": luby_mis,
    "jones_plassmann": jones_plassmann,
}
