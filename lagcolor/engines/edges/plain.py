"""The chromatic index in a dozen lines, by trying all colorings.

The oracle of this package on small graphs: the fewest colors of any edge coloring. The library does not call it.
"""

from __future__ import annotations

from collections.abc import Sequence


def chromatic_index(edges: Sequence[tuple[int, int]], k: int) -> int:
    """Return k, the largest degree, if k colors are enough for the edges, else k + 1 (Vizing 1964)."""
    colors = [-1] * len(edges)

    def extend(e: int) -> bool:
        if e == len(edges):
            return True
        taken = {colors[d] for d in range(e) if set(edges[d]) & set(edges[e])}
        for c in range(min(k, max(colors[:e], default=-1) + 2)):
            if c not in taken:
                colors[e] = c
                if extend(e + 1):
                    return True
        return False

    return k if extend(0) else k + 1
