"""First-fit of elements in a dozen lines: elements that share a node get different colors.

The oracle of the loops in this folder; tests compare them color for color. The library does not call it.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence


def first_fit(nodes: Sequence[Iterable[int]], sequence: Iterable[int]) -> list[int]:
    """Return the colors of the elements, from the nodes of each; −1: no node."""
    color, taken = [-1] * len(nodes), defaultdict[int, set[int]](set)  # taken: colors of the elements of a node
    for e in sequence:
        mine = [v for v in nodes[e] if v >= 0]
        forbidden = set().union(*(taken[v] for v in mine))
        color[e] = next(c for c in itertools.count() if c not in forbidden)
        for v in mine:
            taken[v].add(color[e])
    return color
