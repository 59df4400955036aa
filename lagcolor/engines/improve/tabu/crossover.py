"""GPX: a child takes the largest class of what is left of each parent in turn.

After k classes, vertices that no class has get a color at random.

References
----------
Galinier, Hao 1999, "Hybrid evolutionary algorithms for graph coloring", greedy partition crossover.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....base.device.bits import below
from ....base.device.compiled import njit


@njit(cache=True, nogil=True)
def cross(first: Any, second: Any, k: Any, child: Any, rng: Any) -> None:
    """Write a child of two colorings with k colors, proper or not; vertices of color −1 are in no class.

    Of several largest classes one is taken at random.
    """
    n = np.uint64(child.size)
    sizes = np.zeros((2, k), np.int64)
    for v in range(n):
        child[v] = -1
        if first[v] >= 0:
            sizes[0, first[v]] += 1
        if second[v] >= 0:
            sizes[1, second[v]] += 1
    for c in range(k):
        of = c % 2
        most, ties, largest = np.int64(-1), np.uint64(0), 0
        for d in range(k):
            if sizes[of, d] >= most:
                ties = ties + np.uint64(1) if sizes[of, d] == most else np.uint64(1)
                if sizes[of, d] > most or below(rng, ties) == 0:
                    largest = d
                most = sizes[of, d]
        parent = first if of == 0 else second
        for v in range(n):
            if parent[v] == largest and child[v] < 0:
                child[v] = c
                if first[v] >= 0:
                    sizes[0, first[v]] -= 1
                if second[v] >= 0:
                    sizes[1, second[v]] -= 1
    for v in range(n):
        if child[v] < 0:
            child[v] = below(rng, k)
