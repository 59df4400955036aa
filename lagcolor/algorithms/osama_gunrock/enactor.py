"""Functions that all colorings of this folder use: rounds until the frontier is empty, and colors without gaps.

On a GPU the host reads the frontier's size after six rounds, and then when it expects the end; later rounds do nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...base.log import Log
from ...frontier.operators import BALANCES, Frontier, Operators, add, functor, store

PAPER = "Osama, Truong, Yang, Buluç, Owens 2019, Algorithm"
BALANCE = f"distribution of edges over threads of the GPU: {', '.join(BALANCES)}; does not change colors"
FIRST_BATCH, LONGEST_BATCH = 6, 32  # rounds between two reads by the host; at most as many as before
MOST_AHEAD = 1 << 16  # largest estimate of the rounds to come


def uncolored_in_order(p: Any) -> Any:
    """Initial colors −1 − p: an uncolored vertex has its priority, and every color is greater."""
    return -1 - p


@functor("return colors[v] < 0;")
def uncolored(v: Any, colors: Any) -> Any:
    return colors[v] < 0


def rounds_ahead(before: int, left: int) -> int:
    """Estimate of the rounds to come, at least 1: two thirds of their number if each left the same share."""
    if not left < before:
        return MOST_AHEAD
    return min(MOST_AHEAD, 1 + int(math.log(left) / math.log(before / left) / 1.5)) if left else 1


def until_empty(ops: Operators, F: Frontier, log: Log, step: Callable[[int, Frontier], Frontier]) -> int:
    """Call ``F = step(k, F)`` for k = 0, 1, … until F is empty; return the number of rounds that were needed."""
    k = rounds = 0
    batch = FIRST_BATCH
    while F.bound:
        fronts, marks = [F], [ops.mark()] if log.trace else []
        for _ in range(batch if ops.waits else 1):
            F = step(k, F)
            fronts.append(F)
            if log.trace:
                marks.append(ops.mark())
            k += 1
        left = ops.read_sizes(fronts)
        ms = ops.milliseconds(marks)
        for i in range(len(left) - 1):
            if left[i]:
                rounds += 1
                colored, time = left[i] - left[i + 1], ms[i] if log.trace else None
                log.round(active=left[i], colored=colored, conflicts=0, ms=time)
        batch = min(LONGEST_BATCH, k, rounds_ahead(*left[-2:]))
    return rounds


def until_colored(
    ops: Operators, C: Any, log: Log, step: Callable[[int, Any, int], None], lost: Any = None, counts: bool = False
) -> int:
    """Call ``step(k, left, i)`` while it stores 1 in left[i], for vertices left; return the number of rounds needed."""
    k = before = 0
    more = ops.G.n > 0
    count = ops.xp.zeros(1, np.int32)
    while more:
        batch = 1 if counts or log.trace or not ops.waits else min(LONGEST_BATCH, max(FIRST_BATCH, k))
        left, start = ops.xp.zeros(batch, np.int32), ops.mark() if log.trace else None
        for i in range(batch):
            step(k + i, left, i)
        if counts:
            count.fill(0)
            ops.compute(ops.all(), count_colored, C=C, count=count)
        end = ops.mark() if log.trace else None
        still = [int(count[0]) < ops.G.n] if counts else left.tolist()
        more = bool(still[-1])
        rounds = batch if more else still.index(0) + 1
        for i in range(rounds):
            if log.trace:
                done, conflicts = int((C >= 0).sum()), 0 if lost is None else int((lost == k + i + 1).sum())
                (ms,) = ops.milliseconds([start, end])
                log.round(active=ops.G.n - before, colored=done - before, conflicts=conflicts, ms=ms)
                before = done
            else:
                log.round()
        k += rounds
    return k


@functor("if (C[v] >= 0) add(count, 0, 1);")
def count_colored(v: Any, C: Any, count: Any) -> None:
    if C[v] >= 0:
        add(count, 0, 1)


@functor("store(used, colors[v], 1);")
def mark_used(v: Any, colors: Any, used: Any) -> None:
    store(used, colors[v], 1)


@functor("colors[v] = number[colors[v]];")
def renumber(v: Any, colors: Any, number: Any) -> None:
    colors[v] = number[colors[v]]


def close_gaps(ops: Operators, colors: Any, limit: int) -> None:
    """Renumber the used colors, all under `limit`, to 0 … k − 1, in the same order."""
    used = ops.xp.zeros(limit, np.int32)
    ops.compute(ops.all(), mark_used, colors=colors, used=used)
    number = ops.xp.cumsum(used, dtype=np.int32)
    if limit and int(number[-1]) < limit:
        ops.compute(ops.all(), renumber, colors=colors, number=number - np.int32(1))
