"""Whether a graph is a structured mesh: in the order of ids these take far fewer colors than with high degrees first.

In a grid, and in a matrix of finite elements on one, the rows of most vertices, seen from the vertex, are the same few
patterns: one, or one for each unknown of a node. Of 64 rows from all over the graph at least half must be like three
others. Meshes without structure have as many patterns as rows, and gain nothing from the order of ids.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from ...core.graph import Graph
from .survey import LONG, ROWS, is_regular, spread, survey


def is_mesh(G: Graph) -> bool:
    """Whether half of the rows of a sample are alike."""
    if G.n == 0:
        return False
    if G.on_gpu:
        return survey(G).mesh
    patterns: Counter[bytes] = Counter()
    for v in spread(ROWS, G.n):
        row = G.indices[G.indptr[v] : G.indptr[v + 1]]
        if 0 < len(row) <= LONG:
            patterns[(row - v).tobytes()] += 1
    return is_regular(np.array([*patterns.values()], np.int64))
