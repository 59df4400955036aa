"""Exact first-fit of vertices with so many neighbors that all threads read a row together.

Hubs come first where the largest degree does, and nearly each is the next one's neighbor: threads that take a hub each
only wait for each other (copies.py), and then read the row again (kron18, two threads: a quarter of all entries gained
nothing). Here a thread flags the colors in its share of the row; all meet once a hub, and then each finds the least
color that is free in all shares, and writes it to the state of its own. Flags of two hubs in turn are in two arrays,
for a thread may begin the next hub while another still reads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device.bits import BYTES
from ...device.compiled import njit
from ...device.intrinsics import ctz64
from ...device.threads import barrier
from .sequential import ONE, ONE32, THREE, ZERO

SHARE = 2048  # entries of a thread's share that are worth a meeting
NO_COLORS = np.uint64(0x010101)  # flags of the codes under BASE


def end_of(indptr: np.ndarray, sequence: np.ndarray, first: int, threads: int, m: int) -> int:
    """Where the rows end that are long enough for so many threads, and begin at place `first` of the sequence."""
    least = SHARE * threads
    some = sequence[first : first + m // least + 1]
    short = indptr[some + ONE32] - indptr[some] < least
    return first + (int(np.argmax(short)) if short.any() else len(some))


@njit(cache=True, nogil=True)
def color_together(
    indptr: Any, indices: Any, sequence: Any, state: Any, found: Any, words: Any, shared: Any, slot: Any, top: Any,
    first: Any, stop: Any, me: Any,
) -> None:  # fmt: skip
    """Color places `first` … `stop` − 1; all threads call it.

    `words` (uint64, two × threads × words) has room for a byte flag a code; codes before are at most `top`.
    """
    threads = np.uint64(words.shape[1])
    top = np.uint64(top)
    turn = 0
    for i in range(first, stop):
        v = sequence[i]
        start, size = np.uint64(indptr[v]), np.uint64(indptr[v + ONE32] - indptr[v])
        here, there = start + size * np.uint64(me) // threads, start + size * np.uint64(me + 1) // threads
        each = words[i & 1]
        mine = each[me]
        last = (top + ONE) >> THREE
        for w in range(last + ONE):
            mine[w] = ZERO
        flags = mine.view(np.uint8)
        for e in range(here, there):
            flags[state[indices[e]]] = 1
        turn += words.shape[1]
        barrier(shared, slot, turn)
        code = least_free_in_all(each, last)
        top = max(top, code)
        state[v] = code
        if me == 0:
            found[i] = code


@njit(cache=True, nogil=True)
def least_free_in_all(words: Any, last: Any) -> Any:
    """The least code of a color whose flag is 0 in each row of `words`."""
    w, taken = ZERO, NO_COLORS
    while True:
        for t in range(words.shape[0]):
            taken |= words[t, w]
        if taken != BYTES or w == last:
            return (w << THREE) + (ctz64(~taken & BYTES) >> THREE)
        w += ONE
        taken = ZERO
