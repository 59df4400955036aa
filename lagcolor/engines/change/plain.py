"""Incremental first-fit in a dozen lines: only vertices whose color may be wrong are colored again.

The oracle of the loops in this folder; tests compare them color for color. The library does not call it.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Sequence


def first_fit_again(
    near: Sequence[Collection[int]], sequence: Sequence[int], colors: Iterable[int], wrong: Iterable[int]
) -> list[int]:  # fmt: skip
    """Restore first-fit; only the colors of vertices in `wrong` may violate it."""
    color, todo, place = list(colors), set(wrong), {v: i for i, v in enumerate(sequence)}
    while todo:
        v = min(todo, key=place.__getitem__)  # all earlier vertices are correct
        todo.remove(v)
        forbidden = {color[w] for w in near[v] if place[w] < place[v]}
        old, color[v] = color[v], next(c for c in itertools.count() if c not in forbidden)
        if color[v] != old:
            todo.update(w for w in near[v] if place[w] > place[v])
    return color
