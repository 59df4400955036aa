"""Rounds of a coloring, and degrees of a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..api.result import Coloring
from ..base.errors import OptionError
from ..graph.graph import Graph
from .style import BAR, HUES, INK, QUIET, axes, grid_lines, log_ticks, on_cpu

MOST_BARS = 40  # of a degree each


def rounds(run: Coloring, *, ax: Any = None) -> Any:
    """Draw the vertices colored in each round, the conflicts, and the vertices still without a color.

    Parameters
    ----------
    run : Coloring
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
    if not run.trace:
        raise OptionError("this run has no trace: color with trace=True")
    return draw_rounds(run.trace, f"{run.algorithm}, {run.order}", ax)


def draw_rounds(trace: Sequence[Mapping[str, Any]], name: str, ax: Any) -> Any:
    """Curves of the counts in the rounds of a trace."""
    ax = axes(ax, (6.4, 3.4))
    number = np.arange(1, len(trace) + 1)
    for key, hue, style in (("active", QUIET, "--"), ("colored", BAR, "-"), ("conflicts", HUES[3], "-")):
        y = np.array([row.get(key) or 0 for row in trace])
        if y.any():
            ax.step(number, y, where="mid", color=hue, linestyle=style, linewidth=1.4, label=key)
    ax.set_yscale("symlog", linthresh=1)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("round", fontsize=9)
    ax.set_ylabel("vertices", fontsize=9)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_title(f"{name}, {len(trace):,} rounds", loc="left", fontsize=10, color=INK)
    ax.legend(frameon=False, fontsize=8)
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
    """Bars of (smallest degree of the bin, vertices in it)."""
    ax = axes(ax, (6.4, 3.2))
    low, count = np.array(bins or [(0, 0)]).T
    places = np.arange(len(low))
    ax.bar(places, count, width=0.9, color=BAR)
    if bins:
        ax.set_yscale("log")
        ax.set_ylim(bottom=0.7)
        log_ticks(ax.yaxis)
    ax.set_xticks(places, bin_names(low.tolist()), fontsize=8)
    for i, tick in enumerate(ax.get_xticklabels()):
        tick.set_visible(i % (1 + len(low) // 13) == 0)
    ax.set_xlabel("degree", fontsize=9)
    ax.set_ylabel("vertices", fontsize=9)
    grid_lines(ax, "y")
    return ax


def degree_bins(G: Graph) -> list[tuple[int, int]]:
    """(smallest degree of the bin, vertices in it): a bin a degree, or, where one is over 40, of a quarter of it.

    Bins widen step by step, for a sudden widening looks like a second peak.
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
    """The smallest degree of each bin, with "+" where it has more than one; the last is as wide as the one before."""
    ends = [*low[1:], 2 * low[-1] - low[-2] if len(low) > 1 else low[-1] + 1]
    return [f"{a:,}" + ("+" if end - a > 1 else "") for a, end in zip(low, ends, strict=True)]
