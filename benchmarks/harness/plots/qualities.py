"""What `lagcolor.color(x)` offers for more time, compared with every other code."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from lagcolor.base.errors import OptionError
from lagcolor.plot.style import INK, QUIET, grid_lines, log_ticks

from .. import results as ms
from ..results import Results, Run
from .comparison import LOOKS, Source, colors_axis, hue_and_marker, loaded, panels

PLATE: dict[str, Any] = {"boxstyle": "round,pad=0.1", "facecolor": "white", "alpha": 0.75, "linewidth": 0}
GAP, HEIGHT = 9.0, 150.0  # points from label to label, and of an axes: where a layout will put it is known too late


def qualities(results: Source, graphs: Iterable[str] | None = None, *, columns: int = 2, ordering: bool = True) -> Any:
    """Draw time against colors, one axes per graph: the qualities joined and named, the front of the others dotted.

    Parameters
    ----------
    results : Results, path or several paths
        Any argument of `benchmarks.harness.results.read`, with codes such as ``auto:best=25x``.
    graphs : iterable of str, optional
        The graphs. Default: all on which a quality was measured.
    columns : int
        Axes per row of the figure.
    ordering : bool
        Whether the time of the ordering counts.

    Returns
    -------
    matplotlib.figure.Figure
        A figure for `lagcolor.plot.save`.

    Raises
    ------
    OptionError
        No quality was measured on any of the graphs.
    LagcolorError
        matplotlib is not installed.

    Examples
    --------
    >>> from benchmarks.harness.results import GraphFacts, Results, Run
    >>> runs = [Run(graph="road", code=f"auto:{quality}", style="auto", colors=k, ms=ms)
    ...         for quality, k, ms in (("fast", 5, 1.0), ("balanced", 4, 2.0))]
    >>> figure = plots.qualities(Results(runs, {"road": GraphFacts(name="road")}, [], []))
    >>> len(figure.axes)
    1
    """
    results = loaded(results)
    names = [g for g in (results.graphs if graphs is None else graphs) if _parts(results, g)[0]]
    if not names:
        raise OptionError("no quality in these results: measure with benchmarks.compare -a 'auto:*' and others")
    figure, grid = panels(len(names), columns, height=2.9)
    for name, ax in zip(names, grid, strict=True):
        _draw(ax, results, name, ordering)
    return figure


def _parts(results: Results, graph: str) -> tuple[list[Run], list[Run]]:
    """The qualities on a graph, the quickest first, and what else was measured there."""
    runs = [r for r in results.on(graph) if r.style != "reference"]
    return sorted((r for r in runs if r.style == "auto"), key=Run.time), [r for r in runs if r.style != "auto"]


def _draw(ax: Any, results: Results, graph: str, ordering: bool) -> None:
    chain, others = _parts(results, graph)
    for style in dict.fromkeys(r.style for r in others):
        hue, marker = hue_and_marker(style)
        mine = [r for r in others if r.style == style]
        ax.plot(
            [r.colors for r in mine], [r.time(ordering=ordering) for r in mine], marker, color=hue, markersize=4,
            alpha=0.45, linestyle="none", label=style,
        )  # fmt: skip
    hue, star = LOOKS["auto"]
    ax.plot(
        [r.colors for r in chain], [r.time(ordering=ordering) for r in chain], "-", color=hue, linewidth=1.4, zorder=3
    )
    ax.plot(
        [r.colors for r in chain],
        [r.time(ordering=ordering) for r in chain],
        star,
        color=hue,
        markersize=9,
        zorder=4,
        label="qualities",
    )
    ax.set_yscale("log")
    colors_axis(ax, [r.colors or 0 for r in (*chain, *others)])
    if front := ms.front(others, ordering=ordering):
        x, y = [r.colors or 0 for r in front], [r.time(ordering=ordering) for r in front]
        steps = [x[0], *x, ax.get_xlim()[1]], [ax.get_ylim()[1], *y, y[-1]]
        ax.plot(
            *steps,
            ":",
            drawstyle="steps-post",
            color=QUIET,
            linewidth=1.2,
            scalex=False,
            scaley=False,
            label="front of the others",
        )
    for words, r, up in _labels(chain, ordering, ax.get_ylim()):
        ax.annotate(
            words, (r.colors or 0, r.time(ordering=ordering)), (8, up), textcoords="offset points", va="center",
            fontsize=8, color=INK, zorder=5, bbox=PLATE,
        )  # fmt: skip
    log_ticks(ax.yaxis)
    ax.set_xlabel("colors", fontsize=9)
    ax.set_ylabel("ms, with ordering" if ordering else "ms", fontsize=9)
    ax.set_title(graph, loc="left", fontsize=10, color=INK)
    grid_lines(ax)


def _labels(chain: list[Run], ordering: bool, limits: tuple[float, float]) -> list[tuple[str, Run, float]]:
    """A text for each star, and points that it is moved up by; stars that lie on each other have one together."""
    scale = HEIGHT / math.log(limits[1] / limits[0])
    groups: list[list[Run]] = []
    for r in chain:
        last = groups[-1][-1] if groups else r
        near = (
            last.colors == r.colors and scale * math.log(r.time(ordering=ordering) / last.time(ordering=ordering)) < GAP
        )
        groups[-1].append(r) if groups and near else groups.append([r])
    out, free = [], -math.inf
    for group in groups:
        at = scale * math.log(group[0].time(ordering=ordering))
        free = max(free, at)
        out.append((", ".join(short_name(r.code) for r in sorted(group, key=_limit)), group[0], free - at))
        free += GAP
    return out


def short_name(code: str) -> str:
    """ "auto:best=25x" → "25 ×", "auto:best=2" → "2 s", "auto:fast" → "fast"."""
    word = code.removeprefix("auto:").removeprefix("best=")
    if word.endswith("x"):
        return f"{word[:-1]} ×"
    return f"{word} s" if word[:1].isdigit() else word


def _limit(run: Run) -> tuple[int, float]:
    """Qualities in the order of what they may take."""
    word = run.code.rpartition("=")[2]
    if run.code in ("auto:fast", "auto:balanced"):
        return ("auto:fast", "auto:balanced").index(run.code), 0.0
    return 2, float(word.removesuffix("x"))
