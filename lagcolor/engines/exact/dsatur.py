"""DSATUR: always color a vertex whose neighbors have the most distinct colors (its saturation).

Ties go to the first vertex in the order `p`, by default by decreasing degree, then by id. Ties are frequent: on 11 of
12 generated graphs more than half of the steps had a choice of several vertices. Brélaz breaks ties by the degree in
the uncolored subgraph. The degree in the whole graph needed no more colors on any of the 12 graphs, and it never
changes, so a bitmap replaces a heap.

A vertex that rises is added to its new level and not removed from the old level. Levels are searched from the top, so
an outdated bit of a lower level belongs to a vertex that has a color by then, and `left` filters 64 of these at a time.
Each level of one bit per vertex and each page of 64 colors is allocated when first needed: about n·k/4 bytes for k
colors.

With rules, pages begin with the colors that a vertex may not have, so that its saturation counts them. A vertex takes
the least color left with enough capacity. If there is none, it remains uncolored and does not constrain other vertices.

Progress: every pass of the main loop colors a vertex or goes down a level, and levels go up only by one per vertex.

What lost: a binary heap with lazy deletion (rgg20, 2.8 s against 0.6 s); increasing the saturation in the loop that
marks the row, with an unpredictable branch on whether a neighbor has the color already, and one search pointer per
level instead of `high` (0.98 s against 0.73 s before prefetching, though a grid took 24 ms against 58 ms); no prefetch
(delaunay20, 810 ms against 540 ms).

References
----------
Brélaz 1979, "New methods to color the vertices of a graph" (Dsatur; exact on bipartite graphs).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base.device.compiled import filled, inner, njit
from ...base.device.intrinsics import ctz64, popcount64, prefetch
from ...base.log import Log
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...orders import Priorities
from ...problems.registry import coloring
from ...problems.rules import BY_FIRST_FIT, Rules
from ..greedy.sequential import top_degree

ZERO, ONE = np.uint64(0), np.uint64(1)
SIX, LAST_BIT = np.uint64(6), np.uint64(63)
HALF, LOW_HALF = np.uint64(32), np.uint64(0xFFFFFFFF)
FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
FIRST_LEVELS = 16
ENDLESS = 2**31  # more colors than there are
FEW = 64  # number of colors that are tried first if there are rules


@coloring(
    "dsatur",
    style="sequential",
    paper="Brélaz 1979, Dsatur",
    engines=("cpu",),
    bound="Δ+1 (exact on bipartite graphs)",
    oracle=None,
    deterministic=True,
    order="largest_first",
    seed=None,
    needs="sequence",
    rules=BY_FIRST_FIT,
)
def dsatur(G: Graph, p: Priorities, log: Log, rules: Rules | None = None) -> np.ndarray:
    """DSATUR: color a vertex with the most distinct colors at its neighbors next; the order breaks ties."""
    if rules is not None:
        log.round(active=G.n, colored=G.n, conflicts=0)
        return _with_rules(G, p, rules)
    colors = np.empty(0, np.int32)
    if G.n:
        indptr, indices = unsigned(G)
        colors, _, _ = color_all(indptr, indices, p.sequence.view(np.uint32), ENDLESS)
    log.round(active=G.n, colored=G.n, conflicts=0)
    return colors


def _with_rules(G: Graph, p: Priorities, rules: Rules) -> np.ndarray:
    """Color by DSATUR with rules; double the number of colors until each vertex finds a color."""
    most = rules.enough(G.n)
    k = min(FEW, most)
    while True:
        colors = dsatur_with_rules(G, rules, p.sequence, k)
        if k == most or not len(colors) or int(colors.min()) >= 0:
            return colors
        k = min(2 * k, most)


def dsatur_with_rules(G: Graph, rules: Rules, sequence: np.ndarray, k: int) -> np.ndarray:
    """Color by DSATUR with colors 0 … k − 1 on the CPU, ties by `sequence`; −1 if no color is left for a vertex."""
    colors = np.full(G.n, -1, np.int32) if rules.fixed is None else rules.fixed.copy()
    free, spare = sequence[colors[sequence] < 0].view(np.uint32), rules.free_capacity(colors, k)
    if len(free) and k:
        masks = barred_colors(*unsigned(G), colors, *rules.lists(G.n), k)
        masks[:, colors >= 0] = FULL
        state = begin(free, masks, G.max_degree, False)
        saturate(*unsigned(G), colors, state, spare, rules.weight_of(G.n), ENDLESS)
    return colors


@njit(cache=True, nogil=True)
def color_all(indptr: Any, indices: Any, sequence: Any, enough: Any) -> Any:
    """Return DSATUR colors of n ≥ 1 vertices, slots, and the number of colors; more than `enough`: it stopped early."""
    colors, masks = np.empty(sequence.size, np.int32), filled((1, sequence.size), 0, np.uint64)
    state = begin(sequence, masks, top_degree(indptr), True)
    k = saturate(indptr, indices, colors, state, None, None, enough)
    return colors, state.slots, k


class Levels(NamedTuple):
    """Vertices by saturation, as bitmaps."""

    low: Any  # low[s]: a bit per rank: vertices that have had saturation s
    mid: Any  # a bit per word of `low` that may be nonzero, so that a search skips 4096 ranks; `high`: likewise
    high: Any


class Saturation(NamedTuple):
    """State of a search, without the graph and the colors."""

    sequence: Any
    # masks[k, v]: which of the colors 64k … 64k + 63 the neighbors of v have; page 0 all ones: v has a color.
    masks: Any
    # Rank of a vertex in the order (upper 32 bits), and its saturation (lower 32), or once it has a color its position
    # in the order of coloring.
    slots: Any
    left: Any  # a bit per rank: uncolored vertices
    levels: Any
    top: Any  # the largest saturation, at which the search begins
    risen: Any  # neighbors of the last vertex whose saturation rises


@njit(cache=True, nogil=True)
def begin(sequence: Any, masks: Any, max_degree: Any, blank: Any) -> Any:
    """Create the state for the initial saturation of the vertices: 0 if the masks are `blank`."""
    n, top, slots = np.int64(sequence.size), ZERO, np.empty(masks.shape[1], np.uint64)
    rows = FIRST_LEVELS if blank else 64 * masks.shape[0] + 2
    low, mid = first_levels(rows, n, blank), first_levels(rows, words(n), blank)
    high = first_levels(rows, words(words(n)), blank)
    for r in range(np.uint64(n)):
        v, t = sequence[r], ZERO
        if not blank:
            for page in range(masks.shape[0]):
                t += popcount64(masks[page, v])
            set_level(low, mid, high, t, r >> SIX, r & LAST_BIT)
            top = max(top, t)
        slots[v] = r << HALF | t
    return Saturation(sequence, masks, slots, ones(n), Levels(low, mid, high), top, np.empty(max_degree, np.uint32))


@inner()
def words(bits: Any) -> Any:
    """Return the number of words for a number of bits."""
    return bits + 63 >> 6


@inner()
def ones(bits: Any) -> Any:
    """Return words with this number of bits set."""
    out = filled(words(bits), FULL, np.uint64)
    if bits & 63:
        out[-1] = (ONE << np.uint64(bits & 63)) - ONE
    return out


@inner()
def first_levels(rows: Any, bits: Any, full: Any) -> Any:
    """Return rows of this number of bits; `full`: all bits of the first row are set."""
    levels, first = filled((rows, words(bits)), 0, np.uint64), ones(bits)
    for i in range(first.size * full):  # numba compiles the text of an error for `levels[0] = first`
        levels[0, i] = first[i]
    return levels


@njit(cache=True, nogil=True)
def barred_colors(indptr: Any, indices: Any, colors: Any, offsets: Any, forbidden: Any, k: Any) -> Any:
    """Return pages of barred colors: of neighbors, forbidden ones, and all from k on."""
    masks = filled(((k + 63) >> 6, colors.size), 0, np.uint64)
    for v in range(colors.size):
        for over in range(k, masks.shape[0] << 6):
            masks[over >> 6, v] |= ONE << np.uint64(over & 63)
        for e in range(indptr[v], indptr[v + 1]):
            c = np.int64(colors[indices[e]])
            if 0 <= c < k:
                masks[c >> 6, v] |= ONE << np.uint64(c & 63)
        for j in range(offsets[v], offsets[v + 1]):
            c = np.int64(forbidden[j])
            if c < k:
                masks[c >> 6, v] |= ONE << np.uint64(c & 63)
    return masks


@njit(cache=True, nogil=True, inline="always")
def set_level(low: Any, mid: Any, high: Any, t: Any, word: Any, bit: Any) -> None:
    """Set a bit of level t in all three bitmaps."""
    low[t, word] |= ONE << bit
    mid[t, word >> SIX] |= ONE << (word & LAST_BIT)
    high[t, word >> SIX >> SIX] |= ONE << (word >> SIX & LAST_BIT)


@inner()
def least_allowed(masks: Any, v: Any, spare: Any, weights: Any) -> Any:
    """Return the least color left for v with enough capacity; −1 if there is none."""
    for page in range(masks.shape[0]):
        free = ~masks[page, v]
        while free != ZERO:
            c = (np.int64(page) << 6) + np.int64(ctz64(free))
            if spare is None or spare[c] >= weights[v]:
                return c
            free &= free - ONE
    return np.int64(-1)


@njit(cache=True, nogil=True)
def saturate(indptr: Any, indices: Any, colors: Any, state: Any, spare: Any, weights: Any, enough: Any) -> Any:
    """Color the sequence until a vertex needs color `enough`; return the number of colors. `spare` None: no rules."""
    sequence, masks, slots, left, levels, top, risen = state
    todo, used, s, rows = np.uint64(sequence.size), np.int64(0), np.uint64(top), np.int64(levels.low.shape[0])
    while todo > ZERO:
        r = least_uncolored(levels, s, left)
        if r == FULL:
            s -= ONE
            continue
        v = sequence[r]
        slots[v] = (r << HALF) | (np.uint64(sequence.size) - todo)
        left[r >> SIX] ^= ONE << (r & LAST_BIT)
        todo -= ONE
        c = least_allowed(masks, v, spare, weights)
        if spare is None:
            if c < 0:
                c = np.int64(masks.shape[0]) << 6
                masks = with_rows(masks, 2 * masks.shape[0])
        elif c >= 0:
            spare[c] -= weights[v]
        colors[v], masks[0, v] = c, FULL
        used = max(used, c + 1)
        if used > enough:
            return used
        if c < 0:
            continue
        if s + ONE == np.uint64(rows):  # a neighbor may rise one above the present top
            rows *= 2
            levels = Levels(with_rows(levels.low, rows), with_rows(levels.mid, rows), with_rows(levels.high, rows))
        page = np.uint64(c) >> SIX
        count = mark_neighbors(indptr, indices, v, masks, page, ONE << (np.uint64(c) & LAST_BIT), risen, slots)
        s = raise_saturation(indptr, indices, sequence, risen, count, page, slots, left, s, levels)
    return used


@inner()
def mark_neighbors(indptr: Any, indices: Any, v: Any, masks: Any, page: Any, bit: Any, risen: Any, slots: Any) -> Any:
    """Add the color of v to its neighbors' masks; write neighbors without it to `risen` and return their number."""
    count = ZERO
    for e in range(indptr[v], indptr[v + np.uint32(1)]):
        u = indices[e]
        old = masks[page, u]
        masks[page, u] = old | bit
        risen[count] = u
        prefetch(slots, np.uint64(u))
        count += np.uint64((old & bit) == ZERO)
    return count


@inner()
def raise_saturation(
    indptr: Any, indices: Any, sequence: Any, risen: Any, count: Any, page: Any, slots: Any, left: Any, s: Any,
    levels: Any,
) -> Any:  # fmt: skip
    """Add 1 to the saturation of uncolored vertices among the first `count` of `risen`; return the top level."""
    top, (low, mid, high) = s, levels
    for k in range(count):
        u = risen[k]
        slot = slots[u] + ONE
        r = slot >> HALF
        word = r >> SIX
        # Only page 0 marks colored vertices by itself.
        if page > ZERO and (left[word] >> (r & LAST_BIT)) & ONE == ZERO:
            continue
        slots[u] = slot
        t = slot & LOW_HALF
        set_level(low, mid, high, t, word, r & LAST_BIT)
        top = max(top, t)
        if t >= s:  # likely to be next
            prefetch(sequence, r)
            prefetch(indices, np.uint64(indptr[u]))
    return top


@inner()
def least_uncolored(levels: Any, s: Any, left: Any) -> Any:
    """Return the least uncolored rank of a level, or FULL; clear bits of empty words on the way."""
    low, mid, high = levels
    for h in range(np.uint64(high.shape[1])):
        while high[s, h] != ZERO:
            i = (h << SIX) + ctz64(high[s, h])
            while mid[s, i] != ZERO:
                j = (i << SIX) + ctz64(mid[s, i])
                word = low[s, j] & left[j]
                low[s, j] = word & (word - ONE)
                if low[s, j] == ZERO:
                    mid[s, i] &= mid[s, i] - ONE
                if word != ZERO:
                    return (j << SIX) + ctz64(word)
            high[s, h] &= high[s, h] - ONE
    return FULL


@inner()
def with_rows(a: Any, rows: Any) -> Any:
    """Return a copy with `rows` rows; new rows are zero."""
    out = np.empty((rows, a.shape[1]), np.uint64)
    for r in range(rows):  # an assignment of slices takes 3 s to compile, for its error message
        for i in range(a.shape[1]):
            out[r, i] = a[r, i] if r < a.shape[0] else ZERO
    return out
