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
BITS, LAST = np.int32(6), np.int32(SLOTS - 1)  # of a code: the source above, the slot below; // and % are slower
QUEUE = 256  # vertices that are to try, found before the first of their rows is read


def room(table: np.ndarray) -> tuple[np.ndarray, ...]:
    """What `one_round` reads of a plan and changes: codes, hashes, quotas left, sinks of each source that are open."""
    code, left = table[CODE], table[QUOTA].copy()
    some_open = np.bincount(code[(code >= 0) & (left > 0)] >> int(BITS), minlength=len(code))
    return code.astype(np.int32), table[UNTIL].astype(np.uint64), left, some_open, np.empty(QUEUE, np.uint32)


@njit(cache=True, nogil=True)
def one_round(task: Any, table: Any, scratch: Any, salt: Any) -> Any:
    """Vertices move as the plan in `table` says; returns the weight moved, and the entries read.

    `task` is the graph, the colors, `keep` (uint8), `offsets` and `forbidden`, and weights; `scratch` is of `room`.
    `keep`, `offsets` and `forbidden`, and `weights` may be empty: no vertex is fixed, none has forbidden
    colors, all weigh 1.
    """
    indptr, indices, colors, keep, offsets, forbidden, weights = task
    code, until, left, some_open, queue = scratch
    v, last, k = np.uint32(0), np.uint32(colors.size), table.shape[1]
    moved, read = np.int64(0), ZERO
    while v < last:
        found = 0
        while v < last and found < QUEUE:
            tries = mix32(np.uint64(v) ^ salt) < until[colors[v]] and some_open[colors[v]] > 0
            if tries and (keep.size == 0 or keep[v] == 0):
                queue[found] = v
                prefetch(indices, indptr[v])
                found += 1
            v += ONE32
        for i in range(found):
            u = queue[i]
            c = colors[u]
            if some_open[c] == 0:  # further wishes are refused
                continue
            taken = ZERO
            for e in range(indptr[u], indptr[u + ONE32]):
                x = code[colors[indices[e]]]
                if x >> BITS == c:
                    taken |= ONE << np.uint64(x & LAST)
            read += np.uint64(indptr[u + ONE32] - indptr[u])
            if offsets.size:
                for e in range(offsets[u], offsets[u + ONE32]):
                    if forbidden[e] < k:
                        x = code[forbidden[e]]
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
            if left[d] > 0 and left[d] <= w:
                some_open[c] -= 1
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
