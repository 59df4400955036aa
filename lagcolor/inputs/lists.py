"""What errors advise for lists of lists, which may be edges, neighbors of vertices, or rows of a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Complex
from typing import Any

import numpy as np

NEIGHBORS = "if it has the neighbors of each vertex, pass `dict(enumerate(x))`"
MATRIX = "if it has the rows of a matrix, pass `numpy.array(x)`"


def two_lists(x: Sequence[list[Any]], function: str) -> str:
    """What a list of two lists of one length may be, with a call of `function` for each reading.

    `function` is "Graph.of" or "Pattern.of": graphs have square matrices.
    """
    size, of_graph = len(x[0]), function == "Graph.of"
    edges = "edges" if of_graph else "entries"
    readings = [
        (size in (2, 3), f"two {edges}", "list(map(tuple, x))"),
        (True, "the two ends of each edge" if of_graph else "the row and the column of each entry", "tuple(x)"),
        (
            size not in (2, 3),
            "the neighbors of each vertex" if of_graph else "the columns of each row",
            "dict(enumerate(x))",
        ),
        (_numeric(x) and (size == 2 or not of_graph), "the rows of a matrix", "numpy.array(x, float)"),
    ]
    found = [f"{what}: `{function}({code})`" for fits, what, code in readings if fits]
    takes = (
        "; Graph.of takes a list of pairs, a pair of lists (u, v), and an edge index of shape (2, m)"
        if of_graph
        else ""
    )
    return f"a list of two lists of {size} has several readings, say which: {'; '.join(found)}{takes}"


def rows(x: Sequence[Any], function: str) -> str:
    """What to pass for a sequence whose elements are no pairs of vertices; "" where these are no lists either."""
    if not all(isinstance(row, (list, tuple, np.ndarray)) for row in x):
        return ""
    vertices = all(isinstance(row, (list, np.ndarray)) for row in x)
    size = len(x[0])
    if not (all(len(row) == size for row in x) and _numeric(x)):
        return f"; {NEIGHBORS}" if vertices else ""
    square = len(x) == size
    vertices = vertices and all(_is_vertex(e) for row in x for e in row)
    repeated = vertices and any(len(set(row)) < size for row in x)  # seldom so in a list of neighbors
    if square and repeated:
        vertices = False
    matrix = square or repeated or not vertices or function == "Pattern.of"
    return "".join(f"; {advice}" for fits, advice in ((matrix, MATRIX), (vertices, NEIGHBORS)) if fits)


def _numeric(x: Sequence[Any]) -> bool:
    return all(isinstance(e, (Complex, np.bool_)) for row in x for e in row)


def _is_vertex(e: Any) -> bool:
    return isinstance(e, (int, np.integer)) and not isinstance(e, bool) and int(e) >= 0
