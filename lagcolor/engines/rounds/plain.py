"""Speculative first-fit in a dozen lines: in each conflict the vertex with the larger id chooses again.

Tests compare a round of one thread in `first_fit.py` with it, color for color. The library does not call it.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Sequence

PENDING = -2


def again(near: Sequence[Collection[int]], colors: Iterable[int]) -> tuple[list[int], list[int]]:
    """Return the colors after a round, and the losers, by Çatalyürek et al. 2012: neighbors of smaller id win."""
    color = list(colors)
    losers = [v for v in range(len(color)) if any(w < v and color[w] == color[v] for w in near[v])]
    for v in losers:
        color[v] = PENDING
    for v in losers:
        forbidden = {color[w] for w in near[v]}
        color[v] = next(c for c in itertools.count() if c not in forbidden)
    return color, losers
