"""The verifier: shares no code with any algorithm, and looks at every edge from both ends.

One pass over the stored entries, on the device of the graph: numba on a CPU, `distance1.cu` on a
GPU, where a tile of entries counts its own conflicts and the first offenders are then looked for
in the first tiles that have any. Memory is bounded however many conflicts there are. On a CPU a first pass
looks for the first fault of any kind, and where there is none its word is the report.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.compile_clock import importing
from ..base.errors import ColoringError, GraphError
from ..base.messages import counted
from ..graph.graph import Graph
from ..inputs.checks import no_graph, unmasked
from .report import RENUMBER, as_table, called, with_names

FEW = 4096  # stored entries up to which a graph on a GPU is checked on the CPU
SHOWN = 5  # offenders named in a report
# distance1.cu: threads of a block, entries of a tile (a block takes one).
EACH, TILE = 8, 2048  # distance1.cu: entries of a thread, and of a block
SOURCE = dev.Source(__file__)


@dataclass(frozen=True)
class Report:
    """What the verifier found.

    Attributes
    ----------
    n_colors : int
        Distinct colors in use.
    n_conflicts : int
        Undirected edges whose ends share a color.
    conflicts : list of (u, v, color)
        The first of them, by u then v.
    n_uncolored : int
    uncolored : list of int
        The first vertices with color −1.
    out_of_range : list of (vertex, color)
        The first vertices with a color under −1 or over n − 1.
    gaps : int
        Colors under the largest that no vertex has; with rules only those that rules do not cause.
    broken : list of str
        Rules that are broken, a sentence for each that names the first offender.
    names : dict
        The user's names of the vertices listed above, where the graph has labels.

    Examples
    --------
    >>> report = lagcolor.verify([(0, 1), (1, 2)], [0, 0, 1], errors="return")
    >>> report.ok, report.n_conflicts
    (False, 1)
    >>> report.problems()
    ['1 conflicting edge, the first (0, 1): both have color 0']
    """

    n_colors: int
    n_conflicts: int
    conflicts: list[tuple[int, int, int]] = field(default_factory=list)
    n_uncolored: int = 0
    uncolored: list[int] = field(default_factory=list)
    out_of_range: list[tuple[int, int]] = field(default_factory=list)
    gaps: int = 0
    broken: list[str] = field(default_factory=list)
    names: Mapping[int, Any] = field(default_factory=dict)

    def problems(self, *, allow_uncolored: bool = False) -> list[str]:
        """A line for each kind of error; empty for a valid coloring."""
        out = []
        names = self.names or None
        if self.out_of_range:
            v, c = self.out_of_range[0]
            out.append(f"vertex {called(v, names)} has color {c}: colors go from 0 to n - 1, and -1 means uncolored")
        if self.n_conflicts:
            u, v, c = self.conflicts[0]
            first = f"({called(u, names)}, {called(v, names)})"
            out.append(f"{counted(self.n_conflicts, 'conflicting edges')}, the first {first}: both have color {c}")
        if self.n_uncolored and not allow_uncolored:
            bare = counted(self.n_uncolored, "uncolored vertices")
            out.append(f"{bare} (-1), the first {called(self.uncolored[0], names)}")
        if self.gaps:
            out.append(f"colors are not 0 … k-1: {self.gaps} below the largest are unused; {RENUMBER}")
        return out + self.broken

    @property
    def ok(self) -> bool:
        """Whether the coloring is proper and complete, with colors exactly 0…k−1."""
        return not self.problems()

    def _repr_html_(self) -> str:
        return as_table(self, "conflicting edges", self.n_conflicts)


def verify(G: Any, colors: Any, *, allow_uncolored: bool = False, errors: str = "raise") -> Report:
    """As `lagcolor.verify`, for this problem."""
    G = G if isinstance(G, Graph) else Graph.of(G)
    with dev.using(G.indices):
        colors = _fitting(G, colors)
        if n_colors := (_faultless_on_gpu(G, colors) if G.on_gpu else _loops().faultless(G, colors)):
            return Report(n_colors=n_colors, n_conflicts=0)
        if G.on_gpu and (G.m <= FEW or dev.is_rocm()):  # few: the launches take longer than the copy, which is kept
            G = G._cached("verified on the CPU", partial(G.on, "cpu"))
            colors = dev.to_device(colors, "cpu")
        report = _inspect(G, colors)
        if G.labels is not None:
            report = with_names(report, G.labels)
    faults = report.problems(allow_uncolored=allow_uncolored)
    if faults and errors == "raise":
        raise ColoringError("not a valid coloring: " + "; ".join(faults))
    return report


def neighborhood(G: Graph, v: int) -> Any:
    """The neighbors of v, int32, rising."""
    return G.indices[int(G.indptr[v]) : int(G.indptr[v + 1])]


def upper_bound(G: Graph) -> int:
    """Δ + 1."""
    return G.max_degree + 1 if G.n else 0


def lower_bound(G: Graph) -> int:
    """2 where there is an edge."""
    return min(G.n, 1 + (G.m > 0))


def _fitting(G: Graph, colors: Any) -> Any:
    """The colors as an array of integers, shape (n,), on the graph's device."""
    colors = getattr(colors, "colors", colors)
    here = type(colors) is G.xp.ndarray and (not G.on_gpu or colors.device == G.indices.device)
    if here and colors.dtype == np.int32 and colors.shape == (G.n,):
        return colors
    from ..inputs.arrays import as_array

    no_graph(colors, "colors", ColoringError)
    array = as_array(colors)
    array = np.asarray(colors) if array is None else array
    unmasked(array, "colors", ColoringError)
    if array.shape != (G.n,):
        raise ColoringError(f"colors must have shape ({G.n},), one per vertex, not {tuple(array.shape)}")
    if array.dtype.kind not in "iu" and G.n:
        raise ColoringError(f"colors must be integers, not {array.dtype}")
    return dev.to_device(array, G.device)


def _inspect(G: Graph, colors: Any) -> Report:
    xp, n = G.xp, G.n
    if n == 0:
        return Report(n_colors=0, n_conflicts=0)
    low, high = int(colors.min()), int(colors.max())
    outside = xp.flatnonzero((colors < -1) | (colors >= n))[:SHOWN] if low < -1 or high >= n else []
    bare = xp.flatnonzero(colors == -1) if low < 0 else []
    narrow = _narrow(xp, colors, low, high)
    # Colors in range that are in use; slot n takes everything else.
    used = xp.zeros(n + 1, bool)
    used[narrow if low >= 0 and high < n else xp.where((colors >= 0) & (colors < n), colors.astype(np.int64), n)] = True
    used = used[:n]
    n_colors = int(used.sum())
    n_conflicts, pairs = (_conflicts_gpu if G.on_gpu else _conflicts_cpu)(G, narrow)
    return Report(
        n_colors=n_colors,
        n_conflicts=n_conflicts,
        conflicts=[(u, v, int(colors[u])) for u, v in pairs],
        n_uncolored=len(bare),
        uncolored=[int(v) for v in bare[:SHOWN]],
        out_of_range=[(int(v), int(colors[v])) for v in outside],
        gaps=int(xp.flatnonzero(used)[-1]) + 1 - n_colors if n_colors else 0,
    )


def _faultless_on_gpu(G: Graph, colors: Any) -> int:
    """Number of colors of a coloring with no fault of any kind, by one launch and one wait; 0 for another."""
    if dev.is_rocm() or colors.dtype != np.int32 or not G.n or not colors.flags.c_contiguous:
        return 0
    numbers = G.xp.zeros(4 + (G.n + 31) // 32, np.int32)
    used = numbers.data.ptr + 4 * numbers.itemsize
    args = (G.indptr, G.indices, colors, np.int32(G.n), np.int64(G.m), numbers, used)
    found = SOURCE.of(G.indptr).read("summary", -(-max(G.n, G.m) // EACH), *args, count=3)
    largest, count, fault = found.tolist()
    return 0 if fault or count != largest + 1 else count


def _narrow(xp: Any, colors: Any, low: int, high: int) -> Any:
    """Contiguous int32 that is equal where the colors are, and negative where they are."""
    info = np.iinfo(np.int32)
    if low < info.min or high > info.max:
        _, rank = xp.unique(colors, return_inverse=True)
        colors = xp.where(colors < 0, -1, rank)
    return xp.ascontiguousarray(colors, dtype=np.int32)


def _conflicts_cpu(G: Graph, colors: Any) -> tuple[int, list[tuple[int, int]]]:
    """Number of conflicting edges, and the first of them."""
    first = np.empty((SHOWN, 2), np.int64)
    count = _agreed(*_loops().conflicts(G, colors, first))
    return count, [(int(u), int(v)) for u, v in first[: min(count, SHOWN)]]


@cache
def _loops() -> Any:
    """The loops of a CPU."""
    with importing():
        from . import distance1_cpu

    return distance1_cpu


def _conflicts_gpu(G: Graph, colors: Any) -> tuple[int, list[tuple[int, int]]]:
    """Number of conflicting edges, and the first of them."""
    xp, m = G.xp, G.m
    if m == 0:
        return 0, []
    tiles = -(-m // TILE)
    up, down = xp.empty(tiles, np.int32), xp.empty(tiles, np.int32)
    args = G.indptr, G.indices, colors, np.int32(G.n), np.int64(m), up, down
    SOURCE.of(G.indptr).launch("conflicts", (tiles,), *args)
    count = _agreed(int(up.sum(dtype=np.int64)), int(down.sum(dtype=np.int64)))
    pairs: list[tuple[int, int]] = []
    # Each of these tiles has at least one, so that SHOWN of them are enough.
    for tile in xp.flatnonzero(up)[:SHOWN].tolist() if count else []:
        entries = xp.arange(tile * TILE, min((tile + 1) * TILE, m), dtype=G.indptr.dtype)
        v = G.indices[entries]
        u = xp.searchsorted(G.indptr, entries, side="right") - 1
        at = xp.flatnonzero((u < v) & (colors[u] == colors[v]) & (colors[v] >= 0))
        pairs += zip(u[at].tolist(), v[at].tolist(), strict=True)
    return count, pairs[:SHOWN]


def _agreed(up: int, down: int) -> int:
    """Conflicts seen from the smaller end and from the larger: the same, or the graph is none."""
    if up != down:
        raise GraphError(
            f"the graph is not symmetric: {up} conflicting entries above the diagonal, {down} below it; "
            "Graph(indptr, indices) trusts its arrays, Graph.of checks them"
        )
    return up
