"""Luby's coloring by independent sets: in every round the local maxima of the weights take a new color.

========  ===================================================================================
weight    weight of each candidate, 0 once it has a color
max       largest weight of a candidate's neighbors; absent without neighbors
frontier  candidates whose weight exceeds max, an independent set
color     color of the round
C         color of each vertex, from 1 on; 0 uncolored
========  ===================================================================================

It ends: weights are distinct, so every frontier has the candidate of largest weight. An isolated vertex has no entry in
max; the union in ewise_add puts it into the first frontier.

The paper reads all rows in each round; here the mask skips the rows of colored vertices. On a CPU, SuiteSparse computes
the product along the rows of the symmetric matrix. `luby_is_graphblas` is the unchanged listing of the paper, with the
``vxm`` and ``max_times`` of python-graphblas; the colors are the same. `luby_is_fused` is two kernels without rounds.

Reference: Osama, Truong, Yang, Buluç, Owens 2019, "Graph Coloring on the GPU", Algorithm 2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings import gt, max_times
from semirings.interrupts import checked, deferred

from ...base.extras import need
from ...base.log import Log
from ...engines.rounds.independent_sets import independent_sets, log_sets
from ...graph.graph import Graph
from ...orders import Priorities
from ...problems.registry import coloring
from .adapter import PAPER, engine_of, in_verbs, is_check_round, log_classes


@in_verbs("luby_is", 2, bound="rounds")
def luby_is(A: Any, weight: Any, E: Any, log: Log) -> Any:
    """Luby's independent sets: all local maxima of a round take a new color."""
    C = E.zeros(A.nrows)
    color, left = 0, True
    while left:
        color += 1
        max = E.vxm(weight, A, max_times, mask=weight)  # max⟨weight⟩ = weightᵀ max.× A
        frontier = E.ewise_add(gt, weight, max)  # frontier = weight > max
        E.assign(C, color, mask=frontier)  # C⟨frontier⟩ = color
        E.assign(weight, 0, mask=frontier)  # weight⟨frontier⟩ = 0
        if is_check_round(color, E):  # rounds after the last find no candidate and color no vertex
            left = E.any(weight)
    log_classes(log, E, C)
    return C


VARIANT: dict[str, Any] = {
    "style": "algebra", "paper": f"{PAPER} 2", "bound": "rounds", "variant_of": "luby_is", "order": "random", "seed": 0,
    "needs": "p",
}  # fmt: skip


@coloring("luby_is_fused", engines=("cuda",), **VARIANT)
def luby_is_fused(G: Graph, p: Priorities, log: Log) -> Any:
    """`luby_is` without rounds: a color is one more than the largest color among larger neighbors."""
    colors, n_colors = independent_sets(G, p.p)
    log_sets(log, G, colors, n_colors)
    return colors


@coloring("luby_is_graphblas", engines=("cpu",), passes=True, **VARIANT)
def luby_is_graphblas(G: Graph, p: Priorities, log: Log) -> Any:
    """Luby's independent sets: the paper's listing in python-graphblas, without masks on the product."""
    with deferred():  # Ctrl-C raises after a round
        return _as_listed(G, p.p + np.int32(1), log)


def _as_listed(G: Graph, weights: Any, log: Log) -> Any:
    """Run Algorithm 2, in which colors begin at 1; return colors from 0 on."""
    gb = need("graphblas", "luby_is_graphblas", "graphblas")
    if G.n == 0:
        return np.empty(0, np.int32)
    A = engine_of(G).matrix(G.indptr, G.indices, np.int32(1)).gb
    C = gb.Vector.from_scalar(np.int32(0), G.n, dtype=np.int32)
    weight, color, left = gb.Vector.from_dense(weights), 0, G.n
    while True:
        color += 1
        succ = _next_set(A, C, weight, color)
        if succ == 0:
            return C.to_dense() - np.int32(1)
        log.round(active=left, colored=succ, conflicts=0)
        left -= succ


@checked
def _next_set(A: Any, C: Any, weight: Any, color: int) -> int:
    """Run a round: the local maxima take `color`; return their number."""
    import graphblas as gb

    max = weight.vxm(A, gb.semiring.max_times).new()
    frontier = weight.ewise_add(max, gb.binary.gt).new(bool)
    succ = int(frontier.apply(gb.unary.identity).new(np.int64).reduce(gb.monoid.plus).new().value)
    if succ:
        C(mask=frontier.V) << np.int32(color)
        weight(mask=frontier.V) << np.int32(0)
    return succ
