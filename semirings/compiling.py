"""Compiling code: one function runs it, so that a program that uses this package can count the time it takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _plain(make: Callable[[], Any], name: str) -> Any:
    return make()


_runner: Callable[[Callable[[], Any], str], Any] = _plain


def run(make: Callable[[], Any], name: str) -> Any:
    """What `make` returns, which compiles or loads the function `name`."""
    return _runner(make, name)


def use(runner: Callable[[Callable[[], Any], str], Any]) -> None:
    """Compile by ``runner(make, name)`` from here on; it calls `make` and returns its result."""
    global _runner
    _runner = runner
