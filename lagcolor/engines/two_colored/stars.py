"""Colors that star coloring forbids: they would make a path on four vertices with two colors.

- v inside the path: v has two neighbors of one color; all colors around these two are forbidden;
- v at its end: v – w – x – y, and y has the color of w; the color of x is forbidden.

The paper stores the star of each edge and its hub, and reads two hops for the second case. Here each vertex w stores
the set of colors that this case forbids (HUBS): colors of its neighbors x that have another neighbor of the color of w.
So one hop is enough as long as sets of colors fit in words. A set changes at most once per edge, and only when a color
occurs around a vertex for the second time. Then the first vertex of this color is searched.

With up to 64 colors a set is a word; with more it has several words: the row of a vertex in `sets`
has `width` words for each word of a state; the words for the color are unused. A row is empty until its vertex has
a color; a neutral vertex stores only NEAR. Marks per color (`wide` of first_fit.py) need a pass over two hops, which
takes 5 to 20 times as long. If a color is missing, the width of rows doubles, up to `LEAST` (256 colors in 128 bytes
per vertex) or a total of 32 bytes per stored entry, whichever is larger. After that there is a byte per stored entry
instead: (w, x) is set if x is the hub of the star of this edge, that is, has another neighbor of the color of w.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base.device.compiled import njit
from ...base.device.intrinsics import ctz64, fetch_or, prefetch
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ..greedy.sequential import ahead

ONE32 = np.uint32(1)
ZERO, ONE, FOUR, SIX, LOW = np.uint64(0), np.uint64(1), np.uint64(4), np.uint64(6), np.uint64(63)
SHIFT = np.uint64(2)  # four words per vertex
# Words after the color: colors around the vertex; forbidden colors (above); colors of two or more neighbors.
NEAR, HUBS, MANY = np.uint64(1), np.uint64(2), np.uint64(3)
EVEN, ALL, BYTE = np.uint64(0x5555555555555555), np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(8)
LEAST = 4
WORD = 64  # colors in a word
SOON = np.uint32(64)  # neighbors of the next vertex whose rows are prefetched
LINE = 8  # words in a cache line


class OrderedGraph(NamedTuple):
    """A graph, vertices in the order of coloring, and the number of rows, which share no color with other vertices."""

    indptr: np.ndarray
    indices: np.ndarray
    sequence: np.ndarray
    rows: Any

    @classmethod
    def of(cls, G: Graph, sequence: np.ndarray, rows: int) -> OrderedGraph:
        """Return an ordered graph of unsigned arrays."""
        return cls(*unsigned(G), np.ascontiguousarray(sequence).view(np.uint32), np.uint32(rows))

    def marks(self) -> np.ndarray:
        """Return three marks per color: the last vertex that must not have it, has a neighbor of it, and has two."""
        n = len(self.indptr)
        return np.zeros((3, 2 * n if self.rows else n), np.int32)


@njit(cache=True, nogil=True, inline="always")
def palette(v: Any, rows: Any, state: Any) -> Any:
    """Return the colors of v's side, as bits of a word of the state."""
    words = ALL >> (np.uint64(WORD) - BYTE * np.uint64(state.itemsize))
    if rows == 0:
        return words
    return (EVEN if v < rows else EVEN << ONE) & words


@njit(cache=True, nogil=True, inline="always")
def forbidden_by_stars(indptr: Any, indices: Any, state: Any, v: Any, many: Any) -> Any:
    """Return the colors that would make a path on four vertices with v; `many`: colors of two or more neighbors."""
    taken = ZERO
    e = indptr[v]
    while e < indptr[v + ONE32]:
        w = np.uint64(indices[e]) << SHIFT
        taken |= state[w | NEAR] if state[w] & many else state[w | HUBS]
        e += ONE32
    return taken


@njit(cache=True, nogil=True, inline="always")
def place(ordered: Any, state: Any, v: Any, color: Any, near: Any, many: Any, threads: Any) -> None:
    """Color v, and update the sets of its neighbors; with `threads`, other threads may add to HUBS, too."""
    indptr, indices = ordered.indptr, ordered.indices
    hubs = ZERO
    e = indptr[v]
    end = indptr[v + ONE32]
    while e < end:
        w = np.uint64(indices[e]) << SHIFT
        bit = np.uint64(state[w])
        e += ONE32
        if bit == ZERO:
            continue
        if state[w | NEAR] & color:
            hubs |= bit
            if state[w | MANY] & color == ZERO:
                state[w | MANY] |= color
                f = indptr[indices[e - ONE32]]
                while state[np.uint64(indices[f]) << SHIFT] != color:
                    f += ONE32
                add(state, (np.uint64(indices[f]) << SHIFT) | HUBS, bit, threads)
        else:
            state[w | NEAR] |= color
        if bit & many:
            add(state, w | HUBS, color, threads)
    at = np.uint64(v) << SHIFT
    state[at] = color
    state[at | NEAR] = near
    state[at | MANY] = many
    state[at | HUBS] = hubs


@njit(cache=True, nogil=True, inline="always")
def add(state: Any, at: Any, bit: Any, threads: Any) -> None:
    """Set a bit of a word, atomically with `threads`."""
    if threads is None:
        state[at] |= bit
    else:
        fetch_or(state, at, state.dtype.type(bit))


@njit(cache=True, nogil=True, inline="always")
def entry(indptr: Any, indices: Any, u: Any, v: Any) -> Any:
    """Return the position of v in the sorted row of u, which has v."""
    low = indptr[u]
    high = indptr[u + ONE32]
    while high - low > ONE32:
        middle = low + ((high - low) >> ONE32)
        if indices[middle] <= v:
            low = middle
        else:
            high = middle
    return low


# ---- more than 64 colors ---------------------------------------------------------------------------------------------


class ColorSetRows(NamedTuple):
    """Colors, all rows, and the row of the present vertex, whose first words are its forbidden colors."""

    colors: np.ndarray
    sets: np.ndarray
    own: np.ndarray
    width: Any

    @classmethod
    def of(cls, colors: np.ndarray, width: int) -> ColorSetRows:
        """Return empty rows; NEAR and HUBS of a row share a cache line for up to 256 colors."""
        words = np.zeros(4 * width * len(colors) + 2 * LINE, np.uint64)
        start = (-words.ctypes.data // 8 - width) % LINE
        return cls(colors, words[start:], np.empty(4 * width, np.uint64), np.uint64(width))


def widest(G: Graph) -> int:
    """Return the largest width of a row."""
    return max(LEAST, G.m // max(G.n, 1))


def color_in_sets(
    G: Graph, ordered: OrderedGraph, colors: np.ndarray, state: np.ndarray, neutral: Any, most: int
) -> OrderedGraph:
    """Color after `narrow` in wider rows, for less than `most` colors; return a graph with the remaining vertices."""
    done, width = 0, 1
    while done < len(ordered.sequence) and width < widest(G) and WORD * width < most:
        before, width = width, min(2 * width, widest(G))
        rows = ColorSetRows.of(colors, width)
        widen(colors, state, np.uint64(before), neutral, rows)
        state, done = rows.sets, in_sets(ordered, rows, neutral, done)
    return ordered._replace(sequence=ordered.sequence[done:])


@njit(cache=True, nogil=True)
def widen(colors: Any, narrower: Any, width: Any, neutral: Any, rows: Any) -> None:
    """Copy rows of smaller width."""
    for v in range(np.uint64(colors.size)):
        if colors[v] >= 0 or (neutral is not None and neutral[v]):
            for s in range(NEAR, FOUR):
                for k in range(width):
                    rows.sets[(v * FOUR + s) * rows.width + k] = narrower[(v * FOUR + s) * width + k]


@njit(cache=True, nogil=True)
def in_sets(ordered: Any, rows: Any, neutral: Any, begin: Any) -> Any:
    """Color from position `begin` on; return the first position that needs more bits than a row has, or n."""
    indptr, indices, sequence = ordered.indptr, ordered.indices, ordered.sequence
    sets, own, width = rows.sets, rows.own, rows.width
    final = np.uint64(sequence.size) - ONE
    for i in range(np.uint64(begin), np.uint64(sequence.size)):
        ahead(indptr, indices, sequence, i)
        rows_ahead(indptr, indices, sequence[min(i + ONE, final)], sets, width)
        v = sequence[i]
        forbid_by_sets(indptr, indices, v, rows, neutral)
        color = np.int64(-1)
        for k in range(width):
            free = ~(own[k] | own[NEAR * width + k]) & palette(v, ordered.rows, sets)
            if free:
                color = np.int64(k << SIX | ctz64(free))
                break
        if color < 0:
            return np.int64(i)
        place_in_sets(indptr, indices, v, color, rows, neutral)
    return np.int64(sequence.size)


@njit(cache=True, nogil=True, inline="always")
def rows_ahead(indptr: Any, indices: Any, v: Any, sets: Any, width: Any) -> None:
    """Prefetch the rows of a vertex's neighbors, as far as they are read."""
    e = indptr[v]
    end = min(indptr[v + ONE32], e + SOON)
    while e < end:
        row = np.uint64(indices[e]) * FOUR * width
        prefetch(sets, row + NEAR * width)
        if width > FOUR:
            prefetch(sets, row + HUBS * width)
        e += ONE32


@njit(cache=True, nogil=True, inline="always")
def forbid_by_sets(indptr: Any, indices: Any, v: Any, rows: Any, neutral: Any) -> None:
    """Set the row of an uncolored vertex: colors of its neighbors, and other forbidden colors in the first words."""
    colors, sets, own, width = rows
    near, many = NEAR * width, MANY * width
    for k in range(FOUR * width):
        own[k] = ZERO
    end = indptr[v + ONE32]
    e = indptr[v]
    while e < end:
        c = colors[indices[e]]
        if c >= 0:
            at, bit = np.uint64(c) >> SIX, ONE << (np.uint64(c) & LOW)
            own[many + at] |= own[near + at] & bit
            own[near + at] |= bit
        e += ONE32
    e = indptr[v]
    while e < end:
        w = np.uint64(indices[e])
        c = colors[w]
        row = w * FOUR * width
        if c >= 0:
            shared = own[many + (np.uint64(c) >> SIX)] >> (np.uint64(c) & LOW) & ONE
            row += near if shared else HUBS * width
            for k in range(width):
                own[k] |= sets[row + k]
        elif neutral is not None and neutral[w]:
            for k in range(width):
                own[k] |= sets[row + near + k]
        e += ONE32


@njit(cache=True, nogil=True, inline="always")
def place_in_sets(indptr: Any, indices: Any, v: Any, color: Any, rows: Any, neutral: Any) -> None:
    """Color v, and update the sets of its neighbors, as `place` does."""
    colors, sets, own, width = rows
    near, many, hubs = NEAR * width, MANY * width, HUBS * width
    word, mark = np.uint64(color) >> SIX, ONE << (np.uint64(color) & LOW)
    end = indptr[v + ONE32]
    e = indptr[v]
    while e < end:
        w = indices[e]
        c = colors[w]
        row = np.uint64(w) * FOUR * width + word
        e += ONE32
        if c < 0:
            if neutral is not None and neutral[w]:
                sets[row + near] |= mark
            continue
        at, bit = np.uint64(c) >> SIX, ONE << (np.uint64(c) & LOW)
        if sets[row + near] & mark:
            own[hubs + at] |= bit
            if sets[row + many] & mark == ZERO:
                sets[row + many] |= mark
                f = indptr[w]
                while colors[indices[f]] != color:
                    f += ONE32
                sets[np.uint64(indices[f]) * FOUR * width + hubs + at] |= bit
        else:
            sets[row + near] |= mark
        if own[many + at] & bit:
            sets[row + hubs] |= mark
    colors[v] = color
    for k in range(near, FOUR * width):
        sets[np.uint64(v) * FOUR * width + k] = own[k]
