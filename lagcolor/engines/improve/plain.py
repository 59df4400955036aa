"""Ejection in two dozen lines: a vertex takes the cheapest color, and the neighbors that have it lose it.

The oracle of `ejections.py`; tests compare them color for color. The library does not call it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ...base.device.bits import mix32
from .limits import FIRST, GAIN, HEAVIEST, KNEE


def eject(
    near: Sequence[Collection[int]], colors: Iterable[int], k: int, salt: int, rounds: int
) -> list[int] | None:  # fmt: skip
    """Blöchliger, Zufferey 2008, with growing weights: a color less than k, or None after all rounds."""
    weight = [min(max(_square(len(row) - k + 3) >> FIRST, 1), HEAVIEST) for row in near]
    k -= 1
    color = [c if c < k else -1 for c in colors]
    here, later = ({v for v, c in enumerate(color) if c < 0 and (len(near[v]) < k) == easy} for easy in (False, True))
    for number in range(rounds):
        here, later = (here, later) if here else (later, set())
        if not here:
            return color
        rank = {v: int(mix32(v ^ int(mix32(number)) ^ salt)) for v in range(len(near))}
        cost = {v: [sum(weight[u] for u in near[v] if color[u] == c) for c in range(k)] for v in here}
        turn = {v: rank[v] * k >> 32 for v in here}  # the first of equally cheap colors
        wish = {v: min(range(k), key=lambda c: (cost[v][c], (c - turn[v]) % k)) for v in here}
        lost = {v for v in here if any(wish.get(u) == wish[v] and rank[u] > rank[v] for u in near[v])}
        ejected = {u for v in here - lost for u in near[v] if color[u] == wish[v]}
        for v in here - lost:
            color[v] = wish[v]
            if cost[v][wish[v]]:
                weight[v] = min(weight[v] + 1 + (_square(len(near[v]) - k + 3) >> GAIN), HEAVIEST)
        for u in ejected:
            color[u] = -1
        later |= {u for u in ejected if len(near[u]) < k}
        here = lost | (ejected - later)
    return None


def _square(above: int) -> int:
    return max(above, 0) * min(max(above, 0), KNEE)
