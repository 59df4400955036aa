"""Star and acyclic first-fit in plain Python, by definition: try colors from 0 on, and look at the whole coloring."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable

import lagcolor

Rows = list[list[int]]
Check = Callable[[Rows, list[int]], bool]


def adjacency(G: lagcolor.Graph) -> Rows:
    """Neighbors of each vertex."""
    indptr, indices = G.indptr.tolist(), G.indices.tolist()
    return [indices[indptr[v] : indptr[v + 1]] for v in range(G.n)]


def is_proper(near: Rows, colors: list[int]) -> bool:
    """Whether no edge has one color; −1 is none."""
    return all(colors[u] != colors[v] or colors[u] < 0 for u in range(len(near)) for v in near[u])


def is_star(near: Rows, colors: list[int]) -> bool:
    """Whether it is proper, and no path a – b – c – d has two colors alone."""
    paths = ((a, b, c, d) for b in range(len(near)) for c in near[b] for a in near[b] for d in near[c])
    return is_proper(near, colors) and not any(
        colors[a] == colors[c] >= 0 and colors[b] == colors[d] >= 0 and a != c and b != d for a, b, c, d in paths
    )


def is_acyclic(near: Rows, colors: list[int]) -> bool:
    """Whether it is proper, and each pair of colors induces a forest: as many vertices as edges and components."""
    used = sorted({c for c in colors if c >= 0})
    return is_proper(near, colors) and all(
        _is_forest(near, {v for v in range(len(near)) if colors[v] in pair}) for pair in itertools.combinations(used, 2)
    )


def _is_forest(near: Rows, vertices: set[int]) -> bool:
    edges = sum(u in vertices for v in vertices for u in near[v]) // 2
    components, left = 0, set(vertices)
    while left:
        components += 1
        todo = [left.pop()]
        while todo:
            found = [u for u in near[todo.pop()] if u in left]
            left.difference_update(found)
            todo += found
    return edges + components == len(vertices)


def greedy(
    near: Rows, sequence: Iterable[int], holds: Check, rows: int = 0, neutral: Iterable[int] = ()
) -> list[int]:  # fmt: skip
    """Each vertex in turn takes the least color with which the coloring holds, and neutral ones see none twice.

    With `rows`, vertices below take even colors only, the others odd ones.
    """
    colors = [-1] * len(near)
    around = [near[v] for v in neutral]
    for v in sequence:
        allowed = itertools.count(int(v >= rows), 2) if rows else itertools.count()
        for colors[v] in allowed:
            seen = ([colors[u] for u in row if colors[u] >= 0] for row in around if v in row)
            if holds(near, colors) and all(len(set(row)) == len(row) for row in seen):
                break
    return colors
