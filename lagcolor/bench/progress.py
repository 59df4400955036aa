"""How far a run is, and how long it may still take."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self


class Progress:
    """A line on standard error: what is running, how many visits of all are done, and the time left at that pace.

    Parameters
    ----------
    total : int
        Visits of all codes on all graphs.
    shown : bool, optional
        Default: where standard error is a terminal.
    clock : callable
        Seconds.
    """

    def __init__(self, total: int, shown: bool | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._total, self._clock = total, clock
        self._shown = sys.stderr.isatty() if shown is None else shown
        self._done = 0
        self._start = clock()
        self._status: Any = None
        self.where = ""

    def say(self, text: str, visits: int = 0) -> None:
        """Say what comes, `visits` having been made or given up."""
        self._done += visits
        if self._status is not None:
            self._status.update(self.line(text))

    def line(self, text: str) -> str:
        """What is shown."""
        share = f"{min(1.0, self._done / self._total):4.0%}" if self._total else ""
        left = self.seconds_left()
        return " · ".join(p for p in (share, self.where, text, f"{_span(left)} left" if left is not None else "") if p)

    def seconds_left(self) -> float | None:
        """At the pace so far; None before anything is done."""
        if not self._done:
            return None
        return (self._clock() - self._start) * max(0, self._total - self._done) / self._done

    def __enter__(self) -> Self:
        if self._shown:
            from rich.console import Console
            from rich.status import Status

            self._status = Status("starting", console=Console(stderr=True, markup=False, highlight=False))
            self._status.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, where: TracebackType | None) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None


def _span(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
