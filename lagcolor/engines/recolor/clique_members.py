"""The vertices of a clique that `clique_size` has found, for messages: the same steps from the start that led to it."""

from __future__ import annotations

import numpy as np

from ...core.graph import Graph
from ..greedy.sequential import unsigned
from .clique import FEW, largest_from, starts_of


def clique_members(G: Graph, size: int) -> np.ndarray:
    """The vertices of a clique of `size` vertices, rising, on the CPU; `clique_size` must have found as many."""
    if size <= 2:
        v = int(np.diff(G.indptr).argmax())
        return np.sort([v, *_row(G, v)][:size]).astype(np.int32)
    starts, before = starts_of(G)
    room, masks = np.empty(int(np.diff(before).max()), np.uint32), np.empty(FEW, np.uint64)
    at, place = np.zeros(3, np.int64), np.zeros(G.n, np.uint8)
    largest_from(
        *unsigned(G), starts.view(np.uint32), at, np.int64(size - 1), size, room, masks, place, np.int64(2**62)
    )
    return _grow(G, int(starts[at[0] - (at[2] == 0)]), size)


def _grow(G: Graph, start: int, size: int) -> np.ndarray:
    """Of many candidates the one of largest degree is taken, of few the one that leaves the most."""
    clique, left = [start], _row(G, start)
    while len(clique) < size and len(left):
        if len(left) > FEW:
            u = left[(G.indptr[left + 1] - G.indptr[left]).argmax()]
        else:
            u = left[np.argmax([len(np.intersect1d(left, _row(G, v), True)) for v in left])]
        clique.append(int(u))
        left = np.intersect1d(left, _row(G, u), True)
    return np.sort(clique).astype(np.int32)


def _row(G: Graph, v: int) -> np.ndarray:
    return np.asarray(G.indices[G.indptr[v] : G.indptr[v + 1]])
