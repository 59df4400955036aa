"""Coloring of elements of a few nodes each: elements that share a node get different colors.

`plain.py` has the loop in a dozen lines; start there. `sequential.py` is first-fit on one core. The CUDA sources
compute the same colors on a GPU, in rounds. Elements are rows of nodes, of fixed width, and no graph is built.
`lagcolor.mesh` and `lagcolor.color_pairs` call this package.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from semirings.sparse import offset_type

from ...base import device as dev
from ...base.device import extremes
from ...graph.pattern import Pattern

NETWORK, ON_CPU = 8, 4  # maximum width of rows that are sorted by a network of columns, on a GPU and on a CPU


class Rows(NamedTuple):
    """Elements, or other rows of nodes; rows that share a node get different colors."""

    nodes: Any  # array of int32, shape (rows, width), C-contiguous; −1: no node
    n: int  # number of nodes

    def pattern(self) -> Pattern:
        """Return the pattern rows × nodes, each node once in a row; it is not cached."""
        xp = dev.module_of(self.nodes)
        with dev.using(self.nodes):
            m, width = self.nodes.shape
            rows = sorted_rows(self.nodes)
            distinct = rows >= 0
            distinct[:, 1:] &= rows[:, 1:] != rows[:, :-1]
            count = extremes.count_true(distinct)
            indptr = xp.arange(m + 1, dtype=offset_type(count))
            if count == m * width:
                return Pattern(indptr * indptr.dtype.type(width), rows.reshape(-1), self.n)
            xp.cumsum(distinct.sum(axis=1), dtype=indptr.dtype, out=indptr[1:])
            return Pattern(indptr, rows[distinct], self.n)


def sorted_rows(nodes: Any) -> Any:
    """Sort each row; short rows by a network of columns, because a sort of many short rows is slow."""
    xp, width = dev.module_of(nodes), nodes.shape[1]
    if width > (ON_CPU if xp is np else NETWORK):
        return xp.sort(nodes, axis=1)
    columns = [nodes[:, j] for j in range(width)]
    for last in range(width - 1, 0, -1):
        for j in range(last):
            a, b = columns[j], columns[j + 1]
            columns[j], columns[j + 1] = xp.minimum(a, b), xp.maximum(a, b)
    return xp.stack(columns, axis=1) if columns else nodes
