"""Equitable colorings of small graphs by clause learning, where nothing else found one.

Where n is no multiple of k, some classes have one vertex more. All have the capacity for it, and a clique of extra
vertices, of weight 1, takes that capacity in the others.
"""

from __future__ import annotations

import math

import numpy as np

from ...base.compile_clock import clock
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ..exact.learning import Learning
from ..improve.lists import FOUND, NONE_EXISTS, Instance
from .scheduled import Allowed

SMALL, CONFLICTS = 1 << 14, 20_000  # vertices times colors up to which it is begun, and conflicts then


def search_equitable(
    G: Graph, colors: np.ndarray, k: int, allowed: Allowed, until: float = math.inf
) -> tuple[int, np.ndarray] | None:
    """What came of the search (FOUND, NONE_EXISTS, UNKNOWN), and the colors found, or else the given ones."""
    if k == 0 or G.n * k > SMALL or clock() > until:
        return None
    keep = np.zeros(G.n, np.bool_) if allowed.keep is None else allowed.keep
    start = np.where(keep, colors, np.int32(-1))
    size, larger = divmod(G.n, k)
    extra = k - larger if larger else 0
    room = size + (larger > 0) - np.bincount(start[keep], minlength=k).astype(np.float64)
    if room.min() < 0:  # too many vertices are kept in one class
        return NONE_EXISTS, colors
    offsets, forbidden = allowed.forbidden or (np.zeros(G.n + 1, np.int64), np.zeros(0, np.int32))
    graph = unsigned(beside_clique(G, extra))
    lists = np.append(offsets, np.full(extra, offsets[-1])), forbidden
    instance = Instance(*graph, np.append(keep, np.zeros(extra, np.bool_)), *lists, np.ones(G.n + extra), room)
    search = Learning(instance, np.append(start, np.full(extra, -1, np.int32)), True)
    outcome = search.run(until, CONFLICTS)
    return outcome, search.colors[: G.n].copy() if outcome == FOUND else colors


def beside_clique(G: Graph, extra: int) -> Graph:
    """The graph and a clique of a number of additional vertices."""
    if not extra:
        return G
    rows = np.flatnonzero(~np.eye(extra, dtype=bool).ravel()) % extra + G.n
    offsets = np.append(G.indptr, G.m + (extra - 1) * np.arange(1, extra + 1)).astype(G.indptr.dtype)
    return Graph(offsets, np.append(G.indices, rows.astype(np.int32)))
