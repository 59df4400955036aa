"""Feluca: recursion colors most vertices in a few rounds; sequential spread colors the rest without conflicts.

This file registers the algorithm and has its two stages; cpu.py and gpu.py have the steps of a round.

First stage, *recursion* (Algorithm 1, section 4.1). Every vertex draws a color from COLORS at random. An edge leads
from the earlier vertex in the order, the parent, to the later one. In each round, every vertex that has the color of a
parent selects a new color. NeighborColors stores the parents' colors, or the least and the greatest if it is too short.
The vertex takes NeighborColors[j] + 1 if this is below the greatest and not in the array, and otherwise the color after
the greatest. Each round reads the edge list of section 4.3.

`traversal="all"` compares the ends of all edges in each round, as in Algorithm 1. `traversal="levels"` compares edges
that leave the breadth-first levels reached so far, as in section 4.1.

Second stage, *sequential spread* (section 4.2). The vertices in conflict lose their colors and form a DAG. A block of
threads processes a color and finds vertices for it, level by level of the DAG. The blocks run in a pipeline
(`spread="pipeline"`, the paper's second strategy), or all at once (`spread="at_once"`, the first). `spread="vertex"`
does not use color classes: each vertex takes its first-fit color.

It ends: a vertex without parents never changes. Once all parents of a vertex are final, its new color can be a parent's
only if the array does not contain it. The vertex is then in conflict again, and selects the color after the greatest,
because it never selects the color that it has.

Rounds read the colors of the previous round, so the result is the same on every run and device.
docs/algorithms/feluca.md lists what the paper leaves open.

==============  ==========================================================================
COLORS          0 … initial − 1 at first; a new color is the next number
NeighborColors  the least and the greatest color of the parents, and `length` − 2 after the least
active          vertices of a round: in conflict before it, or reached by it
left            vertices in conflict, or not reached, when the second stage begins
==============  ==========================================================================

Reference: Zheng, Shi, He, Jin, Wei, Dai, Peng 2020, "Feluca: A Two-Stage Graph Coloring Algorithm with Color-centric
Paradigm on GPU", IEEE TPDS 32(1), Algorithm 1 and sections 3 to 5.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base import device as dev
from ...base.compile_clock import clock
from ...base.device import threads_for_graph
from ...base.log import Log
from ...base.options import choice, number, whole
from ...engines.rounds.worklists import without_gaps
from ...graph.graph import Graph
from ...orders import Priorities
from ...orders.ties import mix
from ...problems.registry import coloring
from . import cpu, gpu

NONE = 2**31 - 1  # in place of a color
MILLION = 1_000_000  # α and fraction in millionths, so that comparisons are exact
LONGEST = 64  # largest length of NeighborColors, whose colors are bits of a word
TRAVERSALS = ("all", "levels")
SPREADS = ("pipeline", "at_once", "vertex")


@dataclass(frozen=True)
class FelucaOptions:
    """Checked options of a call."""

    initial: int  # size of COLORS at the start
    length: int  # of NeighborColors
    alpha: int  # in millionths; recursion ends if active ≤ (1 + α) conflicting in two consecutive rounds; −1: off
    fraction: int  # in millionths; recursion ends once more than this share of the vertices is colored; −1: off
    traversal: str
    spread: str

    def switches(self, n: int, colored: int, rounds: Sequence[tuple[int, int]]) -> bool:
        """True if the second stage should begin."""
        if self.fraction >= 0 and colored * MILLION > self.fraction * n:
            return True
        if self.alpha < 0 or len(rounds) < 2:
            return False
        return all(active * MILLION <= (MILLION + self.alpha) * conflicts for active, conflicts in rounds[-2:])


@coloring(
    "feluca",
    style="kernel",
    paper="Zheng et al. 2020, Algorithm 1",
    engines=("cpu", "cuda"),
    bound="initial + rounds",
    oracle=None,
    deterministic=True,
    order="natural",
    seed=0,
    needs="p",
    options={
        "alpha": "second stage begins if active ≤ (1 + alpha) conflicting in two consecutive rounds; default 0.1",
        "fraction": "share of colored vertices that ends the first stage, in place of alpha; 0: no first stage, 1: no "
        "second stage",
        "length": f"length of NeighborColors, 2 (default) to {LONGEST}",
        "initial": "number of colors to draw from at first; default: mean degree + 1, at most Δ + 1",
        "traversal": "first stage: all (default, every edge in each round) or levels (breadth-first from the roots)",
        "spread": "second stage: pipeline (default) or at_once, both of color classes, or vertex (no color classes)",
    },
    threaded=True,
)
def feluca(
    G: Graph,
    p: Priorities,
    log: Log,
    alpha: float = 0.1,
    fraction: float | None = None,
    length: int = 2,
    initial: int | None = None,
    traversal: str = "all",
    spread: str = "pipeline",
    threads: int | None = None,
) -> Any:
    """Feluca: recursion for most vertices, color-centric sequential spread for the rest."""
    fraction = number("fraction", fraction, 0, 1, none=True)
    alpha = number("alpha", alpha, 0, 1000)
    initial = whole("initial", initial, 1, of="colors", none=True)
    chosen = FelucaOptions(
        initial=min(G.m // max(G.n, 1) + 1 if initial is None else initial, G.max_degree + 1),
        length=whole("length", length, 2, LONGEST),
        alpha=round(alpha * MILLION) if fraction is None else -1,
        fraction=-1 if fraction is None else round(fraction * MILLION),
        traversal=choice("traversal", traversal, TRAVERSALS),
        spread=choice("spread", spread, SPREADS),
    )
    if threads is not None:
        threads = threads_for_graph(threads, G, log)
    if G.n == 0:
        return G.xp.full(0, -1, "int32")
    steps, start = (gpu.GPUSteps if G.on_gpu else cpu.CPUSteps)(G, p, chosen.length, threads), _clock(G, log)
    if chosen.fraction != 0:
        colors, left = recursion(G, steps, chosen, p.seed or 0, log)
    else:
        colors, left = G.xp.full(G.n, -1, np.int32), G.xp.arange(G.n, dtype=np.int32)
    between = _clock(G, log)
    if len(left):
        sequential(steps, chosen, colors, left, log)
    colors, log.notes["left"] = without_gaps(colors), len(left)
    log.notes |= {"recursion_ms": between - start, "spread_ms": _clock(G, log) - between}
    return colors


def recursion(G: Graph, steps: Any, plan: FelucaOptions, seed: int, log: Log) -> tuple[Any, Any]:
    """Run the first stage; return colors and the vertices left for the second stage."""
    xp = G.xp
    hashes = mix(xp, xp.arange(G.n, dtype=np.uint32), seed).astype(np.uint64)
    before = (hashes * np.uint64(plan.initial) >> np.uint64(32)).astype(np.int32)
    after, levels, reached = before.copy(), None, G.n  # rounds do not write vertices without parents
    if plan.traversal == "levels":
        levels = (steps.n_parents > 0).astype(np.int32) * np.int32(-1)
        reached = int((levels == 0).sum())
    rounds: list[tuple[int, int]] = []
    active = reached
    for k in itertools.count():
        conflicts, new = steps.round(levels, k, before, after)
        active, reached = active + new, reached + new
        rounds.append((active, conflicts))
        if conflicts == new == 0 or plan.switches(G.n, reached - conflicts, rounds):
            break
        log.round(active=active, colored=active - conflicts, conflicts=conflicts)
        before, after, active = after, before, conflicts
    if levels is not None:
        steps.round(None, k, before, after)  # compares edges that no round has compared
    differs = before != after
    left = xp.flatnonzero(differs if levels is None else differs | (levels < 0)).astype(np.int32)
    colored = sum(active - conflicts for active, conflicts in rounds[:-1])
    log.round(active=active, colored=G.n - len(left) - colored, conflicts=conflicts)
    return before, left


def sequential(steps: Any, plan: FelucaOptions, colors: Any, left: Any, log: Log) -> None:
    """Color the vertices left, in place; log active and conflicting vertices of each step in a trace."""
    n = len(left)
    if plan.spread == "pipeline":
        order, ends = steps.by_levels(left, colors)
        rows = steps.pipeline(order, ends, colors)
    elif plan.spread == "at_once":
        rows = at_once(steps, colors, left, plan.initial)
    else:
        rows = vertex_centric(steps, colors, left)
    log.round(active=n, colored=n, conflicts=0)
    if log.trace:
        log.notes["spread"] = [{"active": int(a), "conflicts": int(b)} for a, b in rows if a]


def at_once(steps: Any, colors: Any, left: Any, least: int) -> list[tuple[int, int]]:
    """First strategy: process all colors in use independently; a vertex keeps the least of its colors.

    Uncolored vertices continue with equally many new colors. Some vertex takes each new color, so it ends.
    """
    xp = dev.module_of(colors)
    n_colors, first, rows = max(least, int(colors.max()) + 1), 0, []
    order, ends = steps.by_levels(left, colors)
    while n := len(order):
        found = steps.at_once(order, ends, colors, first, n_colors)
        open_ = found == NONE
        colors[order] = xp.where(open_, np.int32(-1), found)
        up_to = xp.cumsum(open_)[ends - 1]  # uncolored vertices up to the end of each level
        order, ends, first = order[open_], xp.unique(up_to[up_to > 0]), first + n_colors
        rows.append((n, len(order)))
        number_places(order, colors)
    return rows


def vertex_centric(steps: Any, colors: Any, left: Any) -> list[tuple[int, int]]:
    """Without color classes: vertices take their first-fit colors at once; the later vertex of a conflict repeats.

    The earliest vertex left never repeats, so fewer vertices are left after each round.
    """
    colors[left], rows = -1, []
    while n := len(left):
        colors[left] = steps.fit(left, colors)
        left = left[steps.loses(left, colors)]
        rows.append((n, len(left)))
    return rows


def number_places(order: Any, colors: Any) -> None:
    """Set the color of the i-th vertex in `order` to −1 − i, which encodes its position while it is uncolored."""
    colors[order] = -1 - dev.module_of(colors).arange(len(order), dtype=np.int32)


def _clock(G: Graph, log: Log) -> float:
    """Time in milliseconds; with a trace, wait for the GPU first."""
    if G.on_gpu and log.trace:
        dev.cupy().cuda.get_current_stream().synchronize()
    return clock() * 1e3
