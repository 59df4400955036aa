"""First-fit through nets in a dozen lines: the members of a net get different colors.

Tests compare the other loops in this folder with it, color for color. The library does not call it. If columns are
colored, the nets are the rows; if rows are colored, the columns. At distance 2 a net is a vertex with its neighbors.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Sequence


def partial_distance2(
    nets: Sequence[Collection[int]], members: Sequence[Collection[int]], sequence: Iterable[int]
) -> list[int]:  # fmt: skip
    """Return first-fit colors by Gebremedhin, Manne, Pothen 2005, Algorithm 3.1: nets of vertices, members of nets."""
    color = [-1] * len(nets)
    for v in sequence:
        forbidden = {color[x] for w in nets[v] for x in members[w]}
        color[v] = next(c for c in itertools.count() if c not in forbidden)
    return color
