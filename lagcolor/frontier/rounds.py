"""What the colorings of this folder share: rounds until the frontier is empty, and colors without gaps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import OptionError
from ..result import Log
from .operators import BALANCES, Frontier, Operators, functor, store

PAPER = "Osama, Truong, Yang, Buluç, Owens 2019, Algorithm"
BALANCE = f"how the GPU shares out edges: {', '.join(BALANCES)}; changes no color"
BATCH, LONGEST_BATCH = 8, 32  # rounds between two looks from the host


def check_flag(name: str, value: Any) -> None:
    """An option that is on or off.

    Raises
    ------
    OptionError
        It is neither True nor False.
    """
    if not isinstance(value, (bool, np.bool_)):
        raise OptionError(f"{name} must be True or False, not {value!r}")


def until_empty(
    ops: Operators,
    F: Frontier,
    log: Log,
    step: Callable[[int, Frontier], tuple[Frontier, tuple[Frontier, ...]]],
    longest: int = LONGEST_BATCH,
) -> int:
    """Call ``F, (tried, won) = step(k, F)`` for k = 0, 1 … until F is empty; the rounds that were needed.

    On a GPU the host looks after 8 rounds, then more seldom; rounds past the end find nothing to do. `tried` and `won`
    are counted for the trace, as vertices that a round gave a color and those that kept it; () where all do.
    """
    k = rounds = 0
    while F.bound:
        fronts = [F]
        tries: list[Frontier] = []
        for _ in range(min(max(BATCH, k), longest) if ops.waits else 1):
            F, tried = step(k, F)
            fronts.append(F)
            tries += tried
            k += 1
        sizes = ops.look([*fronts, *tries])
        left, tried_won = sizes[: len(fronts)], sizes[len(fronts) :]
        for i in range(len(left) - 1):
            if left[i]:
                rounds += 1
                conflicts = tried_won[2 * i] - tried_won[2 * i + 1] if tried_won else 0
                log.round(active=left[i], colored=left[i] - left[i + 1], conflicts=conflicts, ms=None)
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
