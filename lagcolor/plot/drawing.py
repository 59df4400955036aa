"""A coloring: its class sizes, and a small graph in its colors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import OptionError
from ..base.messages import counted
from .layout import layout, positions, texts
from .style import BAR, INK, axes, hues, ink_on, on_cpu, plain, thousands

if TYPE_CHECKING:
    from ..api.result import Coloring

LARGEST = 2000  # vertices of a drawing; more are a blot
NUMBERED = 60  # up to this number of vertices, each shows the number of its color


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


def graph(coloring: Coloring, pos: Any = None, *, ax: Any = None, labels: Any = None) -> Any:
    """Draw a small graph with its vertices in their colors; uncolored ones stay white.

    Parameters
    ----------
    coloring : Coloring
        A coloring of a graph with at most 2,000 vertices.
    pos : array of shape (n, 2), or mapping of vertex label to (x, y), optional
        Positions. Default: distances in the picture follow distances in the graph, as far as a plane allows.
    ax : matplotlib.axes.Axes, optional
        The axes; default: new axes of a new pyplot figure.
    labels : bool, sequence of n texts, or mapping of vertex label to text, optional
        Text below the vertices. True: their labels, or numbers if the graph has none. A mapping may omit vertices.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    OptionError
        The graph is too large, or positions or labels do not fit it.
    LagcolorError
        matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> towns = lagcolor.color([("Bonn", "Bern"), ("Bern", "Brno")])
    >>> axes = lagcolor.plot.graph(towns, labels=True)
    >>> [text.get_text() for text in axes.texts]
    ['0', '1', '0', 'Bonn', 'Bern', 'Brno']
    """
    G = getattr(coloring, "graph", None)
    if G is None or not hasattr(coloring, "colors"):  # graphs of NetworkX have an attribute `graph`
        raise OptionError(
            f"plot.graph draws a coloring, and this is of type {type(coloring).__name__}: pass what lagcolor.color "
            "returns for it"
        )
    if not hasattr(G, "n_edges"):
        raise OptionError("plot.graph draws graphs, and this coloring is of a pattern: take plot.compression")
    if getattr(coloring, "edge_colors", None) is not None:
        raise OptionError(
            "plot.graph draws colors of vertices, and these are of edges: draw the lines `edges` of the result in the "
            "hues of its `edge_colors`, as examples/communication_rounds.py does"
        )
    if G.n > LARGEST:
        raise OptionError(
            f"a drawing of {G.n:,} vertices shows nothing; plot.graph takes up to {LARGEST:,}: draw a part of the "
            "graph, or plot.class_sizes"
        )
    G = G.on("cpu")
    at = layout(G) if pos is None else positions(pos, G)
    ax = axes(ax, (6.4, 6.4))
    from matplotlib.collections import LineCollection

    u = np.repeat(np.arange(G.n), np.diff(G.indptr))
    once = u < G.indices
    ends = list(np.stack([at[u[once]], at[G.indices[once]]], axis=1))
    thickness = float(np.clip(16 / (G.n_edges + 1) ** 0.5, 0.35, 1.2))
    ax.add_collection(LineCollection(ends, colors="#9A9A9A", linewidths=thickness, zorder=1))
    colors, k = coloring.to_numpy(), coloring.n_colors
    hue_of = np.array([*hues(k), "white"], object)
    size = float(np.clip(9000 / (G.n + 1), 9, 340))
    ax.scatter(*at.T, s=size, c=list(hue_of[colors]), edgecolors=INK, linewidths=0.6 if G.n <= 300 else 0.3, zorder=2)
    if G.n <= NUMBERED:
        for (x, y), c in zip(at, colors.tolist(), strict=True):
            ax.text(
                x, y, "" if c < 0 else str(c), color=ink_on(hue_of[c]), fontsize=float(np.clip(size**0.5 / 1.7, 6, 10)),
                ha="center", va="center_baseline", zorder=3,
            )  # fmt: skip
    for text, where in zip(texts(labels, G), at, strict=False):
        ax.annotate(
            text, where, (0, -(size**0.5) / 2 - 2), textcoords="offset points", color=INK, ha="center", va="top",
            fontsize=8 if G.n <= NUMBERED else 5, zorder=4, parse_math=False,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.6, "pad": 0.3},
        )  # fmt: skip
    facts = ", ".join((counted(G.n, "vertices"), counted(G.n_edges, "edges"), counted(k, "colors")))
    ax.set_title(facts, loc="left", fontsize=10, color=INK)
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.06)
    ax.set_axis_off()
    return ax
