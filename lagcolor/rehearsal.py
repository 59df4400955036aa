"""Every step of a search run once on a small graph, so that compiling or loading code does not use up a time limit."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from .errors import DeviceError
from .graph import Graph
from .problems import PROBLEMS
from .registry import ALGORITHMS
from .result import Log
from .search import FAST, ORDERS, SPREADS, in_order_of_ids, is_mesh, number_of, run_row
from .warm_up import small_graphs, warm_up

_REHEARSED: set[tuple[str, str, str]] = set()


def rehearse(G: Graph, quality: str) -> None:
    """Run each step of a quality once, on a small clique with types and device of `G`."""
    if (key := (G.device, G.indptr.dtype.char, quality)) in _REHEARSED:
        return
    warm_up(G, ALGORITHMS[FAST], None, False, {})
    _take_steps(next(small_graphs(G, ALGORITHMS[FAST])), quality)
    _REHEARSED.add(key)


def _take_steps(G: Graph, quality: str) -> None:
    from .engines.recolor import bipartite, clique_size, ejection, iterated_greedy

    log, xp, rays = Log(), G.xp, 300  # over 256: kernels for hubs
    bipartite(G)
    beside = Graph(xp.append(G.indptr, xp.full(3, G.m, G.indptr.dtype)), G.indices)  # colors to save, then none
    colors = xp.arange(G.n, dtype=np.int32)
    indptr = xp.append(xp.zeros(1, G.indptr.dtype), xp.arange(rays, 2 * rays + 1, dtype=G.indptr.dtype))
    star = Graph(indptr, xp.append(xp.arange(1, rays + 1, dtype=np.int32), xp.zeros(rays, np.int32)))
    with suppress(DeviceError):  # cooperative launches are not possible here: an attempt will report it
        colors = ejection(beside, xp.arange(beside.n, dtype=np.int32), passes=0.01, log=log)[: G.n]
        ejection(star, xp.arange(rays, -1, -1, dtype=np.int32), passes=0.01, log=log)  # one that succeeds
        if quality == "best":
            iterated_greedy(G, colors, rounds=1, log=log)
    if G.on_gpu:
        from .engines.greedy.cuda_natural import first_fit_natural
        from .engines.recolor.lattice import lattice as color_lattice
        from .generate import banded

        for width in (4, 13):  # bands that fail the last test for a lattice only
            band = banded(200, width, device=G.device)
            color_lattice(Graph(band.indptr.astype(G.indptr.dtype), band.indices))
        edge = Graph(xp.arange(3, dtype=G.indptr.dtype), xp.array([1, 0], np.int32))  # degrees must be under 64
        first_fit_natural(edge, 1.0)
        number_of(colors)
        is_mesh(edge)
    else:
        in_order_of_ids(G, 0.0, Log())
    if quality == "best":
        clique_size(G)
        PROBLEMS[ALGORITHMS[FAST].problem].verify(G, colors, errors="return")
        for algorithm, order, tie_seed, _ in SPREADS if G.on_gpu else ORDERS:
            run_row(G, algorithm, order, tie_seed, Log())
    if log.notes.get("interrupted"):  # the searches return their best so far, which is of no use here
        raise KeyboardInterrupt
