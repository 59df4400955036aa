"""What each problem asks of a coloring, from its definition, in plain Python that shares no code with the library."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

Colors = Sequence[int]


def rows_of(x: Any) -> list[list[int]]:
    """The columns of the entries of each row."""
    indptr, indices = x.indptr.tolist(), x.indices.tolist()
    return [indices[begin:end] for begin, end in itertools.pairwise(indptr)]


def differ(vertices: Iterable[int], colors: Colors) -> bool:
    """Whether no two of them have one color."""
    seen = [colors[v] for v in vertices]
    return len(set(seen)) == len(seen)


def distance1(G: Any, colors: Colors, partial: bool = False) -> bool:
    """Whether the ends of each edge differ; with `partial` also −1, no color, at both."""
    return all(colors[u] != colors[v] or (partial and colors[u] < 0) for u, row in enumerate(rows_of(G)) for v in row)


def distance2(G: Any, colors: Colors) -> bool:
    """Whether each vertex and its neighbors all differ."""
    return all(differ([v, *row], colors) for v, row in enumerate(rows_of(G)))


def distance3(G: Any, colors: Colors) -> bool:
    """Whether the ends of each edge and all their neighbors differ."""
    rows = rows_of(G)
    return all(differ({u, v, *rows[u], *rows[v]}, colors) for u, row in enumerate(rows) for v in row)


def columns(P: Any, colors: Colors) -> bool:
    """Whether the columns of each row differ."""
    return all(differ(row, colors) for row in rows_of(P))


def rows(P: Any, colors: Colors) -> bool:
    """Whether the rows of each column differ."""
    entries = rows_of(P)
    return all(differ([i for i, row in enumerate(entries) if j in row], colors) for j in range(P.columns))


def edges(G: Any, colors: Colors) -> bool:
    """Whether the edges at each vertex differ; they are numbered row by row, from their smaller ends."""
    at: list[list[int]] = [[] for _ in range(G.n)]
    number = 0
    for u, row in enumerate(rows_of(G)):
        for v in row:
            if v > u:
                at[u].append(number)
                at[v].append(number)
                number += 1
    return all(differ(mine, colors) for mine in at)


def star(G: Any, colors: Colors) -> bool:
    """Whether the ends of each edge differ, and each path of four vertices has three colors."""
    rows = rows_of(G)
    paths = ((a, b, c, d) for b, row in enumerate(rows) for c in row for a in row for d in rows[c])
    return distance1(G, colors, partial=True) and not any(
        colors[a] == colors[c] >= 0 and colors[b] == colors[d] >= 0 and a != c and b != d for a, b, c, d in paths
    )


def acyclic(G: Any, colors: Colors) -> bool:
    """Whether the ends of each edge differ, and each cycle has three colors."""
    rows, used = rows_of(G), sorted({c for c in colors if c >= 0})
    return distance1(G, colors, partial=True) and all(
        is_forest(rows, {v for v in range(G.n) if colors[v] in pair}) for pair in itertools.combinations(used, 2)
    )


def is_forest(rows: list[list[int]], left: set[int]) -> bool:
    """Whether none of the vertices is left after those with fewer than two neighbors go, again and again."""
    while ends := {v for v in left if sum(u in left for u in rows[v]) < 2}:
        left = left - ends
    return not left


def sums(P: Any, colors: Colors) -> tuple[set[tuple[int, int]], list[set[tuple[int, int]]]]:
    """All entries, and the entries of each sum that products with the colored columns and rows have."""
    entries = {(i, j) for i, row in enumerate(rows_of(P)) for j in row}
    by: dict[tuple[str, int, int], set[tuple[int, int]]] = {}
    for i, j in entries:
        if colors[P.rows + j] >= 0:
            by.setdefault(("row", i, colors[P.rows + j]), set()).add((i, j))
        if colors[i] >= 0:
            by.setdefault(("column", j, colors[i]), set()).add((i, j))
    return entries, list(by.values())


def rows_come_first(P: Any, colors: Colors) -> bool:
    """Whether each color of a column is larger than each of a row."""
    of_columns = [c for c in colors[P.rows :] if c >= 0]
    return not of_columns or max(colors[: P.rows], default=-1) < min(of_columns)


def star_bicoloring(P: Any, colors: Colors) -> bool:
    """Whether each entry is alone in a sum."""
    entries, parts = sums(P, colors)
    return rows_come_first(P, colors) and entries == set().union(*(part for part in parts if len(part) == 1))


def acyclic_bicoloring(P: Any, colors: Colors) -> bool:
    """Whether entries alone in a sum can be taken away, again and again, until there is none."""
    entries, parts = sums(P, colors)
    if not rows_come_first(P, colors):
        return False
    while found := set().union(*(part for part in parts if len(part) == 1)):
        entries -= found
        parts = [part - found for part in parts]
    return not entries


HOLDS: dict[str, Callable[[Any, Colors], bool]] = {
    "distance1": distance1,
    "distance2": distance2,
    "distance3": distance3,
    "columns": columns,
    "rows": rows,
    "edges": edges,
    "star": star,
    "acyclic": acyclic,
    "star_bicoloring": star_bicoloring,
    "acyclic_bicoloring": acyclic_bicoloring,
}
