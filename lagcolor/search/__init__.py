"""Attempts at fewer colors, one after the other, for the qualities balanced and best, and for rules.

Start with `qualities.py`, the table of attempts for graphs. `attempts.py` has the functions of the table, `nets.py`,
`edges.py`, `two_colored.py` and `implicit.py` search for other structures, and `rules/` for rules. `api/session.py`
calls `run` of the module for the problem, and `api/implicit_session.py` calls `implicit.py`.
"""

from __future__ import annotations

from typing import NamedTuple

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
