"""First-fit of elements in any order on a CPU, and even classes: what elements.cu does, in loops.

First-fit is a call of `two_hop/windows.py`: a node keeps the colors of its elements as bits. To move to
another color an element clears one bit of each of its nodes and sets another.

The elements of one class share no node. All of them may move at the same time. Which of them do, and where to, depends
on hashes and on the sizes of classes before: a GPU has the same colors. Vertices of a graph are balanced likewise.

=======  ====================================================================================
nodes    the nodes of each element: int32, shape (elements, width), −1 for none
taken    colors that a node has: uint64, shape (nodes, words)
=======  ====================================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...base.device.bits import mix32
from ...base.device.compiled import njit
from ...base.device.intrinsics import ctz64
from ...graph.pattern import Pattern, unsigned
from ...orders.ties import seed_word
from ..two_hop import windows

SEED = 0  # of the order "random", for all of this package
SLICE = 1 << 18  # elements between two chances for Ctrl-C
SWEEPS, SLACK, NEARLY, MOST_SHIFT, MOST_COLORS = 8, 400, 24, 8, 1024  # as in balance.cuh
MOST_WORDS = MOST_COLORS // 64  # that a node has: above, memory would be nodes × colors
ZERO, ONE, WINDOW, LOW = np.uint64(0), np.uint64(1), np.uint64(64), np.uint64(0xFFFFFFFF)


def first_fit(P: Pattern, order: np.ndarray | None = None) -> np.ndarray:
    """Colors of first-fit in an order, or by number; `P` has the nodes of each element."""
    sequence = None if order is None else order.view(np.uint32)
    return windows.color(*unsigned(P), sequence, P.columns, False, 1)


class Turn(NamedTuple):
    """What the vertices of one class need to know to move."""

    c: Any  # the class, whose vertices move where their hashes are under `threshold`
    threshold: Any
    # `salt` and `word`: give the hashes of a turn and of a seed
    salt: Any
    word: Any
    room: Any  # array of int64: how many vertices each class may take
    open: Any  # array of uint64: colors of classes below capacity, as bits
    sizes: Any  # array of int64: of all classes; a move changes them


def balance(colors: np.ndarray, move: Callable[[Any, Any, Turn], None]) -> None:
    """Make classes even, in place; vertices of color −1 are in none. A class that gets empty is a color less.

    ``move(begin, stop, turn)`` moves vertices of a range, for one class at a time.
    """
    sizes = np.bincount(colors[colors >= 0])
    _sweep(len(colors), sizes, move)
    if not sizes.all():
        numbers = np.append(np.cumsum(sizes > 0, dtype=np.int32) - 1, -1)  # the last one is for −1
        colors[:] = numbers[colors]


def can_balance(colors: np.ndarray) -> bool:
    """Whether there are classes to make even, and not more of them than are looked at."""
    return 1 < int(colors.max(initial=-1)) + 1 <= MOST_COLORS


def _sweep(n: int, sizes: np.ndarray, move: Callable[[Any, Any, Turn], None]) -> None:
    """Let each class that is too large have its turn, several times; `sizes` changes."""
    k, most = len(sizes), -(-int(sizes.sum()) // max(len(sizes), 1))
    shift = [0] * k  # where few vertices of a class can move, it tries 2, 4 … times as many
    for sweep in range(SWEEPS):
        moved = False
        for c in range(k):
            size, excess = int(sizes[c]), int(sizes[c]) - most
            if excess <= most // SLACK:
                continue
            if NEARLY * int(sizes.max()) <= (NEARLY + 1) * int(sizes.min()):
                return
            threshold = min((excess << (32 + shift[c])) // size, 2**32 - 1)
            room, salt = np.maximum(most - sizes, 0), (64 + sweep) * MOST_COLORS + c
            first, second, third, word = (np.uint64(x) for x in (c, threshold, salt, seed_word(SEED)))
            turn = Turn(first, second, third, word, room, _bits(room > 0), sizes)
            for begin in range(0, n, SLICE):
                move(begin, min(begin + SLICE, n), turn)
            moved, gone = True, size - int(sizes[c])
            if 2 * gone < excess:
                shift[c] = min(shift[c] + 1, MOST_SHIFT)
            elif 2 * gone > 3 * excess:
                shift[c] = max(shift[c] - 1, 0)
        if not moved:
            return


def _bits(marks: np.ndarray) -> np.ndarray:
    """Marks as the bits of words."""
    padded = np.append(marks, np.zeros(-len(marks) % 64, bool))
    return np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64)


def balance_elements(nodes: np.ndarray, n: int, colors: np.ndarray) -> None:
    """The same for elements of `n` nodes."""
    if not can_balance(colors):
        return
    taken = np.zeros((n, int(colors.max(initial=0)) // 64 + 1), np.uint64)
    around = np.empty(taken.shape[1], np.uint64)
    for begin in range(0, len(colors), SLICE):
        mark_slice(nodes, colors, begin, min(begin + SLICE, len(colors)), taken)
    balance(colors, lambda begin, stop, turn: move_slice(nodes, colors, begin, stop, turn, taken, around))


def balance_bodies(indptr: np.ndarray, indices: np.ndarray, colors: np.ndarray) -> None:
    """The same for the vertices of a graph."""
    if not can_balance(colors):
        return
    around = np.empty(int(colors.max(initial=0)) // 64 + 1, np.uint64)
    balance(colors, lambda begin, stop, turn: move_bodies(indptr, indices, colors, begin, stop, turn, around))


@njit(cache=True, nogil=True)
def mark_slice(nodes: Any, colors: Any, begin: Any, stop: Any, taken: Any) -> None:
    """Note the colors of some elements at their nodes."""
    for e in range(np.uint64(begin), np.uint64(stop)):
        if colors[e] < 0:
            continue
        c = np.uint64(colors[e])
        for j in range(np.uint64(nodes.shape[1])):
            v = nodes[e, j]
            if v >= 0:
                taken[np.uint64(v), c // WINDOW] |= ONE << (c % WINDOW)


@njit(cache=True, nogil=True)
def move_slice(nodes: Any, colors: Any, begin: Any, stop: Any, turn: Turn, taken: Any, around: Any) -> None:
    """Some elements of the current class go to classes below capacity; `around` is memory."""
    width = np.uint64(nodes.shape[1])
    for e in range(np.uint64(begin), np.uint64(stop)):
        if np.uint64(colors[e]) != turn.c:
            continue
        h = hash_of(e, turn)
        if h >= turn.threshold:
            continue
        around[:] = ZERO
        for j in range(width):
            v = nodes[e, j]
            if v >= 0:
                for w in range(np.uint64(around.size)):
                    around[w] |= taken[np.uint64(v), w]
        to = color_to_move_to(around, turn, h)
        if to == turn.room.size:
            continue
        for j in range(width):
            v = nodes[e, j]
            if v >= 0:
                taken[np.uint64(v), turn.c // WINDOW] &= ~(ONE << (turn.c % WINDOW))
                taken[np.uint64(v), to // WINDOW] |= ONE << (to % WINDOW)
        colors[e] = np.int32(to)
        turn.sizes[turn.c] -= 1
        turn.sizes[to] += 1


@njit(cache=True, nogil=True)
def move_bodies(indptr: Any, indices: Any, colors: Any, begin: Any, stop: Any, turn: Turn, around: Any) -> None:
    """The same for the vertices of a graph; those without a color, −1, stay."""
    for v in range(np.uint64(begin), np.uint64(stop)):
        if colors[v] < 0 or np.uint64(colors[v]) != turn.c:
            continue
        h = hash_of(v, turn)
        if h >= turn.threshold:
            continue
        around[:] = ZERO
        for i in range(indptr[v], indptr[v + ONE]):
            c = colors[indices[i]]
            if c >= 0:
                around[np.uint64(c) // WINDOW] |= ONE << (np.uint64(c) % WINDOW)
        to = color_to_move_to(around, turn, h)
        if to < turn.room.size:
            colors[v] = np.int32(to)
            turn.sizes[turn.c] -= 1
            turn.sizes[to] += 1


@njit(cache=True, nogil=True, forceinline=True)
def hash_of(v: Any, turn: Turn) -> Any:
    """What decides whether v moves in this turn, and where to."""
    return mix32((mix32(v ^ turn.word) + turn.salt) & LOW)


@njit(cache=True, nogil=True)
def color_to_move_to(around: Any, turn: Turn, h: Any) -> Any:
    """A free color, with a probability in proportion to its free capacity; the number of colors for none."""
    total = ZERO
    for w in range(np.uint64(around.size)):
        free = turn.open[w] & ~around[w]
        while free:
            total += np.uint64(turn.room[w * WINDOW + ctz64(free)])
            free &= free - ONE
    pick = (mix32(h) * total) >> np.uint64(32)
    for w in range(np.uint64(around.size)):
        free = turn.open[w] & ~around[w]
        while free:
            c = w * WINDOW + ctz64(free)
            if pick < np.uint64(turn.room[c]):
                return c
            pick -= np.uint64(turn.room[c])
            free &= free - ONE
    return np.uint64(turn.room.size)
