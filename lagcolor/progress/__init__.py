"""How far a call is: its stages, which count their work, and who listens to them.

A function with a parameter `progress` is decorated with `listened`. What does the work, however far below, opens a
stage and says how much is done; where nobody listens that is one look at a context variable per stage, and nothing
per step.

    reading = stage("reading", total=len(buf), unit="bytes")
    for ...:
        reading.at(position)
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, ParamSpec, TypeVar

from ..core.errors import OptionError

__all__ = ["SECONDS", "SILENT", "Listening", "Progress", "Stage", "listened", "listening", "stage", "unheard"]
P = ParamSpec("P")
R = TypeVar("R")
EVERY = 0.1  # seconds between two reports of one stage
SECONDS = "seconds"  # unit of a stage that ends by the clock
_LISTENING: ContextVar[Listening | None] = ContextVar("lagcolor.progress", default=None)


class Progress(NamedTuple):
    """What a function passed as `progress=` gets, at the beginning of each stage and about ten times a second.

    Attributes
    ----------
    stage : str
        "unpacking", "reading", "converting", "ordering", "coloring", "reducing", "checking" …
    done : float
        How much of the stage is done.
    total : float or None
        How much there is to do; None where that is unknown.
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


class Stage:
    """A part of a call. `at` says how much of it is done; whoever listens may raise there, which ends the call."""

    __slots__ = ("_begun", "_to", "name", "total", "unit")

    def __init__(self, to: Listening | None, name: str, total: float | None, unit: str) -> None:
        self._to, self.name, self.total, self.unit = to, name, total, unit
        self._begun = 0.0 if to is None else to.clock()

    @property
    def heard(self) -> bool:
        """Whether anyone listens: work is cut in pieces only then."""
        return self._to is not None

    def at(self, done: float = 0) -> None:
        """So much is done; a stage that lasts so many seconds asks the clock instead."""
        if self._to is not None:
            self._to.hear(self, done)

    def report(self, done: float, now: float, seconds: float) -> Progress:
        """What to tell at a moment of the clock."""
        if self.unit == SECONDS:
            done = now - self._begun
            left = None if self.total is None else max(0.0, self.total - done)
        elif self.total is not None and done > 0:
            left = (now - self._begun) * max(0.0, self.total - done) / done
        else:
            left = None
        return Progress(self.name, done, self.total, self.unit, seconds, left)


class Listening:
    """A listener, from the beginning of a call on.

    Parameters
    ----------
    listener : callable
        Gets each `Progress`.
    clock : callable
        Seconds.
    """

    def __init__(self, listener: Callable[[Progress], Any], clock: Callable[[], float] = time.monotonic) -> None:
        self.listener, self.clock = listener, clock
        self.begun = self._last = clock()
        self._interrupted = False  # by the listener, which is not asked again while the best so far is checked

    def begin(self, name: str, total: float | None, unit: str) -> Stage:
        """A new stage, which is reported at once."""
        begun = Stage(self, name, total, unit)
        self._tell(begun, 0, self.clock())
        return begun

    def hear(self, stage: Stage, done: float) -> None:
        """Report, unless that was done just before."""
        now = self.clock()
        if now - self._last >= EVERY:
            self._tell(stage, done, now)

    def _tell(self, stage: Stage, done: float, now: float) -> None:
        self._last = now
        token = _LISTENING.set(None)  # what a listener does itself it does not hear
        try:
            if not self._interrupted:
                self.listener(stage.report(done, now, now - self.begun))
        except KeyboardInterrupt:
            self._interrupted = True
            raise
        finally:
            _LISTENING.reset(token)


SILENT = Stage(None, "", None, "")  # nobody listens


def stage(name: str, total: float | None = None, unit: str = "") -> Stage:
    """A stage of the call that runs in this context; of no effect where nobody listens."""
    listening = _LISTENING.get()
    return SILENT if listening is None else listening.begin(name, total, unit)


@contextmanager
def unheard() -> Iterator[None]:
    """What a block does is a part of a stage, and reports none of its own."""
    token = _LISTENING.set(None)
    try:
        yield
    finally:
        _LISTENING.reset(token)


@contextmanager
def listening(listener: Callable[[Progress], Any]) -> Iterator[None]:
    """Whoever listens while a block runs."""
    token = _LISTENING.set(Listening(listener))
    try:
        yield
    finally:
        _LISTENING.reset(token)


def listened(function: Callable[P, R]) -> Callable[P, R]:
    """A function, called with its keyword `progress` listening: a function of a `Progress`, True, False or None."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        progress: Any = kwargs.get("progress")
        if progress is None or progress is False:
            return function(*args, **kwargs)
        if progress is True:
            from .line import Line

            with Line() as line, listening(line):
                return function(*args, **kwargs)
        if not callable(progress):
            raise OptionError(f"progress must be a function, True for a line on a terminal, or None, not {progress!r}")
        with listening(progress):
            return function(*args, **kwargs)

    return call
