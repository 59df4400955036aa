"""DSATUR in a dozen lines: the next vertex is a vertex with the fewest colors left.

The oracle of `dsatur.py`; tests compare it color for color. The library does not call it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence


def dsatur(
    near: Sequence[Collection[int]],
    sequence: Iterable[int],
    allowed: Iterable[Iterable[int]] | None = None,
    capacity: float = float("inf"),
) -> list[int]:
    """Brélaz 1979, with lists of allowed colors and a capacity per class; −1: no color. `sequence` breaks ties."""
    every = range(1 + max(map(len, near), default=0))
    color, waiting = [-1] * len(near), list(sequence)
    left = [set(every) for _ in near] if allowed is None else [set(a) for a in allowed]
    while waiting:
        v = min(waiting, key=lambda v: len(left[v]))  # min() returns the first of equals
        waiting.remove(v)
        color[v] = next((c for c in sorted(left[v]) if color.count(c) < capacity), -1)
        for w in near[v]:
            left[w].discard(color[v])
    return color
