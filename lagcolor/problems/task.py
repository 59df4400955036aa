"""What an engine colors: some vertices, around others that have their colors, from allowed colors.

Exact first-fit (`engines/greedy/tasks.py`) takes a `Task`. It works on one array of colors, as `Task.begin` makes it,
and speculative first-fit (`engines/rounds/first_fit.py`) on the same codes:

=========  ===========================================================
0 …        a color, of a fixed vertex or of one that is done
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
    """A part of a coloring. Arrays are on the graph's device; nothing is checked.

    Attributes
    ----------
    active : array of bool, shape (n,), optional
        The vertices to color. None: all.
    fixed : array of int32, shape (n,), optional
        Colors that are given, −1 for none; not read for active vertices. A vertex that is neither active nor fixed
        constrains no vertex.
    limit : int, optional
        Colors from here on are not allowed. A vertex that finds none below stays without a color.
    forbidden : pair of arrays, optional
        CSR (int64, int32): colors ``forbidden[1][forbidden[0][v]:forbidden[0][v + 1]]``, in any order, are not for v.
    """

    active: Any = None
    fixed: Any = None
    limit: int | None = None
    forbidden: tuple[Any, Any] | None = None

    def sequence(self, G: Graph, order: Any = None) -> Any:
        """The active vertices, int32, first colored first."""
        if self.active is None:
            return G.xp.arange(G.n, dtype=np.int32) if order is None else order
        return G.xp.flatnonzero(self.active).astype(np.int32) if order is None else order[self.active[order]]

    def begin(self, G: Graph, mark: int) -> Any:
        """The colors that an engine begins with, int32, shape (n,): active vertices have a mark, NONE or PENDING."""
        with dev.using(G.indices):
            colors = G.xp.full(G.n, NONE, np.int32) if self.fixed is None else self.fixed.copy()
            colors[slice(None) if self.active is None else self.active] = mark
        return colors
