"""Attempts at fewer colors, one after the other, for the qualities balanced and best, and for rules.

Start with `qualities.py`, the table of attempts for graphs. `attempts.py` has the functions of the table, `nets.py`,
`edges.py`, `two_colored.py` and `implicit.py` search for other structures, and `rules/` for rules. `api/session.py`
calls `run` of the module for the problem, and `api/color_implicit.py` calls `implicit.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..base import device as dev
from ..base.compile_clock import clock
from ..base.device import extremes
from ..base.log import Log

QUALITIES = ("fast", "balanced", "best")
FAST = "first_fit"  # the algorithm of fast, and of the first coloring of the others
DEFAULT_LIMIT = 1.0  # seconds for best
LAST = 1 / 8  # of the time that is left, for steps that follow a search
CHECK = 3  # time of the check of a result, as a multiple of the first coloring's


class Limit(NamedTuple):
    """A time limit, which the check of the result must keep, too, where there is one."""

    begun: float  # moment of `compile_clock.clock`
    seconds: float
    checked: bool = False

    def deadline(self, first_seconds: float) -> float:
        """Moment at which to end, by the time of the first coloring."""
        check = CHECK * first_seconds if self.checked else 0.0
        return self.begun + self.seconds - check

    def earlier(self) -> Limit:
        """The same for a search that other steps follow."""
        return self._replace(seconds=(1 - LAST) * self.seconds)


ENDLESS = Limit(0.0, math.inf)


class BestSoFar:
    """What a search has found, and when it ends. Each attempt gets a row of ``notes["tried"]`` of the log."""

    def __init__(self, log: Log, limit: Limit | None) -> None:
        self.log, self.limit = log, limit or ENDLESS
        self.colors: Any = None
        self.n_colors = 2**31
        self.least = 0  # no coloring has fewer colors
        self.first_seconds = 0.0  # that the first coloring took
        log.notes["tried"] = []

    @property
    def ended(self) -> bool:
        """Whether no coloring has fewer colors."""
        return self.n_colors <= self.least

    @property
    def deadline(self) -> float:
        """Moment at which to end."""
        return math.inf if self.limit.seconds == math.inf else self.limit.deadline(self.first_seconds)

    @property
    def left(self) -> float:
        """Seconds until then."""
        return self.deadline - clock()

    def fits(self, cost: float, share: float = 1.0) -> bool:
        """Whether an attempt that takes this multiple of the first coloring's time ends within a share of the limit."""
        begun, seconds, _ = self.limit
        return seconds == math.inf or clock() - begun + cost * self.first_seconds < share * (self.deadline - begun)


def number_of(colors: Any) -> int:
    """How many colors these are."""
    return 1 + (extremes.largest(colors) if dev.is_cupy(colors) else int(colors.max(initial=-1)))


@contextmanager
def kept(log: Log, found: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """Attempts that end by Ctrl-C or for lack of memory, as notes say; these are raised if no result is `found` yet."""
    try:
        with log.best_so_far(found):
            yield
    except MemoryError as e:
        if not found():
            raise
        log.notes["memory"] = f"a further attempt ran out of memory: {e}"
