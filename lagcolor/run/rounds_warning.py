"""Rounds that would take minutes or more, seen before they start.

An algorithm of independent sets colors one vertex (or two) a round of a chain of neighbors of falling priority. With
hashed priorities chains are short, but for a path whose ids follow the hash, or a crown. The longest chain takes one
pass over the graph; short walks along falling priorities, a thirty-second of a pass, show whether it is worth it.
What a round costs, and which vertices a chain holds up, the row of the algorithm says: of one core at its best, so that
the bound is low.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..core.errors import RoundsWarning, level_of_caller
from ..core.graph import Graph
from ..core.pattern import unsigned
from ..core.registry import Algorithm
from ..device.compiled import njit
from ..engines.greedy.sequential import ONE32
from ..orders import Priorities

LIMIT = 30.0  # seconds
STARTS, HIDDEN = 32, 8  # of walks; how much longer than these a chain may be


def warn(G: Graph, row: Algorithm, p: Priorities) -> None:
    """A `RoundsWarning` where the rounds on a CPU would take longer than `LIMIT`; called by `color`."""
    if not row.chain or G.on_gpu:
        return
    entry, vertex = row.cost
    a_round = entry * G.m + vertex * G.n
    if a_round * G.n < LIMIT or a_walk(G, row, p) * a_round * HIDDEN < LIMIT:
        return
    rounds, seconds = least_work(G, row, p)
    if seconds < LIMIT:
        return
    if row.instead:
        remedy = f"algorithm={row.instead!r} gives the same colors without such rounds"
    else:
        remedy = "algorithm='greedy' takes one pass, for other colors"
    warnings.warn(
        f"{row.name} will take about {rounds:,} rounds or more, each over all that is left, at least "
        f"{seconds:,.0f} s of one core: neighbors form so long a chain of falling priority (order {p.name!r}). "
        f"{remedy}; Ctrl-C ends it",
        RoundsWarning,
        stacklevel=level_of_caller(),
    )


def a_walk(G: Graph, row: Algorithm, p: Priorities) -> int:
    """The length of a chain found on short walks."""
    if row.walks:
        vertices, keys = row.walks(G, p)
        if row.cost[1] * vertices.size**2 < LIMIT:
            return 0
        starts = vertices[np.linspace(0, vertices.size - 1, 2 * STARTS).astype(np.int64)]
    else:
        keys, ends = p.p, np.linspace(0, G.n - 1, STARTS).astype(np.int64)
        starts = np.concatenate([p.sequence[:STARTS], p.sequence[ends]])  # the first ones, and all over
    return walk(*unsigned(G), starts.astype(np.int32), keys, G.m // 32 + G.n)


def least_work(G: Graph, row: Algorithm, p: Priorities) -> tuple[int, float]:
    """Rounds, and seconds that they take at least on one core."""
    graph = (*unsigned(G), p.sequence, p.p)
    held_up = row.held_up or (lambda G: np.ones(G.n, bool))
    depths = race(*graph) if row.maximal else chains(*graph, held_up(G))
    rounds = -(-int(depths.max(initial=0)) // row.chain)
    each = depths.astype(np.float64) / row.chain
    entry, vertex = row.cost
    return rounds, float((each * (entry * G.degrees + vertex)).sum())


@njit(cache=True, nogil=True)
def walk(indptr: Any, indices: Any, starts: Any, p: Any, room: Any) -> Any:
    """Length of the longest chain found on walks from some vertices, each to the next neighbor in the order."""
    longest = 0
    for at in starts:
        length = 0
        while room > 0:
            length += 1
            best = at
            for e in range(indptr[np.uint32(at)], indptr[np.uint32(at) + ONE32]):
                u = np.int32(indices[e])
                if p[u] < p[at] and (best == at or p[u] > p[best]):
                    best = u
                room -= 1
            if best == at:
                break
            at = best
        longest = max(longest, length)
    return longest


@njit(cache=True, nogil=True)
def chains(indptr: Any, indices: Any, sequence: Any, p: Any, counts: Any) -> Any:
    """The length of the longest chain of rising priorities from each vertex: its round, if rounds color maxima.

    Only vertices that count are links of a chain; others have depth 0.
    """
    depth = np.zeros(sequence.size, np.int32)
    for v in sequence:
        if not counts[v]:
            continue
        most = 0
        for e in range(indptr[np.uint32(v)], indptr[np.uint32(v) + ONE32]):
            u = indices[e]
            if p[u] > p[v]:
                most = max(most, depth[u])
        depth[v] = most + 1
    return depth


@njit(cache=True, nogil=True)
def race(indptr: Any, indices: Any, sequence: Any, p: Any) -> Any:
    """For each vertex the round when the first maximal independent set takes it (depth > 0) or rules it out."""
    depth = np.zeros(sequence.size, np.int32)  # below 0: ruled out
    for v in sequence:
        latest, out = 0, np.int32(0)
        for e in range(indptr[np.uint32(v)], indptr[np.uint32(v) + ONE32]):
            u = indices[e]
            if p[u] > p[v]:
                if depth[u] < 0:
                    latest = max(latest, -depth[u])
                elif out == 0 or depth[u] < out:
                    out = depth[u]
        depth[v] = -out if out else latest + 1
    return np.abs(depth)
