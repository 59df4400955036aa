"""Rounds that would take minutes or more, seen before they start.

An algorithm of independent sets colors one vertex (or two) a round of a chain of neighbours of falling priority. With
hashed priorities chains are short, but for a path whose ids follow the hash, or a crown. The longest chain takes one
pass over the graph; short walks along falling priorities, a thirty-second of a pass, tell whether it is worth it.
The numbers are of one core at its best, so that the bound is low.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .compiled import njit
from .errors import RoundsWarning
from .graph import Graph
from .priorities import Priorities
from .registry import Algorithm
from .sequential.greedy import ONE32, unsigned

LIMIT = 30.0  # seconds
STARTS, HIDDEN = 32, 8  # of walks; how much longer than these a chain may be
ENTRY, VERTEX = 5e-9, 30e-9  # seconds for each stored entry and vertex that a round passes over


def warn(G: Graph, row: Algorithm, p: Priorities) -> None:
    """A `RoundsWarning` where the rounds on a CPU would take longer than `LIMIT`; called by `color`."""
    a_round = ENTRY * G.m + VERTEX * G.n
    if not row.chain or G.on_gpu or a_round * G.n < LIMIT:
        return
    if walk(*unsigned(G), p.sequence, p.p, STARTS, G.m // 32 + G.n) * a_round * HIDDEN < LIMIT:
        return
    rounds, seconds = least_work(G, row, p)
    if seconds < LIMIT:
        return
    if row.instead:
        remedy = f"algorithm={row.instead!r} gives the same colors without such rounds"
    else:
        remedy = "algorithm='greedy' takes one pass, for other colors"
    warnings.warn(
        f"{row.name} will take about {rounds:,} rounds or more, each over all that is left, {seconds:,.0f} s at least: "
        f"neighbours form so long a chain of falling priority (order {p.name!r}). {remedy}; Ctrl-C ends it",
        RoundsWarning,
        stacklevel=3,
    )


def least_work(G: Graph, row: Algorithm, p: Priorities) -> tuple[int, float]:
    """Rounds, and seconds that they take at least on one core."""
    depths = (race if row.name == "luby_mis" else chains)(*unsigned(G), p.sequence, p.p)
    rounds = -(-int(depths.max(initial=0)) // row.chain)
    each = depths.astype(np.float64) / row.chain
    return rounds, float(each @ (ENTRY * G.degrees + VERTEX))


@njit(cache=True, nogil=True)
def walk(indptr: Any, indices: Any, sequence: Any, p: Any, starts: Any, room: Any) -> Any:
    """Length of the longest chain found on walks from some vertices, each to the next neighbour in the order."""
    n, longest = sequence.size, 0
    for i in range(2 * starts):
        at = sequence[min(i, n - 1) if i < starts else (i - starts) * n // starts]  # the first ones, and all over
        length = 0
        while room > 0:
            length += 1
            best = -1
            for e in range(indptr[np.uint32(at)], indptr[np.uint32(at) + ONE32]):
                if p[indices[e]] < p[at]:
                    best = max(best, p[indices[e]])
                room -= 1
            if best < 0:
                break
            at = sequence[n - 1 - best]
        longest = max(longest, length)
    return longest


@njit(cache=True, nogil=True)
def chains(indptr: Any, indices: Any, sequence: Any, p: Any) -> Any:
    """The length of the longest chain of rising priorities from each vertex: its round, if rounds color maxima."""
    depth = np.zeros(sequence.size, np.int32)
    for v in sequence:
        most = 0
        for e in range(indptr[np.uint32(v)], indptr[np.uint32(v) + ONE32]):
            u = indices[e]
            if p[u] > p[v]:
                most = max(most, depth[u])
        depth[v] = most + 1
    return depth


@njit(cache=True, nogil=True)
def race(indptr: Any, indices: Any, sequence: Any, p: Any) -> Any:
    """For each vertex the round in which the first maximal independent set takes it (depth > 0) or rules it out."""
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
