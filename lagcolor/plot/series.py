"""What happens along something: rounds of a run, sizes of a generator, degrees of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..bench import results as ms
from ..bench.results import GraphFacts, Run
from ..core.errors import OptionError
from ..core.graph import Graph
from ..core.result import Coloring
from .comparison import FRONT, MOST, Source, chosen, grid_lines, hue_and_marker, left_out, loaded, log_ticks
from .style import BAR, HUES, INK, QUIET, axes, on_cpu

MOST_BARS = 40  # of a degree each


def rounds(run: Run | Coloring, *, ax: Any = None) -> Any:
    """Draw the vertices colored in each round, the conflicts, and the vertices still without a color.

    Parameters
    ----------
    run : Run or Coloring
        A run with a trace (``lagcolor.color(…, trace=True)``).
    ax : matplotlib.axes.Axes, optional
        The axes; default: new axes of a new pyplot figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a logarithmic scale and zero at the bottom.

    Raises
    ------
    OptionError
        The run has no trace.

    Examples
    --------
    >>> result = lagcolor.color(lagcolor.generate.rgg(10), "luby_mis", trace=True)
    >>> lagcolor.plot.rounds(result).get_xlabel()
    'round'
    """
    if not run.trace:
        raise OptionError("this run has no trace: color with trace=True")
    ax = axes(ax, (6.4, 3.4))
    number = np.arange(1, len(run.trace) + 1)
    for key, hue, style in (("active", QUIET, "--"), ("colored", BAR, "-"), ("conflicts", FRONT, "-")):
        y = np.array([row.get(key) or 0 for row in run.trace])
        if y.any():
            ax.step(number, y, where="mid", color=hue, linestyle=style, linewidth=1.4, label=key)
    ax.set_yscale("symlog", linthresh=1)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("round", fontsize=9)
    ax.set_ylabel("vertices", fontsize=9)
    ax.xaxis.get_major_locator().set_params(integer=True)
    name = run.code if isinstance(run, Run) else run.algorithm
    ax.set_title(f"{name}, {run.order}, {len(run.trace):,} rounds", loc="left", fontsize=10, color=INK)
    ax.legend(frameon=False, fontsize=8)
    grid_lines(ax)
    return ax


def scaling(results: Source, family: str | None = None, *, ax: Any = None, ordering: bool = True) -> Any:
    """Draw time over the size of the graphs of one generator, one line per code; at most the 40 fastest codes.

    Parameters
    ----------
    results : Results, path or several paths
        Any argument of `lagcolor.bench.results.read`.
    family : str, optional
        A key of `lagcolor.bench.results.scaling`; optional if there is only one.
    ax : matplotlib.axes.Axes, optional
        The axes; default: new axes of a new pyplot figure.
    ordering : bool
        Whether the time of the ordering counts.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    OptionError
        There is no generator with two sizes, or none with this name.

    Examples
    --------
    >>> from lagcolor.bench.results import GraphFacts, Results, Run
    >>> graphs = {f"rgg:{s}": GraphFacts(name=f"rgg:{s}", spec=f"rgg:{s}", m=m) for s, m in ((10, 6532), (11, 14480))}
    >>> runs = [Run(graph=name, code="A", colors=9, ms=ms) for name, ms in zip(graphs, (0.1, 0.2))]
    >>> lagcolor.plot.scaling(Results(runs, graphs, [], [])).get_title(loc="left")
    'rgg'
    """
    results = loaded(results)
    families = ms.scaling(results, ordering=ordering)
    if not families:
        raise OptionError("no generator in these results was run with two sizes")
    family = chosen(family, families, "generator")
    style = {results.label(r): r.style for r in results.usable}
    ax = axes(ax, scaling_size(len(families[family])))
    # The quickest at the largest size comes first; hues and dashes together distinguish forty lines.
    rows = sorted(families[family].items(), key=lambda item: (-item[1][-1][0], item[1][-1][1]))[:MOST]
    for i, (label, points) in enumerate(rows):
        m, times = zip(*points, strict=True)
        dashes = ("-", "--", ":", "-.")[i // len(HUES) % 4]
        marker = hue_and_marker(style[label])[1]
        ax.plot(
            m, times, marker=marker, markersize=4, linewidth=1.3, linestyle=dashes, color=HUES[i % len(HUES)],
            label=label,
        )  # fmt: skip
    ax.set_xscale("log")
    ax.set_yscale("log")
    log_ticks(ax.xaxis)
    log_ticks(ax.yaxis)
    ax.set_xlabel("stored entries", fontsize=9)
    ax.set_ylabel("ms, with ordering" if ordering else "ms", fontsize=9)
    ax.set_title(f"{family}{left_out(len(rows), len(families[family]))}", loc="left", fontsize=10, color=INK)
    ax.legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    grid_lines(ax)
    return ax


def scaling_size(lines: int) -> tuple[float, float]:
    """Height in inches of a picture with a number of lines, whose names are listed at its side."""
    return 8.2, max(4.6, 0.155 * min(lines, MOST) + 0.8)


def degrees(graph: Graph | GraphFacts, *, ax: Any = None) -> Any:
    """Draw how many vertices have each degree, in bins that widen with the degree if one is over 40.

    Parameters
    ----------
    graph : Graph or GraphFacts
        The graph, or its facts in a result file.
    ax : matplotlib.axes.Axes, optional
        The axes; default: new axes of a new pyplot figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    OptionError
        The facts of the graph do not include its degrees.

    Examples
    --------
    >>> axes = lagcolor.plot.degrees(lagcolor.generate.grid2d(10))
    >>> [int(bar.get_height()) for bar in axes.patches]  # vertices of degree 2, 3 and 4
    [4, 32, 64]
    """
    bins = degree_bins(graph) if isinstance(graph, Graph) else graph.degrees
    if not bins and isinstance(graph, GraphFacts):
        raise OptionError(f"the degrees of {graph.name!r} are not in these results")
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
