"""Shared by all pictures: hues, plain axes, and the import of matplotlib."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..base.errors import OptionError
from ..base.extras import need

HUES = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#F0E442", "#6E6E6E")
INK, QUIET, BAR = "#222222", "#6E6E6E", "#0072B2"


def need_matplotlib() -> Any:
    """Import matplotlib, or raise an error that names the extra."""
    return need("matplotlib", "a picture", "plot")


def axes(ax: Any, size: tuple[float, float]) -> Any:
    """Return `ax`, or new axes of a new pyplot figure of this size in inches."""
    if ax is not None:
        return ax
    need_matplotlib()
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size, layout="constrained")[1]


def file_format(path: Path, known: Mapping[str, str]) -> str:
    """Return the format of a file by its ending; `known` has the formats of matplotlib."""
    kind = path.suffix[1:].lower()
    if kind not in known:
        raise OptionError(f"cannot draw {str(path)!r}: the ending must be one of {', '.join(sorted(known))}")
    return kind


def hues(k: int) -> list[str]:
    """Return a hue for each of k colors."""
    if k <= len(HUES):
        return list(HUES[:k])
    from matplotlib.colors import to_hex

    scale = need_matplotlib().colormaps["viridis"]
    return [to_hex(scale(i / (k - 1))) for i in range(k)]


def ink_on(hue: str) -> str:
    """Return "black" or "white", the one with more contrast to a hue."""
    from matplotlib.colors import to_rgb

    r, g, b = to_rgb(hue)
    return "white" if 0.299 * r + 0.587 * g + 0.114 * b < 0.5 else "black"


def thousands(axis: Any) -> None:
    """Label ticks with whole numbers and commas."""
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}" if x >= 1 or x == 0 else ""))


def plain(ax: Any) -> None:
    """Remove the box, and draw the grid behind the bars."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=9, colors=INK)
    ax.set_axisbelow(True)


def grid_lines(ax: Any, axis: str = "both") -> None:
    """Use small tick labels, and draw pale lines behind the data."""
    plain(ax)
    ax.tick_params(axis="both", which="both", labelsize=8)
    ax.grid(True, axis=axis, color="#E4E4E4", linewidth=0.6)


def short(x: float) -> str:
    """Format a number with three significant digits; " M" and " G" are millions and billions."""
    for unit, letter in ((1e9, " G"), (1e6, " M")):
        if x >= unit:
            return f"{x / unit:.3g}{letter}"
    return f"{x:,.0f}" if x >= 100 else f"{x:.3g}"


def log_ticks(axis: Any) -> None:
    """Label the decades of a logarithmic axis, and numbers between them if the axis shows few decades."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    low, high = sorted(axis.get_view_interval())
    wide = high / low
    between = range(1, 10) if wide < 4 else (1, 2, 3, 5, 7) if wide < 12 else (1, 2, 5) if wide < 120 else (1,)
    axis.set_major_locator(LogLocator(subs=between, numticks=12) if wide > 1.6 else _even())
    axis.set_minor_locator(NullLocator())  # no ticks without a number
    axis.set_major_formatter(FuncFormatter(lambda x, _: short(x)))


def _even() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(5)


def on_cpu(x: Any) -> np.ndarray:
    """Copy an array of any device to a NumPy array."""
    from ..base.device import to_device

    return to_device(x, "cpu")


def save(figure: Any, path: str | os.PathLike[str], *, note: str = "") -> None:
    """Write a figure completely or not at all; the same figure gives the same bytes.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    path : path-like
        A .svg (whose text can be searched and read aloud), .png or .pdf file.
    note : str
        The description in the file.

    Raises
    ------
    OptionError
        matplotlib does not write this format.

    Examples
    --------
    >>> axes = lagcolor.plot.degrees(lagcolor.generate.grid2d(10))
    >>> lagcolor.plot.save(axes.figure, "degrees.svg", note="degrees of a grid")
    """
    from ..io.files import atomic

    path = Path(path)
    kind = file_format(path, figure.canvas.get_supported_filetypes())
    metadata: dict[str, Any] = {"Description": note} if note and kind in ("svg", "png") else {}
    if kind == "svg":
        metadata["Date"] = None
    fixed = {"svg.fonttype": "none", "svg.hashsalt": "lagcolor"}
    with need_matplotlib().rc_context(fixed), atomic(path) as f:
        figure.savefig(f, format=kind, dpi=140, metadata=metadata)
