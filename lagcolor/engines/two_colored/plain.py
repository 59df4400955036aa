"""Star and acyclic first-fit in a dozen lines each, after the paper.

Tests compare the other loops in this folder with it, color for color. The library does not call it.

=========  ===========================================================================
near       neighbors of each vertex
sequence   vertices in the order of coloring
rows       vertices below this number have even colors, the others odd ones; 0: any colors
neutral    vertices without a color, whose neighbors all get different colors
=========  ===========================================================================

References
----------
Gebremedhin, Tarafdar, Manne, Pothen 2007, Algorithms 4.1 and 5.1; `rows` and `neutral` are for bicolorings.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Sequence

Near = Sequence[Collection[int]]


def star(near: Near, sequence: Iterable[int], rows: int = 0, neutral: Collection[int] = ()) -> list[int]:
    """Return star colors: no path on four vertices has two colors, neither u – v – w – x nor v – w – x – y."""
    color = [-1] * len(near)
    for v in sequence:
        forbidden = around(near, color, v, neutral)
        for w in (w for w in near[v] if color[w] >= 0):
            inside = any(u != w and color[u] == color[w] for u in near[v])
            for x in near[w]:
                if inside or any(y != w and color[y] == color[w] for y in near[x]):
                    forbidden.add(color[x])
        color[v] = least(forbidden, v, rows)
    return color


def acyclic(near: Near, sequence: Iterable[int], rows: int = 0, neutral: Collection[int] = ()) -> list[int]:
    """Return acyclic colors: v gets no color of a two-colored path between two neighbors w and u of one color."""
    color = [-1] * len(near)
    for v in sequence:
        forbidden = around(near, color, v, neutral)
        for w in (w for w in near[v] if color[w] >= 0):
            for c in {color[x] for x in near[w]} - forbidden - {-1}:
                tree = [w]
                for x in tree:
                    tree += [y for y in near[x] if color[y] in (color[w], c) and y not in tree]
                if any(u != w and u in tree for u in near[v]):
                    forbidden.add(c)
        color[v] = least(forbidden, v, rows)
    return color


def around(near: Near, color: list[int], v: int, neutral: Collection[int]) -> set[int]:
    """Return the colors of the neighbors of v, and of the neighbors of its neutral neighbors."""
    return {color[x] for w in near[v] for x in ([w, *near[w]] if w in neutral else [w])}


def least(forbidden: Collection[int], v: int, rows: int) -> int:
    """Return the least color of v's side that is not forbidden."""
    return next(c for c in itertools.count(int(v >= rows > 0), 1 + (rows > 0)) if c not in forbidden)
