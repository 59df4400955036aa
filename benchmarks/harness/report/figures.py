"""Which pictures some results allow, each in a figure of its own."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from lagcolor.plot.style import need_matplotlib

from .. import plots
from .. import results as ms
from ..results import Results, Run

Draw = Callable[..., Any]  # what draws into axes
TRACES = 6  # codes of a graph whose rounds a page shows, the fastest


def figures(results: Results, baseline: str | None = None, most: int | None = None) -> Iterator[tuple[str, Any]]:
    """(name for a file, figure) of each picture; `most` limits the graphs of a kind of picture, most runs first."""
    runs = Counter(run.graph for run in results.usable)
    graphs = sorted(results.graphs, key=lambda name: -runs[name])
    if colored := [name for name in graphs if runs[name]][:most]:
        yield "pareto", plots.fronts(results, colored)
        bars = min(len(ms.speedups(results, baseline)), plots.comparison.MOST)
        yield "speedup", _one(7.4, 0.24 * bars + 1.1, partial(plots.speedups, results, baseline))
    floors = results.only(run for run in results.runs if run.floors() and run.graph in colored)
    if floors.runs:
        yield "floors", _one(7.4, 0.34 * len(floors.graphs) + 1.2, partial(plots.floors, floors))
    for family, lines in ms.scaling(results).items():
        size = plots.series.scaling_size(len(lines))
        yield _name("scaling", family), _one(*size, partial(plots.scaling, results, family))
    traced = {name: [run for run in results.on(name) if len(run.trace) > 1] for name in graphs}
    for name in [name for name in graphs if traced[name]][:most]:
        first = {results.label(run): run for run in reversed(traced[name])}  # one of several seeds
        shown = sorted(first.values(), key=Run.time)[: most and TRACES]
        yield _name("rounds", name), _several([partial(plots.rounds, run) for run in shown])
    for name in [name for name in graphs if results.graphs[name].degrees][:most]:
        yield _name("degrees", name), _one(6.4, 3.2, partial(plots.degrees, results.graphs[name]))


def _one(width: float, height: float, draw: Draw) -> Any:
    figure = _figure(width, height)
    draw(ax=figure.subplots())
    return figure


def _several(draws: Sequence[Draw]) -> Any:
    columns = min(3, len(draws))
    rows = math.ceil(len(draws) / columns)
    width, height = 4.2 * columns, 2.5 * rows
    # Set by hand: a layout that is reckoned takes seconds for thirty axes.
    edges = {"left": 0.55 / width, "right": 1 - 0.1 / width, "bottom": 0.5 / height, "top": 1 - 0.3 / height}
    figure = _figure(width, height, None)
    grid = figure.subplots(rows, columns, squeeze=False, gridspec_kw={**edges, "wspace": 0.19, "hspace": 0.48}).ravel()
    for draw, ax in zip(draws, grid, strict=False):
        draw(ax=ax)
    for ax in grid[len(draws) :]:
        ax.set_axis_off()
    return figure


def _figure(width: float, height: float, layout: Any = "constrained") -> Any:
    need_matplotlib()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout=layout)


def _name(*words: str) -> str:
    return "-".join(re.sub(r"[^\w.=]+", "_", word).strip("_") for word in words if word)
