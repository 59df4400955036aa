"""lagcolor itself through its public API, on one graph."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import lagcolor
from lagcolor.api.warm_up import warm_up
from lagcolor.base import device as dev
from lagcolor.base.options import DEFAULT_SEED

from . import qualities
from .codes import Code
from .memory import Memory
from .provenance import cores

# A hub and a mesh, which together run all kernels of an algorithm, so that these are compiled before times are taken.
WARM_UP = ("barabasi_albert:2000,4", "star:5000", "grid2d:16")


class Library:
    """Runs on a graph, on the graph's device."""

    def __init__(self, G: lagcolor.Graph) -> None:
        self._G = G
        self._done: lagcolor.Coloring | None = None
        self._memory = Memory(_from_a_pool if G.on_gpu else None)
        self._limits: dict[tuple[str, int], float | None] = {}  # seconds of a quality on a graph

    @property
    def colors(self) -> Any:
        """Of the last run."""
        assert self._done is not None, "nothing has run"
        return self._done.colors

    def warm(self, code: Code) -> None:
        """Load the code of an algorithm on small graphs of several kinds."""
        if not qualities.is_quality(code.method):
            row = lagcolor.ALGORITHMS[code.method]
            warm_up(self._G, row, code.order, False, self._options(code))
        for spec in WARM_UP:
            self._color(code, _small(spec, self._G.device))

    def run(self, code: Code) -> dict[str, Any]:
        """Call `lagcolor.color` once; the first call is not timed, and shows the memory that it takes."""
        self._done = None
        done = self._done = self._memory.of(code, lambda: self._color(code, self._G))
        return {
            "order_ms": done.order_seconds * 1e3,
            "color_ms": done.seconds * 1e3,
            "colors": done.n_colors,
            "rounds": done.rounds,
            "convert_ms": done.convert_seconds * 1e3,
            "memory_bytes": self._memory[code],
        }

    def trace(self, code: Code) -> list[dict[str, Any]]:
        """Return the rounds of a run; a quality has attempts instead."""
        return [] if qualities.is_quality(code.method) else self._color(code, self._G, trace=True).trace

    def _color(self, code: Code, G: lagcolor.Graph, trace: bool = False) -> lagcolor.Coloring:
        if qualities.is_quality(code.method):
            return self._search(code, G)
        row = lagcolor.ALGORITHMS[code.method]
        _use_threads(row, code.threads)
        options = self._options(code)
        if trace:
            warm_up(G, row, code.order, True, options)
        # A new Graph has no cached degrees or orders of an earlier run.
        fresh = lagcolor.Graph(G.indptr, G.indices)
        return lagcolor.color(
            fresh,
            code.method,
            code.order,
            seed=DEFAULT_SEED if code.seed is None else code.seed,
            verify=False,
            trace=trace,
            **options,
        )

    @staticmethod
    def _options(code: Code) -> dict[str, Any]:
        threads = code.threads is not None and lagcolor.ALGORITHMS[code.method].threaded
        return {**dict(code.options), **({"threads": code.threads} if threads else {})}

    def _search(self, code: Code, G: lagcolor.Graph) -> lagcolor.Coloring:
        quality = qualities.parse(code.method)
        key = code.method, id(G)
        if key not in self._limits:
            self._limits[key] = qualities.seconds(quality, G)
        return qualities.color(quality, G, self._limits[key], code.seed)


def _from_a_pool(call: Callable[[], Any]) -> tuple[Any, int]:
    """Return the result of a call, and the device memory that it took from a separate pool of CuPy."""
    cp = dev.cupy()
    cp.get_default_memory_pool().free_all_blocks()
    pool = cp.cuda.MemoryPool()
    with cp.cuda.using_allocator(pool.malloc):
        result = call()
    # The pool frees nothing during the call, so its size is the peak. Its memory lives as long as the colors.
    return result, pool.total_bytes()


@functools.cache
def _small(spec: str, device: str) -> lagcolor.Graph:
    return lagcolor.generate.from_spec(spec).on(device)


def _use_threads(row: lagcolor.Algorithm, count: int | None) -> None:
    """Set the number of threads of Numba, and of SuiteSparse if it runs; None: all cores."""
    import numba

    most = cores()
    numba.set_num_threads(min(count or most, most))
    if row.style == "algebra" and "cpu" in row.engines:
        import graphblas

        graphblas.ss.config["nthreads"] = count or most
