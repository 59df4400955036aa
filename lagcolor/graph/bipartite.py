"""The bipartite graph of a pattern's rows and columns, which bicolorings color."""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings import sparse

from ..base import device as dev
from .graph import Graph
from .pattern import Pattern


class Augmented(Graph):
    """The bipartite graph of a pattern: vertices 0 … rows − 1 are the rows, the others the columns; entries are edges.

    It is the adjacency graph of the symmetric matrix ``[[0, A], [Aᵀ, 0]]``. Use `Augmented.of`.
    """

    __slots__ = ("pattern",)
    pattern: Pattern

    def __init__(self, P: Pattern, indptr: Any, indices: Any) -> None:
        super().__init__(indptr, indices)
        object.__setattr__(self, "pattern", P)

    @classmethod
    def of(cls, P: Pattern) -> Augmented:  # type: ignore[override]  # of a pattern only
        """Return the graph of a pattern, on its device."""
        xp, T = P.xp, P.T
        with dev.using(P.indices):
            indptr = xp.empty(P.rows + P.columns + 1, sparse.offset_type(2 * P.m))
            indptr[: P.rows + 1] = P.indptr
            indptr[P.rows + 1 :] = T.indptr[1:]
            indptr[P.rows + 1 :] += indptr.dtype.type(P.m)
            indices = xp.empty(2 * P.m, np.int32)
            xp.add(P.indices, np.int32(P.rows), out=indices[: P.m])
            indices[P.m :] = T.indices
            return cls(P, indptr, indices)

    def on(self, device: str) -> Augmented:
        """Return the graph on a device; the same object if it is already there."""
        if (pattern := self.pattern.on(device)) is self.pattern:
            return self
        return Augmented(pattern, dev.to_device(self.indptr, device), dev.to_device(self.indices, device))

    def __reduce__(self) -> tuple[Any, ...]:
        return Augmented.of, (self.pattern,)
