"""Progress as one line on standard error: what is running, how much of it is done, and the time left."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Self

LARGE = 10**9  # bytes from which on it is said how many come per second
PATIENCE = 0.5  # seconds before the line is shown
SHORTEST = 12  # characters that are left of what is going on


class Line:
    """Shown on a terminal only, after half a second, until its block ends; what it is called with is shown next.

    Parameters
    ----------
    text : str
        What is going on.
    shown : bool, optional
        Default: where standard error is a terminal.
    clock : callable
        Seconds.
    """

    def __init__(self, text: str = "", shown: bool | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.text, self._clock = text, clock
        self.shown = sys.stderr.isatty() if shown is None else shown
        self._status: Any = None
        self._heard: tuple[Any, float] | None = None
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()
        self._over = False

    def __call__(self, heard: Any) -> None:
        self._heard = heard, self._clock()

    def say(self, text: str) -> None:
        """Something else is going on from here on."""
        self._heard, self.text = None, text

    def line(self, room: int | None = None) -> str:
        """What to show now; where it would take more than `room` columns, with less of what is going on."""
        from semirings.runtime import (
            compile_clock as compiling,  # not when the parser of the command line is built: it loads NumPy
        )

        text, more = self.text, f" · {compiling.TEXT}" if compiling.line.is_due else ""
        shown = self._known(text) + more
        if room is None or len(shown) <= room:
            return shown
        return self._known(f"{text[: max(len(text) - (len(shown) - room) - 1, SHORTEST)]}…") + more

    def _known(self, text: str) -> str:
        if (known := self._heard) is None:
            return text
        heard, at = known
        # Until the next report time goes on at the pace so far.
        left = None if heard.left is None else max(0.0, heard.left - (self._clock() - at))
        stage = "" if heard.stage in self.text else heard.stage
        if heard.total is None and heard.unit and heard.done:
            stage = f"{stage} {heard.done:,.0f} {heard.unit}".strip()
        return joined(heard.share, text, stage, rate(heard), left=left)

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        from rich.text import Text

        yield Text(self.line(options.max_width), no_wrap=True, overflow="ellipsis")

    def __enter__(self) -> Self:
        if self.shown:
            from semirings.runtime import compile_clock as compiling

            compiling.line.others += 1
            self._timer = threading.Timer(PATIENCE, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, where: TracebackType | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            from semirings.runtime import compile_clock as compiling

            compiling.line.others -= 1
        with self._lock:
            self._over = True
            if self._status is not None:
                self._status.stop()

    def _show(self) -> None:
        from rich.console import Console
        from rich.status import Status

        with self._lock:
            if not self._over:
                console = Console(stderr=True, markup=False, emoji=False, highlight=False)
                self._status = Status(self, console=console)  # drawn anew several times a second
                self._status.start()


def joined(share: float | None, *words: str, left: float | None = None) -> str:
    """A line of percentage, words and time left, of those that there are."""
    percent = "" if share is None else f"{share:4.0%}"
    return " · ".join(part for part in (percent, *words, "" if left is None else f"{span(left)} left") if part)


def rate(heard: Any) -> str:
    """Bytes per second of a stage that has at least a gigabyte to do, at its pace so far."""
    if heard.unit != "bytes" or not heard.left or heard.total is None or heard.total < LARGE:
        return ""
    return f"{(heard.total - heard.done) / heard.left / 1e6:,.0f} MB/s"


def span(seconds: float) -> str:
    """Minutes and seconds, with hours where there are any."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
