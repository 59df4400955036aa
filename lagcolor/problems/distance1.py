"""Distance 1: the ends of an edge have different colors. The verifier shares no code with any algorithm.

One pass over the stored entries, on the device of the graph, decides whether an edge has two ends of one color: numba
on a CPU, `distance1.cu` on a GPU. If there is one, NumPy counts and names these edges on the CPU, from both ends.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.compile_clock import load
from ..base.errors import GraphError
from ..graph.graph import Graph
from ..graph.pattern import unsigned
from .report import SHOWN, Report, fitting, narrowed, slices

EACH = 8  # entries per thread in distance1.cu
SOURCE = dev.Source(__file__)
TRUSTED = "Graph(indptr, indices) trusts its arrays, Graph.of checks them"
CONFLICT = 2  # bit in distance1.cu for an edge with two ends of one color


def check(G: Graph, colors: Any) -> Report:
    """Check a coloring. See `Problem.verify`."""
    colors = getattr(colors, "colors", colors)
    if not (ready := _is_ready(G, colors)):
        colors = dev.to_device(fitting(colors, G.n), "cpu")
    narrow = colors if ready else dev.to_device(narrowed(colors), G.device)
    proper, n_colors = (_summary_on_gpu if G.on_gpu else _summary)(G, narrow)
    if ready and n_colors:
        return Report(n_colors, conflicts=[])
    count, pairs = (0, []) if proper else conflicts(_on_cpu(G), dev.to_device(narrow, "cpu"))
    colors = dev.to_device(colors, "cpu")
    edges = [(u, v, int(colors[u])) for u, v in pairs]
    return Report.of(colors, count, labels=G.labels, conflicts=edges)


def neighborhood(G: Graph, v: int) -> Any:
    """Neighbors of v, int32, increasing."""
    return G.indices[int(G.indptr[v]) : int(G.indptr[v + 1])]


def upper_bound(G: Graph) -> int:
    """Δ + 1."""
    return G.max_degree + 1 if G.n else 0


def lower_bound(G: Graph) -> int:
    """2 if there is an edge, 1 for other nonempty graphs."""
    return min(G.n, 1 + (G.m > 0))


def conflicts(G: Graph, colors: np.ndarray, remedy: str = TRUSTED) -> tuple[int, list[tuple[int, int]]]:
    """Number of edges whose ends share a color, and the first of them, in plain NumPy."""
    found = [0, 0]  # entries above and below the diagonal
    first: list[tuple[int, int]] = []
    for begin, end in slices(G.indptr[1:]):
        v = G.indices[int(G.indptr[begin]) : int(G.indptr[end])]
        u = np.repeat(np.arange(begin, end, dtype=np.int32), np.diff(G.indptr[begin : end + 1]))
        same = (colors[u] == colors[v]) & (colors[v] >= 0)
        above = np.flatnonzero(same & (u < v))
        first += zip(u[above[:SHOWN]].tolist(), v[above[:SHOWN]].tolist(), strict=True)
        found = [found[0] + len(above), found[1] + int(np.count_nonzero(same & (u > v)))]
    up, down = found
    if up != down:
        raise GraphError(
            f"the graph is not symmetric: {up} conflicting entries above the diagonal, {down} below it; {remedy}"
        )
    return up, first[:SHOWN]


def _is_ready(G: Graph, colors: Any) -> bool:
    """True if colors need neither conversion nor checks, like the colors of a result."""
    here = type(colors) is G.xp.ndarray and (not G.on_gpu or colors.device == G.indices.device)
    return here and colors.dtype == np.int32 and colors.shape == (G.n,) and colors.flags.c_contiguous


def _on_cpu(G: Graph) -> Any:
    return G._cached("verified on the CPU", partial(G.on, "cpu")) if G.on_gpu else G


def _summary(G: Graph, colors: Any) -> tuple[bool, int]:
    """True if no edge has two ends of one color; and the number of colors, 0 if there is any fault."""
    found: tuple[bool, int] = load(".on_cpu", __package__).neighbors_differ(*unsigned(G), dev.in_bits(colors))
    return found


def _summary_on_gpu(G: Graph, colors: Any) -> tuple[bool, int]:
    """`_summary` on a GPU, by one launch and one wait."""
    if dev.is_rocm() or not G.n:
        return _summary(_on_cpu(G), dev.to_device(colors, "cpu"))
    numbers = G.xp.zeros(4 + (G.n + 31) // 32, np.int32)
    used = numbers.data.ptr + 4 * numbers.itemsize
    args = (G.indptr, G.indices, colors, np.int32(G.n), np.int64(G.m), numbers, used)
    found = SOURCE.of(G.indptr).read("summary", -(-max(G.n, G.m) // EACH), *args, count=3)
    largest, count, fault = found.tolist()
    return not fault & CONFLICT, 0 if fault or count != largest + 1 else count
