"""Balance beyond single moves, by Kempe chains: two colors change places in connected parts of their two classes.

Of two classes that differ by two or more, a part changes its colors if that makes the two more equal. It is one vertex
if that has no neighbor in the other class. Pairs with a smallest or a largest class are tried, the most uneven first.

Progress: each change makes the sum of the squares of the class sizes smaller; and there is a limit on what is read.

What lost: moves along ways through several classes (Kierstead, Kostochka 2008, Lemma 2.1), alone or before the chains.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.device.compiled import njit
from ...base.log import Log
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from .scheduled import reached

ONE32 = np.uint32(1)
PASSES, LEAST = 64, 1 << 24  # what may be read: times the entries and vertices of the graph, and at least


def even_out_further(
    G: Graph, colors: np.ndarray, k: int, scaled: int, keep: np.ndarray | None = None, log: Log | None = None
) -> np.ndarray:
    """Balance a coloring that `even_out` could not."""
    log, keep = log or Log(), np.zeros(G.n, np.bool_) if keep is None else keep
    colors, sizes = colors.copy(), np.bincount(colors, minlength=k)
    left, each = max(PASSES * (G.n + G.m), LEAST), max((G.n + G.m) // max(k // 2, 1), G.n // 16)
    while left >= 0 and not reached(sizes, scaled):
        moved = 0
        for large, small in uneven_pairs(sizes):
            left -= each
            moved = swap(*unsigned(G), colors, keep, np.int32(large), np.int32(small), sizes[large] - sizes[small])
            if moved or left < 0:  # at the limit the swap in hand counts
                break
        if not moved:
            break
        sizes[large] -= moved
        sizes[small] += moved
        log.round(active=0, colored=int(moved), conflicts=0)
    return colors


def uneven_pairs(sizes: np.ndarray) -> Iterator[tuple[int, int]]:
    """The larger and the smaller class of the pairs to try."""
    order = np.argsort(sizes, kind="stable").tolist()
    least, most = sizes[order[0]], sizes[order[-1]]
    for small in order:
        for large in reversed(order):
            if sizes[large] < sizes[small] + 2:
                break
            if sizes[small] == least or sizes[large] == most:
                yield large, small


@njit(cache=True, nogil=True)
def swap(indptr: Any, indices: Any, colors: Any, keep: Any, large: Any, small: Any, difference: Any) -> Any:
    """Swap two colors in connected parts without a vertex of `keep`; by how much the larger class shrinks."""
    seen, part, shrunk = np.zeros(colors.size, np.bool_), np.empty(colors.size, np.uint32), 0
    for source in range(colors.size):
        if seen[source] or (colors[source] != large and colors[source] != small):
            continue
        seen[source], part[0], head, tail, gain, stuck = True, source, 0, 1, 0, False
        while head < tail:
            v = part[head]
            head += 1
            gain += 1 if colors[v] == large else -1
            stuck = stuck or keep[v]
            for e in range(indptr[v], indptr[v + ONE32]):
                u = indices[e]
                if not seen[u] and (colors[u] == large or colors[u] == small):
                    seen[u], part[tail] = True, u
                    tail += 1
        if not stuck and abs(difference - 2 * gain) < abs(difference):
            difference -= 2 * gain
            shrunk += gain
            for i in range(tail):
                colors[part[i]] ^= large ^ small
            if abs(difference) < 2:
                break
    return shrunk
