"""Seconds that compiling and loading code take, apart from the seconds of what the code does; a line while that lasts.

Functions and CUDA kernels are compiled on first use. Each thread has its own sum, since another may
compile for somebody else at the time.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator

PATIENCE = 0.3  # seconds that a process compiles before it says so
MOMENT = 0.03  # what takes no longer is not worth a line: code that was compiled before is loaded
TEXT = "compiling, once …"


class Spent(threading.local):
    """What each thread has spent, and since when it compiles or loads code, if it does."""

    seconds: float = 0.0
    begun: float | None = None


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


@contextlib.contextmanager
def clocked() -> Iterator[None]:
    """Count the time of a block that compiles or loads code; of nested blocks only the time of the outer one."""
    if _thread.begun is not None:
        yield
        return
    _thread.begun = begun = time.perf_counter()
    try:
        yield
    finally:
        _thread.begun = None
        add(time.perf_counter() - begun)
        line.end()


@contextlib.contextmanager
def importing() -> Iterator[None]:
    """As `clocked`, for a block of imports; nothing is counted if all modules have been imported before."""
    before, spent = len(sys.modules), _thread.seconds
    with clocked():
        yield
    if len(sys.modules) == before:
        _thread.seconds = spent


def stopwatch() -> Callable[[], float]:
    """A function that says how many seconds of `clock` have passed since this call."""
    begun = clock()
    return lambda: max(clock() - begun, 0.0)


class Line:
    """Says on a terminal's standard error that code is being compiled, and takes it back afterwards."""

    def __init__(self) -> None:
        self.others = 0  # Number of other lines on the terminal, which say it instead of this one
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._shown = False
        self._begun, self._before = 0.0, 0.0
        self._thread = 0  # that began it, and ends it

    @property
    def is_due(self) -> bool:
        """Whether code is being compiled now, for longer than a moment."""
        return self._timer is not None and self._before + time.perf_counter() - self._begun > PATIENCE

    def begin(self) -> None:
        """Code is about to be compiled; within `clocked`."""
        with self._lock:
            if self._timer is not None or not _is_terminal():
                return
            self._begun = time.perf_counter()
            self._timer = threading.Timer(max(PATIENCE - self._before, MOMENT), self._say)
            self._timer.daemon = True
            self._thread = threading.get_ident()
            try:
                self._timer.start()
            except RuntimeError:  # no thread can be started: then there is no line
                self._timer = None

    def end(self) -> None:
        """It is there."""
        with self._lock:
            if self._timer is None or self._thread != threading.get_ident():
                return
            self._timer.cancel()
            self._timer = None
            spent = time.perf_counter() - self._begun
            self._before += spent if spent > MOMENT else 0.0
            if self._shown:
                self._shown = False
                _write("\b \b" * len(TEXT))  # what else stands in that line stays

    def _say(self) -> None:
        with self._lock:
            if self._timer is not None and not self.others:
                self._shown = True
                _write(TEXT)


def _write(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # the terminal has gone
        sys.stderr.write(text)
        sys.stderr.flush()


def _is_terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False


line: Line = Line()
