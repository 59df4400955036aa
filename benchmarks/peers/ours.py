"""lagcolor through its public API: every registered algorithm that runs on a CPU; new ones join by themselves."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

import lagcolor

from . import Code, Sample

# greedy is the yardstick: it runs in every order that a rival or a parallel algorithm here runs in.
GREEDY_ORDERS = ("natural", "largest_first", "smallest_last", "incidence_degree", "dynamic_largest_first", "random")
KERNEL_ORDERS = ("natural", "largest_first", "random")
THREADS = (1, 2)
# On a CPU the other styles show what an algorithm is, and take a hundred times as long.
ANY_SIZE = ("sequential", "kernel")
OTHERS_UP_TO = 2_000_000  # stored entries


class Lagcolor:
    """The library itself."""

    name = "lagcolor"

    def absent(self) -> str | None:
        """Never."""
        return None

    def version(self) -> str:
        """Of the package."""
        return lagcolor.__version__

    def load(self, G: lagcolor.Graph) -> LagcolorSession:
        """Nothing to convert."""
        return LagcolorSession(G)


class LagcolorSession:
    """Runs on one graph."""

    def __init__(self, G: lagcolor.Graph) -> None:
        self._G = G
        self._colors = np.empty(0, np.int32)

    def codes(self) -> list[Code]:
        """Sequential algorithms on one thread, the others on one and two; slow styles on small graphs only."""
        return [
            Code("lagcolor", name, order, threads)
            for name, row in lagcolor.ALGORITHMS.items()
            if "cpu" in row.engines and (row.style in ANY_SIZE or self._G.m <= OTHERS_UP_TO)
            for order in _orders(row)
            for threads in ((1,) if row.style == "sequential" else THREADS)
        ]

    def run(self, code: Code) -> Sample:
        """One call of `lagcolor.color`."""
        # A new Graph, so that nothing (degrees …) is kept from the run before.
        G = lagcolor.Graph(self._G.indptr, self._G.indices)
        row = lagcolor.ALGORITHMS[code.method]
        _use_threads(row, code.threads)
        options: dict[str, Any] = {"threads": code.threads} if "threads" in row.options else {}
        done = lagcolor.color(G, code.method, order=code.order, verify=False, **options)
        self._colors = done.to_numpy()
        return Sample(done.order_seconds * 1e3, done.seconds * 1e3, done.n_colors)

    def colors(self) -> np.ndarray:
        """Of the last run."""
        return self._colors

    def close(self) -> None:
        """Nothing to do."""


def _use_threads(row: lagcolor.Algorithm, count: int) -> None:
    """Numba, and SuiteSparse where it is what runs, on so many threads."""
    import numba

    numba.set_num_threads(min(count, len(os.sched_getaffinity(0))))
    if row.style == "algebra":
        import graphblas

        graphblas.ss.config["nthreads"] = count


def _orders(row: lagcolor.Algorithm) -> list[str]:
    """Orders to run it in. An algorithm in rounds keeps to its own: in natural order a path is a round a vertex."""
    more = GREEDY_ORDERS if row.name == "greedy" else KERNEL_ORDERS if row.style == "kernel" else ()
    there = (lagcolor.ORDERS[o] for o in dict.fromkeys((*more, row.order)) if o in lagcolor.ORDERS)
    return [o.name for o in there if "cpu" in o.engines]
