"""Table of the edge of each color at each vertex, on one core: a hash table per vertex, all in one array.

A hash table has more places than its vertex has edges, so that a search ends at an empty place. If there are as many
places as colors, each color has its own place. Otherwise a hash gives the start of the search: without it, consecutive
colors would fill consecutive places, and a search for an absent color would pass all of them (10 s for a call graph of
two million edges). A vertex of degree d has a free color among the first d + 1; bits mark the used ones of these.

=========  ==============================================================================
begin      places of vertex v: begin[v] … begin[v + 1] − 1
slots      color in the upper half, edge in the lower half; or EMPTY
words      words of the bits of vertex v: words[v] … words[v + 1] − 1
used       bits: the vertex has an edge of that color
across     per edge: u xor v, which gives either end from the other
most       maximum number of colors, uint64
=========  ==============================================================================

Memory: up to about 24 bytes for each end of an edge.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base.device.compiled import inner, njit
from ...base.device.intrinsics import ctz64
from ...graph.nets import Nets

EMPTY = np.uint64(2**64 - 1)
NONE = np.uint64(2**32 - 1)  # no edge, no color, no vertex
ZERO, ONE, HALF = np.uint64(0), np.uint64(1), np.uint64(32)
BITS, LOW = np.uint64(6), np.uint64(63)
FULL, GOLDEN = EMPTY, np.uint64(0x9E3779B1)


class Table(NamedTuple):
    """Arrays of the hash tables; see the table of this module."""

    begin: np.ndarray
    slots: np.ndarray
    words: np.ndarray
    used: np.ndarray
    across: np.ndarray
    most: np.uint64

    @classmethod
    def of(cls, H: Nets, k: int) -> Table:
        """Create an empty table for at most k colors of the edges of `Nets.incidence`, on the CPU."""
        degrees = H.members.degrees.astype(np.int64)
        dense, loose = _power(np.maximum(degrees + 1, k)), _power(degrees + degrees // 2 + 1)
        begin, words = np.zeros(H.members.rows + 1, np.uint64), np.zeros(H.members.rows + 1, np.uint64)
        np.cumsum(np.minimum(dense, loose), out=begin[1:])
        np.cumsum(degrees // 64 + 1, out=words[1:])
        u, v = H.of_vertices.indices.reshape(-1, 2).T
        across = (u ^ v).view(np.uint32)
        slots, used = np.full(int(begin[-1]), EMPTY), np.zeros(int(words[-1]), np.uint64)
        return cls(begin, slots, words, used, across, np.uint64(k))


def _power(least: np.ndarray) -> np.ndarray:
    """Return the least power of two that is at least each number."""
    return np.left_shift(1, np.ceil(np.log2(least)).astype(np.int64)).astype(np.uint64)


@inner()
def home(table: Table, c: Any, size: Any) -> Any:
    """Return the first place to search color c in, of `size` places, a power of two (Fibonacci hashing)."""
    if size >= table.most:
        return c
    return ((c * GOLDEN) & NONE) >> (HALF - ctz64(size))


@inner()
def place(table: Table, v: Any, c: Any) -> Any:
    """Return the place of color c at vertex v, or the empty place where the search for it ends."""
    base = table.begin[v]
    size = table.begin[v + ONE] - base
    mask, at = size - ONE, home(table, c, size)
    while True:  # ends: a table has an empty place
        slot = table.slots[base + at]
        if slot == EMPTY or slot >> HALF == c:
            return base + at
        at = (at + ONE) & mask


@njit(cache=True, nogil=True)
def edge_of(table: Table, v: Any, c: Any) -> Any:
    """Return the edge of color c at vertex v, or NONE."""
    return table.slots[place(table, v, c)] & NONE


@njit(cache=True, nogil=True)
def put(table: Table, v: Any, c: Any, e: Any) -> None:
    """Enter edge e at vertex v with color c, which must be free."""
    table.slots[place(table, v, c)] = c << HALF | e
    word = table.words[v] + (c >> BITS)
    if word < table.words[v + ONE]:
        table.used[word] |= ONE << (c & LOW)


@njit(cache=True, nogil=True)
def take(table: Table, v: Any, c: Any) -> None:
    """Free color c at vertex v, and move displaced entries after it back, so that no search ends too early."""
    base = table.begin[v]
    size = table.begin[v + ONE] - base
    mask = size - ONE
    hole = place(table, v, c) - base
    at = hole
    while True:  # ends at an empty place
        at = (at + ONE) & mask
        slot = table.slots[base + at]
        if slot == EMPTY:
            break
        if (at - home(table, slot >> HALF, size)) & mask >= (at - hole) & mask:
            table.slots[base + hole] = slot
            hole = at
    table.slots[base + hole] = EMPTY
    word = table.words[v] + (c >> BITS)
    if word < table.words[v + ONE]:
        table.used[word] &= ~(ONE << (c & LOW))


@njit(cache=True, nogil=True)
def put_all(table: Table, ends: Any, colors: Any) -> None:
    """Enter all edges with their colors, which must be free."""
    for e in range(np.uint64(colors.size)):
        for v in ends[e]:
            put(table, np.uint64(v), np.uint64(colors[e]), e)


@njit(cache=True, nogil=True)
def take_all(table: Table, ends: Any, edges: Any, c: Any) -> None:
    """Free color c at both ends of some edges."""
    for e in edges:
        for v in ends[e]:
            take(table, np.uint64(v), c)


@njit(cache=True, nogil=True)
def next_free(table: Table, v: Any, c: Any, k: Any) -> Any:
    """Return the least color from c on, below k, that is free at vertex v; NONE if there is none."""
    word, last = table.words[v] + (c >> BITS), table.words[v + ONE]
    above = FULL << (c & LOW)
    while word < last:
        left = ~table.used[word] & above
        if left:
            c = ((word - table.words[v]) << BITS) + ctz64(left)
            return c if c < k else NONE
        above = FULL
        word += ONE
    c = max(c, (last - table.words[v]) << BITS)
    while c < k and edge_of(table, v, c) != NONE:
        c += ONE
    return c if c < k else NONE


@njit(cache=True, nogil=True)
def common_free(table: Table, u: Any, v: Any, k: Any) -> Any:
    """Return the least color below k that is free at both vertices; NONE if there is none."""
    of_u, of_v = table.words[u], table.words[v]
    both = min(table.words[u + ONE] - of_u, table.words[v + ONE] - of_v)
    for i in range(both):
        left = ~(table.used[of_u + i] | table.used[of_v + i])
        if left:
            c = (i << BITS) + ctz64(left)
            return c if c < k else NONE
    c = both << BITS
    if both == table.words[u + ONE] - of_u:
        u, v = v, u
    while c < k:  # v has no bits for these colors, and at most one of them per edge
        c = next_free(table, u, c, k)
        if c == NONE or edge_of(table, v, c) == NONE:
            return c
        c += ONE
    return NONE


@njit(cache=True, nogil=True)
def read(table: Table, colors: Any) -> None:
    """Read the colors of all colored edges; each is in the table at both of its ends."""
    for slot in table.slots:
        if slot != EMPTY:
            colors[slot & NONE] = slot >> HALF
