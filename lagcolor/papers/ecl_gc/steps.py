"""ECL-GC in step, for a trace: how many synchronous steps a machine of unbounded width would take.

A step is what the paper's Section 7.1 counts: in it every vertex without a color reads its earlier neighbours as they
were before the step, and is colored if none is pending. Initialization colors the vertices without
an earlier neighbour; it is no step in Figure 6, but the first of those that Table 4 counts. Without shortcuts there are
then as many steps as vertices on the longest path of the oriented graph.

As in the paper's code, vertices of 32 and more neighbours have an interval of possible colors, others a bitmap.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from ...core.result import Log
from ...device.compiled import njit
from .paper import CONVENTIONAL, SHORTCUT, WAITING, State, visit

WIDE_FROM = 32


def color_in_step(state: State, depth: int, sequence: np.ndarray, sc1: bool, sc2: bool, log: Log) -> np.ndarray:
    """Colors, int32, shape (n,); one row of the log per step, totals in its notes.

    `depth`: vertices on the longest path. Rows have `by_shortcut`, active and colored; notes are `steps`,
    `steps_without_shortcuts`, and how many vertices were colored at `initialization`, by `shortcut`, and
    `conventionally` (Figure 12).
    """
    n = len(sequence)
    todo = sequence[state.color[sequence] != 0]
    total = [n - len(todo), 0, 0]
    log.round(active=n, colored=total[0], by_shortcut=0, conflicts=0)
    arrays, visit_all = state.arrays(), cast(Any, step)
    before: Any = (state.possible, state.best, state.color)
    after: Any = [a.copy() for a in before]
    how = np.empty(len(todo), np.uint8)
    while len(todo):
        visit_all(todo, how, *arrays, *after, sc1, sc2)
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
    return state.color


@njit(cache=True)
def step(
    todo: Any, how: Any, indptr: Any, dag: Any, left: Any, worst: Any, wide: Any, cut: Any, at: Any, bitmaps: Any,
    possible: Any, best: Any, color: Any, possible_out: Any, best_out: Any, color_out: Any, sc1: Any, sc2: Any,
) -> None:  # fmt: skip
    """Visit all of `todo`; the outcomes are read in the next step only."""
    for k in range(todo.size):
        how[k] = visit(
            todo[k], indptr, dag, left, worst, wide, cut, at, bitmaps, possible, best, color,
            possible_out, best_out, color_out, sc1, sc2,
        )  # fmt: skip
