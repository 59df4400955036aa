"""The verifier: shares no code with any algorithm, and looks at every edge from both ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import device as dev
from .errors import ColoringError
from .graph import Graph

SHOWN = 5  # offenders named in a report


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
        Colors under the largest that no vertex has.
    """

    n_colors: int
    n_conflicts: int
    conflicts: list[tuple[int, int, int]] = field(default_factory=list)
    n_uncolored: int = 0
    uncolored: list[int] = field(default_factory=list)
    out_of_range: list[tuple[int, int]] = field(default_factory=list)
    gaps: int = 0

    def problems(self, allow_uncolored: bool = False) -> list[str]:
        """A line for each kind of fault, none for a good coloring."""
        out = []
        if self.out_of_range:
            v, c = self.out_of_range[0]
            out.append(f"vertex {v} has color {c}, outside -1 … n-1")
        if self.n_conflicts:
            u, v, c = self.conflicts[0]
            out.append(f"{self.n_conflicts} conflicting edge(s), the first ({u}, {v}): both have color {c}")
        if self.n_uncolored and not allow_uncolored:
            out.append(f"{self.n_uncolored} uncolored vertices (-1), the first {self.uncolored[0]}")
        if self.gaps:
            out.append(f"colors are not 0 … k-1: {self.gaps} below the largest are unused")
        return out

    @property
    def ok(self) -> bool:
        """Proper, complete, and colors exactly 0…k−1."""
        return not self.problems()


def verify(G: Any, colors: Any, *, allow_uncolored: bool = False, errors: str = "raise") -> Report:
    """Check a coloring, on the device of the graph.

    Parameters
    ----------
    G : Graph or anything that `Graph.of` takes
    colors : array of integers, shape (n,), or a `Coloring`
        0…k−1, −1 for uncolored.
    allow_uncolored : bool
        Accept −1.
    errors : {"raise", "return"}

    Returns
    -------
    Report

    Raises
    ------
    ColoringError
        With ``errors="raise"``, when a vertex or edge is at fault; always, when the array does not fit the graph.
    """
    if errors not in ("raise", "return"):
        raise ValueError(f"errors must be 'raise' or 'return', not {errors!r}")
    G = G if isinstance(G, Graph) else Graph.of(G)
    colors = getattr(colors, "colors", colors)
    if not dev.is_cupy(colors):
        colors = np.asarray(colors)
    if colors.shape != (G.n,):
        raise ColoringError(f"colors must have shape ({G.n},), one a vertex, not {colors.shape}")
    if colors.dtype.kind not in "iu":
        raise ColoringError(f"colors must be integers, not {colors.dtype}")
    colors = dev.to_device(colors, G.device).astype(np.int64)
    report = _inspect(G, colors)
    faults = report.problems(allow_uncolored)
    if faults and errors == "raise":
        raise ColoringError("not a proper coloring: " + "; ".join(faults))
    return report


def _inspect(G: Graph, colors: Any) -> Report:
    xp = G.xp
    outside = xp.flatnonzero((colors < -1) | (colors >= max(G.n, 1)))
    bare = xp.flatnonzero(colors == -1)
    inside = xp.clip(colors, -1, max(G.n - 1, 0))
    used = xp.zeros(G.n + 1, bool)
    used[inside] = True  # −1 marks the last, extra slot
    used = used[: G.n]
    highest = int(xp.flatnonzero(used)[-1]) if bool(used.any()) else -1
    n_colors = int(used.sum())
    bad = _conflicting_entries(G, colors)
    return Report(
        n_colors=n_colors,
        n_conflicts=len(bad),
        conflicts=[(int(u), int(v), int(colors[u])) for u, v in bad[:SHOWN]],
        n_uncolored=len(bare),
        uncolored=[int(v) for v in bare[:SHOWN]],
        out_of_range=[(int(v), int(colors[v])) for v in outside[:SHOWN]],
        gaps=highest + 1 - n_colors,
    )


def _conflicting_entries(G: Graph, colors: Any, block: int = 1 << 26) -> list[tuple[int, int]]:
    """Edges (u, v), u < v, with one color at both ends; edge-centric, in blocks that bound memory."""
    xp = G.xp
    found: list[tuple[int, int]] = []
    for start in range(0, G.m, block):
        stop = min(start + block, G.m)
        v = G.indices[start:stop]
        # Row of an entry: how many rows start at or before it.
        u = xp.searchsorted(G.indptr, xp.arange(start, stop, dtype=G.indptr.dtype), side="right") - 1
        at = xp.flatnonzero((colors[u] == colors[v]) & (colors[v] >= 0) & (u < v))
        found += [(int(a), int(b)) for a, b in zip(u[at], v[at], strict=True)]
    return found
