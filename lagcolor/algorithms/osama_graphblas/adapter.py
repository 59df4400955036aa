"""From a graph to the verbs of `semirings` and back: functions that all algorithms of this folder use.

An algorithm is a function ``body(A, weight, E, log) -> C`` in these verbs. A is the adjacency pattern, and E the
engine. weight = p + 1 is a permutation of 1 … n, so that 0 can mean "no candidate" as in the paper. C has colors from 1
on, and 0 for uncolored vertices; `in_verbs` converts them to colors from 0 on.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

import semirings
from semirings.interrupts import deferred

from ...base import device as dev
from ...base.compile_clock import importing
from ...base.errors import OptionError
from ...base.extras import need
from ...base.log import Log
from ...base.options import choice
from ...graph.graph import Graph
from ...orders import Priorities
from ...problems.registry import coloring

PAPER = "Osama, Truong, Yang, Buluç, Owens 2019, Algorithm"


ENGINES = ("cuda", "cupyx")
OPTION = "on a GPU: cuda (default), or cupyx: csr_matrix and ElementwiseKernels of CuPy (default with ROCm)"


def matrix(G: Graph, name: str | None = None) -> Any:
    """Adjacency pattern as a matrix of an engine, computed once per graph."""
    E = engine_of(G, name)
    return G._cached(f"matrix of {E.name}", lambda: E.matrix(G.indptr, G.indices, symmetric=True))


def engine_of(G: Graph, name: str | None = None) -> Any:
    """Engine of a name, by default the fastest on the graph's device."""
    name = choice("engine", name, ENGINES, none=True)
    if not G.on_gpu:
        if name is not None:
            raise OptionError(f"engine {name!r} runs on a GPU, but the graph is on the CPU: leave it out")
        name = "cpu"
    elif name is None:
        name = "cupyx" if dev.is_rocm() else "cuda"
    if name == "cuda":
        dev.refuse_rocm(dev.cupy())
    with importing():
        if name == "cpu":
            need("graphblas", "masked linear algebra on a CPU", "graphblas")
        return semirings.engine(name)


def is_check_round(k: int, E: Any) -> bool:
    """True if the host reads a number after round k; rare on a GPU, where it waits for all launched kernels."""
    return E.name == "cpu" or (k >= 8 and k % 4 == 0)


def log_classes(log: Log, E: Any, C: Any) -> None:
    """Log a round for each color, whose class is the set of this round."""
    if not log.trace:
        log.rounds = E.reduce(semirings.max, C)
        return
    left = C.size
    for found in np.bincount(E.to_numpy(C), minlength=1)[1:].tolist():
        log.round(active=left, colored=found, conflicts=0, ms=None)
        left -= found


def in_verbs(name: str, number: int | str, **row: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register ``body(A, weight, E, log)`` as an algorithm on all engines; `number`: algorithm number in the paper."""

    def register(body: Callable[..., Any]) -> Callable[..., Any]:
        def run(G: Graph, p: Priorities, log: Log, engine: str | None = None) -> Any:
            E = engine_of(G, engine)
            if G.n == 0:
                return G.xp.empty(0, np.int32)
            A = matrix(G, engine)
            with nullcontext() if G.on_gpu else deferred():  # Ctrl-C raises between verbs, not in destructors
                return E.to_array(body(A, E.from_numpy(p.p + np.int32(1)), E, log)) - np.int32(1)

        run.__doc__ = body.__doc__
        run.__module__ = body.__module__
        defaults: dict[str, Any] = {"order": "random", "seed": 0, "passes": True}
        defaults["options"] = {"engine": OPTION}
        coloring(name, style="algebra", paper=f"{PAPER} {number}", prepare=matrix, **defaults | row)(run)
        return body

    return register
