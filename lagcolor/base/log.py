"""What a call tells while it runs: the stages of its work, to a listener, and the rounds of its algorithm, to a log.

A function with a parameter `progress` is decorated with `listened`. The code that does the work, however far below,
opens a stage and says how much is done. Without a listener this costs one look at a context variable per stage, and
nothing per step.

    reading = stage("reading", total=len(buf), unit="bytes")
    for ...:
        reading.at(position)

A search asks `before(moment)` between its compiled calls: the listener then gets the last stage again, and Ctrl-C that
was deferred is raised.
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

EVERY = 0.1  # seconds between two reports of one stage
SECONDS = "seconds"  # unit of a stage that ends by the clock
OUT_OF_MEMORY = "a further attempt ran out of memory: {}"  # note of a search
_CALL: ContextVar[ListenedCall | None] = ContextVar("lagcolor.base.log", default=None)


class Stage:
    """A part of a call. `at` says how much of it is done. A listener may raise there, which ends the call."""

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
    def heard(self) -> bool:
        """Whether anyone listens: work is cut in pieces only then."""
        return self._call is not None

    def at(self, done: float | None = None) -> None:
        """Report the work done so far (None: as much as before), unless there was a report just before."""
        check()
        if self._call is None:
            return
        self._call.stage, self._done = self, self._done if done is None else done
        if (now := time.monotonic()) - self._call.last >= EVERY:
            self._call.report(self, self._done, now - self._begun)


class ListenedCall:
    """A call with a listener, which gets each `Progress`."""

    last: float
    stage: Stage

    def __init__(self, listener: Callable[[Progress], Any]) -> None:
        self._listener, self._interrupted, self.stage = listener, False, SILENT
        self._begun = self.last = time.monotonic()

    def report(self, stage: Stage, done: float, spent: float) -> None:
        """Tell the listener how far a stage is after `spent` seconds; a stage with a time limit counts these."""
        self.last = time.monotonic()
        if stage.unit == SECONDS:
            done, left = spent, None if stage.total is None else max(0.0, stage.total - spent)
        else:
            left = time_left(done, stage.total, spent)
        if self._interrupted:  # by the listener, which is not called again while the best so far is checked
            return
        token = _CALL.set(None)  # a listener gets no reports of its own calls
        try:
            self._listener(Progress(stage.name, done, stage.total, stage.unit, self.last - self._begun, left))
        except KeyboardInterrupt:
            self._interrupted = True
            raise
        finally:
            _CALL.reset(token)


SILENT = Stage(None)  # without a listener


def stage(name: str, total: float | None = None, unit: str = "") -> Stage:
    """A stage of the call that runs in this context; of no effect without a listener."""
    call = _CALL.get()
    return SILENT if call is None else Stage(call, name, total, unit)


def pause() -> None:
    """A search is between two steps: Ctrl-C that was deferred is raised, and the last stage is reported."""
    check()
    if (call := _CALL.get()) is not None:
        call.stage.at()


def before(until: float) -> bool:
    """Whether a moment of `clock` is still ahead, after a `pause`."""
    pause()
    return compile_clock.clock() < until


@contextmanager
def listening(listener: Callable[[Progress], Any] | None) -> Iterator[None]:
    """Who listens while a block runs."""
    token = _CALL.set(None if listener is None else ListenedCall(listener))
    try:
        yield
    finally:
        _CALL.reset(token)


def unheard() -> AbstractContextManager[None]:
    """What a block does is a part of a stage, and reports none of its own."""
    return listening(None)


def listened[**P, R](function: Callable[P, R]) -> Callable[P, R]:
    """A function, called with its keyword `progress` listening: a function of a `Progress`, True, False or None.

    Ctrl-C in one of its compiled calls is a KeyboardInterrupt.
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
    """`Log.begin` and `Log.end` without measurement."""


class Log:
    """Rounds of one run; with ``trace=True`` also what happened in each."""

    trace: bool  # algorithms test it before they compute anything for a row alone
    rounds: int
    lower_bound: int  # colors that every coloring of the graph needs at least, as far as the algorithm has proven it
    stage: Any  # gets the number of rounds, as progress
    # `begin` may be called right before the first launch: the device's time of the coloring is counted from there
    # (lagcolor.api.session.Clock); `end` right after a launch: time is counted to it, if it is the last one.
    ended: bool  # nothing was launched after the last call of `end`

    def __init__(self, trace: bool = False) -> None:
        self.trace = trace is not False and flag("trace", trace)
        self.rounds = self.lower_bound = 0
        self.certificate: Any = None  # proof of the bound; else the result searches for one at first use
        self.rows: list[dict[str, Any]] = []
        self.notes: dict[str, Any] = {}
        self.stage = SILENT
        self.begin: Callable[[], object] = _nothing
        self.end: Callable[[], object] = _nothing
        self.ended = False
        self._passed, self._last = compile_clock.stopwatch() if trace else None, 0.0

    @contextmanager
    def best_so_far(self, found: Callable[[], bool] = lambda: True, memory: bool = False) -> Iterator[None]:
        """A search that Ctrl-C ends, and with `memory` a lack of it, as notes say; raised if nothing is `found` yet.

        Ctrl-C is raised between steps of the search: at the reports of a stage and where it asks `before`.
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
        """Count a round that has just ended and, when tracing, keep its row (active, colored, conflicts, ms …).

        Without `ms` it is the time since the round before, but for what compiling and loading code took; None: unknown.
        """
        self.rounds += 1
        self.stage.at(self.rounds)
        if self._passed is not None:
            now = self._passed()
            self.rows.append({"round": self.rounds, **row, "ms": row.get("ms", (now - self._last) * 1e3)})
            self._last = now
