"""Seconds that compiling and loading code take, separate from the seconds of the work, and a line on the terminal.

Functions and CUDA kernels are compiled on first use. Each thread has its own sum, because another thread may compile
for another call at the same time.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

PATIENCE = 0.3  # seconds of compiling before the line is shown
MOMENT = 0.03  # seconds up to which no line is shown: stored code is loaded within this time
REDRAWN = 1.0  # seconds between two updates of the line


class Spent(threading.local):
    """Seconds that each thread has spent on compiling and loading, and when it began, if it does so now."""

    seconds: float = 0.0
    begun: float | None = None


_thread = Spent()


def seconds() -> float:
    """Return the seconds that this thread has spent on compiling and loading, up to now within a block of `clocked`."""
    begun = _thread.begun
    return _thread.seconds if begun is None else _thread.seconds + time.perf_counter() - begun


def clock() -> float:
    """Return `time.perf_counter` less `seconds`: this clock stops while code is compiled or loaded.

    Time limits of a search are moments of this clock, so that compiling extends them. Each thread has its own moments.
    """
    begun = _thread.begun
    return (time.perf_counter() if begun is None else begun) - _thread.seconds


def add(more: float) -> None:
    """Count seconds that another thread spent while this one waited for it."""
    _thread.seconds += more


class clocked:  # noqa: N801  # as a function; a class takes a fifth of the time of a generator
    """Count the time of a block that compiles or loads code; nested blocks count once."""

    __slots__ = ("_before", "_outer")
    _before: int  # modules, for `importing`

    def __enter__(self) -> None:
        self._outer, self._before = _thread.begun, len(sys.modules)
        if self._outer is None:
            _thread.begun = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        begun = _thread.begun
        if self._outer is not None or begun is None:
            return
        _thread.begun = None
        if self._counts():
            add(time.perf_counter() - begun)
            line.end()

    def _counts(self) -> bool:
        return True


class importing(clocked):  # noqa: N801
    """Count the time of a block of imports as compile time, unless all modules have been imported before."""

    __slots__ = ()

    def _counts(self) -> bool:
        return len(sys.modules) != self._before


@functools.cache
def load(name: str, package: str | None = None) -> Any:
    """Return a module by its name, relative to a package; the import at first use is counted."""
    with importing():
        return importlib.import_module(name, package)


def stopwatch() -> Callable[[], float]:
    """Return a function that returns the seconds of `clock` since this call."""
    begun = clock()
    return lambda: max(clock() - begun, 0.0)


class Line:
    """A line on a terminal's standard error that names the function being compiled, and is removed afterwards.

    It shows the seconds that the process has spent on compiling so far, because a call compiles several functions.
    """

    def __init__(self) -> None:
        self.others = 0  # number of other status lines on the terminal, which show the text instead of this line
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._shown = ""  # the text on the terminal now
        self._what = ""
        self._begun, self._before = 0.0, 0.0
        self._thread = 0  # the thread that began the line, and ends it

    @property
    def text(self) -> str:
        """The text to show now; empty until code has been compiled for `PATIENCE` seconds."""
        seconds = self._before + time.perf_counter() - self._begun
        if self._timer is None or seconds <= PATIENCE:
            return ""
        return f"compiling {self._what} …" + (f" {seconds:.0f} s" if seconds >= 1 else "")

    def begin(self, what: str) -> None:
        """Begin the line for a function that is about to be compiled, within a block of `clocked`."""
        with self._lock:
            if self._timer is not None or not (self.others or is_terminal()):
                return
            self._what, self._begun, self._thread = what, time.perf_counter(), threading.get_ident()
            self._start(max(PATIENCE - self._before, MOMENT))

    def end(self) -> None:
        """End the line: the function is compiled."""
        with self._lock:
            if self._timer is None or self._thread != threading.get_ident():
                return
            self._timer.cancel()
            self._timer = None
            spent = time.perf_counter() - self._begun
            self._before += spent if spent > MOMENT else 0.0
            self._show("")

    def _start(self, seconds: float) -> None:
        timer = threading.Timer(seconds, lambda: self._say(timer))
        timer.daemon = True
        with contextlib.suppress(RuntimeError):  # without another thread the line stays as it is
            timer.start()
            self._timer = timer

    def _say(self, timer: threading.Timer) -> None:
        with self._lock:
            if timer is self._timer and not self.others:
                self._show(self.text)
                self._start(REDRAWN)

    def _show(self, text: str) -> None:
        if text != self._shown:
            _write("\b \b" * len(self._shown) + text)  # other text of the terminal's line stays
            self._shown = text


def _write(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # the terminal has gone
        sys.stderr.write(text)
        sys.stderr.flush()


def is_terminal() -> bool:
    """Whether standard error is a terminal; a process may have no standard error."""
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # standard error is missing or closed
        return False


line: Line = Line()
