"""The chromatic index in a dozen lines, by trying all colorings.

The oracle of the folder on small graphs: no coloring of the edges has fewer colors. The library does not call it.
"""

from __future__ import annotations

from collections.abc import Sequence


def chromatic_index(edges: Sequence[tuple[int, int]], k: int) -> int:
    """Vizing 1964: the largest degree k suffices for the edges, or k + 1."""
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
