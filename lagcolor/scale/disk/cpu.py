"""Blocks of rows colored on a CPU, around the colors of all vertices.

=========  =================================================================================
state      of each vertex its color, or as long as it has none 2³² − 1 less its place in the
           order: the larger, the earlier, and larger than every color
offsets    of the rows of a block, and of the next row; the first may be any number
marks      marks[c] is 1 + the vertex that saw color c last; for colors from 64 on
=========  =================================================================================
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...device.bits import least_unmarked
from ...device.compiled import njit
from ...device.intrinsics import ctz64

UNCOLORED = np.uint32(2**31)
SOUND = -1
WORD, ONE, ZERO, ONE32 = np.uint64(64), np.uint64(1), np.uint64(0), np.uint32(1)


class Rows(NamedTuple):
    """Rows by falling priority that are left without a color: what is needed to color them later.

    Attributes
    ----------
    places, ids : array of uint32, shape (k,)
        Places rise.
    counts : array of int64, shape (k,)
    entries : array of int32
        Of each row those of its neighbors that are earlier.
    """

    places: np.ndarray
    ids: np.ndarray
    counts: np.ndarray
    entries: np.ndarray


def natural(offsets: np.ndarray, indices: np.ndarray, first: int, state: np.ndarray, marks: np.ndarray) -> int:
    """Color the rows of a block in the order of ids.

    All vertices before the block have their colors. A row is read up to the vertex itself.
    """
    return int(_natural(offsets.view(np.uint64), indices.view(np.uint32), np.uint64(first), state, marks))


def ready(
    offsets: np.ndarray, indices: np.ndarray, ids: np.ndarray, order: np.ndarray, state: np.ndarray, marks: np.ndarray
) -> tuple[int, int]:
    """Color those rows whose earlier neighbors all have colors, in their order."""
    return _ready(offsets.view(np.uint64), indices.view(np.uint32), ids, order, state, marks)


def left_over(
    offsets: np.ndarray, indices: np.ndarray, ids: np.ndarray, order: np.ndarray, state: np.ndarray
) -> tuple[Rows, int]:
    """What `ready` has left, and a row with an entry that is out of range, or −1."""
    order = order[state[ids[order]] >= UNCOLORED]
    counts = np.zeros(len(order), np.int64)
    bad = _count(offsets.view(np.uint64), indices.view(np.uint32), ids, order, state, counts)
    entries = np.empty(0 if bad != SOUND else int(counts.sum()), np.int32)
    if bad == SOUND:
        _copy(offsets.view(np.uint64), indices.view(np.uint32), ids, order, state, entries.view(np.uint32))
    left = ids[order]
    return Rows(~state[left], left, counts, entries), int(bad)


@njit(cache=True, nogil=True)
def _natural(offsets: Any, indices: Any, first: Any, state: Any, marks: Any) -> Any:
    n, base = np.uint64(state.size), offsets[0]
    for row in range(np.uint64(offsets.size - 1)):
        v = first + row
        begin, end = offsets[row] - base, offsets[row + ONE] - base
        if end > begin and np.uint64(indices[end - ONE]) >= n:
            return np.int64(row)
        mask, e, before = ZERO, begin, np.int64(-1)
        while e < end:
            u = np.uint64(indices[e])
            if u >= v:
                break
            if np.int64(u) <= before:
                return np.int64(row)
            before = np.int64(u)
            c = np.uint64(state[u])
            mask |= np.uint64(c < WORD) << (c & np.uint64(63))
            e += ONE
        if ~mask != ZERO:
            state[v] = np.uint32(ctz64(~mask))
        else:
            state[v] = np.uint32(_farther(indices, begin, e, v, state, marks))
    return np.int64(SOUND)


@njit(cache=True, nogil=True)
def _farther(indices: Any, begin: Any, end: Any, v: Any, state: Any, marks: Any) -> Any:
    """The least color from 64 on that none of some entries has."""
    mine = np.uint32(v) + ONE32
    for e in range(begin, end):
        c = np.uint64(state[indices[e]])
        if c < np.uint64(marks.size):
            marks[c] = mine
    return np.uint64(least_unmarked(marks, mine, WORD))


@njit(cache=True, nogil=True)
def _ready(offsets: Any, indices: Any, ids: Any, order: Any, state: Any, marks: Any) -> Any:
    n, base, left = np.uint64(state.size), offsets[0], 0
    for i in range(np.uint64(order.size)):
        row = np.uint64(order[i])
        v = np.uint64(ids[row])
        begin, end, mine = offsets[row] - base, offsets[row + ONE] - base, state[v]
        mask, pending = ZERO, False
        for e in range(begin, end):
            u = np.uint64(indices[e])
            if u >= n:
                return left, np.int64(row)
            s = state[u]
            if s > mine:
                pending = True
                break
            mask |= np.uint64(np.uint64(s) < WORD) << (np.uint64(s) & np.uint64(63))
        if pending:
            left += 1
        elif ~mask != ZERO:
            state[v] = np.uint32(ctz64(~mask))
        else:
            state[v] = np.uint32(_farther(indices, begin, end, v, state, marks))
    return left, np.int64(SOUND)


@njit(cache=True, nogil=True)
def _is_earlier(s: Any, mine: Any) -> Any:
    """Whether a neighbor of this state comes before a vertex that was left: what has a color then does."""
    return s < UNCOLORED or s > mine


@njit(cache=True, nogil=True)
def _count(offsets: Any, indices: Any, ids: Any, order: Any, state: Any, counts: Any) -> Any:
    n, base = np.uint64(state.size), offsets[0]
    for i in range(np.uint64(order.size)):
        row = np.uint64(order[i])
        mine, count = state[ids[row]], 0
        for e in range(offsets[row] - base, offsets[row + ONE] - base):
            if np.uint64(indices[e]) >= n:
                return np.int64(row)
            count += _is_earlier(state[indices[e]], mine)
        counts[i] = count
    return np.int64(SOUND)


@njit(cache=True, nogil=True)
def _copy(offsets: Any, indices: Any, ids: Any, order: Any, state: Any, entries: Any) -> None:
    base, at = offsets[0], ZERO
    for i in range(np.uint64(order.size)):
        row = np.uint64(order[i])
        mine = state[ids[row]]
        for e in range(offsets[row] - base, offsets[row + ONE] - base):
            if _is_earlier(state[indices[e]], mine):
                entries[at] = indices[e]
                at += ONE
