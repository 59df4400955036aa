"""Pictures of colorings: class sizes, small graphs, and a summary of several colorings.

Needs matplotlib (``pip install 'lagcolor[plot]'``). Hues are those of Okabe and Ito, which people with
color-blindness can tell apart; over eight classes shade a perceptually even scale and are numbered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import LagcolorError, OptionError
from .graph import Graph

if TYPE_CHECKING:
    from .result import Coloring

__all__ = ["class_sizes", "graph", "summary"]

LARGEST = 2000  # vertices of a drawing; more are a blot
NUMBERED = 60  # up to so many vertices carry the number of their color
HUES = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#F0E442", "#6E6E6E")
INK, QUIET, BAR = "#222222", "#6E6E6E", "#0072B2"


def class_sizes(coloring: Coloring, ax: Any = None) -> Any:
    """Bars of the number of vertices of each color.

    Parameters
    ----------
    coloring : Coloring
    ax : matplotlib.axes.Axes, optional
        Where to draw; default: new axes of a new pyplot figure.

    Returns
    -------
    matplotlib.axes.Axes
        With a logarithmic scale where the classes differ by over a factor of fifty.

    Raises
    ------
    LagcolorError
        Where matplotlib is not installed.
    """
    ax = _axes(ax, (7, 3.2))
    sizes = _on_cpu(coloring.class_sizes)
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
    facts = f"{k:,} colors, {len(coloring):,} vertices"
    ax.set_title(facts + (f", {uncolored:,} uncolored" if uncolored else ""), loc="left", fontsize=10, color=INK)
    _thousands(ax.yaxis)
    _plain(ax)
    return ax


def graph(coloring: Coloring, pos: Any = None, ax: Any = None) -> Any:
    """A drawing of a small graph, its vertices in their colors; uncolored ones stay white.

    Parameters
    ----------
    coloring : Coloring
        Of a graph with at most 2,000 vertices.
    pos : array of shape (n, 2), or mapping of vertex label to (x, y), optional
        Default: distances in the picture follow those in the graph, as far as a plane allows.
    ax : matplotlib.axes.Axes, optional
        Where to draw; default: new axes of a new pyplot figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    OptionError
        A graph that is too large, or positions that do not fit it.
    LagcolorError
        Where matplotlib is not installed.
    """
    G = coloring.graph
    if G.n > LARGEST:
        raise OptionError(
            f"a drawing of {G.n:,} vertices shows nothing; plot.graph takes up to {LARGEST:,}: draw a part of the "
            "graph, or plot.class_sizes"
        )
    G = G.on("cpu")
    at = _layout(G) if pos is None else _positions(pos, G)
    ax = _axes(ax, (6.4, 6.4))
    from matplotlib.collections import LineCollection

    u = np.repeat(np.arange(G.n), np.diff(G.indptr))
    once = u < G.indices
    ends = list(np.stack([at[u[once]], at[G.indices[once]]], axis=1))
    thickness = float(np.clip(16 / (G.n_edges + 1) ** 0.5, 0.35, 1.2))
    ax.add_collection(LineCollection(ends, colors="#9A9A9A", linewidths=thickness, zorder=1))
    colors, k = coloring.to_numpy(), coloring.n_colors
    hues = np.array([*_hues(k), "white"], object)
    size = float(np.clip(9000 / (G.n + 1), 9, 340))
    ax.scatter(*at.T, s=size, c=list(hues[colors]), edgecolors=INK, linewidths=0.6 if G.n <= 300 else 0.3, zorder=2)
    if G.n <= NUMBERED:
        for (x, y), c in zip(at, colors.tolist(), strict=True):
            ax.text(
                x, y, "" if c < 0 else str(c), color=_ink_on(hues[c]), fontsize=float(np.clip(size**0.5 / 1.7, 6, 10)),
                ha="center", va="center_baseline", zorder=3,
            )  # fmt: skip
    ax.set_title(f"{G.n:,} vertices, {G.n_edges:,} edges, {k:,} colors", loc="left", fontsize=10, color=INK)
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.06)
    ax.set_axis_off()
    return ax


def summary(
    colorings: Mapping[str, Coloring | Sequence[Coloring]],
    path: str | Path,
    at_least: Mapping[str, int] | None = None,
) -> None:
    """Write one picture of several graphs: the class sizes of each, and colors beside their bounds.

    Parameters
    ----------
    colorings : mapping of str to Coloring or a sequence of them
        Graph name → colorings of that graph; the class sizes are those of the one with fewest colors.
    path : path-like
        .png, .svg or .pdf; written whole or not at all.
    at_least : mapping of str to int, optional
        Graph name → a number of colors that none can go below (a clique), drawn where given.

    Raises
    ------
    OptionError
        No coloring, or a format that matplotlib does not write.
    LagcolorError
        Where matplotlib is not installed.
    """
    rows = {name: list(c) if isinstance(c, Sequence) else [c] for name, c in colorings.items()}
    if not rows or not all(rows.values()):
        raise OptionError("summary needs at least one coloring for every graph")
    _matplotlib()
    from matplotlib.figure import Figure

    from .io.files import atomic

    heights = [max(2.1, 1.15 + 0.3 * len(row)) for row in rows.values()]
    figure = Figure(figsize=(11, sum(heights) + 0.5 * len(heights)), layout="constrained")
    kind = _format(Path(path), figure.canvas.get_supported_filetypes())
    grid = figure.subplots(len(rows), 2, squeeze=False, width_ratios=(3, 2), height_ratios=heights)
    for (name, row), (left, right) in zip(rows.items(), grid, strict=True):
        best = min(row, key=lambda c: c.n_colors)
        class_sizes(best, left)
        left.set_title(name, loc="left", fontsize=10, fontweight="bold", color=INK)
        left.set_title(f"{best.graph.n:,} vertices, {best.graph.n_edges:,} edges", loc="right", fontsize=9, color=INK)
        left.set_xlabel(f"color ({best.algorithm}, {best.order})")
        _against_bounds(right, row, (at_least or {}).get(name))
    with atomic(Path(path)) as f:
        figure.savefig(f, format=kind, dpi=140)


def _against_bounds(ax: Any, row: Sequence[Coloring], at_least: int | None) -> None:
    """A bar a coloring, and lines at the bounds that are near enough to see."""
    from .priorities import degeneracy

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
    _thousands(ax.xaxis)
    _plain(ax)


def _format(path: Path, known: Mapping[str, str]) -> str:
    kind = path.suffix[1:].lower()
    if kind not in known:
        raise OptionError(f"cannot draw {str(path)!r}: the ending must be one of {', '.join(sorted(known))}")
    return kind


# ---- positions


def _positions(pos: Any, G: Graph) -> np.ndarray:
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


def _layout(G: Graph) -> np.ndarray:
    """Positions in which an edge has length one or so: the parts of the graph by stress, set in rows."""
    from scipy.sparse.csgraph import connected_components

    A = G.to_scipy()
    n_parts, part = connected_components(A, directed=False)
    at = np.zeros((G.n, 2))
    parts = np.split(np.argsort(part, kind="stable"), np.cumsum(np.bincount(part, minlength=n_parts))[:-1])
    members = [inside for inside in parts if len(inside)]
    for inside in members:
        at[inside] = _by_stress(A[inside][:, inside])
        at[inside] -= at[inside].min(axis=0)
    _set_in_rows(at, members)
    return at


def _by_stress(A: Any, rounds: int = 60) -> np.ndarray:
    """Distances of points near to distances in a connected graph (Gansner, Koren, North 2004, stress majorisation)."""
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
    for _ in range(rounds):
        far = np.maximum(cdist(at, at), 1e-9)
        pull = weight * d / far
        new = np.zeros_like(at)
        new[1:] = cho_solve(factor, (pull.sum(axis=1)[:, None] * at - pull @ at)[1:])
        moved = np.abs(new - new.mean(axis=0) - at + at.mean(axis=0)).max()
        at = new
        if moved < 0.005:
            break
    return _level(at)


def _scaling(d: np.ndarray, rounds: int = 20) -> np.ndarray:
    """Classical multidimensional scaling by orthogonal iteration: the first guess."""
    square = d**2
    gram = (square.mean(axis=0) + square.mean(axis=1)[:, None] - square - square.mean()) / 2
    axes = np.random.default_rng(0).normal(size=(len(d), 2))
    for _ in range(rounds):
        axes, stretch = np.linalg.qr(gram @ axes)
    jitter = np.random.default_rng(1).normal(scale=0.1, size=axes.shape)  # twins must not start together
    return axes * np.sqrt(np.abs(np.diag(stretch))) + jitter


def _level(at: np.ndarray) -> np.ndarray:
    """Turned so that the longest extent lies flat."""
    at = at - at.mean(axis=0)
    return at @ np.linalg.svd(at, full_matrices=False)[2].T


def _set_in_rows(at: np.ndarray, members: list[np.ndarray], gap: float = 1.0) -> None:
    """Move the parts, each with its corner at the origin, beside and above each other, the tallest first."""
    boxes = [at[inside].max(axis=0) + gap for inside in members]
    width = max([1.3 * sum(w * h for w, h in boxes) ** 0.5, *(w for w, _ in boxes)], default=0.0)
    x = y = row = 0.0
    for i in sorted(range(len(boxes)), key=lambda i: -boxes[i][1]):
        w, h = boxes[i]
        if x + w > width:
            x, y, row = 0.0, y + row, 0.0
        at[members[i]] += (x, -y - h)
        x, row = x + w, max(row, h)


# ---- small change


def _matplotlib() -> ModuleType:
    try:
        import matplotlib
    except ImportError as e:
        raise LagcolorError("pictures need matplotlib: pip install 'lagcolor[plot]'") from e
    return matplotlib


def _axes(ax: Any, size: tuple[float, float]) -> Any:
    if ax is not None:
        return ax
    _matplotlib()
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size, layout="constrained")[1]


def _hues(k: int) -> list[str]:
    """A hue for each of k colors."""
    if k <= len(HUES):
        return list(HUES[:k])
    from matplotlib.colors import to_hex

    scale = _matplotlib().colormaps["viridis"]
    return [to_hex(scale(i / (k - 1))) for i in range(k)]


def _ink_on(hue: str) -> str:
    """Black or white, whichever reads better on this hue."""
    from matplotlib.colors import to_rgb

    r, g, b = to_rgb(hue)
    return "white" if 0.299 * r + 0.587 * g + 0.114 * b < 0.5 else "black"


def _thousands(axis: Any) -> None:
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}" if x >= 1 or x == 0 else ""))


def _plain(ax: Any) -> None:
    """Fewer lines: no box, a light grid behind the bars."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=9, colors=INK)
    ax.set_axisbelow(True)


def _on_cpu(x: Any) -> np.ndarray:
    from .device import to_device

    return to_device(x, "cpu")
