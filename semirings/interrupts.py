"""Ctrl-C between steps, not within one: it is noted, and handed to its handler when the step has ended.

numba runs Python when it makes arrays of a compiled function's result. An exception there becomes a SystemError, and
the result is lost. So a search is `deferred` as a whole, and calls `check` between its compiled calls.

python-graphblas gives NumPy's memory to GraphBLAS in two steps: the call, and then the array's word that it no longer
owns its data (`unclaim_buffer` after ``GxB_…_import_…``). An exception between the two leaves two owners, which both
free it. In a destructor an exception is lost. Elsewhere in a verb it leaks an object at most.

So verbs that give memory away are never broken into, and a loop of verbs is as a whole `deferred`: to change a handler
takes system calls, which every verb alone would feel (2 to 20 µs).

SIGINT alone is deferred: handlers of other signals (SIGTERM, SIGALRM …) run at once, and should not raise. Signals
reach the main thread only; other threads go straight on. What is no handler of Python's (ignored, or the system's
default) stays in place.
"""

from __future__ import annotations

import functools
from _signal import SIGINT, getsignal, signal  # without the enumerations of `signal`, which take longer than the rest
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import get_ident, main_thread
from typing import Any

_heard: list[Any] = []  # frames that Ctrl-C broke into
_handler: list[Any] = [None]  # what `_note` stands for


def _note(number: int, frame: Any) -> None:
    _heard.append(frame)


def check() -> None:
    """Hand over a Ctrl-C that was noted, if SIGINT is deferred in this thread; as a rule the handler raises."""
    if _heard:
        _hand_over()


def as_interrupt(error: SystemError) -> BaseException:
    """The KeyboardInterrupt that became this error in a compiled call; the error itself if there was none."""
    cause: BaseException | None = error
    while isinstance(cause, SystemError):
        cause = cause.__cause__
    return cause if isinstance(cause, KeyboardInterrupt) else error


def _hand_over() -> None:
    if get_ident() != main_thread().ident or getsignal(SIGINT) is not _note:
        return
    frame = _heard[-1]
    _heard.clear()
    _handler[0](SIGINT, frame)


@contextmanager
def deferred() -> Iterator[None]:
    """In this context Ctrl-C is noted, and handed over by `check`, at the end of a verb, or of the context."""
    handler = getsignal(SIGINT)
    if get_ident() != main_thread().ident or not callable(handler) or handler is _note:
        yield
        return
    _heard.clear()
    _handler[0] = handler
    signal(SIGINT, _note)  # what comes before `try` cannot raise any more
    try:
        yield
    finally:
        try:
            signal(SIGINT, handler)  # may raise: one that arrives here is the handler's
        finally:
            frames = _heard[-1:]
            _heard.clear()
            if frames:
                handler(SIGINT, frames[0])


def whole(verb: Callable[..., Any]) -> Callable[..., Any]:
    """`verb`, which Ctrl-C does not break into."""

    @functools.wraps(verb)
    def run(*args: Any, **kwargs: Any) -> Any:
        if getsignal(SIGINT) is _note:
            out = verb(*args, **kwargs)
            check()
            return out
        with deferred():
            return verb(*args, **kwargs)

    return run


def checked(verb: Callable[..., Any]) -> Callable[..., Any]:
    """`verb`, at whose end Ctrl-C is handed over where it is deferred."""

    @functools.wraps(verb)
    def run(*args: Any, **kwargs: Any) -> Any:
        out = verb(*args, **kwargs)
        check()
        return out

    return run


def verbs(checks: Sequence[str], gives: Sequence[str]) -> Callable[[type], type]:
    """Class decorator: methods that are `checked`, and those that give memory away and so are `whole`."""

    def decorate(engine: type) -> type:
        for wrap, names in ((checked, checks), (whole, gives)):
            for name in names:
                setattr(engine, name, wrap(getattr(engine, name)))
        return engine

    return decorate
