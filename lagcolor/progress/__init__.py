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
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from ..core.errors import OptionError
from .stages import SECONDS, SILENT, Listening, Progress, Stage, listening, stage, unheard

__all__ = ["SECONDS", "SILENT", "Listening", "Progress", "Stage", "listened", "listening", "stage", "unheard"]
P = ParamSpec("P")
R = TypeVar("R")


def listened(function: Callable[P, R]) -> Callable[P, R]:
    """A function, called with its keyword `progress` listening: a function of a `Progress`, True, False or None.

    Raises
    ------
    OptionError
        `progress` is none of these; and what the listener raises.
    """

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
