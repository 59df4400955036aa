"""Seconds that compiling and loading code take, apart from the seconds of what the code does; a line while that lasts.

Functions and CUDA kernels are compiled on first use. Each thread has its own sum, since another may
compile for somebody else at the time.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

PATIENCE = 0.3  # seconds that a process compiles before it says so
MOMENT = 0.03  # what takes no longer is not worth a line: code that was compiled before is loaded
REDRAWN = 1.0  # seconds after which the line shows its seconds anew


class Spent(threading.local):
    """What each thread has spent, and since when it compiles or loads code, if it does."""

    seconds: float = 0.0
    begun: float | None = None
    compiled: bool = False  # something since then


_thread = Spent()


def seconds() -> float:
    """What this thread has spent on it so far, within a block of `clocked` until now."""
    begun = _thread.begun
    return _thread.seconds if begun is None else _thread.seconds + time.perf_counter() - begun


def clock() -> float:
    """`time.perf_counter` without what `seconds` has counted: it stands still while code is compiled or loaded.

    Time limits of a search are moments on it, so that compiling extends them. A moment is for the thread that read it.
    """
    begun = _thread.begun
    return (time.perf_counter() if begun is None else begun) - _thread.seconds


def add(more: float) -> None:
    """Count seconds that another thread spent while this one waited for it."""
    _thread.seconds += more


def compiling() -> None:
    """Code is compiled now, and not only loaded; within `clocked`."""
    _thread.compiled = True


class clocked:  # noqa: N801  # as a function; a class takes a fifth of the time of a generator
    """Count the time of a block that compiles or loads code; of nested blocks only the time of the outer one."""

    __slots__ = ("_before", "_collects", "_outer")
    _before: int  # modules, for `importing`

    def __enter__(self) -> None:
        self._outer, self._before = _thread.begun, len(sys.modules)
        if self._outer is None:
            _thread.begun, self._collects = time.perf_counter(), gc.isenabled()
            gc.disable()

    def __exit__(self, *_: object) -> None:
        begun = _thread.begun
        if self._outer is not None or begun is None:
            return
        counts = self._counts()
        if self._collects:
            try:
                if counts:
                    _age()
            finally:
                gc.enable()
        _thread.begun = None
        if counts:
            add(time.perf_counter() - begun)
            line.end()

    def _counts(self) -> bool:
        return True


def _age() -> None:
    """Make what has been made old, so that no collection in the time of a call looks through it."""
    if _thread.compiled:  # garbage of tens of megabytes
        _thread.compiled = False
        gc.collect(1)
    elif gc.get_freeze_count() == 0:
        gc.freeze()
        gc.unfreeze()


class importing(clocked):  # noqa: N801
    """As `clocked`, for a block of imports; nothing is counted if all modules have been imported before."""

    __slots__ = ()

    def _counts(self) -> bool:
        return len(sys.modules) != self._before


@functools.cache
def load(name: str, package: str | None = None) -> Any:
    """The module that a table names, relative to a package; it is imported at first use, which is counted."""
    with importing():
        return importlib.import_module(name, package)


def stopwatch() -> Callable[[], float]:
    """A function that says how many seconds of `clock` have passed since this call."""
    begun = clock()
    return lambda: max(clock() - begun, 0.0)


class Line:
    """Says on a terminal's standard error which function is compiled, and since when; takes it back afterwards.

    The seconds are those that the process has spent on compiling so far: a call compiles several functions.
    """

    def __init__(self) -> None:
        self.others = 0  # Number of other lines on the terminal, which say it instead of this one
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._shown = ""  # what stands on the terminal
        self._what = ""
        self._begun, self._before = 0.0, 0.0
        self._thread = 0  # that began it, and ends it

    @property
    def text(self) -> str:
        """What to show now: empty unless code has been compiled for longer than a moment."""
        seconds = self._before + time.perf_counter() - self._begun
        if self._timer is None or seconds <= PATIENCE:
            return ""
        return f"compiling {self._what} …" + (f" {seconds:.0f} s" if seconds >= 1 else "")

    def begin(self, what: str) -> None:
        """A function is about to be compiled; within `clocked`."""
        with self._lock:
            if self._timer is not None or not (self.others or is_terminal()):
                return
            self._what, self._begun, self._thread = what, time.perf_counter(), threading.get_ident()
            self._start(max(PATIENCE - self._before, MOMENT))

    def end(self) -> None:
        """It is there."""
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
        with contextlib.suppress(RuntimeError):  # no thread can be started: then the line stays as it is
            timer.start()
            self._timer = timer

    def _say(self, timer: threading.Timer) -> None:
        with self._lock:
            if timer is self._timer and not self.others:
                self._show(self.text)
                self._start(REDRAWN)

    def _show(self, text: str) -> None:
        if text != self._shown:
            _write("\b \b" * len(self._shown) + text)  # what else stands in that line stays
            self._shown = text


def _write(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # the terminal has gone
        sys.stderr.write(text)
        sys.stderr.flush()


def is_terminal() -> bool:
    """Whether standard error is a terminal; a process may have none."""
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False


line: Line = Line()
