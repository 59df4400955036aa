"""What every reader hands on: index arrays, and what they mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from .. import device as dev
from ..core.errors import GraphError
from . import canonical


@dataclass(frozen=True)
class Structure:
    """Index arrays of any integer type, in any order, unchecked.

    Attributes
    ----------
    kind : {"edges", "coo", "csr", "csc"}
        Undirected edges, or the entries of a square matrix in one of three layouts.
    first, second : arrays
        The two ends, rows and columns, or offsets and indices; on one device.
    n : int or None
        Number of vertices; None (edges only): largest index + 1.
    labels : sequence or None
        Names of the vertices.
    names : pair of str
        What errors call the arrays of edges.
    check : callable, optional
        ``check(edges)`` raises where a file declares another number of undirected edges than its graph has.
    columns : int, optional
        Number of columns of a matrix that is not square; n is that of its rows.
    no_graph : str
        What the error says where such a matrix should be a graph.
    column_labels : sequence, optional
        Names of the columns, where `labels` are those of the rows.
    loose : bool
        Edges whose numbers may be those of something else: where they are far apart they become labels.
    base : int
        What a file counts from, as errors name its entries.
    line_of : callable, optional
        ``line_of(i, j)`` is the line of a file that has the entry of vertices i and j, counted from 0.
    """

    kind: Literal["edges", "coo", "csr", "csc"]
    first: Any
    second: Any
    n: int | None
    labels: Sequence[Any] | None = None
    names: tuple[str, str] = ("u", "v")
    check: Callable[[int], None] | None = None
    columns: int | None = None
    no_graph: str = ""
    column_labels: Sequence[Any] | None = None
    loose: bool = False
    base: int = 0
    line_of: Callable[[int, int], int] | None = None

    def on(self, device: str) -> Structure:
        """The same with the arrays on `device`, so that the work is done there."""
        return replace(self, first=dev.to_device(self.first, device), second=dev.to_device(self.second, device))

    def distinct_edges(self) -> int:
        """Number of different undirected edges without self-loops, of edges on the CPU; by a sort of them."""
        assert self.kind == "edges"
        low, high = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        keys = np.sort((low.astype(np.int64) << 32 | high.astype(np.int64))[low != high])
        return len(keys) and 1 + int(np.count_nonzero(keys[1:] != keys[:-1]))

    def canonical(self, symmetrize: bool) -> tuple[Any, Any]:
        """Offsets and columns of the canonical graph."""
        if self.columns is not None:
            raise GraphError(self.no_graph)
        if self.kind == "edges":
            return canonical.from_edges(self.first, self.second, self.n, self.names)
        assert self.n is not None
        called = range(self.base, self.base + self.n) if self.base and self.labels is None else self.labels
        if self.kind == "coo":
            return canonical.from_coo(self.first, self.second, self.n, symmetrize, called)
        return canonical.from_csr(self.first, self.second, self.n, symmetrize, called, csc=self.kind == "csc")

    def pattern(self) -> tuple[Any, Any, tuple[int, int]]:
        """Offsets, columns and shape of the canonical pattern: any shape, with its diagonal."""
        n = self.n if self.n is not None else canonical.vertices_of_pair(self.first, self.second, self.names)
        shape = (n, n if self.columns is None else self.columns)
        return *canonical.pattern(self.kind, self.first, self.second, shape), shape
