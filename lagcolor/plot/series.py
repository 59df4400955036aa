"""Bars and curves: class sizes and bounds of colorings, rounds, degrees."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..api.result import Coloring
from ..base.errors import OptionError
from ..base.messages import counted
from ..graph.graph import Graph
from . import style
from .style import BAR, HUES, INK, QUIET, axes, grid_lines, on_cpu, plain, thousands

MOST_BARS = 40  # largest degree with a bar for each degree


def class_sizes(coloring: Coloring, *, ax: Any = None) -> Any:
    """Draw the number of vertices of each color as bars.

    Parameters
    ----------
    coloring : Coloring
        The result of `lagcolor.color`.
    ax : matplotlib.axes.Axes, optional
        The axes; default: new axes of a new pyplot figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a logarithmic scale if the sizes differ by more than a factor of fifty.

    Raises
    ------
    LagcolorError
        matplotlib is not installed.

    Examples
    --------
    >>> axes = lagcolor.plot.class_sizes(lagcolor.color(lagcolor.generate.queen(5)))
    >>> axes.get_title(loc="left")
    '5 colors, 25 vertices'
    """
    ax = axes(ax, (7, 3.2))
    sizes = on_cpu(coloring.class_sizes)
    k = len(sizes)
    ax.bar(np.arange(k), sizes, width=0.85 if k <= 100 else 1.0, color=BAR)
    ax.set_xlabel("color")
    ax.set_ylabel("vertices")
    ax.set_xlim(-0.6, max(k, 1) - 0.4)
    ax.xaxis.get_major_locator().set_params(integer=True)
    if k and sizes.max() > 50 * sizes.min():
        ax.set_yscale("log")
        ax.set_ylim(bottom=0.7)
    else:
        ax.yaxis.get_major_locator().set_params(integer=True)
    uncolored = len(coloring) - int(sizes.sum())
    facts = f"{counted(k, 'colors')}, {counted(len(coloring), 'vertices')}"
    ax.set_title(facts + (f", {uncolored:,} uncolored" if uncolored else ""), loc="left", fontsize=10, color=INK)
    thousands(ax.yaxis)
    plain(ax)
    return ax


def summary(
    colorings: Mapping[str, Coloring | Sequence[Coloring]],
    path: str | os.PathLike[str],
    *,
    at_least: Mapping[str, int] | None = None,
) -> None:
    """Write one picture of several graphs: the class sizes of each, and numbers of colors next to their bounds.

    Parameters
    ----------
    colorings : mapping of str to Coloring or a sequence of Colorings
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
    style.need_matplotlib()
    from matplotlib.figure import Figure

    from ..io.files import atomic

    heights = [max(2.1, 1.15 + 0.3 * len(row)) for row in rows.values()]
    figure = Figure(figsize=(11, sum(heights) + 0.5 * len(heights)), layout="constrained")
    kind = style.file_format(Path(path), figure.canvas.get_supported_filetypes())
    grid = figure.subplots(len(rows), 2, squeeze=False, width_ratios=(3, 2), height_ratios=heights)
    for (name, row), (left, right) in zip(rows.items(), grid, strict=True):
        best = min(row, key=lambda c: c.n_colors)
        class_sizes(best, ax=left)
        left.set_title(name, loc="left", fontsize=10, fontweight="bold", color=INK)
        facts = f"{counted(best.graph.n, 'vertices')}, {counted(best.graph.n_edges, 'edges')}"
        left.set_title(facts, loc="right", fontsize=9, color=INK)
        left.set_xlabel(f"color ({best.algorithm}, {best.order})")
        _against_bounds(right, row, (at_least or {}).get(name))
    with atomic(Path(path)) as f:
        figure.savefig(f, format=kind, dpi=140)


def _against_bounds(ax: Any, row: Sequence[Coloring], at_least: int | None) -> None:
    """Draw a bar for each coloring, and lines at bounds that are near the bars."""
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
    for (name, bound, hue), dash in zip(bounds, ("-", "--", ":")[-len(bounds) :], strict=True):
        if bound <= reach:
            ax.axvline(bound, color=hue, linestyle=dash, linewidth=1.6, label=f"{name} = {bound:,}")
        else:
            ax.plot([], [], color=hue, linestyle=dash, linewidth=1.6, label=f"{name} = {bound:,} →")
    shown = [*colors, *(b for _, b, _ in bounds if b <= reach)]
    ax.set_xlim(0, 1.12 * max(shown))
    spare = max(0.6, 1.6 - len(row) / 2)  # a single bar has the thickness of others
    ax.set_ylim(-spare, len(row) - 1 + spare)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlabel("colors")
    ax.legend(
        loc="lower right", bbox_to_anchor=(1, 1), ncols=len(bounds), frameon=False, fontsize=8,
        borderaxespad=0.2, handlelength=1.4, columnspacing=1.2,
    )  # fmt: skip
    thousands(ax.xaxis)
    plain(ax)


def rounds(coloring: Coloring, *, ax: Any = None) -> Any:
    """Draw the vertices colored in each round, the conflicts, and the vertices still without a color.

    Parameters
    ----------
    coloring : Coloring
        A coloring with a trace (``lagcolor.color(…, trace=True)``).
    ax : matplotlib.axes.Axes, optional
        The axes; default: new axes of a new pyplot figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a logarithmic scale and zero at the bottom.

    Raises
    ------
    OptionError
        The coloring has no trace.

    Examples
    --------
    >>> result = lagcolor.color(lagcolor.generate.rgg(10), "luby_mis", trace=True)
    >>> lagcolor.plot.rounds(result).get_xlabel()
    'round'
    """
    if not coloring.trace and len(coloring):
        raise OptionError("this coloring has no trace: color with trace=True")
    return draw_rounds(coloring.trace, f"{coloring.algorithm}, {coloring.order}", ax)


def draw_rounds(trace: Sequence[Mapping[str, Any]], name: str, ax: Any) -> Any:
    """Draw the counts in the rounds of a trace as curves."""
    ax = axes(ax, (6.4, 3.4))
    number = np.arange(1, len(trace) + 1)
    for key, hue, dash in (("active", QUIET, "--"), ("colored", BAR, "-"), ("conflicts", HUES[3], "-")):
        y = np.array([row.get(key) or 0 for row in trace])
        if y.any():
            ax.step(number, y, where="mid", color=hue, linestyle=dash, linewidth=1.4, label=key)
    ax.set_yscale("symlog", linthresh=1)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("round", fontsize=9)
    ax.set_ylabel("vertices", fontsize=9)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_title(f"{name}, {counted(len(trace), 'rounds')}", loc="left", fontsize=10, color=INK)
    ax.legend(*ax.get_legend_handles_labels(), frameon=False, fontsize=8)
    grid_lines(ax)
    return ax


def degrees(graph: Graph, *, ax: Any = None) -> Any:
    """Draw how many vertices have each degree, in bins that widen with the degree if one is over 40.

    Parameters
    ----------
    graph : Graph
        The graph.
    ax : matplotlib.axes.Axes, optional
        The axes; default: new axes of a new pyplot figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> axes = lagcolor.plot.degrees(lagcolor.generate.grid2d(10))
    >>> [int(bar.get_height()) for bar in axes.patches]  # vertices of degree 2, 3 and 4
    [4, 32, 64]
    """
    return draw_degrees(degree_bins(graph), ax)


def draw_degrees(bins: Sequence[tuple[int, int]], ax: Any) -> Any:
    """Draw bins as bars; a bin is (smallest degree, number of vertices)."""
    ax = axes(ax, (6.4, 3.2))
    low, count = np.array(bins or [(0, 0)]).T
    places = np.arange(len(low))
    ax.bar(places, count, width=0.9, color=BAR)
    if bins:
        ax.set_yscale("log")
        ax.set_ylim(bottom=0.7)
        style.log_ticks(ax.yaxis)
    ax.set_xticks(places, bin_names(low.tolist()), fontsize=8)
    for i, tick in enumerate(ax.get_xticklabels()):
        tick.set_visible(i % (1 + len(low) // 13) == 0)
    ax.set_xlabel("degree", fontsize=9)
    ax.set_ylabel("vertices", fontsize=9)
    grid_lines(ax, "y")
    return ax


def degree_bins(G: Graph) -> list[tuple[int, int]]:
    """Bins as (smallest degree, number of vertices): one per degree, or up to a quarter of the degree wide.

    Wide bins are for graphs with a degree over 40. The width grows step by step, since a jump looks like a peak.
    """
    degree = on_cpu(G.degrees)
    if not len(degree):
        return []
    edges = list(range(MOST_BARS + 1))
    if degree.max() > MOST_BARS:
        edges = [0]
        while edges[-1] <= degree.max():
            edges.append(edges[-1] + max(1, round(edges[-1] / 4)))
    count = np.bincount(np.searchsorted(edges, degree, side="right") - 1)
    first = int(np.flatnonzero(count)[0])
    return [(int(a), int(b)) for a, b in zip(edges[first:], count[first:], strict=False)]


def bin_names(low: Sequence[int]) -> list[str]:
    """The smallest degree of each bin, with "+" if it has several degrees. The last two bins have one width."""
    ends = [*low[1:], 2 * low[-1] - low[-2] if len(low) > 1 else low[-1] + 1]
    return [f"{a:,}" + ("+" if end - a > 1 else "") for a, end in zip(low, ends, strict=True)]
