"""Deferred Ctrl-C: an interrupt during a step is stored, and its handler runs after the step.

numba runs Python code when it converts the result of a compiled function to arrays. An exception there becomes a
SystemError, and the result is lost. A search is therefore `deferred`, and calls `check` between its compiled calls.

python-graphblas transfers NumPy's memory to GraphBLAS in two steps: the call, and then the release of the array's data
(`unclaim_buffer` after ``GxB_…_import_…``). After an exception between the two steps, two owners free the memory. An
exception in a destructor is lost. Elsewhere in a verb it leaks at most an object.

Ctrl-C therefore never interrupts a verb that transfers memory, and a loop of verbs is `deferred` as a whole, because
changing a handler takes system calls (2 to 20 µs), too long for each verb.

Only SIGINT is deferred. Handlers of other signals (SIGTERM, SIGALRM, …) run at once, and should not raise. Signals only
reach the main thread; other threads do nothing here. Handlers that are not Python functions (ignored, or the system's
default) are not replaced.
"""

from __future__ import annotations

import functools
from _signal import SIGINT, getsignal, signal  # without the enumerations of `signal`, which take longer than the rest
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import get_ident, main_thread
from typing import Any

_interrupted: list[Any] = []  # frames that Ctrl-C interrupted
_handler: list[Any] = [None]  # the handler that `_note` replaces


def _note(number: int, frame: Any) -> None:
    _interrupted.append(frame)


def check() -> None:
    """Run the handler of a stored Ctrl-C, if SIGINT is deferred in this thread; usually it raises."""
    if _interrupted:
        _hand_over()


def as_interrupt(error: SystemError) -> BaseException:
    """KeyboardInterrupt that became this error in a compiled call, or the error if there was none."""
    cause: BaseException | None = error
    while isinstance(cause, SystemError):
        cause = cause.__cause__
    return cause if isinstance(cause, KeyboardInterrupt) else error


def _hand_over() -> None:
    if get_ident() != main_thread().ident or getsignal(SIGINT) is not _note:
        return
    frame = _interrupted[-1]
    _interrupted.clear()
    _handler[0](SIGINT, frame)


@contextmanager
def deferred() -> Iterator[None]:
    """Context in which Ctrl-C is stored; its handler runs in `check`, or at the end of a verb or of the context."""
    handler = getsignal(SIGINT)
    if get_ident() != main_thread().ident or not callable(handler) or handler is _note:
        yield
        return
    _interrupted.clear()
    _handler[0] = handler
    signal(SIGINT, _note)  # from here on Ctrl-C cannot raise before `try`
    try:
        yield
    finally:
        try:
            signal(SIGINT, handler)  # may raise: the handler receives a Ctrl-C that arrives here
        finally:
            frames = _interrupted[-1:]
            _interrupted.clear()
            if frames:
                handler(SIGINT, frames[0])


def whole(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `verb` so that Ctrl-C does not interrupt it."""

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
    """Wrap `verb` so that it calls `check` at its end."""

    @functools.wraps(verb)
    def run(*args: Any, **kwargs: Any) -> Any:
        out = verb(*args, **kwargs)
        check()
        return out

    return run


def verbs(checks: Sequence[str], gives: Sequence[str]) -> Callable[[type], type]:
    """Class decorator: wrap methods `checks` by `checked`, and methods `gives`, which transfer memory, by `whole`."""

    def decorate(engine: type) -> type:
        for wrap, names in ((checked, checks), (whole, gives)):
            for name in names:
                setattr(engine, name, wrap(getattr(engine, name)))
        return engine

    return decorate
