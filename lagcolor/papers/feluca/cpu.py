"""Feluca on a CPU: both stages, and what the trace reports of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings.compiling import clock

from ...device.compiled import njit
from ...graph import Graph
from ...orders import Priorities
from ...result import Log
from .dag import Dag
from .options import Plan
from .recursion import recursion
from .spread import in_order, vertex_centric


def color(G: Graph, D: Dag, plan: Plan, p: Priorities, log: Log, threads: int | None) -> np.ndarray:
    """The colors of a DAG's ids."""
    start = clock()
    if plan.recursion:
        colors, left = recursion(D, plan, p.seed or 0, log, threads)
    else:
        colors, left = np.full(D.n, -1, np.int32), np.arange(D.n, dtype=np.uint32)
    between = clock()
    if len(left):
        passes = spread(D, colors, left, plan.spread, threads)
        report(log, len(left), colors[left] if log.trace else None, passes)
    close_gaps(colors, used(colors, np.zeros(int(colors.max(initial=-1)) + 1, np.bool_)))
    end = clock()
    log.notes |= {"left": len(left), "recursion_ms": (between - start) * 1e3, "spread_ms": (end - between) * 1e3}
    return colors


def spread(D: Dag, colors: np.ndarray, left: np.ndarray, strategy: str | None, threads: int | None) -> list[int] | None:
    """Color the left in place; how many were left before each pass, where the strategy has passes."""
    if strategy == "vertex":
        return vertex_centric(D, colors, left, threads)
    in_order(D, colors, left.view(np.int32), threads)
    return None


def report(log: Log, n: int, colors: np.ndarray | None, passes: list[int] | None) -> None:
    """A round for the whole stage; with a trace also its steps: active vertices, and how many of them are left after.

    A step of first-fit is a color: active are those that no earlier color took, conflicting those that a neighbour
    keeps from this one. A step of the other strategy is a pass.

    Parameters
    ----------
    n : int
        How many were left to the stage.
    colors : array, optional
        What they were given; needed where there is a trace, but no passes.
    passes : list of int, optional
        How many were left before each pass.
    """
    log.round(active=n, colored=n, conflicts=0)
    if log.trace:
        if passes is None:
            taken = np.bincount(colors if colors is not None else [])
            passes = [n - done for done in np.cumsum([0, *taken[:-1]]).tolist()]
        after = [*passes[1:], 0]
        log.notes["spread"] = [{"active": a, "conflicts": b} for a, b in zip(passes, after, strict=True)]


@njit(cache=True, nogil=True)
def used(colors: Any, seen: Any) -> Any:
    """Which colors are in use."""
    for c in colors:
        seen[c] = True
    return seen


def close_gaps(colors: np.ndarray, seen: np.ndarray) -> None:
    """Rename the colors so that none is unused; random initial colors may leave gaps in small graphs."""
    if not seen.all():
        names = np.cumsum(seen, dtype=np.int32) - np.int32(1)
        np.take(names, colors, out=colors)
