"""Advance and neighbor-reduce: the greatest priority among the uncolored neighbors, as a segmented reduction.

==========  =====================================================================================
p           priorities, a permutation (the paper's random numbers R, without ties)
colors      color, or −1 − p while uncolored (C); colored vertices are the paper's Removed
largest     greatest priority among the uncolored neighbors of a vertex
==========  =====================================================================================

A round has three operators, not fused, as in the paper, which uses this algorithm as the baseline of Table II.
neighbor_reduce, which includes the advance, reads every neighbor of the frontier; compute colors vertices; filter
builds the next frontier. The colors equal `luby_is`.

Progress: the uncolored vertex of greatest priority exceeds all its uncolored neighbors, and is colored.

Reference: Osama, Truong, Yang, Buluç, Owens 2019, "Graph Coloring on the GPU", Algorithm 7.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import semirings

from ...base.log import Log
from ...base.options import choice
from ...frontier.operators import BALANCES, Frontier, Operators, functor, on
from ...graph.graph import Graph
from ...orders import Priorities
from ...problems.registry import coloring
from .enactor import BALANCE, PAPER, uncolored, uncolored_in_order, until_empty

GREATEST = semirings.monoid(semirings.BINARY["max"], -1)["int32"]  # no terminal value, so reductions read all entries


@functor("int c = colors[u]; return c < 0 ? -1 - c : -1;")
def priority(v: Any, u: Any, e: Any, colors: Any) -> Any:
    """Priority of neighbor u, or -1 if it is removed."""
    return -1 - colors[u] if colors[u] < 0 else -1


@functor("largest[v] = x; return false;")
def keep_largest(v: Any, x: Any, largest: Any) -> Any:
    largest[v] = x
    return False


@functor("if (-1 - colors[v] > largest[v]) colors[v] = k;")
def color_removed(v: Any, largest: Any, colors: Any, k: Any) -> None:
    if -1 - colors[v] > largest[v]:
        colors[v] = k


@coloring(
    "gunrock_ar",
    style="frontier",
    paper=f"{PAPER} 7",
    bound="rounds",
    passes=True,
    order="random",
    seed=0,
    needs="p",
    options={"load_balance": BALANCE},
)
def gunrock_ar(G: Graph, p: Priorities, log: Log, load_balance: str = "auto") -> Any:
    """Independent sets by advance, segmented reduction and compute, as separate operators."""
    return color_by_reduction(on(G), p.p, log, choice("load_balance", load_balance, BALANCES))


def color_by_reduction(ops: Operators, p: Any, log: Log, balance: str) -> Any:
    """Color with the operators of an engine; `p` are priorities."""
    colors, largest = uncolored_in_order(p), ops.xp.empty(ops.G.n, np.int32)

    def step(k: int, F: Frontier) -> Frontier:
        reach = {"colors": colors, "largest": largest}
        ops.neighbor_reduce(F, priority, GREATEST, keep_largest, balance=balance, **reach)
        ops.compute(F, color_removed, k=k, **reach)
        return ops.filter(F, uncolored, colors=colors)

    until_empty(ops, ops.all(), log, step)
    return colors
