"""How far a run is, and how long it may still take."""

from __future__ import annotations

import time
from collections.abc import Callable

from .. import progress


class Progress(progress.Line):
    """A line on standard error: what is running, how many visits of all are done, and the time left at that pace."""

    def __init__(self, total: int, shown: bool | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__("starting", shown, clock)
        self._visits = progress.Stage(progress.Listening(lambda report: None, clock), "", total, "visits")
        self._done, self.where = 0, ""

    def say(self, text: str, visits: int = 0) -> None:
        """Say what comes, `visits` having been made or given up."""
        self._done += visits
        super().say(" · ".join(filter(None, (self.where, text))))
        self(self._visits.report(self._done, self.clock(), 0.0))
