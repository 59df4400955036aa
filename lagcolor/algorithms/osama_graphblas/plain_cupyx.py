"""Colorings of Osama et al. in operations of cupyx: `multiply`, `max` along rows, and `@`.

========  ===================================================================================
A         adjacency matrix, a `cupyx.scipy.sparse.csr_matrix` of ones
weight    weight of each candidate, 0 for other vertices
max       largest weight of a vertex's neighbors
frontier  candidates whose weight exceeds max
nbr       neighbors of the frontier
color     color of the frontier
C         color of each vertex, from 1 on; 0 uncolored
========  ===================================================================================

These are the plain listings, for comparison with the other versions. They return the colors of `luby_is`, `luby_mis`
and `jones_plassmann_gb`. They take longer, because `A.multiply(weight)` stores the product of every entry before `max`
reads it. Weights are float64, which represents integers up to 2⁵³. They end like the versions in verbs: every frontier
has the candidate of largest weight.

Reference: Osama, Truong, Yang, Buluç, Owens 2019, "Graph Coloring on the GPU", Algorithms 2 to 4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...base import device as dev
from ...base.log import Log
from ...graph.graph import Graph
from ...orders import Priorities
from ...problems.registry import coloring
from .adapter import PAPER, matrix


def luby_is(xp: Any, A: Any, weight: Any, log: Log) -> Any:
    """Algorithm 2 in cupyx: a new color for each independent set."""
    C, color = xp.zeros(len(weight), np.int32), 0
    while weight.any():
        color += 1
        frontier = weight > max_of_neighbors(A, weight)
        assign(C, color, frontier, log)
        weight[frontier] = 0
    return C


def luby_mis(xp: Any, A: Any, first: Any, log: Log) -> Any:
    """Algorithm 3 in cupyx: a color for each maximal independent set."""
    C, color = xp.zeros(len(first), np.int32), 0
    while not C.all():
        color += 1
        weight = xp.where(C == 0, first, 0)
        while weight.any():
            frontier = weight > max_of_neighbors(A, weight)
            assign(C, color, frontier, log)
            nbr = A @ frontier.astype(A.dtype) > 0
            weight[frontier | nbr] = 0
    return C


def jones_plassmann(xp: Any, A: Any, weight: Any, log: Log) -> Any:
    """Algorithm 4 in cupyx: a frontier takes the least color that none of its neighbors has."""
    C = xp.zeros(len(weight), np.int32)
    while weight.any():
        frontier = weight > max_of_neighbors(A, weight)
        nbr = A @ frontier.astype(A.dtype) > 0
        colors = xp.zeros(int(C.max()) + 2, bool)  # the colors in use, a new color, and 0, which is no color
        colors[C[nbr]] = colors[0] = True
        assign(C, int(colors.argmin()), frontier, log)
        weight[frontier] = 0
    return C


def assign(C: Any, color: int, frontier: Any, log: Log) -> None:
    """Color the frontier with `color` and log the round."""
    left = int((C == 0).sum())
    C[frontier] = color
    log.round(active=left, colored=left - int((C == 0).sum()), conflicts=0)


def max_of_neighbors(A: Any, weight: Any) -> Any:
    """Largest weight of each vertex's neighbors; 0 without neighbors."""
    return A.multiply(weight).max(axis=1).toarray().ravel()


def _register(name: str, number: int, of: str, body: Callable[..., Any], **more: Any) -> None:
    def run(G: Graph, p: Priorities, log: Log) -> Any:
        cp = dev.cupy()
        if G.n == 0:
            return cp.empty(0, np.int32)
        A = matrix(G, "cupyx").csr.astype(np.float64)
        return body(cp, A, p.p.astype(np.float64) + 1, log) - np.int32(1)

    run.__doc__, run.__module__ = body.__doc__, __name__
    row: dict[str, Any] = {"style": "algebra", "engines": ("cuda",), "order": "random", "seed": 0, "needs": "p"}
    coloring(name, paper=f"{PAPER} {number}", variant_of=of, **row, **more)(run)


_register("luby_is_cupyx", 2, "luby_is", luby_is, bound="rounds")
_register("luby_mis_cupyx", 3, "luby_mis", luby_mis, bound="Δ+1", oracle="first_fit")
_register("jones_plassmann_gb_cupyx", 4, "jones_plassmann_gb", jones_plassmann, bound="rounds")
