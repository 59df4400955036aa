"""How many vertices of an order are ready at a time, as far as a look at a part of it tells.

On a GPU each vertex waits for the earlier ones around it, and only as many consecutive vertices of the order as there
are warps are at work. By id, the vertices of a grid wait for the ones before them in their lines: of a window of eight
lines eight vertices are ready at a time, and the other warps wait.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import device as dev
from ...core.graph import Graph
from ...device.compiled import njit

WINDOW = 8192  # places of the order that are looked at, about as many as a large GPU has warps


def ready_at_a_time(G: Graph, sequence: Any = None) -> float:
    """Vertices per step of the longest chain of neighbors, each earlier than the next, in the middle of an order.

    Chains over two or three edges, for which a vertex of a star coloring waits as well, are not counted.
    """
    n = G.n if sequence is None else len(sequence)
    if n < 4 * WINDOW:
        return float("inf")
    first = n // 2
    offsets, places = _by_id(G, first) if sequence is None else _in_order(G, sequence[first : first + WINDOW])
    return WINDOW / longest_chain(offsets, places)


def _by_id(G: Graph, first: int) -> tuple[np.ndarray, np.ndarray]:
    """Offsets and columns of a window of rows, both from 0 on."""
    offsets = dev.to_device(G.indptr[first : first + WINDOW + 1], "cpu")
    columns = dev.to_device(G.indices[int(offsets[0]) : int(offsets[-1])], "cpu")
    return offsets - offsets[0], columns - np.int32(first)


def _in_order(G: Graph, part: Any) -> tuple[np.ndarray, np.ndarray]:
    """The same for the rows of some vertices, with places among these for columns, −1 for others."""
    xp = G.xp
    place = xp.full(G.n, -1, np.int32)
    place[part] = xp.arange(len(part), dtype=np.int32)
    starts = G.indptr[part].astype(np.int64)
    offsets = xp.zeros(len(part) + 1, np.int64)
    offsets[1:] = xp.cumsum(G.indptr[part + 1] - G.indptr[part])
    entries = xp.arange(int(offsets[-1]), dtype=np.int64)
    row = xp.searchsorted(offsets, entries, side="right") - 1
    columns = G.indices[starts[row] + entries - offsets[row]]
    return dev.to_device(offsets, "cpu"), dev.to_device(place[columns], "cpu")


@njit(cache=True, nogil=True)
def longest_chain(offsets: Any, places: Any) -> Any:
    """Vertices of the longest path through rising places; row i is that of place i, others than these are left out."""
    length = np.ones(offsets.size - 1, np.int64)
    longest = np.int64(1)
    for i in range(length.size):
        for e in range(offsets[i], offsets[i + 1]):
            if 0 <= places[e] < i:
                length[i] = max(length[i], length[places[e]] + 1)
        longest = max(longest, length[i])
    return longest
