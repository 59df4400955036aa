"""Hook for compilation: all of it runs through one function, so that the calling program can measure its time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_runner: Callable[[Callable[[], Any], str], Any] | None = None


def run(make: Callable[[], Any], name: str) -> Any:
    """Return ``make()``, which compiles or loads the function `name`."""
    return make() if _runner is None else _runner(make, name)


def use(runner: Callable[[Callable[[], Any], str], Any]) -> None:
    """Set the function ``runner(make, name)`` that runs all compilation; it calls `make` and returns its result."""
    global _runner
    _runner = runner
