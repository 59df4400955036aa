"""Equitable colorings of small graphs by looking at all colorings, where nothing else found one."""

from __future__ import annotations

import numpy as np

from ...core.graph import Graph
from ..greedy.sequential import unsigned
from ..lists import Instance
from ..lists.exhaustive import FOUND, NONE_EXISTS, search_all
from .rounds import Allowed

SMALL, READS = 1 << 12, 1 << 22  # vertices times colors up to which it is begun, and entries read then


def search_equitable(G: Graph, colors: np.ndarray, k: int, allowed: Allowed) -> tuple[int, np.ndarray] | None:
    """What came of the search (FOUND, NONE_EXISTS, UNKNOWN), and the colors found, or else the given ones."""
    if k == 0 or G.n * k > SMALL:
        return None
    keep = np.zeros(G.n, np.bool_) if allowed.keep is None else allowed.keep
    start = np.where(keep, colors, np.int32(-1))
    offsets, forbidden = allowed.forbidden or (np.zeros(G.n + 1, np.int64), np.zeros(0, np.int32))
    size, larger = divmod(G.n, k)
    room = size - np.bincount(start[keep], minlength=k).astype(np.float64)
    if not larger and room.min() < 0:  # too many vertices are kept in one class
        return NONE_EXISTS, colors
    instance = Instance(*unsigned(G), keep, offsets, forbidden, np.ones(G.n), room)
    outcome = search_all(instance, start, allowed.forbidden is None, READS, larger)
    return outcome, start if outcome == FOUND else colors
