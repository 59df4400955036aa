"""Rounds of balancing on a CPU; symbols as in scheduled.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.bits import mix32
from ...base.device.compiled import njit
from ...base.device.intrinsics import prefetch
from .plan import CODE, FIRST, QUOTA, SINK, SINKS_OF, SIZE, SLOTS, UNTIL

ZERO, ONE = np.uint64(0), np.uint64(1)
ONE32 = np.uint32(1)
GOLDEN = np.uint64(0x9E3779B9)
LOW = np.uint64(0xFFFFFFFF)
BITS, LAST = np.int64(6), np.int64(SLOTS - 1)  # of a code: the source above, the slot below; // and % are slower
QUEUE = 256  # vertices that are to try, found before the first of their rows is read


@njit(cache=True, nogil=True)
def one_round(task: Any, table: Any, salt: Any) -> Any:
    """Vertices move as the plan in `table` says; returns the weight moved, and the entries read.

    `task` is the graph, the colors, `keep`, `offsets` and `forbidden`, and weights, which are empty if all weigh 1.
    """
    indptr, indices, colors, keep, offsets, forbidden, weights = task
    code, left, open_sinks = table[CODE], table[QUOTA].copy(), table[SINKS_OF].copy()
    queue, v, n, moved, read = np.empty(QUEUE, np.uint32), np.uint32(0), np.uint32(colors.size), np.int64(0), ZERO
    while v < n:
        found = 0
        while v < n and found < QUEUE:
            tries = np.int64(mix32(np.uint64(v) ^ salt)) < table[UNTIL, colors[v]]
            if tries and open_sinks[colors[v]] > 0 and not keep[v]:
                queue[found] = v
                prefetch(indices, indptr[v])
                found += 1
            v += ONE32
        for u in queue[:found]:
            c = colors[u]
            if open_sinks[c] == 0:  # further wishes are refused
                continue
            taken = ZERO
            for e in range(indptr[u], indptr[u + ONE32]):
                x = code[colors[indices[e]]]
                if x >> BITS == c:
                    taken |= ONE << np.uint64(x & LAST)
            read += np.uint64(indptr[u + ONE32] - indptr[u])
            for e in range(offsets[u], offsets[u + ONE32]):
                x = code[forbidden[e]] if forbidden[e] < code.size else np.int64(-1)
                if x >> BITS == c:
                    taken |= ONE << np.uint64(x & LAST)
            slot = pick(taken, np.uint64(table[SINKS_OF, c]), mix32(np.uint64(u) ^ salt))
            if slot < 0:
                continue
            d = table[SINK, table[FIRST, c] + slot]
            w = weights[u] if weights.size else 1
            if left[d] >= w:
                colors[u] = d
                table[SIZE, d] += w
                table[SIZE, c] -= w
                moved += w
            open_sinks[c] -= 0 < left[d] <= w
            left[d] -= w
    return moved, read


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
