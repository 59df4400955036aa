"""What happens along something: rounds of a run, sizes of a generator, degrees of a measured graph."""

from __future__ import annotations

from typing import Any

from lagcolor.base.errors import OptionError
from lagcolor.plot.series import draw_degrees, draw_rounds
from lagcolor.plot.style import HUES, INK, axes, grid_lines, log_ticks

from .. import results as ms
from ..results import GraphFacts, Run
from .comparison import MOST, Source, chosen, hue_and_marker, left_out, loaded


def rounds(run: Run, *, ax: Any = None) -> Any:
    """Draw the rounds of a run with a trace: see `lagcolor.plot.rounds`."""
    if not run.trace:
        raise OptionError("this run has no trace: measure with --trace")
    return draw_rounds(run.trace, f"{run.code}, {run.order}", ax)


def scaling(results: Source, family: str | None = None, *, ax: Any = None, ordering: bool = True) -> Any:
    """Draw time over the size of the graphs of one generator, one line per code; at most the 40 fastest codes.

    Parameters
    ----------
    results : Results, path or several paths
        Any argument of `benchmarks.harness.results.read`.
    family : str, optional
        A key of `benchmarks.harness.results.scaling`; optional if there is only one.
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
    >>> from benchmarks.harness.results import GraphFacts, Results, Run
    >>> graphs = {f"rgg:{s}": GraphFacts(name=f"rgg:{s}", spec=f"rgg:{s}", m=m) for s, m in ((10, 6532), (11, 14480))}
    >>> runs = [Run(graph=name, code="A", colors=9, ms=ms) for name, ms in zip(graphs, (0.1, 0.2))]
    >>> plots.scaling(Results(runs, graphs, [], [])).get_title(loc="left")
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


def degrees(graph: GraphFacts, *, ax: Any = None) -> Any:
    """Draw the degrees of a measured graph: see `lagcolor.plot.degrees`."""
    if not graph.degrees:
        raise OptionError(f"the degrees of {graph.name!r} are not in these results")
    return draw_degrees(graph.degrees, ax)
