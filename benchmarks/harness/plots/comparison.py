"""Comparison of codes: time against colors, speed-ups, and the distance from the floor."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from lagcolor.base.errors import OptionError
from lagcolor.base.options import hint
from lagcolor.plot.style import INK, QUIET, axes, grid_lines, log_ticks, need_matplotlib, short

from .. import results as ms
from ..results import Results, Run

Source = Results | str | Path | Sequence[str | Path]

# Style of a code → hue and marker, so that neither alone has to be distinguished.
LOOKS = {
    "kernel": ("#009E73", "s"),
    "frontier": ("#E69F00", "^"),
    "algebra": ("#0072B2", "o"),
    "sequential": ("#CC79A7", "D"),
    "peer": ("#6E6E6E", "x"),
    "reference": ("#6E6E6E", "+"),
    "auto": ("#5E3C99", "*"),
}
FRONT = "#D55E00"
MOST = 40  # bars of one picture


def pareto(results: Source, graph: str | None = None, *, ax: Any = None, ordering: bool = True) -> Any:
    """Draw time against colors of all codes on one graph, and the Pareto front with its codes numbered and named.

    Parameters
    ----------
    results : Results, path or several paths
        Any argument of `benchmarks.harness.results.read`.
    graph : str, optional
        The name of the graph in the results; optional if there is only one.
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
        There is no graph with this name, or no run on it that can be compared.
    LagcolorError
        matplotlib is not installed.

    Examples
    --------
    >>> with open("times.csv", "w") as f:
    ...     _ = f.write("graph,code,colors,ms\\nroad,A,4,3.0\\nroad,B,5,2.0\\n")
    >>> axes = plots.pareto("times.csv")
    >>> axes.get_title(loc="left"), axes.get_xlabel()
    ('road', 'colors')
    """
    results = loaded(results)
    graph = chosen(graph, results.graphs, "graph")
    runs = results.on(graph)
    if not runs:
        raise OptionError(f"no run on {graph!r} has a time and valid colors")
    ax = axes(ax, (6.4, 4.4))
    for style, (hue, marker) in LOOKS.items():
        if of_style := [r for r in runs if hue_and_marker(r.style) == (hue, marker)]:
            ax.plot(
                [r.colors for r in of_style], [r.time(ordering=ordering) for r in of_style], marker, color=hue,
                markersize=8 if style == "auto" else 5, alpha=0.85, label=style, linestyle="none", zorder=3,
            )  # fmt: skip
    ax.set_yscale("log")
    colors_axis(ax, [r.colors or 0 for r in runs])
    _front(ax, ms.front(runs, ordering=ordering), results, ordering)
    log_ticks(ax.yaxis)
    ax.set_xlabel("colors", fontsize=9)
    ax.set_ylabel("ms, with ordering" if ordering else "ms", fontsize=9)
    ax.set_title(graph, loc="left", fontsize=10, color=INK)
    grid_lines(ax)
    return ax


def colors_axis(ax: Any, colors: Sequence[int]) -> None:
    """A horizontal axis of numbers of colors, logarithmic if they are far apart."""
    few = max(colors) <= 8 * max(1, min(colors))
    ax.set_xscale("linear" if few else "log")
    if few:
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.margins(x=0.08)
    else:
        log_ticks(ax.xaxis)


def _front(ax: Any, front: list[Run], results: Results, ordering: bool) -> None:
    """The steps of a front, its points numbered, and the names in the area below, which no run can reach."""
    x = [r.colors or 0 for r in front]
    y = [r.time(ordering=ordering) for r in front]
    low, high = ax.get_ylim()
    bottom = low * (low / high) ** (0.095 * len(front) + 0.04)  # a line of names takes a tenth of the height
    ax.set_ylim(bottom, high)
    ax.plot(
        [x[0], *x, ax.get_xlim()[1]], [high, *y, y[-1]], drawstyle="steps-post", color=FRONT,
        linewidth=1.2, zorder=2, scalex=False, scaley=False,
    )  # fmt: skip
    for i, (a, b) in enumerate(zip(x, y, strict=True), 1):
        ax.annotate(str(i), (a, b), (-4, -4), textcoords="offset points", ha="right", va="top", fontsize=8, color=FRONT)
    names = "\n".join(
        f"{i} {results.label(r)} ({r.colors:,}, {short(r.time(ordering=ordering))} ms)" for i, r in enumerate(front, 1)
    )
    ax.text(0.02, 0.02, names, transform=ax.transAxes, fontsize=7, va="bottom", color=INK, linespacing=1.3)


def fronts(results: Source, graphs: Iterable[str] | None = None, *, columns: int = 2, ordering: bool = True) -> Any:
    """Draw time against colors on several graphs, with one axes per graph, in one figure: see `pareto`.

    Parameters
    ----------
    results : Results, path or several paths
        Any argument of `benchmarks.harness.results.read`.
    graphs : iterable of str, optional
        The graphs. Default: all.
    columns : int
        Axes per row of the figure.
    ordering : bool
        Whether the time of the ordering counts.

    Returns
    -------
    matplotlib.figure.Figure
        A figure for `lagcolor.plot.save`.

    Examples
    --------
    >>> with open("times.csv", "w") as f:
    ...     _ = f.write("graph,code,colors,ms\\nroad,A,4,3.0\\nroad,B,5,2.0\\nmesh,A,6,1.0\\n")
    >>> figure = plots.fronts("times.csv")
    >>> [axes.get_title(loc="left") for axes in figure.axes]
    ['road', 'mesh']
    """
    results = loaded(results)
    names = [g for g in (results.graphs if graphs is None else graphs) if results.on(g)]
    if not names:
        raise OptionError("no run in these results has a time and valid colors")
    figure, grid = panels(len(names), columns, height=3.3)
    looks: dict[str, Any] = {}
    for name, ax in zip(names, grid, strict=True):
        pareto(results, name, ax=ax, ordering=ordering)
        looks.update(zip(*ax.get_legend_handles_labels()[::-1], strict=True))
    shown = [style for style in LOOKS if style in looks]
    figure.legend(
        [looks[s] for s in shown], shown, loc="outside upper left", ncols=len(shown), frameon=False, fontsize=9
    )
    return figure


def speedups(results: Source, baseline: str | None = None, *, ax: Any = None, ordering: bool = True) -> Any:
    """Draw how many times as fast as a baseline each code is, in geometric mean, with a dot per graph.

    Parameters
    ----------
    results : Results, path or several paths
        Any argument of `benchmarks.harness.results.read`.
    baseline : str, optional
        The code to compare with; see `benchmarks.harness.results.speedups`.
    ax : matplotlib.axes.Axes, optional
        The axes; default: new axes of a new pyplot figure.
    ordering : bool
        Whether the time of the ordering counts.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with at most 40 bars for the fastest codes. A bar is pale if its code has not colored all graphs of
        the baseline.

    Examples
    --------
    >>> with open("times.csv", "w") as f:
    ...     _ = f.write("graph,code,colors,ms\\nroad,A,4,3.0\\nroad,B,5,2.0\\n")
    >>> plots.speedups("times.csv", baseline="A").get_xlabel()
    'times as fast as A, ordering included'
    """
    results = loaded(results)
    base = ms.compare.find_baseline(results, baseline)
    every = ms.speedups(results, base, ordering=ordering)
    rows = every[:MOST]
    graphs = max(len(s.ratios) for s in every)
    ax = axes(ax, (7.4, 0.24 * len(rows) + 1.1))
    places = range(len(rows))[::-1]
    for y, s in zip(places, rows, strict=True):
        hue = hue_and_marker(s.style)[0]
        whole = len(s.ratios) == graphs
        ax.plot([1, s.mean], [y, y], color=hue, linewidth=8, solid_capstyle="butt", alpha=0.85 if whole else 0.35)
        ax.plot(list(s.ratios.values()), [y] * len(s.ratios), "o", markersize=2.5, color=INK, alpha=0.55)
        note = f"{short(s.mean)} ×" + ("" if whole else f", {len(s.ratios)} of {graphs} graphs")
        end = max(1, s.mean, *s.ratios.values())
        ax.annotate(note, (end, y), (6, 0), textcoords="offset points", va="center", fontsize=8, color=INK)
    ax.set_yticks(places, [s.label for s in rows], fontsize=8)
    ax.set_ylim(-0.7, len(rows) - 0.3)
    ax.set_xscale("log")
    low, high = ax.get_xlim()
    ax.set_xlim(low, high * (high / low) ** 0.22)
    log_ticks(ax.xaxis)
    ax.axvline(1, color=QUIET, linewidth=1)
    ax.set_xlabel(f"times as fast as {base}" + (", ordering included" if ordering else ""), fontsize=9)
    title = "Geometric mean over graphs; a dot a graph" + left_out(len(rows), len(every))
    ax.set_title(title, loc="left", fontsize=10, color=INK)
    grid_lines(ax, "x")
    return ax


def floors(results: Source, *, ax: Any = None, ordering: bool = True) -> Any:
    """Draw time over the floor, the time to read a graph and write its colors once: a row per graph, a mark per code.

    Parameters
    ----------
    results : Results, path or several paths
        Any argument of `benchmarks.harness.results.read`.
    ax : matplotlib.axes.Axes, optional
        The axes; default: new axes of a new pyplot figure.
    ordering : bool
        Whether the time of the ordering counts.

    Returns
    -------
    matplotlib.axes.Axes
        The axes. The code closest to the floor is named for each graph.

    Raises
    ------
    OptionError
        The results have no floor.

    Examples
    --------
    >>> from benchmarks.harness.results import GraphFacts, Results, Run
    >>> run = Run(graph="road", code="A", colors=4, ms=3.0, floor_ms=0.5)
    >>> plots.floors(Results([run], {"road": GraphFacts(name="road")}, [], [])).get_xlabel()
    '× floor, ordering included'
    """
    results = loaded(results)
    names = [g for g in results.graphs if any(r.floors() for r in results.on(g))]
    if not names:
        raise OptionError("no run in these results has a floor")
    ax = axes(ax, (7.4, 0.34 * len(names) + 1.2))
    for y, name in zip(range(len(names))[::-1], names, strict=True):
        reached = [(r.floors(ordering=ordering) or math.inf, r) for r in results.on(name) if r.floors()]
        for x, r in reached:
            hue, marker = hue_and_marker(r.style)
            ax.plot(x, y, marker, color=hue, markersize=5, alpha=0.85)
        x, best = min(reached, key=lambda pair: pair[0])
        ax.annotate(
            f"{results.label(best)} {short(x)} ×", (x, y), (0, 5), textcoords="offset points", fontsize=7, color=INK
        )
    ax.set_yticks(range(len(names))[::-1], names, fontsize=8)
    ax.set_ylim(-0.6, len(names) - 0.3)
    ax.set_xscale("log")
    log_ticks(ax.xaxis)
    ax.set_xlabel("× floor" + (", ordering included" if ordering else ""), fontsize=9)
    grid_lines(ax, "x")
    return ax


def panels(count: int, columns: int, height: float) -> tuple[Any, list[Any]]:
    """A figure with a number of axes in columns, each of a height in inches, and the axes."""
    need_matplotlib()
    from matplotlib.figure import Figure

    columns = max(1, min(columns, count))
    rows = math.ceil(count / columns)
    figure = Figure(figsize=(4.6 * columns, height * rows + 0.4), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for ax in grid[count:]:
        ax.set_axis_off()
    return figure, list(grid[:count])


def loaded(results: Source) -> Results:
    """Results, read where these are paths."""
    return results if isinstance(results, Results) else ms.read(results)


def chosen(name: str | None, known: Iterable[str], what: str) -> str:
    """Return a known name; the only one if no name is passed."""
    names = list(known)
    if name is None and len(names) == 1:
        return names[0]
    if name not in names:
        problem = f"name a {what}" if name is None else f"no {what} {name!r} in these results{hint(name, names)}"
        raise OptionError(f"{problem}; there are: {', '.join(names)}")
    return str(name)


def hue_and_marker(style: str) -> tuple[str, str]:
    """Hue and marker of a style."""
    return LOOKS.get(style, LOOKS["peer"])


def left_out(shown: int, every: int) -> str:
    """What a title says if a picture cannot show all codes."""
    return f"; the {shown} fastest of {every} codes" if shown < every else ""
