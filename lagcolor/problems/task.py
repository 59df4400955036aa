"""What an engine colors: some vertices, around others that have their colors, from allowed colors.

Engines that take a `Task`: exact first-fit (`engines/greedy/tasks.py`) and speculative first-fit
(`engines/rounds/first_fit.py`). They work on one array of colors, as `Task.begin` makes it:

=========  ===========================================================
0 …        a color, of a fixed vertex or of one that is done
NONE       no color, and no constraint on any neighbor
PENDING    no color yet: the vertex is active and not done
=========  ===========================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..base import device as dev
from ..graph.graph import Graph

NONE, PENDING = -1, -2
UNLIMITED = 2**31 - 1


class Palette(NamedTuple):
    """Which colors each vertex may take: int32, int32, and CSR with int64 offsets and int32 colors."""

    first: Any
    limit: Any
    offsets: Any
    forbidden: Any


@dataclass(frozen=True)
class Task:
    """A part of a coloring. Arrays are on the graph's device; nothing is checked.

    Attributes
    ----------
    active : array, optional
        The vertices to color: int32, in the order of coloring, none twice; or a mask (bool, shape (n,)). None: all.
    fixed : array of int32, shape (n,), optional
        Colors that are given, −1 for none; not read for active vertices. A vertex that is neither active nor fixed
        constrains no vertex.
    first : int or array of int32, shape (n,)
        The least color allowed.
    limit : int or array of int32, shape (n,), optional
        Colors from here on are not allowed. A vertex that finds none below stays without a color.
    forbidden : pair of arrays, optional
        CSR: colors ``forbidden[1][forbidden[0][v]:forbidden[0][v + 1]]`` (int32, in any order) are not allowed to v.
    """

    active: Any = None
    fixed: Any = None
    first: Any = 0
    limit: Any = None
    forbidden: tuple[Any, Any] | None = None

    def palette(self, xp: Any, n: int) -> Palette | None:
        """The colors allowed as one array of each kind, in NumPy or CuPy; None: all."""
        if self.limit is None and self.forbidden is None and np.ndim(self.first) == 0 and self.first == 0:
            return None
        limit = UNLIMITED if self.limit is None else self.limit
        offsets, colors = self.forbidden or (xp.zeros(n + 1, np.int64), xp.zeros(0, np.int32))
        return Palette(
            xp.ascontiguousarray(xp.broadcast_to(xp.asarray(self.first, np.int32), (n,))),
            xp.ascontiguousarray(xp.broadcast_to(xp.asarray(limit, np.int32), (n,))),
            xp.ascontiguousarray(offsets, np.int64),
            xp.ascontiguousarray(colors, np.int32),
        )

    def sequence(self, G: Graph, order: Any = None) -> Any:
        """The active vertices, int32, first colored first."""
        active = self.active
        if active is not None and active.dtype != bool:
            return active
        if order is None:
            return G.xp.arange(G.n, dtype=np.int32) if active is None else G.xp.flatnonzero(active).astype(np.int32)
        return order if active is None else order[active[order]]

    def begin(self, G: Graph, sequence: Any, in_place: bool = False, mark: int = PENDING) -> Any:
        """The colors that an engine begins with: int32, shape (n,)."""
        with dev.using(G.indices):
            if self.fixed is None:
                colors = G.xp.full(G.n, NONE, np.int32)
            else:
                colors = self.fixed if in_place else self.fixed.copy()
            if self.active is None:
                colors.fill(mark)
            elif self.active.dtype == bool:  # in the order of memory, other than the sequence
                colors[self.active] = mark
            elif self.fixed is not None or mark != NONE:
                colors[sequence] = mark
        return colors
