"""Whether a graph is a structured mesh: in the order of ids these take far fewer colors than with high degrees first.

In a grid, and in a matrix of finite elements on one, the rows of most vertices, seen from the vertex, are the same few
patterns: one, or one for each unknown of a node. Of 64 rows from all over the graph at least half must be like three
others. Meshes without structure have as many patterns as rows, and gain nothing from the order of ids.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.compiled import njit
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from .survey import LONG, ROWS, is_regular, spread, survey

ONE, PRIME, SOME = np.uint64(1), np.uint64(0x9E3779B97F4A7C15), np.uint64(1 << 63)


def is_mesh(G: Graph) -> bool:
    """Whether half of the rows of a sample are alike."""
    if G.n == 0:
        return False
    if G.on_gpu:
        return survey(G).mesh
    hashes = np.zeros(ROWS, np.uint64)
    hash_rows(*unsigned(G), spread(ROWS, G.n).astype(np.uint64), hashes)
    return is_regular(np.unique(hashes[hashes > 0], return_counts=True)[1])


@njit(cache=True, nogil=True)
def hash_rows(indptr: Any, indices: Any, vertices: Any, hashes: Any) -> None:
    """Hashes of rows, seen from their vertices; hashes of empty and long rows stay 0."""
    for i in range(vertices.size):
        v = vertices[i]
        begin, end = np.uint64(indptr[v]), np.uint64(indptr[v + ONE])
        if begin < end <= begin + np.uint64(LONG):
            h = SOME
            for e in range(begin, end):
                h = (h ^ (np.uint64(indices[e]) - v)) * PRIME
                h ^= h >> np.uint64(29)
            hashes[i] = h | SOME
