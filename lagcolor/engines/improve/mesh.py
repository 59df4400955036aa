"""Whether a graph is a structured mesh: in the order of ids these take far fewer colors than with high degrees first.

In a grid, and in a matrix of finite elements on one, the rows of most vertices, seen from the vertex, are the same few
patterns: one, or one for each unknown of a node. Of 64 rows from all over the graph at least half must be like three
others. Meshes without structure have as many patterns as rows, and gain nothing from the order of ids.
"""

from __future__ import annotations

import numpy as np

from ...base.compile_clock import importing
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from .survey import ROWS, is_regular, spread, survey


def is_mesh(G: Graph) -> bool:
    """Whether half of the rows of a sample are alike."""
    if G.n == 0:
        return False
    if G.on_gpu:
        return survey(G).mesh
    with importing():
        from .mesh_cpu import hash_rows

    hashes = np.zeros(ROWS, np.uint64)
    hash_rows(*unsigned(G), spread(ROWS, G.n).astype(np.uint64), hashes)
    return is_regular(np.unique(hashes[hashes > 0], return_counts=True)[1])
