"""The reports that a listener receives, and a status line that shows them on a terminal or in a notebook.

In a notebook the line is below the cell. IPython's own display shows it, which needs no widgets.
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

LARGE = 10**9  # bytes from which on the line shows the bytes per second
PATIENCE = 0.5  # seconds before the line is shown
REDRAWN = 0.25  # seconds between two updates in a notebook


class Progress(NamedTuple):
    """A report to the function passed as `progress=`, at the beginning of each stage and about ten times a second.

    Attributes
    ----------
    stage : str
        "unpacking", "reading", "converting", "ordering", "coloring", "reducing", "checking" …
    done : float
        How much of the stage is done.
    total : float or None
        All the work of the stage; None if unknown.
    unit : str
        The unit of `done` and `total`: "bytes", "passes", "rounds", "ends" of edges, "seconds" of a time limit.
    seconds : float
        Seconds since the call began.
    left : float or None
        Estimated seconds until the end of the stage, at its pace so far; None if unknown.
    """

    stage: str
    done: float
    total: float | None
    unit: str
    seconds: float
    left: float | None

    @property
    def share(self) -> float | None:
        """How much of the stage is done, from 0 to 1; None if the total is unknown."""
        return None if self.total is None else min(1.0, self.done / self.total) if self.total else 1.0


def time_left(done: float, total: float | None, spent: float) -> float | None:
    """Return the seconds that the rest will take at the pace so far; None if unknown."""
    return None if total is None or done <= 0 else spent * max(0.0, total - done) / done


class StatusLine:
    """A line on a terminal or in a notebook that appears after half a second and disappears at the end of its block.

    A call passes the report to show next. Without `shown`, the line is shown on a terminal and in a notebook.
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
        """Show another text from now on, and no report until the next one."""
        self._last, self.text = None, text

    def parts(self) -> tuple[str, str, str]:
        """Return what to show now: a percentage, the text, and details, which are never cut."""
        compiling = compile_clock.line.text
        if self._last is None:
            return "", self.text, compiling
        report, at = self._last
        share = "" if report.share is None else f"{report.share:4.0%}"
        stage = "" if report.stage in self.text else report.stage
        if report.total is None and report.unit and report.done:
            stage = f"{stage} {report.done:,.0f} {report.unit}".strip()
        # Until the next report, the time left falls with the clock.
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
    """A line in a notebook, which a thread updates until it is stopped and removed, as rich's Status on a terminal.

    Rich itself needs ipywidgets to update a line, which a notebook may lack.
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
        """Remove the line."""
        self._over.set()
        self._thread.join()
        self._handle.update({"text/plain": "", "text/html": ""}, raw=True)

    def _content(self) -> dict[str, str]:
        return {"text/plain": " · ".join(filter(None, self.line.parts()))}

    def _redraw(self) -> None:
        while not self._over.wait(REDRAWN):
            self._handle.update(self._content(), raw=True)


def has_rich() -> bool:
    """Whether rich is installed, which shows the line on a terminal."""
    return importlib.util.find_spec("rich") is not None


def in_notebook() -> bool:
    """Whether a kernel of Jupyter runs this process; IPython on a terminal has no kernel."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def rate(report: Progress) -> str:
    """Return the bytes per second of a stage of at least a gigabyte, at its pace so far; "" for other stages."""
    if report.unit != "bytes" or not report.left or report.total is None or report.total < LARGE:
        return ""
    return f"{(report.total - report.done) / report.left / 1e6:,.0f} MB/s"


def span(seconds: float) -> str:
    """Return seconds as text: minutes and seconds, and hours if there are any."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
