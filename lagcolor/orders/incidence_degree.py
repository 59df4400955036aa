"""Incidence degree: next comes the vertex with the most neighbors that have already come.

The queue has a stack for each number of ordered neighbors. Each edge moves one vertex up by one;
the entry that it leaves behind is skipped when it comes up. O(n + m).

Which of several equals comes first: the last one put on its stack. Vertices with no ordered neighbor lie by
largest first (ties of that: by seed), so that each component starts at its largest degree.

References
----------
Coleman, Moré 1983, "Estimation of sparse Jacobian matrices and graph coloring problems".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device.compiled import njit
from ..base.device.intrinsics import prefetch
from ..graph.graph import Graph
from ..graph.pattern import unsigned
from .degree import largest_first
from .stacks import stack_starts

ZERO, ONE = np.uint64(0), np.uint64(1)
DONE = np.uint32(1 << 31)  # flag of an ordered vertex, above any count


def incidence_degree(G: Graph, seed: int | None) -> np.ndarray:
    """Each vertex has the most neighbors among those before it (Coleman and Moré 1983)."""
    if G.n == 0:
        return np.empty(0, np.int32)
    starts = stack_starts(G.degrees.view(np.uint32), G.max_degree)
    sequence = largest_first(G, seed)
    stack = np.empty(int(starts[-1]), np.uint32)
    stack[: G.n] = sequence[::-1]
    by_incidence(*unsigned(G), starts, starts.copy(), stack, np.zeros(G.n, np.uint32), sequence.view(np.uint32))
    return sequence


@njit(cache=True, nogil=True)
def by_incidence(
    indptr: Any, indices: Any, starts: Any, tops: Any, stack: Any, count: Any, sequence: Any
) -> None:  # fmt: skip
    """Reorder `sequence`; reversed in `stack`, it is the order of vertices that have no ordered neighbor."""
    n = np.uint64(sequence.size)
    tops[0] = n
    done = ZERO
    d = ZERO
    while done < n:
        if tops[d] == starts[d]:
            d -= ONE
            continue
        tops[d] -= ONE
        v = stack[tops[d]]
        if np.uint64(count[v]) != d:  # ordered, or waiting on a higher stack
            continue
        count[v] = DONE
        sequence[done] = v
        done += ONE
        for e in range(indptr[v], indptr[v + np.uint32(1)]):
            u = indices[e]
            if count[u] < DONE:
                new = count[u] + np.uint32(1)
                count[u] = new
                stack[tops[new]] = u
                tops[new] += ONE
                d = max(d, np.uint64(new))
                prefetch(indptr, np.uint64(u))
