"""Colorings with lists: a vertex may take some of the colors 0 … k − 1, and classes have capacities.

Start with `ejection.py`, ejections that obey rules. `swaps.py` and `leave_out.py` color as many vertices as possible,
and `relaxation.py` bounds the cost of the vertices left out. Searches with rules call this package, on one core.
Colors are int32, −1 without a color, and change in place.
"""

from __future__ import annotations

from typing import Any, NamedTuple

FOUND, NONE_EXISTS, UNKNOWN = 1, 0, -1  # outcomes of an exhaustive search


class Instance(NamedTuple):
    """A graph with lists and capacities, for compiled loops."""

    # unsigned arrays
    indptr: Any
    indices: Any
    fixed: Any  # mask of vertices that do not change their color
    # CSR: colors that each vertex may not have
    offsets: Any
    forbidden: Any
    # float64: weights of the vertices; spare capacity of each color, which changes in place
    weights: Any
    spare: Any
