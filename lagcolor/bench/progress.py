"""How far a run is, and how long it may still take."""

from __future__ import annotations

import time
from collections.abc import Callable

from ..progress.line import Line, joined


class Progress(Line):
    """A line on standard error: what is running, how many visits of all are done, and the time left at that pace."""

    def __init__(self, total: int, shown: bool | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__("starting", shown, clock)
        self._total, self._done, self._start = total, 0, clock()
        self.where = ""

    def say(self, text: str, visits: int = 0) -> None:
        """Say what comes, `visits` having been made or given up."""
        self._done += visits
        super().say(text)

    def _known(self, text: str) -> str:
        share = min(1.0, self._done / self._total) if self._total else None
        return joined(share, self.where, text, left=self.seconds_left())

    def seconds_left(self) -> float | None:
        """At the pace so far; None before anything is done."""
        if not self._done:
            return None
        return (self._clock() - self._start) * max(0, self._total - self._done) / self._done
