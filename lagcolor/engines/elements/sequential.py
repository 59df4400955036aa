"""First-fit and balancing of elements on a CPU; the same algorithms as elements.cu and bodies.cu.

First-fit is a call of `two_hop/windows.py`. For balancing, each node stores the colors of its elements as bits. An
element that moves to another color flips two bits of each of its nodes. The same loop balances vertices of a graph, and
reads the colors of neighbors instead of bits.

The vertices of one class do not constrain each other, so all of them may move at the same time. Which of them move, and
where, depends on hashes and on the sizes of classes before the turn. A GPU computes the same colors.

`breadth_first` orders elements from a corner of the mesh, so that first-fit needs few colors. The first element is one
whose nodes have the fewest elements. The elements at its nodes follow, and so on. The nodes of an element are sorted by
the number of their elements outside of the queue, then by the place of their last element in the queue. So hexahedra of
a block follow each other row by row, in any numbering of elements and nodes, and first-fit needs 8 colors. With ties by
the order of the element's nodes it needs up to 13.

References
----------
Cuthill, McKee 1969, "Reducing the bandwidth of sparse symmetric matrices", number vertices of a graph breadth first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base.device.bits import mix32
from ...base.device.compiled import inner, njit
from ...base.device.intrinsics import ctz64
from ...graph.graph import Graph
from ...graph.pattern import Pattern, unsigned
from ...orders.ties import seed_word
from ..two_hop import windows

SEED = 0  # seed of the order "random" in this package
SWEEPS, SLACK, NEARLY, MOST_SHIFT, MOST_COLORS = 8, 400, 24, 8, 1024  # as in balance.cuh
MOST_WORDS = MOST_COLORS // 64  # maximum per node, because memory is nodes × colors
ZERO, ONE, WINDOW, LOW = np.uint64(0), np.uint64(1), np.uint64(64), np.uint64(0xFFFFFFFF)
SLICE = 1 << 15  # elements between two checks of Ctrl-C
DONE, LENGTH, NEXT = range(3)  # indices of `place`


def first_fit(P: Pattern, order: np.ndarray | None = None) -> np.ndarray:
    """Color by first-fit in an order, by default by number; rows of `P` are the nodes of elements."""
    sequence = None if order is None else order.view(np.uint32)
    return windows.color(*unsigned(P), sequence, P.columns, False, 1)


class Turn(NamedTuple):
    """Plan of a turn, in which vertices of one class move."""

    c: Any  # the class; its vertices try to move if their hashes are below `threshold`
    threshold: Any
    # salt of the turn, and hash of the seed
    salt: Any
    word: Any
    spare: Any  # array of int64: number of vertices that each class may take
    open: Any  # array of uint64: colors of classes below capacity, as bits
    sizes: Any  # array of int64: of all classes; a move changes them


def balance_classes(S: Pattern, colors: np.ndarray) -> None:
    """Balance classes of rows that share no column, or of a `Graph`, in place; empty classes are removed."""
    sizes = np.bincount(colors[colors >= 0])
    if not 1 < len(sizes) <= MOST_COLORS:
        return
    _sweep(S, colors, sizes)
    if not sizes.all():
        numbers = np.append(np.cumsum(sizes > 0, dtype=np.int32) - 1, -1)  # the last one is for −1
        colors[:] = numbers[colors]


def _sweep(S: Pattern, colors: np.ndarray, sizes: np.ndarray) -> None:
    """Do turns of all classes that are too large, in several sweeps; update `sizes`."""
    k, most, rows = len(sizes), -(-int(sizes.sum()) // len(sizes)), unsigned(S)
    taken = None if isinstance(S, Graph) else np.zeros((S.columns, -(-k // 64)), np.uint64)
    if taken is not None:
        set_taken(*rows, colors, taken)
    shift = [0] * k  # a class with few movable vertices tries 2, 4 … times as many
    for sweep in range(SWEEPS):
        moved = False
        for c in range(k):
            size, excess = int(sizes[c]), int(sizes[c]) - most
            if excess <= most // SLACK:
                continue
            if NEARLY * int(sizes.max()) <= (NEARLY + 1) * int(sizes.min()):
                return
            threshold = min((excess << (32 + shift[c])) // size, 2**32 - 1)
            spare, salt = np.maximum(most - sizes, 0), (64 + sweep) * MOST_COLORS + c
            first, second, third, word = (np.uint64(x) for x in (c, threshold, salt, seed_word(SEED)))
            move(*rows, colors, Turn(first, second, third, word, spare, _bits(spare > 0), sizes), taken)
            moved, gone = True, size - int(sizes[c])
            if 2 * gone < excess:
                shift[c] = min(shift[c] + 1, MOST_SHIFT)
            elif 2 * gone > 3 * excess:
                shift[c] = max(shift[c] - 1, 0)
        if not moved:
            return


def _bits(marks: np.ndarray) -> np.ndarray:
    """Pack booleans into words."""
    padded = np.append(marks, np.zeros(-len(marks) % 64, bool))
    return np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64)


@njit(cache=True, nogil=True)
def set_taken(indptr: Any, indices: Any, colors: Any, taken: Any) -> None:
    """Set the bits of the colors at each node: uint64, shape (nodes, words), initially 0."""
    for e in range(np.uint64(colors.size)):
        if colors[e] >= 0:
            flip(indptr, indices, e, np.uint64(colors[e]), taken)


@inner()
def flip(indptr: Any, indices: Any, e: Any, c: Any, taken: Any) -> None:
    """Add a color to the nodes of an element, or remove it."""
    for i in range(indptr[e], indptr[e + ONE]):
        taken[indices[i], c // WINDOW] ^= ONE << (c % WINDOW)


@njit(cache=True, nogil=True)
def move(indptr: Any, indices: Any, colors: Any, turn: Turn, taken: Any) -> None:
    """Move some vertices of the present class to classes below capacity; `taken` is None for a graph."""
    around = np.empty(turn.open.size, np.uint64)
    for v in range(np.uint64(colors.size)):
        if np.uint64(colors[v]) != turn.c:
            continue
        h = mix32((mix32(v ^ turn.word) + turn.salt) & LOW)
        if h >= turn.threshold:
            continue
        around[:] = ZERO
        for i in range(indptr[v], indptr[v + ONE]):
            if taken is None:
                c = colors[indices[i]]
                if c >= 0:
                    around[np.uint64(c) // WINDOW] |= ONE << (np.uint64(c) % WINDOW)
            else:
                for w in range(np.uint64(around.size)):
                    around[w] |= taken[indices[i], w]
        to = color_to_move_to(around, turn, h)
        if to == turn.spare.size:
            continue
        if taken is not None:
            flip(indptr, indices, v, turn.c, taken)
            flip(indptr, indices, v, to, taken)
        colors[v] = np.int32(to)
        turn.sizes[turn.c] -= 1
        turn.sizes[to] += 1


@inner()
def color_to_move_to(around: Any, turn: Turn, h: Any) -> Any:
    """Return a free color, with a probability in proportion to its spare capacity; the number of colors if none."""
    total = ZERO
    for w in range(np.uint64(around.size)):
        free = turn.open[w] & ~around[w]
        while free:
            total += np.uint64(turn.spare[w * WINDOW + ctz64(free)])
            free &= free - ONE
    pick = (mix32(h) * total) >> np.uint64(32)
    for w in range(np.uint64(around.size)):
        free = turn.open[w] & ~around[w]
        while free:
            c = w * WINDOW + ctz64(free)
            if pick < np.uint64(turn.spare[c]):
                return c
            pick -= np.uint64(turn.spare[c])
            free &= free - ONE
    return np.uint64(turn.spare.size)


class Queue(NamedTuple):
    """Queue of the breadth-first search, and state of elements and nodes."""

    elements: Any  # array of int32: elements in order
    seen: Any  # array of bool: whether an element is in the queue
    left: Any  # array of int32: number of elements of each node that are not in the queue yet
    last: Any  # array of int32: place in the queue of the last element of each node
    # array of int64, shape (3,): number of visited elements, length of the queue, and place in `starts` of the next
    # component
    place: Any


def breadth_first(nodes: np.ndarray, members: Pattern) -> np.ndarray:
    """Return the breadth-first order of the elements, int32; `members`: the elements of each node."""
    m, left = len(nodes), members.degrees.copy()
    queue = Queue(
        np.empty(m, np.int32), np.zeros(m, np.bool_), left, np.zeros(members.rows, np.int32), np.zeros(3, np.int64)
    )
    sums = np.where(nodes >= 0, left[nodes] if len(left) else 0, 0).sum(axis=1, dtype=np.int64)
    starts = np.argsort(sums, kind="stable").astype(np.int32)
    width = max(nodes.shape[1], 1)
    scratch = np.empty(width, np.int32), np.empty(width, np.int64)
    while queue.place[DONE] < m:
        search(nodes, members.indptr, members.indices, starts, queue, scratch, SLICE)
    return queue.elements


@njit(cache=True, nogil=True)
def search(nodes: Any, indptr: Any, indices: Any, starts: Any, queue: Queue, scratch: Any, most: Any) -> None:
    """Visit up to `most` elements of the queue, and add their neighbors."""
    seen, left, place = queue.seen, queue.left, queue.place
    end = min(place[DONE] + most, np.int64(seen.size))
    while place[DONE] < end:
        if place[DONE] == place[LENGTH]:  # the next component
            while seen[starts[place[NEXT]]]:
                place[NEXT] += 1
            add(nodes, starts[place[NEXT]], queue)
        e = queue.elements[place[DONE]]
        place[DONE] += 1
        mine, count = scratch[0], in_turn(nodes[e], left, queue.last, scratch)
        for j in range(count):
            v = mine[j]
            if left[v] == 0:
                continue
            for i in range(indptr[v], indptr[v + 1]):
                if not seen[indices[i]]:
                    add(nodes, indices[i], queue)


@inner()
def add(nodes: Any, e: Any, queue: Queue) -> None:
    """Append an element to the queue."""
    place = queue.place
    for v in nodes[e]:
        if v >= 0:
            queue.left[v] -= 1
            queue.last[v] = place[LENGTH]
    queue.elements[place[LENGTH]] = e
    place[LENGTH] += 1
    queue.seen[e] = True


@inner()
def in_turn(own: Any, left: Any, last: Any, scratch: Any) -> Any:
    """Sort the nodes of an element into ``scratch[0]``; return their number."""
    mine, keys = scratch
    count = 0
    for v in own:
        if v < 0:
            continue
        i, key = count, (np.int64(left[v]) << 32) + last[v]
        while i > 0 and keys[i - 1] > key:
            mine[i], keys[i] = mine[i - 1], keys[i - 1]
            i -= 1
        mine[i], keys[i] = v, key
        count += 1
    return count
