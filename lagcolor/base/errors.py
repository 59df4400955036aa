"""What can go wrong, by name: every error and warning says what is wrong, where, and how to mend it."""

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
    """A coloring is improper, incomplete or does not fit its graph; or no coloring was found that keeps the rules.

    Attributes
    ----------
    partial : array of int32, shape (n,), or None
        Where a coloring with rules was not found: the best partial coloring, −1 for vertices without a color.
    clique : list or None
        Vertices that need a color each and are more than there are colors, where they prove that there is none: labels,
        or numbers where the input had none.
    reason : str
        Why it was not found, or why there is none.
    """

    partial: Any = None
    clique: list[Any] | None = None
    reason: str = ""


class OptionError(LagcolorError, ValueError):
    """An unknown algorithm, order or option, or a value that it cannot take."""


class DeviceError(LagcolorError, RuntimeError):
    """The call requests a GPU, and CuPy or the GPU is missing."""


class MissingPackageError(LagcolorError, ImportError):
    """An optional package is not installed; the message names the extra that installs it."""


class ClusterError(LagcolorError, RuntimeError):
    """A Dask cluster has no workers, or others than a run takes; or workers, or the scheduler, were lost too often."""


class LagcolorWarning(UserWarning):
    """Base of every warning that lagcolor gives."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*(legible(arg) if isinstance(arg, str) else arg for arg in args))


class CacheWarning(LagcolorWarning):
    """Compiled code cannot be kept where it usually is, so that other processes compile it anew; given once."""


class EntryPointWarning(LagcolorWarning):
    """Algorithms of another package, which an entry point names, cannot be imported; given once."""


class PivotWarning(LagcolorWarning):
    """An incomplete factorization has pivots of another sign than the diagonal: with it iterations may stall."""


class NumberingWarning(LagcolorWarning):
    """The vertices of an edge list seem to count from 1: vertex 0 is in no edge, and nearly all others are."""


for _kind in [*globals().values()]:
    if isinstance(_kind, type) and issubclass(_kind, (LagcolorError, LagcolorWarning)):
        _kind.__module__ = __name__.partition(".")[0]  # tracebacks name what users import


def level_of_caller() -> int:
    """The `stacklevel` for a warning about a call by the first caller outside this package."""
    level = 1
    frame: FrameType | None = sys._getframe(1)
    package = __name__.partition(".")[0]
    while frame is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    return level
