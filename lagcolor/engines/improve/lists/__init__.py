"""Colorings with lists: a vertex may take some of the colors 0 … k − 1, and a class may weigh so much.

Start with `ejection.py`, ejections that keep rules. `swaps.py` and `leave_out.py` color as many vertices as
possible, `relaxation.py` bounds how many are left out, and `simplify.py` and `lower.py` prepare and finish a search.
`search/rules/` calls them. All of this runs on one core. Colors are int32, −1 without a color, and change in place.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....base.device.compiled import njit

FOUND, NONE_EXISTS, UNKNOWN = 1, 0, -1  # what a search for all colorings knows


class Instance(NamedTuple):
    """A graph with lists and capacities, for compiled loops."""

    # `indptr` and `indices`: unsigned arrays
    indptr: Any
    indices: Any
    fixed: Any  # mask: vertices that keep their color
    # `offsets` and `forbidden`: CSR: colors that a vertex may not have
    offsets: Any
    forbidden: Any
    # `weights` and `room`: arrays of float64: of the vertices; per color, what its class may still weigh, which
    # changes in place
    weights: Any
    room: Any


def without_colors(graph: Any, colors: Any, fixed: Any, lists: Any, k: int) -> int:
    """The first vertex without a color whose list and fixed neighbors bar all of 0 … k − 1; −1 where there is none.

    The graph and the lists are CSR, `fixed` has the colors of fixed vertices.
    """
    return int(_without(graph, colors, fixed, lists, k, np.full(k, -1, np.int64)))


@njit(cache=True, nogil=True)
def _without(graph: Any, colors: Any, fixed: Any, lists: Any, k: Any, marks: Any) -> Any:
    """`marks` is −1 at first."""
    (indptr, indices), (offsets, forbidden) = graph, lists
    for v in range(colors.size):
        if colors[v] >= 0:
            continue
        count = 0
        for e in range(indptr[v], indptr[v + 1]):
            c = fixed[indices[e]]
            if 0 <= c < k and marks[c] != v:
                marks[c] = v
                count += 1
        for j in range(offsets[v], offsets[v + 1]):
            c = forbidden[j]
            if c < k and marks[c] != v:
                marks[c] = v
                count += 1
        if count == k:
            return v
    return -1
