"""What a running call reports: the stages of its work to a listener, and the rounds of its algorithm to a log.

A function with a parameter `progress` is decorated with `listened`. The code that does the work, at any depth below,
opens a stage and reports how much is done. Without a listener this costs one read of a context variable per stage, and
nothing per step.

    reading = stage("reading", total=len(buf), unit="bytes")
    for ...:
        reading.at(position)

A search calls `before(moment)` between its compiled calls. This reports the last stage again, and raises a deferred
Ctrl-C.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any

from semirings.interrupts import as_interrupt, check, deferred

from . import compile_clock
from .errors import OptionError
from .extras import need
from .options import flag
from .progress import Progress, StatusLine, in_notebook, time_left

EVERY = 0.1  # seconds between two reports of a stage
SECONDS = "seconds"  # unit of a stage that ends by the clock
OUT_OF_MEMORY = "a further attempt ran out of memory: {}"  # note of a search
_CALL: ContextVar[ListenedCall | None] = ContextVar("lagcolor.base.log", default=None)


class Stage:
    """A part of a call. `at` reports how much of it is done. A listener may raise an error, which ends the call."""

    __slots__ = ("_begun", "_call", "_done", "name", "total", "unit")
    name: str
    total: float | None
    unit: str

    def __init__(self, call: ListenedCall | None, name: str = "", total: float | None = None, unit: str = "") -> None:
        self._call, self._done, self.name, self.total, self.unit = call, 0.0, name, total, unit
        if call is not None:
            self._begun, call.stage = time.monotonic(), self
            call.report(self, 0, 0.0)

    @property
    def has_listener(self) -> bool:
        """Whether the call has a listener; only then work is cut in pieces."""
        return self._call is not None

    def at(self, done: float | None = None) -> None:
        """Report the work done so far (None: as much as before), unless the last report is less than EVERY old."""
        check()
        if self._call is None:
            return
        self._call.stage, self._done = self, self._done if done is None else done
        if (now := time.monotonic()) - self._call.last >= EVERY:
            self._call.report(self, self._done, now - self._begun)


class ListenedCall:
    """A call with a listener, which receives each `Progress`."""

    last: float
    stage: Stage

    def __init__(self, listener: Callable[[Progress], Any]) -> None:
        self._listener, self._interrupted, self.stage = listener, False, SILENT
        self._begun = self.last = time.monotonic()

    def report(self, stage: Stage, done: float, spent: float) -> None:
        """Report to the listener how much of a stage is done after `spent` seconds, the unit of a time limit."""
        self.last = time.monotonic()
        if stage.unit == SECONDS:
            done, left = spent, None if stage.total is None else max(0.0, stage.total - spent)
        else:
            left = time_left(done, stage.total, spent)
        if self._interrupted:  # the listener is not called again while the best coloring so far is checked
            return
        token = _CALL.set(None)  # a listener receives no reports of its own calls
        try:
            self._listener(Progress(stage.name, done, stage.total, stage.unit, self.last - self._begun, left))
        except KeyboardInterrupt:
            self._interrupted = True
            raise
        finally:
            _CALL.reset(token)


SILENT = Stage(None)  # without a listener


def stage(name: str, total: float | None = None, unit: str = "") -> Stage:
    """Open a stage of the call that runs in this context; without a listener it has no effect."""
    call = _CALL.get()
    return SILENT if call is None else Stage(call, name, total, unit)


def pause() -> None:
    """Raise a deferred Ctrl-C and report the last stage, between two steps of a search."""
    check()
    if (call := _CALL.get()) is not None:
        call.stage.at()


def before(until: float) -> bool:
    """Whether a moment of `clock` is still ahead; calls `pause` first."""
    pause()
    return compile_clock.clock() < until


@contextmanager
def listening(listener: Callable[[Progress], Any] | None) -> Iterator[None]:
    """Set the listener of a block; None for no listener."""
    token = _CALL.set(None if listener is None else ListenedCall(listener))
    try:
        yield
    finally:
        _CALL.reset(token)


def without_listener() -> AbstractContextManager[None]:
    """A block that is a part of a stage, and reports no stages of its own."""
    return listening(None)


def listened[**P, R](function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function whose keyword `progress` is its listener: a function of a `Progress`, True, False or None.

    Ctrl-C in a compiled call is raised as a KeyboardInterrupt.
    """

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        progress: Any = kwargs.get("progress")
        try:
            if progress is None or progress is False:
                return function(*args, **kwargs)
            if progress is not True and not callable(progress):
                raise OptionError(
                    "progress must be a function, True for a line on a terminal or in a notebook, None, "
                    f"not {progress!r}"
                )
            if progress is True and compile_clock.is_terminal() and not in_notebook():
                need("rich", "a line of progress on a terminal", "cli")
            with StatusLine() if progress is True else nullcontext(progress) as listener, listening(listener):
                return function(*args, **kwargs)
        except SystemError as e:
            error = as_interrupt(e)
            raise error from error.__cause__

    return call


def _nothing() -> None:
    """Stand in for `Log.begin` and `Log.end` without measurement."""


class Log:
    """Rounds of one run; with ``trace=True`` also what happened in each."""

    trace: bool  # algorithms test it before they compute numbers that only a row needs
    rounds: int
    lower_bound: int  # number of colors that every coloring of the graph needs, as far as the algorithm has proven it
    stage: Any  # receives the number of rounds, as progress
    # `begin` may be called right before the first launch, and `end` right after the last one. They bound the device's
    # time of the coloring (lagcolor.api.session.Clock).
    ended: bool  # nothing was launched after the last call of `end`

    def __init__(self, trace: bool = False) -> None:
        self.trace = trace is not False and flag("trace", trace)
        self.rounds = self.lower_bound = 0
        self.certificate: Any = None  # proof of the bound; if None, the result searches for a proof at first use
        self.rows: list[dict[str, Any]] = []
        self.notes: dict[str, Any] = {}
        self.stage = SILENT
        self.begin: Callable[[], object] = _nothing
        self.end: Callable[[], object] = _nothing
        self.ended = False
        self._passed, self._last = compile_clock.stopwatch() if trace else None, 0.0

    @contextmanager
    def best_so_far(self, found: Callable[[], bool] = lambda: True, memory: bool = False) -> Iterator[None]:
        """End a search at Ctrl-C, or with `memory` at a MemoryError, and note it; raise it if nothing is `found` yet.

        Ctrl-C is raised between steps of the search: at the reports of a stage and in `before`.
        """
        try:
            with deferred():
                yield
        except KeyboardInterrupt:
            if not found():
                raise
            self.notes["interrupted"] = True
        except MemoryError as e:
            if not (memory and found()):
                raise
            self.notes["memory"] = OUT_OF_MEMORY.format(e)

    def round(self, **row: Any) -> None:
        """Count a round that has just ended and, when tracing, store its row (active, colored, conflicts, ms …).

        Without `ms` it is the time since the last round, less the time of compiling and loading code; None: unknown.
        """
        self.rounds += 1
        self.stage.at(self.rounds)
        if self._passed is not None:
            now = self._passed()
            self.rows.append({"round": self.rounds, **row, "ms": row.get("ms", (now - self._last) * 1e3)})
            self._last = now
