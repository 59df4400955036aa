"""Ctrl-C between verbs, not within one: it is noted, and handed to its handler when the verb has ended.

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


def _hand_over() -> None:
    """The handler's turn, in the thread that heard, while SIGINT is deferred; as a rule it raises."""
    if get_ident() != main_thread().ident or getsignal(SIGINT) is not _note:
        return
    frame = _heard[-1]
    _heard.clear()
    _handler[0](SIGINT, frame)


@contextmanager
def deferred() -> Iterator[None]:
    """In this context Ctrl-C is noted, and handed over at the end of a verb, or of the context."""
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
            if _heard:
                _hand_over()
            return out
        with deferred():
            return verb(*args, **kwargs)

    return run


def checked(verb: Callable[..., Any]) -> Callable[..., Any]:
    """`verb`, at whose end Ctrl-C is handed over where it is deferred."""

    @functools.wraps(verb)
    def run(*args: Any, **kwargs: Any) -> Any:
        out = verb(*args, **kwargs)
        if _heard:
            _hand_over()
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
