"""What the colorings of this folder share: rounds until the frontier is empty, and colors without gaps."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..result import Log
from .operators import BALANCES, Frontier, Operators, functor, store

PAPER = "Osama, Truong, Yang, Buluç, Owens 2019, Algorithm"
BALANCE = f"how the GPU shares out edges: {', '.join(BALANCES)}; changes no color"
FIRST_BATCH, LONGEST_BATCH = 6, 32  # rounds between two looks from the host; no more than there were before
MOST_AHEAD = 1 << 16  # as a guess


def uncolored_in_order(p: Any) -> Any:
    """Colors when there are none: −1 − p, so that an uncolored vertex shows its priority and any color is greater."""
    return -1 - p


@functor("return colors[v] < 0;")
def uncolored(v: Any, colors: Any) -> Any:
    return colors[v] < 0


def rounds_ahead(before: int, left: int) -> int:
    """A guess at the rounds to come, from 1 on, where the last one left so many.

    Two thirds of those that it would take if each left the same share, for shares fall: meshes need about as many,
    graphs with large hubs a quarter of it.
    """
    if not left < before:
        return MOST_AHEAD
    return min(MOST_AHEAD, 1 + int(math.log(left) / math.log(before / left) / 1.5)) if left else 1


def until_empty(
    ops: Operators, F: Frontier, log: Log, step: Callable[[int, Frontier], tuple[Frontier, tuple[Frontier, ...]]]
) -> int:
    """Call ``F, (tried, won) = step(k, F)`` for k = 0, 1 … until F is empty; the rounds that were needed.

    On a GPU the host looks after 6 rounds, then when the end seems due; rounds past it find nothing to do. `tried` and
    `won` are counted for the trace, as vertices that a round gave a color and those that kept it; () where all do.
    """
    k = rounds = 0
    batch = FIRST_BATCH
    while F.bound:
        fronts, marks = [F], [ops.mark()] if log.trace else []
        tries: list[Frontier] = []
        for _ in range(batch if ops.waits else 1):
            F, tried = step(k, F)
            fronts.append(F)
            tries += tried
            if log.trace:
                marks.append(ops.mark())
            k += 1
        sizes = ops.read_sizes([*fronts, *tries])
        left, tried_won = sizes[: len(fronts)], sizes[len(fronts) :]
        ms = ops.milliseconds(marks)
        for i in range(len(left) - 1):
            if left[i]:
                rounds += 1
                conflicts = tried_won[2 * i] - tried_won[2 * i + 1] if tried_won else 0
                log.round(
                    active=left[i], colored=left[i] - left[i + 1], conflicts=conflicts, ms=ms[i] if log.trace else None
                )
        batch = min(LONGEST_BATCH, k, rounds_ahead(*left[-2:]))
    return rounds


@functor("store(used, colors[v], 1);")
def mark_used(v: Any, colors: Any, used: Any) -> None:
    store(used, colors[v], 1)


@functor("colors[v] = number[colors[v]];")
def renumber(v: Any, colors: Any, number: Any) -> None:
    colors[v] = number[colors[v]]


def close_gaps(ops: Operators, colors: Any, limit: int) -> None:
    """Renumber colors 0…limit − 1 so that those in use are 0…k − 1, in the same order."""
    used = ops.xp.zeros(limit, np.int32)
    ops.compute(ops.all(), mark_used, colors=colors, used=used)
    number = ops.xp.cumsum(used, dtype=np.int32)
    if limit and int(number[-1]) < limit:
        ops.compute(ops.all(), renumber, colors=colors, number=number - np.int32(1))
