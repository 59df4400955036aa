"""The bipartite graph of a pattern's rows and columns: what bicolorings color."""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings import sparse

from .. import device as dev
from .graph import Graph
from .pattern import Pattern


class Augmented(Graph):
    """Vertices 0 … rows − 1 are the rows, the others the columns; an edge for each entry.

    It is the adjacency graph of the symmetric matrix ``[[0, A], [Aᵀ, 0]]``. Use `Augmented.of`.

    Attributes
    ----------
    pattern : Pattern
    """

    __slots__ = ("pattern",)
    pattern: Pattern

    @classmethod
    def of(cls, P: Pattern) -> Augmented:  # type: ignore[override]  # of a pattern only
        """The graph of a pattern, on its device.

        Parameters
        ----------
        P : Pattern

        Returns
        -------
        Augmented
            With rows + columns vertices and 2 m stored entries.
        """
        xp, T = P.xp, P.T
        with dev.using(P.indices):
            indptr = xp.empty(P.rows + P.columns + 1, sparse.offset_type(2 * P.m))
            indptr[: P.rows + 1] = P.indptr
            indptr[P.rows + 1 :] = T.indptr[1:]
            indptr[P.rows + 1 :] += indptr.dtype.type(P.m)
            indices = xp.empty(2 * P.m, np.int32)
            xp.add(P.indices, np.int32(P.rows), out=indices[: P.m])
            indices[P.m :] = T.indices
            out = cls(indptr, indices)
        object.__setattr__(out, "pattern", P)
        return out

    def on(self, device: str) -> Augmented:
        """The same on another device."""
        P = self.pattern.on(device)
        return self if P is self.pattern else Augmented.of(P)

    def __reduce__(self) -> tuple[Any, ...]:
        return Augmented.of, (self.pattern,)
