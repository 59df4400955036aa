"""The steps of a search run once on small graphs, so that compiling or loading code is in no step's own time.

Each is run before its first use. The time that this takes is in `compile_seconds`, and extends a time limit.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from ..core.errors import DeviceError
from ..core.graph import Graph
from ..core.registry import ALGORITHMS
from ..core.result import Log
from ..problems import PROBLEMS
from ..run.warm_up import small_graphs, warm_up
from .attempts import FAST, ORDERS, SPREADS, in_order_of_ids, number_of, run_row

CHECK = "check"
_REHEARSED: set[tuple[str, str, str]] = set()


def rehearse(G: Graph, quality: str) -> None:
    """Run each step of a quality once, on small graphs with types and device of `G`."""
    rehearsal = Rehearsal(G)
    for name in _STEPS if quality == "best" else _BALANCED:
        rehearsal.of(name)


class Rehearsal:
    """What of a search is ready, on the device of a graph and for its types."""

    def __init__(self, G: Graph) -> None:
        self.G = G

    def of(self, name: str) -> None:
        """Run a step once, if that was not done in this process.

        Raises
        ------
        KeyboardInterrupt
            Also where the step would have returned its best so far.
        """
        if name == FAST:  # which takes other code for larger graphs
            warm_up(self.G, ALGORITHMS[FAST], None, False, {})
        if (key := self._key(name)) in _REHEARSED:
            return
        log = Log()
        if name in _STEPS:
            _STEPS[name](next(small_graphs(self.G, ALGORITHMS[FAST])), log)
        if log.notes.get("interrupted"):
            raise KeyboardInterrupt
        _REHEARSED.add(key)

    def _key(self, name: str) -> tuple[str, str, str]:
        return self.G.device, self.G.indptr.dtype.char, name


def _sizes(G: Graph, _: Log) -> None:
    if G.on_gpu:
        from ..engines.recolor.mesh import is_mesh

        number_of(G.xp.arange(G.n, dtype=np.int32))
        is_mesh(_edge(G))


def _edge(G: Graph) -> Graph:
    """A graph with degrees under 64."""
    return Graph(G.xp.arange(3, dtype=G.indptr.dtype), G.xp.array([1, 0], np.int32))


def _bipartite(G: Graph, _: Log) -> None:
    from ..engines.recolor import bipartite

    bipartite(G)


def _lattice(G: Graph, _: Log) -> None:
    if not G.on_gpu:
        return
    from ..engines.recolor.lattice import lattice as color_lattice
    from ..generate import banded

    for width in (4, 13):  # bands that fail the last test for a lattice only
        band = banded(200, width, device=G.device)
        color_lattice(Graph(band.indptr.astype(G.indptr.dtype), band.indices))


def _natural(G: Graph, _: Log) -> None:
    if not G.on_gpu:
        in_order_of_ids(G, 0.0, Log())
        return
    from ..engines.greedy.cuda_natural import first_fit_natural

    first_fit_natural(_edge(G), 1.0)


def _ejection(G: Graph, log: Log) -> None:
    from ..engines.recolor import ejection
    from ..engines.recolor.ejections_at_once import Launch, eject_at_once

    xp, rays = G.xp, 300  # over 256: kernels for hubs
    beside = Graph(xp.append(G.indptr, xp.full(3, G.m, G.indptr.dtype)), G.indices)  # colors to save, then none
    indptr = xp.append(xp.zeros(1, G.indptr.dtype), xp.arange(rays, 2 * rays + 1, dtype=G.indptr.dtype))
    star = Graph(indptr, xp.append(xp.arange(1, rays + 1, dtype=np.int32), xp.zeros(rays, np.int32)))
    with suppress(DeviceError):  # cooperative launches are not possible here: an attempt will report it
        colors = xp.arange(beside.n, dtype=np.int32)
        Launch(beside)(colors) if G.on_gpu else eject_at_once(beside, colors, beside.n)
        ejection(beside, xp.arange(beside.n, dtype=np.int32), passes=0.01, log=log)
        ejection(star, xp.arange(rays, -1, -1, dtype=np.int32), passes=0.01, log=log)  # one that succeeds


def _iterated_greedy(G: Graph, log: Log) -> None:
    from ..engines.recolor import iterated_greedy

    with suppress(DeviceError):
        iterated_greedy(G, G.xp.arange(G.n, dtype=np.int32), rounds=1, log=log)


def _clique(G: Graph, _: Log) -> None:
    from ..engines.recolor import clique_size

    clique_size(G)


def _head(G: Graph, _: Log) -> None:
    if G.on_gpu:
        from ..engines.tabu.descent_gpu import rehearse as rehearse_gpu

        rehearse_gpu(G)
        return
    from ..engines.tabu.descent import rehearse

    rehearse(G)


def _exact(G: Graph, _: Log) -> None:
    if not G.on_gpu:
        from ..engines.branch_and_bound import rehearse

        rehearse(G)


def _check(G: Graph, _: Log) -> None:
    PROBLEMS[ALGORITHMS[FAST].problem].verify(G, G.xp.arange(G.n, dtype=np.int32), errors="return")


def _order(algorithm: str, order: str, tie_seed: int | None, on_gpu: bool) -> Callable[[Graph, Log], None]:
    def take(G: Graph, _: Log) -> None:
        if G.on_gpu == on_gpu:
            run_row(G, algorithm, order, tie_seed, Log())

    return take


# By the name that an attempt has, without what follows a comma.
_STEPS: dict[str, Callable[[Graph, Log], Any]] = {
    FAST: _sizes,
    CHECK: _check,
    "bipartite": _bipartite,
    "lattice": _lattice,
    "natural": _natural,
    "ejection": _ejection,
    "clique": _clique,
    "iterated_greedy": _iterated_greedy,
    "head": _head,
    "exact": _exact,
    **{order if name == "greedy" else name: _order(name, order, seed, False) for name, order, seed, _ in ORDERS},
    **{order: _order(name, order, seed, True) for name, order, seed, _ in SPREADS},
}
_BALANCED = (FAST, "bipartite", "lattice", "natural", "ejection")
