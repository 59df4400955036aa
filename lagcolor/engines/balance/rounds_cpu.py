"""Rounds of balancing on a CPU; symbols as in rounds.py."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...device.bits import mix32
from ...device.compiled import njit
from ...device.intrinsics import prefetch
from .plan import SLOTS

ZERO, ONE = np.uint64(0), np.uint64(1)
ONE32 = np.uint32(1)
GOLDEN = np.uint64(0x9E3779B9)
LOW = np.uint64(0xFFFFFFFF)
BITS, LAST = np.int32(6), np.int32(SLOTS - 1)  # of a code: the source above, the slot below; // and % are slower
QUEUE = 256  # vertices that are to try, found before the first of their rows is read


class Classes(NamedTuple):
    """A graph, its colors, and what vertices may not do and weigh: the last four arrays may be empty."""

    indptr: Any
    indices: Any
    colors: Any
    keep: Any
    offsets: Any
    forbidden: Any
    weights: Any


@njit(cache=True, nogil=True)
def wish(of: Any, plan: Any, salt: Any, begin: Any, end: Any, wishes: Any, scratch: Any) -> Any:
    """Vertices begin … end − 1 wish as the plan says; returns wishes, and the entries read.

    Vertices and sinks are written to `wishes`, of shape (2, n), from `begin` on. `scratch`: QUEUE vertices, and copies
    of the quotas and of the numbers of sinks, which say when all other wishes would be refused.
    """
    queue, left, some_open = scratch
    v, last, k = np.uint32(begin), np.uint32(end), plan.code.size
    wished, read = np.int64(0), ZERO
    while v < last:
        found = 0
        while v < last and found < QUEUE:
            tries = mix32(np.uint64(v) ^ salt) < plan.until[of.colors[v]] and some_open[of.colors[v]] > 0
            if tries and (of.keep.size == 0 or of.keep[v] == 0):
                queue[found] = v
                prefetch(of.indices, of.indptr[v])
                found += 1
            v += ONE32
        for i in range(found):
            u = queue[i]
            c = of.colors[u]
            if some_open[c] == 0:
                continue
            taken = ZERO
            for e in range(of.indptr[u], of.indptr[u + ONE32]):
                x = plan.code[of.colors[of.indices[e]]]
                if x >> BITS == c:
                    taken |= ONE << np.uint64(x & LAST)
            read += np.uint64(of.indptr[u + ONE32] - of.indptr[u])
            if of.offsets.size:
                for e in range(of.offsets[u], of.offsets[u + ONE32]):
                    if of.forbidden[e] < k:
                        x = plan.code[of.forbidden[e]]
                        if x >> BITS == c:
                            taken |= ONE << np.uint64(x & LAST)
            slot = pick(taken, np.uint64(plan.count[c]), mix32(np.uint64(u) ^ salt))
            if slot < 0:
                continue
            d = plan.sinks[plan.first[c] + slot]
            wishes[0, begin + wished], wishes[1, begin + wished] = u, d
            wished += 1
            w = of.weights[u] if of.weights.size else 1
            if 0 < left[d] <= w:
                some_open[c] -= 1
            left[d] -= w
    return wished, read


@njit(cache=True, nogil=True)
def grant(of: Any, sizes: Any, left: Any, wishes: Any, begins: Any, counts: Any) -> Any:
    """Vertices of lists of wishes move, one after the other, within the quotas; returns the weight moved."""
    moved = np.int64(0)
    for t in range(begins.size):
        for i in range(begins[t], begins[t] + counts[t]):
            u, d = wishes[0, i], wishes[1, i]
            w = of.weights[u] if of.weights.size else 1
            if left[d] >= w:
                sizes[d] += w
                sizes[of.colors[u]] -= w
                of.colors[u] = d
                moved += w
            left[d] -= w
    return moved


@njit(cache=True, nogil=True, inline="always")
def pick(taken: Any, sinks: Any, h: Any) -> Any:
    """The first slot not taken, from one on that a hash says; −1 where all are."""
    slot = (mix32((h + GOLDEN) & LOW) * sinks) >> np.uint64(32)
    for _ in range(sinks):
        if (taken >> slot) & ONE == ZERO:
            return np.int64(slot)
        slot += ONE
        if slot == sinks:
            slot = ZERO
    return np.int64(-1)
