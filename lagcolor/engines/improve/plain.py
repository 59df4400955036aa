"""Ejection in two dozen lines: a vertex takes the cheapest color, and the neighbors of that color lose it.

The oracle of `ejections.py`; tests compare them color for color. The library does not call it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ...base.device.bits import mix32
from .limits import A_VERTEX, FIRST, GAIN, HEAVIEST, KNEE, Limits


def eject(
    near: Sequence[Collection[int]], colors: Iterable[int], salt: int, limits: Limits, least: int
) -> list[int]:  # fmt: skip
    """Blöchliger, Zufferey 2008, with growing weights: save one color at a time, until a limit or `least` colors."""
    color = list(colors)
    k, number, work = 1 + max(color), 0, 0
    weight = [min(max(_square(len(row) - k + 3) >> FIRST, 1), HEAVIEST) for row in near]
    best = color
    while k > least:
        k -= 1
        color = [c if c < k else -1 for c in color]
        here, later = ({v for v, c in enumerate(color) if c < 0 and (len(near[v]) < k) == easy} for easy in (0, 1))
        fewest, since, spent = len(near) + 1, number, work
        while here or later:
            if not here:
                here, later, fewest = later, set(), len(near) + 1
            if len(here) < fewest:
                fewest, since, spent = len(here), number, work
            if number >= limits.rounds or number - since >= limits.stuck:
                return best
            if work > limits.work or work - spent > limits.stuck_work:
                return best
            rank = {v: int(mix32(v ^ int(mix32(number)) ^ salt)) for v in here}
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
            number, work = number + 1, work + sum(A_VERTEX + len(near[v]) for v in here)
            later |= {u for u in ejected if len(near[u]) < k}
            here = lost | (ejected - later)
        best = color
    return best


def _square(above: int) -> int:
    return max(above, 0) * min(max(above, 0), KNEE)
