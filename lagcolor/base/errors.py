"""Errors and warnings. Each message states what is wrong, where, and how to mend it."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from .messages import legible


class LagcolorError(Exception):
    """Base of every error that lagcolor raises on purpose."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*(legible(arg) if isinstance(arg, str) else arg for arg in args))


class GraphError(LagcolorError, ValueError):
    """The input is no undirected graph: wrong shape, type, index range or symmetry.

    Attributes
    ----------
    entry : pair of int, or None
        Row and column, from 0 on, of an entry without its mirror image.
    """

    entry: tuple[int, int] | None = None


class FormatError(GraphError):
    """A file is malformed; the message names the file and, in text formats, the line."""


class ColoringError(LagcolorError, ValueError):
    """A coloring is improper, incomplete or does not fit its graph; or no coloring was found that obeys the rules.

    Attributes
    ----------
    partial : array of int32, shape (n,), or None
        If no coloring that obeys the rules was found: the best partial coloring, −1 for vertices without a color.
    clique : list or None
        Vertices that need a color each, more than there are colors, if they prove that no coloring exists. They are
        labels, or numbers if the input has no labels.
    reason : str
        Why no coloring was found, or why none exists.
    """

    partial: Any = None
    clique: list[Any] | None = None
    reason: str = ""


class OptionError(LagcolorError, ValueError):
    """An unknown algorithm, order or option, or an option with a value that is not allowed."""


class DeviceError(LagcolorError, RuntimeError):
    """The call requests a GPU, but CuPy or the GPU is missing."""


class MissingPackageError(LagcolorError, ImportError):
    """An optional package is not installed; the message names the extra that installs it."""


class ClusterError(LagcolorError, RuntimeError):
    """A Dask cluster has no workers or unsuitable ones, or it lost workers or its scheduler too often."""


class LagcolorWarning(UserWarning):
    """Base of every warning that lagcolor gives."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*(legible(arg) if isinstance(arg, str) else arg for arg in args))


class CacheWarning(LagcolorWarning):
    """Compiled code cannot be stored in the usual folder, so that other processes may compile it anew; given once."""


class EntryPointWarning(LagcolorWarning):
    """Algorithms of another package, which an entry point names, cannot be imported; given once."""


class PivotWarning(LagcolorWarning):
    """Pivots of an incomplete factorization differ in sign from the diagonal, so that iterations may stall."""


class NumberingWarning(LagcolorWarning):
    """The vertices of an edge list seem to count from 1: vertex 0 is in no edge, and nearly all others are."""


for _kind in [*globals().values()]:
    if isinstance(_kind, type) and issubclass(_kind, (LagcolorError, LagcolorWarning)):
        _kind.__module__ = __name__.partition(".")[0]  # tracebacks name what users import


def level_of_caller() -> int:
    """Return the `stacklevel` of a warning that points to the first caller outside this package."""
    level = 1
    frame: FrameType | None = sys._getframe(1)
    package = __name__.partition(".")[0]
    while frame is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    return level
