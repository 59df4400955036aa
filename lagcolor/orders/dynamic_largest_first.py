"""Dynamic largest first: next comes the vertex of largest degree among those that have not come yet.

The queue is a linked stack a degree, and each vertex waits on exactly one. A degree that falls is only
written down; the vertex moves to the stack of its true degree when it comes up on a higher one. The largest
degree never rises, so one pass down the stacks is enough. O(n + m).

Which of several equals comes first: the last one put on its stack. At the start they lie by tie order
(id, or falling hash), the first on top.

References
----------
Gebremedhin, Nguyen, Patwary, Pothen 2013, "ColPack: software for graph coloring and related problems in
scientific computing" (dynamic largest first).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device.compiled import njit
from ..graph.graph import Graph
from ..graph.pattern import unsigned
from .ties import tie_order

NONE = np.uint32(0xFFFFFFFF)


def dynamic_largest_first(G: Graph, seed: int | None) -> np.ndarray:
    """Each vertex has the largest degree among itself and those after it."""
    sequence = tie_order(np, G.n, seed)
    degree = G.degrees.view(np.uint32).copy()
    by_remaining_degree(*unsigned(G), degree, G.max_degree, sequence.view(np.uint32))
    return sequence


@njit(cache=True, nogil=True)
def by_remaining_degree(indptr: Any, indices: Any, degree: Any, max_degree: Any, sequence: Any) -> None:
    """Reorder `sequence`, which comes in with the tie order; `degree` is used up."""
    heads = np.full(max_degree + 1, NONE, np.uint32)
    below = np.empty(sequence.size, np.uint32)
    for v in sequence[::-1]:
        below[v] = heads[degree[v]]
        heads[degree[v]] = v
    done = np.uint64(0)
    for d in range(max_degree, -1, -1):
        v = heads[np.uint64(d)]
        while v != NONE:
            following = below[v]
            now = degree[v]
            if np.uint64(now) == np.uint64(d):
                sequence[done] = v
                done += np.uint64(1)
                # Ordered neighbors lose 1 as well: each edge is counted off once from each end, so none goes under 0.
                for e in range(indptr[v], indptr[v + np.uint32(1)]):
                    degree[indices[e]] -= np.uint32(1)
            else:
                below[v] = heads[now]
                heads[now] = v
            v = following
