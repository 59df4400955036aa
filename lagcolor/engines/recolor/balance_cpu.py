"""Rounds of balancing on a CPU; symbols as in balance.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device.bits import mix32
from ...device.compiled import njit
from ...device.intrinsics import prefetch
from .balance_plan import CODE, FIRST, QUOTA, SINK, SINKS_OF, SIZE, SLOTS, UNTIL

ZERO, ONE = np.uint64(0), np.uint64(1)
ONE32 = np.uint32(1)
GOLDEN = np.uint64(0x9E3779B9)
LOW = np.uint64(0xFFFFFFFF)
QUEUE = 256  # vertices that are to try, found before the first of their rows is read


@njit(cache=True, nogil=True)
def one_round(
    indptr: Any, indices: Any, colors: Any, keep: Any, offsets: Any, forbidden: Any, weights: Any, table: Any,
    salt: Any, queue: Any,
) -> Any:  # fmt: skip
    """Move vertices as the plan in `table` says; returns the weight moved, and the entries read.

    `keep` (uint8), `offsets` and `forbidden`, and `weights` may be empty: no vertex is fixed, none has forbidden
    colors, all weigh 1.
    """
    n, k = np.uint32(colors.size), table.shape[1]
    code = table[CODE].astype(np.int32)
    until = table[UNTIL].astype(np.uint64)
    left, open_ = table[QUOTA].copy(), np.zeros(k, np.int64)
    for c in range(k):
        for j in range(table[FIRST, c], table[FIRST, c] + table[SINKS_OF, c]):
            open_[c] += left[table[SINK, j]] > 0
    moved, read = np.int64(0), ZERO
    v = np.uint32(0)
    while v < n:
        found = 0
        while v < n and found < QUEUE:
            tries = mix32(np.uint64(v) ^ salt) < until[colors[v]] and open_[colors[v]] > 0
            if tries and (keep.size == 0 or keep[v] == 0):
                queue[found] = v
                prefetch(indices, indptr[v])
                found += 1
            v += ONE32
        for i in range(found):
            u = queue[i]
            c = colors[u]
            if open_[c] == 0:  # whoever asks now is refused
                continue
            taken = ZERO
            for e in range(indptr[u], indptr[u + ONE32]):
                x = code[colors[indices[e]]]
                if x // SLOTS == c:
                    taken |= ONE << np.uint64(x % SLOTS)
            read += np.uint64(indptr[u + ONE32] - indptr[u])
            if offsets.size:
                for e in range(offsets[u], offsets[u + ONE32]):
                    if forbidden[e] < k:
                        x = code[forbidden[e]]
                        if x // SLOTS == c:
                            taken |= ONE << np.uint64(x % SLOTS)
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
                open_[c] -= 1
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
