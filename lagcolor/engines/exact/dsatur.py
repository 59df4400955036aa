"""DSATUR: always color the vertex whose neighbors show the most distinct colors (its saturation).

Ties go to the vertex that comes first in the order `p`; by default that is the largest degree, then
the smaller id. Ties are frequent: on 11 of 12 generated graphs over half of the steps had a choice of several vertices.
Brélaz breaks ties by the degree in the uncolored subgraph. The degree in the whole graph needed no more colors on any
of the 12 graphs, and it never changes, so a bitmap replaces a heap.

    masks[k, v]    which of the colors 64k … 64k + 63 the neighbors of v show; page 0 all ones: v has a color
    slots[v]       rank of v in the order (upper 32 bits), and its saturation (lower 32), replaced by its position in
                   the order of coloring is once it has a color
    low[s]         a bit per rank: the vertices that have had saturation s
    mid[s], high[s]  a bit per word of the level below that may be nonzero, so that a search skips 4096 ranks a bit
    left           a bit per rank: no color yet

A vertex that rises is added to its new level and not taken off the old one: levels are searched from
the top, so that whatever a lower level still holds of it has a color by then, and `left` filters 64
such leftovers at a time. Each level of one bit per vertex and each page of 64 colors is allocated when first
needed: about n·k/4 bytes for k colors.

With rules, pages begin with the colors that a vertex may not have, so that its saturation counts them. A vertex takes
the least color left with enough capacity. If there is none, it stays without a color and constrains no other.

    room     float64 per color: what its class may still weigh; None without rules, where the number of colors is free

Progress: every pass of the main loop colors a vertex or goes down a level, and levels go up only by one per vertex.

What lost: a binary heap with lazy deletion (rgg20, 2.8 s against 0.6 s); saturation raised inside the loop that
marks the row, where whether a neighbor already shows a color is a coin toss that the branch predictor loses,
and one search pointer per level in place of `high` (0.98 s against 0.73 s before prefetching, though a grid took 24 ms
against 58 ms); no prefetch (delaunay20, 810 ms against 540 ms).

References
----------
Brélaz 1979, "New methods to color the vertices of a graph" (Dsatur; exact on bipartite graphs).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.compiled import njit
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
FEW = 64  # colors that are tried first where there are rules


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
    """DSATUR: the vertex with the most distinctly colored neighbors next, ties by the order."""
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
    """The vertex with the fewest colors left next; the number of colors doubles until each vertex finds one."""
    most = rules.enough(G.n)
    k = min(FEW, most)
    while True:
        colors = dsatur_with_rules(G, rules, p.sequence, k)
        if k == most or not len(colors) or int(colors.min()) >= 0:
            return colors
        k = min(2 * k, most)


def dsatur_with_rules(G: Graph, rules: Rules, sequence: np.ndarray, k: int) -> np.ndarray:
    """Colors 0 … k − 1 of DSATUR around fixed vertices, on the CPU; −1 where no color was left.

    Ties go to the vertex that comes first in `sequence`.
    """
    colors = np.full(G.n, -1, np.int32) if rules.fixed is None else rules.fixed.copy()
    free, room = sequence[colors[sequence] < 0].view(np.uint32), rules.room_left(colors, k)
    n = len(free)
    if n and k:
        graph, risen = unsigned(G), np.empty(G.max_degree, np.uint32)
        masks, slots = barred_colors(*graph, colors, *rules.lists(G.n), k), np.empty(G.n, np.uint64)
        masks[:, colors >= 0] = FULL
        sizes, most = (n, words(n), words(words(n))), 64 * len(masks)
        low, middle, high = (np.zeros((most + 2, words(bits)), np.uint64) for bits in sizes)
        levels = low, middle, high
        top = put_in_levels(free, masks, slots, *levels)
        weights = rules.weight_of(G.n)
        saturate(*graph, free, colors, masks, slots, ones(n), *levels, risen, top, weights, room, ENDLESS)
    return colors


@njit(cache=True, nogil=True)
def color_all(indptr: Any, indices: Any, sequence: Any, enough: Any) -> Any:
    """DSATUR colors, int32, of a CSR graph with n ≥ 1, ties by position in `sequence`, and their number.

    The search ends at the first vertex that needs color `enough`, and then the number is larger. The second array, of
    uint64, has in its lower halves when each vertex was colored: 0 … n − 1.
    """
    n = sequence.size
    colors, risen = np.empty(n, np.int32), np.empty(top_degree(indptr)[0], np.uint32)
    masks, slots = np.zeros((1, n), np.uint64), np.empty(n, np.uint64)
    for r in range(n):
        slots[sequence[r]] = np.uint64(r) << HALF
    left, low, mid, high = ones(n), first_levels(n), first_levels(words(n)), first_levels(words(words(n)))
    k = saturate(indptr, indices, sequence, colors, masks, slots, left, low, mid, high, risen, ZERO, None, None, enough)
    return colors, slots, k


@njit(cache=True, nogil=True)
def words(bits: Any) -> Any:
    """Number of words for a number of bits."""
    return bits + 63 >> 6


@njit(cache=True, nogil=True)
def ones(bits: Any) -> Any:
    """That many bits set, in words."""
    out = np.full(words(bits), FULL)
    if bits & 63:
        out[-1] = (ONE << np.uint64(bits & 63)) - ONE
    return out


@njit(cache=True, nogil=True)
def first_levels(bits: Any) -> Any:
    """Bitmaps of a number of bits; the first has all bits."""
    levels, first = np.zeros((FIRST_LEVELS, words(bits)), np.uint64), ones(bits)
    for i in range(first.size):  # numba compiles the text of an error for `levels[0] = first`
        levels[0, i] = first[i]
    return levels


@njit(cache=True, nogil=True)
def barred_colors(indptr: Any, indices: Any, colors: Any, offsets: Any, forbidden: Any, k: Any) -> Any:
    """Pages of the colors of neighbors, of the colors forbidden, and of those from k on."""
    masks = np.zeros(((k + 63) >> 6, colors.size), np.uint64)
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


@njit(cache=True, nogil=True)
def put_in_levels(sequence: Any, masks: Any, slots: Any, low: Any, mid: Any, high: Any) -> Any:
    """Set slots and levels of the saturation that vertices begin with; returns the largest."""
    top = ZERO
    for r in range(np.uint64(sequence.size)):
        v, t = sequence[r], ZERO
        for page in range(masks.shape[0]):
            t += popcount64(masks[page, v])
        slots[v] = r << HALF | t
        set_level(t, r >> SIX, r & LAST_BIT, low, mid, high)
        top = max(top, t)
    return top


@njit(cache=True, nogil=True, inline="always")
def set_level(t: Any, word: Any, bit: Any, low: Any, mid: Any, high: Any) -> None:
    """Set a bit of level t, and the bits above that say so."""
    low[t, word] |= ONE << bit
    mid[t, word >> SIX] |= ONE << (word & LAST_BIT)
    high[t, word >> SIX >> SIX] |= ONE << (word >> SIX & LAST_BIT)


@njit(cache=True, nogil=True)
def least_allowed(masks: Any, v: Any, room: Any, weight: Any) -> Any:
    """The least color left to v with capacity for a weight; −1 if there is none."""
    for page in range(masks.shape[0]):
        free = ~masks[page, v]
        while free != ZERO:
            c = (np.int64(page) << 6) + np.int64(ctz64(free))
            if room[c] >= weight:
                return c
            free &= free - ONE
    return np.int64(-1)


@njit(cache=True, nogil=True)
def saturate(
    indptr: Any, indices: Any, sequence: Any, colors: Any, masks: Any, slots: Any, left: Any, low: Any, mid: Any,
    high: Any, risen: Any, top: Any, weights: Any, room: Any, enough: Any,
) -> Any:  # fmt: skip
    """Color the vertices of the sequence, from level `top` on, until one needs color `enough`; returns how many colors.

    The three bitmaps per level grow here where there are too few rows, and without rules `masks`, too.
    """
    todo, used = np.uint64(sequence.size), np.int64(0)
    s = np.uint64(top)
    while todo > ZERO:
        r = first_left(low, mid, high, s, left)
        if r == FULL:
            s -= ONE
            continue
        v = sequence[r]
        slots[v] = (r << HALF) | (np.uint64(sequence.size) - todo)
        left[r >> SIX] ^= ONE << (r & LAST_BIT)
        todo -= ONE
        if room is None:
            page = ZERO
            while masks[page, v] == FULL:
                page += ONE
                if page == np.uint64(masks.shape[0]):
                    masks = with_rows(masks, 2 * masks.shape[0])
            bit = ctz64(~masks[page, v])
            colors[v] = (page << SIX) + bit
        else:
            c = least_allowed(masks, v, room, weights[v])
            if c >= 0:
                room[c] -= weights[v]
            colors[v] = c
            page, bit = np.uint64(c) >> SIX, np.uint64(c) & LAST_BIT
        masks[0, v] = FULL
        used = max(used, np.int64(colors[v]) + 1)
        if used > enough:
            return used
        if colors[v] < 0:
            continue
        if s + ONE == np.uint64(low.shape[0]):  # a neighbor may rise one above the present top
            low, mid, high = (
                with_rows(low, 2 * low.shape[0]),
                with_rows(mid, 2 * low.shape[0]),
                with_rows(high, 2 * low.shape[0]),
            )
        count = show(indptr, indices, v, masks, page, ONE << bit, risen, slots)
        s = rise(indptr, indices, sequence, risen, count, page, slots, left, s, low, mid, high)
    return used


@njit(cache=True, nogil=True)
def show(indptr: Any, indices: Any, v: Any, masks: Any, page: Any, bit: Any, risen: Any, slots: Any) -> Any:
    """Show a color to the row of v; the neighbors that had not seen it go to `risen`, their number is returned."""
    count = ZERO
    for e in range(indptr[v], indptr[v + np.uint32(1)]):
        u = indices[e]
        old = masks[page, u]
        masks[page, u] = old | bit
        risen[count] = u
        prefetch(slots, np.uint64(u))
        count += np.uint64((old & bit) == ZERO)
    return count


@njit(cache=True, nogil=True)
def rise(
    indptr: Any,
    indices: Any,
    sequence: Any,
    risen: Any,
    count: Any,
    page: Any,
    slots: Any,
    left: Any,
    s: Any,
    low: Any,
    mid: Any,
    high: Any,
) -> Any:
    """Add 1 to the saturation of the uncolored among the first `count` of `risen`; returns the new top level."""
    top = s
    for k in range(count):
        u = risen[k]
        slot = slots[u] + ONE
        r = slot >> HALF
        word = r >> SIX
        # Only page 0 says of itself who has a color.
        if page > ZERO and (left[word] >> (r & LAST_BIT)) & ONE == ZERO:
            continue
        slots[u] = slot
        t = slot & LOW_HALF
        set_level(t, word, r & LAST_BIT, low, mid, high)
        top = max(top, t)
        if t >= s:  # likely to be next
            prefetch(sequence, r)
            prefetch(indices, np.uint64(indptr[u]))
    return top


@njit(cache=True, nogil=True)
def first_left(low: Any, mid: Any, high: Any, s: Any, left: Any) -> Any:
    """The least rank of a level that has no color yet, or FULL; clears what it finds empty on the way."""
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


@njit(cache=True, nogil=True)
def with_rows(a: Any, rows: Any) -> Any:
    """A copy with more rows, the new ones zero."""
    out = np.empty((rows, a.shape[1]), np.uint64)
    for r in range(rows):  # an assignment of slices takes 3 s to compile, for its error message
        for i in range(a.shape[1]):
            out[r, i] = a[r, i] if r < a.shape[0] else ZERO
    return out
