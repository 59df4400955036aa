"""The vertices that first-fit colors, their order, and the colors that a vertex may have."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base.device.compiled import njit
from ...graph.graph import Graph
from ...graph.pattern import unsigned

ONE, EIGHT, WORD = np.uint64(1), np.uint64(8), np.uint64(64)
EVEN, ALL = np.uint64(0x5555555555555555), np.uint64(0xFFFFFFFFFFFFFFFF)


class OrderedGraph(NamedTuple):
    """The graph, the vertices in their order, and how many of its first vertices have colors of their own."""

    indptr: np.ndarray
    indices: np.ndarray
    sequence: np.ndarray
    rows: Any

    @classmethod
    def of(cls, G: Graph, sequence: np.ndarray, rows: int) -> OrderedGraph:
        """Of unsigned arrays."""
        return cls(*unsigned(G), np.ascontiguousarray(sequence).view(np.uint32), np.uint32(rows))

    def marks(self) -> np.ndarray:
        """Three numbers per color: the last vertex that may not have it, has a neighbor of it, and has two."""
        n = len(self.indptr)
        return np.zeros((3, 2 * n if self.rows else n), np.int32)


@njit(cache=True, nogil=True, inline="always")
def palette(v: Any, rows: Any, state: Any) -> Any:
    """The colors that v may have, as bits of a word of the state."""
    words = ALL >> (WORD - EIGHT * np.uint64(state.itemsize))
    if rows == 0:
        return words
    return (EVEN if v < rows else EVEN << ONE) & words
