"""Small graphs colored first, so that compiling and loading are not in the time of what comes after.

For benchmarks, for the command line, which reports times of a process that has just begun, and for the searches of
``quality="balanced"`` and ``"best"``, where loading would use up the time. `color` itself does not do it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, TypeGuard

import numpy as np

from .. import device as dev
from ..core.graph import Graph
from ..core.pattern import Pattern
from ..core.registry import Algorithm
from ..core.result import Log
from ..device import threads
from ..orders.seeds import DEFAULT_SEED
from ..problems import DEFAULT, PROBLEMS
from .timing import priorities

FEW = 63  # degrees under which first-fit takes colors of one word
HUGE = 2**24  # vertices over which some kernels take blocks of another size
SURE, SORTED = 2**17, 2**22  # vertices that first-fit colors in one launch on any GPU, and on none
LIVELY = ("grid2d:60", "rmat:10", "rgg:15", "kron_g500:13")  # for algorithms with a kernel per kind of frontier
_WARM: set[tuple[Any, ...]] = (
    set()
)  # what has run in this process: algorithm, device, order, types, options and choices


def warm_up(G: Pattern, row: Algorithm, order: Any, trace: bool, options: dict[str, Any]) -> None:
    """Color small graphs, so that the code of an algorithm is compiled and loaded.

    Functions among the options are the caller's, for the caller's graph: here others stand for them.

    Raises
    ------
    KeyboardInterrupt
        Also where the algorithm would have returned its best so far, which is of no use here.
    """
    name = row.order if order is None else order if isinstance(order, str) else "the caller's"
    if inlined(G, row) and name == "largest_first_spread":
        from ..engines.greedy.cuda import load

        load(G)
    isolated = beside(G, row)
    several = not G.on_gpu and "threads" in row.options and threads.count(options.get("threads"), G.m) > 1
    choices = [(k, v) if isinstance(v, (str, bool)) else k for k, v in options.items()]  # others take the same code
    key = (row.problem, row.name, G.device, name, G.indptr.dtype.char, trace, isolated, several, *choices)
    if key in _WARM:
        return
    options = {k: (lambda *_: True) if callable(v) else v for k, v in options.items()}
    if several and options.get("threads") is None:
        options = {**options, "threads": min(threads.count(None, G.m), 4)}  # some loops are for four and more
    for small in small_graphs(G, row, isolated):
        for also in ({}, row.also_warm) if row.also_warm else ({},):
            log = Log(trace)
            own = np.arange(small.n) if name == "the caller's" else name
            taken = PROBLEMS[row.problem].structure(small)
            row.run(taken, priorities(taken, row, own, DEFAULT_SEED)[0], log, **{**options, **also})
            if row.rehearse is not None:
                row.rehearse(taken)
            if log.notes.get("interrupted"):
                raise KeyboardInterrupt
    _WARM.add(key)


def inlined(G: Pattern, row: Algorithm) -> TypeGuard[Graph]:
    """Whether kernels for small graphs color `G` in the order largest_first_spread."""
    return isinstance(G, Graph) and G.on_gpu and row.style == "kernel" and "largest_first_spread" in row.inline_on_gpu


def beside(G: Pattern, row: Algorithm) -> tuple[int, ...]:
    """Isolated vertices with which a small graph takes the kernels that `G` does, and each that a smaller one would."""
    if not (G.on_gpu and row.style == "kernel" and isinstance(G, Graph)):
        return ()
    out = (HUGE,) if G.n > HUGE else ()
    if inlined(G, row):
        from ..engines.greedy.cuda_small import BLOCK_ENTRIES, BLOCK_VERTICES, GRID_ENTRIES, SPARSE_VERTICES

        for n, m, isolated in ((SURE, GRID_ENTRIES, SORTED), (SPARSE_VERTICES, BLOCK_ENTRIES, BLOCK_VERTICES)):
            if G.n > n or G.m > m:
                out = (isolated, *out)
    return out


def small_graphs(G: Pattern, row: Algorithm, isolated: tuple[int, ...] = ()) -> Iterator[Graph]:
    """A clique, for the loops for many colors, and a path, for those for few, with types and device of `G`.

    Over 64 colors are many, and on a CPU none are where all degrees are lower: compiling loops for them takes a second.
    Engines of verbs have one loop for all, and are slow at it. The clique is odd, so that
    colors in pairs leave a gap. With isolated vertices beside it, last, it runs the kernels for larger graphs.
    On a GPU verbs and operators choose a kernel by the size and the degrees of a frontier: they get thousands of
    vertices, with hubs and without.
    """
    few = row.style == "algebra" or (row.problem == DEFAULT and not G.on_gpu and dev.largest(G.degrees) < FEW)
    k = 5 if few else 71
    indptr = np.arange(k + 1, dtype=G.indptr.dtype) * (k - 1)
    others = np.broadcast_to(np.arange(k, dtype=np.int32), (k, k))
    clique = others[~np.eye(k, dtype=bool)]
    yield Graph(indptr, clique).on(G.device)
    yield Graph(np.array([0, 1, 3, 4], G.indptr.dtype), np.array([1, 0, 2, 1], np.int32)).on(G.device)
    if G.on_gpu and row.style in ("algebra", "frontier"):
        for lively in map(_lively, LIVELY):
            yield Graph(lively.indptr.astype(G.indptr.dtype), lively.indices).on(G.device)
    for more in isolated:
        yield Graph(np.pad(indptr, (0, more), mode="edge"), clique).on(G.device)


@functools.cache
def _lively(spec: str) -> Graph:
    from ..generate import from_spec

    return from_spec(spec)
