"""First-fit through nets in a dozen lines: the members of a net get different colors.

The oracle of the loops in this folder; tests compare them color for color. The library does not call it. Nets are rows
if columns are colored, columns if rows are, and at distance 2 each vertex with its neighbors.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Sequence


def partial_distance2(
    nets: Sequence[Collection[int]], members: Sequence[Collection[int]], sequence: Iterable[int]
) -> list[int]:  # fmt: skip
    """Gebremedhin, Manne, Pothen 2005, Algorithm 3.1: nets w of each vertex, and members x of each net."""
    color = [-1] * len(nets)
    for v in sequence:
        forbidden = {color[x] for w in nets[v] for x in members[w]}
        color[v] = next(c for c in itertools.count() if c not in forbidden)
    return color
