"""Algorithm 4 of ECL-GC's paper as printed: its matrix allows x = y, which makes improper colorings."""

from __future__ import annotations

import numpy as np
import pytest
from contract import definitions

import lagcolor


def algorithm_4(G: lagcolor.Graph, color: list[int], distinct: bool) -> list[int]:
    """One pass by the printed lines; the lowest true element, as the text says. `distinct`: x and y must differ."""
    rows = [G.indices[G.indptr[v] : G.indptr[v + 1]].tolist() for v in range(G.n)]
    color, hic = list(color), max(color)
    worklist = [v for v in range(G.n) if any(color[n] == hic for n in rows[v])]
    m = [[True] * hic for _ in range(hic)]
    for v in worklist:
        for n in rows[v]:
            if color[v] < hic and color[n] < hic:
                m[color[v]][color[n]] = False
    pairs = [(i, j) for i in range(hic) for j in range(hic) if m[i][j] and not (distinct and i == j)]
    if pairs:
        x, y = pairs[0]
        for v in worklist:
            if color[v] == x:
                color[v] = y
        color = [x if c == hic else c for c in color]
    return color


@pytest.mark.parametrize("k", [2, 3])
def test_printed_matrix_allows_x_equal_to_y(k: int) -> None:
    """A clique of k vertices needs its k colors; the printed algorithm takes the last one away."""
    G = lagcolor.Graph.of(np.triu_indices(k, 1), n=k)
    assert not definitions.distance1(G, algorithm_4(G, list(range(k)), distinct=False))
    assert algorithm_4(G, list(range(k)), distinct=True) == list(range(k))
    assert lagcolor.reduce(G, np.arange(k), method="heuristics", verify=True).n_colors == k
