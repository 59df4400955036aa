"""What a listener to a call gets, and a line that shows it on a terminal or in a notebook.

In a notebook the line is shown below the cell, by IPython's own display, which needs no widgets.
"""

from __future__ import annotations

import importlib.util
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, NamedTuple, Self

from . import compile_clock

LARGE = 10**9  # bytes from which on the line says how many are read per second
PATIENCE = 0.5  # seconds before the line is shown
REDRAWN = 0.25  # seconds after which a notebook shows it anew


class Progress(NamedTuple):
    """What a function passed as `progress=` gets, at the beginning of each stage and about ten times a second.

    Attributes
    ----------
    stage : str
        "unpacking", "reading", "converting", "ordering", "coloring", "reducing", "checking" …
    done : float
        How much of the stage is done.
    total : float or None
        All the work of the stage; None if unknown.
    unit : str
        Of `done` and `total`: "bytes", "passes", "rounds", "ends" of edges, "seconds" of a time limit.
    seconds : float
        Since the call began.
    left : float or None
        Seconds that the stage will still take, at its pace so far; None where nothing says.
    """

    stage: str
    done: float
    total: float | None
    unit: str
    seconds: float
    left: float | None

    @property
    def share(self) -> float | None:
        """How much of the stage is done, from 0 to 1; None where the total is unknown."""
        return None if self.total is None else min(1.0, self.done / self.total) if self.total else 1.0


def time_left(done: float, total: float | None, spent: float) -> float | None:
    """Seconds that the rest will take at the pace so far."""
    return None if total is None or done <= 0 else spent * max(0.0, total - done) / done


class StatusLine:
    """Shown on a terminal or in a notebook, after half a second, until its block ends.

    What it is called with is shown next. `shown` overrules whether standard error is a terminal, or this a notebook.
    """

    text: str
    clock: Any
    shown: Any

    def __init__(self, text: str = "", shown: bool | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.text, self.clock = text, clock
        self.shown = (in_notebook() or (compile_clock.is_terminal() and has_rich())) if shown is None else shown
        self._status: Any = None
        self._last: tuple[Progress, float] | None = None
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()
        self._over = False

    def __call__(self, report: Progress) -> None:
        self._last = report, self.clock()

    def say(self, text: str) -> None:
        """Something else is going on from here on."""
        self._last, self.text = None, text

    def parts(self) -> tuple[str, str, str]:
        """What to show now: a percentage, what is going on, and the rest, which is never cut."""
        compiling = compile_clock.line.text
        if self._last is None:
            return "", self.text, compiling
        report, at = self._last
        share = "" if report.share is None else f"{report.share:4.0%}"
        stage = "" if report.stage in self.text else report.stage
        if report.total is None and report.unit and report.done:
            stage = f"{stage} {report.done:,.0f} {report.unit}".strip()
        # Until the next report time goes on at the pace so far.
        left = "" if report.left is None else f"{span(max(0.0, report.left - (self.clock() - at)))} left"
        return share, self.text, " · ".join(filter(None, (stage, rate(report), left, compiling)))

    def __rich__(self) -> Any:
        from rich.table import Table
        from rich.text import Text

        grid = Table.grid()
        row: list[Text] = []
        for part, fixed in zip(self.parts(), (True, False, True), strict=True):
            if part:
                grid.add_column(no_wrap=fixed)
                row.append(Text(f" · {part}" if row else part, no_wrap=True, overflow="ellipsis"))
        grid.add_row(*row)
        return grid

    def __enter__(self) -> Self:
        if self.shown:
            compile_clock.line.others += 1
            self._timer = threading.Timer(PATIENCE, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, where: TracebackType | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            compile_clock.line.others -= 1
        with self._lock:
            self._over = True
            if self._status is not None:
                self._status.stop()

    def _show(self) -> None:
        with self._lock:
            if self._over:
                return
            if in_notebook():
                self._status = BelowCell(self)
            else:
                from rich.console import Console
                from rich.status import Status

                console = Console(stderr=True, markup=False, emoji=False, highlight=False)
                self._status = Status(self, console=console)  # drawn anew several times a second
            self._status.start()


class BelowCell:
    """A line in a notebook, drawn anew by a thread until it is stopped, and then gone; as rich's Status on a terminal.

    Rich shows what changes by ipywidgets, which a notebook need not have.
    """

    line: StatusLine

    def __init__(self, line: StatusLine) -> None:
        self.line, self._over = line, threading.Event()
        self._thread = threading.Thread(target=self._redraw, daemon=True)

    def start(self) -> None:
        """Show the line."""
        from IPython.display import display

        self._handle = display(self._content(), raw=True, display_id=True)
        self._thread.start()

    def stop(self) -> None:
        """Leave nothing of it."""
        self._over.set()
        self._thread.join()
        self._handle.update({"text/plain": "", "text/html": ""}, raw=True)

    def _content(self) -> dict[str, str]:
        return {"text/plain": " · ".join(filter(None, self.line.parts()))}

    def _redraw(self) -> None:
        while not self._over.wait(REDRAWN):
            self._handle.update(self._content(), raw=True)


def has_rich() -> bool:
    """Whether rich is installed, which draws the line on a terminal."""
    return importlib.util.find_spec("rich") is not None


def in_notebook() -> bool:
    """Whether a kernel of Jupyter runs this process; IPython on a terminal has none."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def rate(report: Progress) -> str:
    """Bytes per second of a stage that has at least a gigabyte to do, at its pace so far."""
    if report.unit != "bytes" or not report.left or report.total is None or report.total < LARGE:
        return ""
    return f"{(report.total - report.done) / report.left / 1e6:,.0f} MB/s"


def span(seconds: float) -> str:
    """Minutes and seconds, with hours where there are any."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
