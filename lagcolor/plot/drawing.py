"""Drawings of small graphs. Distances in the plane approximate distances in the graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import OptionError
from ..base.messages import counted
from ..graph.graph import Graph
from .style import INK, axes, hues, ink_on

if TYPE_CHECKING:
    from ..api.result import Coloring

LARGEST = 2000  # vertices of a drawing
NUMBERED = 60  # vertices, up to which each shows the number of its color


def graph(coloring: Coloring, pos: Any = None, *, ax: Any = None, labels: Any = None) -> Any:
    """Draw a small graph with its vertices in their colors; uncolored vertices are white.

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
        raise OptionError("plot.graph draws graphs, and this coloring is of a pattern: use plot.compression")
    if getattr(coloring, "edge_colors", None) is not None:
        raise OptionError(
            "plot.graph draws colors of vertices, and these are of edges: draw the lines `edges` of the result in the "
            "hues of its `edge_colors`, as examples/communication_rounds.py does"
        )
    if G.n > LARGEST:
        raise OptionError(
            f"plot.graph draws up to {LARGEST:,} vertices, and this graph has {G.n:,}: draw a part of the "
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


def positions(pos: Any, G: Graph) -> np.ndarray:
    """The positions of a call, float, shape (n, 2), in the order of the vertices."""
    if isinstance(pos, Mapping):
        labels = range(G.n) if G.labels is None else G.labels
        missing = [v for v in labels if v not in pos]
        if missing:
            raise OptionError(f"pos lacks {len(missing)} of {G.n} vertices, the first {missing[0]!r}")
        pos = [pos[v] for v in labels]
    at = np.asarray(pos, float).reshape(-1, 2) if G.n == 0 else np.asarray(pos, float)
    if at.shape != (G.n, 2) or not np.isfinite(at).all():
        raise OptionError(f"pos must be {G.n} finite points, shape ({G.n}, 2); it has shape {at.shape}")
    return at


def texts(labels: Any, G: Graph) -> list[str]:
    """The text of each vertex, in the order of the vertices, "" for no text; an empty list without labels."""
    names = range(G.n) if G.labels is None else G.labels
    if labels is None or labels is False:
        return []
    if isinstance(labels, Mapping):
        if unknown := [v for v in labels if v not in set(names)]:
            raise OptionError(f"labels: there is no vertex {unknown[0]!r}; keys are the labels of the graph")
        return [str(labels.get(v, "")) for v in names]
    if isinstance(labels, Set) or not (labels is True or isinstance(labels, Iterable)):
        raise OptionError(f"labels must be True, a sequence of texts or a mapping, not of type {type(labels).__name__}")
    found = [str(text) for text in (names if labels is True else labels)]
    if len(found) != G.n:
        raise OptionError(f"labels must be {G.n} texts, one for each vertex, and these are {len(found)}")
    return found


def layout(G: Graph) -> np.ndarray:
    """Positions with edges of a length of about one: connected parts by stress majorization, placed in rows."""
    from ..graph.components import components

    A, (n_parts, part) = G.to_scipy(), components(G)
    at = np.zeros((G.n, 2))
    parts = np.split(np.argsort(part, kind="stable"), np.cumsum(np.bincount(part, minlength=n_parts))[:-1])
    members = [inside for inside in parts if len(inside)]
    for inside in members:
        at[inside] = _by_stress(A[inside][:, inside])
        at[inside] -= at[inside].min(axis=0)
    _set_in_rows(at, members)
    return at


def _by_stress(A: Any) -> np.ndarray:
    """Positions in a connected graph by stress majorization (Gansner, Koren, North 2004)."""
    from scipy.linalg import cho_factor, cho_solve
    from scipy.sparse.csgraph import shortest_path
    from scipy.spatial.distance import cdist

    n = A.shape[0]
    if n < 3:
        return np.column_stack([np.arange(n, dtype=float), np.zeros(n)])
    d = shortest_path(A, directed=False, unweighted=True)
    at = _scaling(d)
    np.fill_diagonal(d, 1)
    weight = d**-2.0
    np.fill_diagonal(weight, 0)
    factor = cho_factor((np.diag(weight.sum(axis=1)) - weight)[1:, 1:])  # vertex 0 stays at the origin
    for _ in range(60):
        far = np.maximum(cdist(at, at), 1e-9)
        pull = weight * d / far
        new = np.zeros_like(at)
        new[1:] = cho_solve(factor, (pull.sum(axis=1)[:, None] * at - pull @ at)[1:])
        moved = np.abs(new - new.mean(axis=0) - at + at.mean(axis=0)).max()
        at = new
        if moved < 0.005:
            break
    return _level(at)


def _scaling(d: np.ndarray) -> np.ndarray:
    """The first positions: classical multidimensional scaling by orthogonal iteration."""
    square = d**2
    gram = (square.mean(axis=0) + square.mean(axis=1)[:, None] - square - square.mean()) / 2
    axes = np.random.default_rng(0).normal(size=(len(d), 2))
    for _ in range(20):
        axes, stretch = np.linalg.qr(gram @ axes)
    jitter = np.random.default_rng(1).normal(scale=0.1, size=axes.shape)  # twins must not have one position
    return axes * np.sqrt(np.abs(np.diag(stretch))) + jitter


def _level(at: np.ndarray) -> np.ndarray:
    """Rotate positions so that the longest extent is horizontal."""
    at = at - at.mean(axis=0)
    return at @ np.linalg.svd(at, full_matrices=False)[2].T


def _set_in_rows(at: np.ndarray, members: list[np.ndarray]) -> None:
    """Place the parts, each with its corner at the origin, in rows, the tallest first."""
    boxes = [at[inside].max(axis=0) + 1.0 for inside in members]
    width = max([1.3 * sum(w * h for w, h in boxes) ** 0.5, *(w for w, _ in boxes)], default=0.0)
    x = y = row = 0.0
    for i in sorted(range(len(boxes)), key=lambda i: -boxes[i][1]):
        w, h = boxes[i]
        if x + w > width:
            x, y, row = 0.0, y + row, 0.0
        at[members[i]] += (x, -y - h)
        x, row = x + w, max(row, h)
