"""ECL-GC on a CPU: visits of all vertices in their order until all have colors, or in step, for a trace.

The trace is as of a machine of unbounded width. A step is what the paper's Section 7.1 counts: in it every vertex
without a color reads its earlier neighbors as they were before the step, and is colored if none is pending.
Initialization colors the vertices without an earlier neighbor; it is no step in Figure 6, but the first of those that
Table 4 counts. Without shortcuts there are then as many steps as vertices on the longest path of the oriented graph.

In a trace, as in the paper's code, vertices of 32 and more neighbors have an interval of possible colors, others a
bitmap.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.compiled import njit
from ...base.log import Log
from ...engines.rounds.worklists import levels
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...orders import Priorities
from .paper import CONVENTIONAL, SHORTCUT, WAITING, Colors, PossibleColors, color_by_visits, visit

WORD, WORD_IN_STEP = 64, 32  # neighbors from which a word does not hold the possible colors


def run_cpu(G: Graph, p: Priorities, sc1: bool, sc2: bool, log: Log) -> np.ndarray:
    """Colors, int32, shape (n,)."""
    if G.n == 0:
        return np.empty(0, np.int32)
    state = PossibleColors(*unsigned(G), p.p, WORD_IN_STEP if log.trace else WORD)
    sequence = p.sequence.view(np.uint32)
    if log.trace:
        level = np.empty(G.n, np.int32)
        levels(*unsigned(G), sequence, p.p, level)
        return color_in_step(state, int(level.max()) + 1, sequence, sc1, sc2, log)
    return color_by_visits(state, sequence, sc1, sc2)


def color_in_step(
    state: PossibleColors, depth: int, sequence: np.ndarray, sc1: bool, sc2: bool, log: Log
) -> np.ndarray:
    """Colors, int32, shape (n,); one row of the log per step, totals in its notes.

    `depth`: vertices on the longest path. Rows have `by_shortcut`, active and colored; notes are `steps`,
    `steps_without_shortcuts`, and how many vertices were colored at `initialization`, by `shortcut`, and
    `conventionally` (Figure 12).
    """
    n = len(sequence)
    before = state.colors
    todo = sequence[before.color[sequence] != 0]
    total = [n - len(todo), 0, 0]
    log.round(active=n, colored=total[0], by_shortcut=0, conflicts=0)
    after = Colors(*(a.copy() for a in before))
    how = np.empty(len(todo), np.uint8)
    while len(todo):
        step(todo, how, state.tables, before, after, sc1, sc2)
        for now, new in zip(before, after, strict=True):
            now[todo] = new[todo]
        shortcut, conventional = (int(np.count_nonzero(how == kind)) for kind in (SHORTCUT, CONVENTIONAL))
        log.round(active=len(todo), colored=shortcut + conventional, by_shortcut=shortcut, conflicts=0)
        total[1] += shortcut
        total[2] += conventional
        todo = todo[how == WAITING]
        how = how[: len(todo)]
    log.notes |= {"steps": log.rounds, "steps_without_shortcuts": depth}
    log.notes |= dict(zip(("initialization", "shortcut", "conventionally"), total, strict=True))
    return before.color


@njit(cache=True)
def step(todo: Any, how: Any, tables: Any, before: Any, after: Any, sc1: Any, sc2: Any) -> None:
    """Visit all of `todo`; the outcomes are read in the next step only."""
    for k in range(todo.size):
        how[k] = visit(todo[k], tables, before, after, sc1, sc2)
