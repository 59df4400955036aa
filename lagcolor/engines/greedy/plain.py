"""First-fit in a dozen lines: each vertex in turn takes the smallest color that no neighbor has.

Tests compare the other loops in this folder with it, color for color. The library does not call it.

`near`: neighbors of each vertex. `sequence`: vertices in the order of coloring. `color`: color of each vertex or −1.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Sequence
from typing import Any

Near = Sequence[Collection[int]]


def first_fit(near: Near, sequence: Iterable[int], fixed: Iterable[int] | None = None) -> list[int]:
    """Return first-fit colors (Welsh, Powell 1967). `fixed` has the colors of vertices that are not in `sequence`."""
    color = [-1] * len(near) if fixed is None else list(fixed)
    for v in sequence:
        forbidden = {color[w] for w in near[v]}
        color[v] = next(c for c in itertools.count() if c not in forbidden)
    return color


def first_fit_with_rules(near: Near, sequence: Iterable[int], rules: dict[str, Any]) -> list[int]:
    """Return first-fit colors with the rules of `lagcolor.color`; −1 if no color is allowed and free."""
    n = len(near)
    color = list(rules.get("fixed", [-1] * n))
    forbidden, weights = rules.get("forbidden", {}), rules.get("weights", [1] * n)
    capacity = rules.get("capacity", float("inf"))
    most = min(rules.get("max_colors", 10**9), len(capacity) if isinstance(capacity, list) else 10**9)
    loads: dict[int, float] = {}
    for v in range(n):
        loads[color[v]] = loads.get(color[v], 0) + weights[v]
    for v in [v for v in sequence if color[v] < 0]:
        barred = {color[w] for w in near[v]} | set(forbidden.get(v, ()))
        for c in range(min(most, n + 200)):
            free = (capacity[c] if isinstance(capacity, list) else capacity) - loads.get(c, 0)
            if c not in barred and weights[v] <= free:
                color[v] = c
                loads[c] = loads.get(c, 0) + weights[v]
                break
    return color
