"""Colorings with lists: a vertex may take some of the colors 0 … k − 1, and a class may weigh so much.

Start with `ejection.py`, ejections that keep rules. `swaps.py` and `leave_out.py` color as many vertices as
possible, and `relaxation.py` bounds how many are left out. Searches with rules call them. All of this runs on one core.
Colors are int32, −1 without a color, and change in place.
"""

from __future__ import annotations

from typing import Any, NamedTuple

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
