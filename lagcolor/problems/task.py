"""Task of an engine: color some vertices with allowed colors, while other vertices have fixed colors.

Exact first-fit (`engines/greedy/tasks.py`) and speculative first-fit (`engines/rounds/first_fit.py`) read and write an
array of colors with these codes, which `Task.begin` creates:

=========  ===========================================================
0 …        color of a fixed vertex, or of a vertex that is done
NONE       no color, and no constraint on any neighbor
PENDING    no color yet: the vertex is active and not done
=========  ===========================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base import device as dev
from ..graph.graph import Graph

NONE, PENDING = -1, -2
UNLIMITED = 2**31 - 1


@dataclass(frozen=True)
class Task:
    """Part of a coloring to compute. Arrays are on the graph's device, and are not checked.

    Attributes
    ----------
    active : array of bool, shape (n,), optional
        Mask of the vertices to color. None: all.
    fixed : array of int32, shape (n,), optional
        Fixed colors, −1 for none; not read for active vertices. Vertices neither active nor fixed constrain no other.
    limit : int, optional
        Only colors under `limit` are allowed. A vertex that finds none stays uncolored.
    forbidden : pair of arrays, optional
        CSR (int64, int32): ``forbidden[1][forbidden[0][v]:forbidden[0][v + 1]]``, in any order, are forbidden for v.
    """

    active: Any = None
    fixed: Any = None
    limit: int | None = None
    forbidden: tuple[Any, Any] | None = None

    def sequence(self, G: Graph, order: Any = None) -> Any:
        """Active vertices in the order of coloring, int32."""
        if self.active is None:
            return G.xp.arange(G.n, dtype=np.int32) if order is None else order
        return G.xp.flatnonzero(self.active).astype(np.int32) if order is None else order[self.active[order]]

    def begin(self, G: Graph, mark: int) -> Any:
        """Initial colors for an engine, int32, shape (n,); active vertices have `mark`, NONE or PENDING."""
        with dev.using(G.indices):
            colors = G.xp.full(G.n, NONE, np.int32) if self.fixed is None else self.fixed.copy()
            colors[slice(None) if self.active is None else self.active] = mark
        return colors
