"""lagcolor through its public API: every registered algorithm that runs on a CPU; new ones join by themselves."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

import lagcolor

from . import Case, Code, Sample

# greedy is the yardstick: it runs in every order that a rival or a parallel algorithm here runs in.
GREEDY_ORDERS = ("natural", "largest_first", "smallest_last", "incidence_degree", "dynamic_largest_first", "random")
PARALLEL_ORDERS = ("natural", "largest_first", "random")
THREADS = (1, 2)


class Lagcolor:
    """The library itself."""

    name = "lagcolor"

    def absent(self) -> str | None:
        """Never."""
        return None

    def version(self) -> str:
        """Of the package."""
        return lagcolor.__version__

    def open(self, case: Case) -> LagcolorSession:
        """Nothing to convert: the case holds a canonical graph."""
        return LagcolorSession(case)


class LagcolorSession:
    """Runs on one graph."""

    def __init__(self, case: Case) -> None:
        self._G = case.G
        self._colors = np.empty(0, np.int32)

    def codes(self) -> list[Code]:
        """Sequential algorithms on one thread, the others on one and two."""
        out = []
        for name, row in lagcolor.ALGORITHMS.items():
            if "cpu" not in row.engines:
                continue
            if row.style == "sequential":
                orders: tuple[str, ...] = GREEDY_ORDERS if name == "greedy" else (row.order,)
                out += [Code("lagcolor", name, order) for order in orders if _runs(order)]
                continue
            orders = tuple(dict.fromkeys((*PARALLEL_ORDERS, row.order)))
            out += [Code("lagcolor", name, order, t) for order in orders if _runs(order) for t in THREADS]
        return out

    def run(self, code: Code) -> Sample:
        """One call of `lagcolor.color`."""
        # A new Graph, so that nothing (degrees …) is kept from the run before.
        G = lagcolor.Graph(self._G.indptr, self._G.indices)
        with _numba_threads(code.threads):
            own = "threads" in lagcolor.ALGORITHMS[code.method].options
            options: dict[str, Any] = {"threads": code.threads} if own else {}
            done = lagcolor.color(G, code.method, order=code.order, verify=False, **options)
        self._colors = done.to_numpy()
        return Sample(done.order_seconds * 1e3, done.seconds * 1e3, done.n_colors)

    def colors(self) -> np.ndarray:
        """Of the last run."""
        return self._colors

    def close(self) -> None:
        """Nothing to do."""


@contextlib.contextmanager
def _numba_threads(count: int) -> Iterator[None]:
    import numba

    before = numba.get_num_threads()
    numba.set_num_threads(min(count, len(os.sched_getaffinity(0))))
    try:
        yield
    finally:
        numba.set_num_threads(before)


def _runs(order: str) -> bool:
    row = lagcolor.ORDERS.get(order)
    return row is not None and "cpu" in row.engines
