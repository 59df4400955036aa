"""Equitable colorings of small graphs by looking at all colorings, where nothing else found one.

Vertices of a complete graph are added until k divides their number, as in equitable.py: each class is to be full then,
so that capacities alone say it, and colors that nobody has yet are alike.
"""

from __future__ import annotations

import numpy as np

from ...core.graph import Graph
from ..greedy.sequential import unsigned
from ..lists.exhaustive import FOUND, NONE_EXISTS, search_all
from .rounds import Allowed

SMALL, READS = 1 << 12, 1 << 22  # vertices times colors up to which it is begun, and entries read then


def search_equitable(G: Graph, colors: np.ndarray, k: int, allowed: Allowed) -> tuple[int, np.ndarray] | None:
    """What came of the search (FOUND, NONE_EXISTS, UNKNOWN), and the colors found, or else the given ones."""
    n, more = G.n, -G.n % max(k, 1)
    if k == 0 or (n + more) * k > SMALL:
        return None
    indptr, indices = unsigned(G)
    clique = np.array([n + j for i in range(more) for j in range(more) if i != j], indices.dtype)
    ends = int(indptr[-1]) + np.arange(1, more + 1) * max(more - 1, 0)
    graph = np.concatenate([indptr, ends.astype(indptr.dtype)]), np.concatenate([indices, clique])
    start = np.full(n + more, -1, np.int32)
    if allowed.keep is not None:
        start[:n][allowed.keep] = colors[allowed.keep]
    offsets, forbidden = allowed.forbidden or (np.zeros(n + 1, np.int64), np.zeros(0, np.int32))
    offsets = np.concatenate([offsets, np.full(more, offsets[-1])])
    room = (n + more) // k - np.bincount(start[start >= 0], minlength=k).astype(np.float64)
    if room.min() < 0:  # too many vertices are kept in one class
        return NONE_EXISTS, colors
    weights, alike = np.ones(n + more), allowed.forbidden is None
    outcome = search_all(*graph, start, offsets, forbidden, weights, room, alike, np.int64(READS))
    return outcome, start[:n] if outcome == FOUND else colors
