"""Several colorings of several graphs in one picture."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import OptionError
from .drawing import class_sizes
from .style import BAR, INK, QUIET, file_format, need_matplotlib, plain, thousands

if TYPE_CHECKING:
    from ..api.result import Coloring


def summary(
    colorings: Mapping[str, Coloring | Sequence[Coloring]],
    path: str | os.PathLike[str],
    *,
    at_least: Mapping[str, int] | None = None,
) -> None:
    """Write one picture of several graphs: the class sizes of each, and numbers of colors next to their bounds.

    Parameters
    ----------
    colorings : mapping of str to Coloring or a sequence of them
        Graph name → colorings of that graph. The class sizes belong to the coloring with the fewest colors.
    path : path-like
        A .png, .svg or .pdf file, written completely or not at all.
    at_least : mapping of str to int, optional
        Graph name → a lower bound of the number of colors (such as the size of a clique), which is drawn.

    Raises
    ------
    OptionError
        There is no coloring, or matplotlib does not write the format.
    LagcolorError
        matplotlib is not installed.

    Examples
    --------
    >>> colorings = [lagcolor.color(lagcolor.generate.queen(5), quality=q) for q in ("fast", "balanced")]
    >>> lagcolor.plot.summary({"queen5": colorings}, "queens.svg", at_least={"queen5": 5})
    """
    rows = {name: list(c) if isinstance(c, Sequence) else [c] for name, c in colorings.items()}
    if not rows or not all(rows.values()):
        raise OptionError("summary needs at least one coloring for every graph")
    need_matplotlib()
    from matplotlib.figure import Figure

    from ..io.files import atomic

    heights = [max(2.1, 1.15 + 0.3 * len(row)) for row in rows.values()]
    figure = Figure(figsize=(11, sum(heights) + 0.5 * len(heights)), layout="constrained")
    kind = file_format(Path(path), figure.canvas.get_supported_filetypes())
    grid = figure.subplots(len(rows), 2, squeeze=False, width_ratios=(3, 2), height_ratios=heights)
    for (name, row), (left, right) in zip(rows.items(), grid, strict=True):
        best = min(row, key=lambda c: c.n_colors)
        class_sizes(best, ax=left)
        left.set_title(name, loc="left", fontsize=10, fontweight="bold", color=INK)
        left.set_title(f"{best.graph.n:,} vertices, {best.graph.n_edges:,} edges", loc="right", fontsize=9, color=INK)
        left.set_xlabel(f"color ({best.algorithm}, {best.order})")
        against_bounds(right, row, (at_least or {}).get(name))
    with atomic(Path(path)) as f:
        figure.savefig(f, format=kind, dpi=140)


def against_bounds(ax: Any, row: Sequence[Coloring], at_least: int | None) -> None:
    """A bar a coloring, and lines at the bounds that are near enough to see."""
    from ..orders import degeneracy

    G = row[0].graph
    colors = [c.n_colors for c in row]
    places = np.arange(len(row))[::-1]
    best = min(colors)
    ax.barh(places, colors, height=0.62, color=[BAR if k == best else "#9CC3DD" for k in colors])
    for y, k in zip(places, colors, strict=True):
        ax.text(k, y, f" {k:,}", va="center", ha="left", fontsize=9, color=INK)
    ax.set_yticks(places, [f"{c.algorithm}, {c.order}" + (" (GPU)" if c.graph.on_gpu else "") for c in row], fontsize=9)
    bounds = [("degeneracy + 1", degeneracy(G.on("cpu")) + 1, "#D55E00"), ("Δ + 1", G.max_degree + 1, QUIET)]
    if at_least is not None:
        bounds.insert(0, ("clique", at_least, "#009E73"))
    reach = 2.5 * max(colors)
    for (name, bound, hue), style in zip(bounds, ("-", "--", ":")[-len(bounds) :], strict=True):
        if bound <= reach:
            ax.axvline(bound, color=hue, linestyle=style, linewidth=1.6, label=f"{name} = {bound:,}")
        else:
            ax.plot([], [], color=hue, linestyle=style, linewidth=1.6, label=f"{name} = {bound:,} →")
    shown = [*colors, *(b for _, b, _ in bounds if b <= reach)]
    ax.set_xlim(0, 1.12 * max(shown))
    spare = max(0.6, 1.6 - len(row) / 2)  # a lone bar stays as thick as others
    ax.set_ylim(-spare, len(row) - 1 + spare)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlabel("colors")
    ax.legend(
        loc="lower right", bbox_to_anchor=(1, 1), ncols=len(bounds), frameon=False, fontsize=8,
        borderaxespad=0.2, handlelength=1.4, columnspacing=1.2,
    )  # fmt: skip
    thousands(ax.xaxis)
    plain(ax)
