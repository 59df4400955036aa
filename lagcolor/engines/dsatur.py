"""DSATUR: always color the vertex whose neighbours show the most distinct colors (its saturation).

Ties go to the vertex that comes first in the order `p`; by default that is the largest degree, then
the smaller id. Saturation leaves few ties among the vertices that matter, so the fixed degree costs
no color against Brélaz's degree in the uncolored subgraph, and it lets a bitmap stand for a heap.

    masks[k, v]    which of the colors 64k … 64k + 63 the neighbours of v show; page 0 all ones: v has a color
    slots[v]       rank of v in the order (upper 32 bits), and its saturation (lower 32), in whose place its position in
                   the order of coloring is once it has a color
    low[s]         a bit per rank: the vertices that have had saturation s
    mid[s], high[s]  a bit per word of the level below that may be nonzero, so that a search skips 4096 ranks a bit
    left           a bit per rank: no color yet

A vertex that rises is added to its new level and not taken off the old one: levels are searched from
the top, so that whatever a lower level still holds of it has a color by then, and `left` filters 64
such leftovers at a time. Each level of one bit per vertex and each page of 64 colors is made when first
needed: about n·k/4 bytes for k colors.

Progress: every pass of the main loop colors a vertex or goes down a level, and levels go up only by one per vertex.

What lost: a binary heap with lazy deletion (rgg20, 2.8 s against 0.6 s); saturation raised inside the loop that
marks the row, where whether a neighbour already shows a color is a coin toss that the branch predictor loses,
and one search pointer per level in place of `high` (0.98 s against 0.73 s before prefetching, though a grid took 24 ms
against 58 ms); no prefetch (delaunay20, 810 ms against 540 ms).

References
----------
Brélaz 1979, "New methods to color the vertices of a graph" (Dsatur; exact on bipartite graphs).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings.runtime.compile_clock import importing

from ..core.graph import Graph
from ..core.registry import coloring
from ..core.result import Log
from ..device.compiled import njit
from ..device.intrinsics import ctz64, prefetch
from ..orders import Priorities
from ..rules import BY_FIRST_FIT, Rules
from .greedy.sequential import unsigned

ZERO, ONE = np.uint64(0), np.uint64(1)
SIX, LAST_BIT = np.uint64(6), np.uint64(63)
HALF, LOW_HALF = np.uint64(32), np.uint64(0xFFFFFFFF)
FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
FIRST_LEVELS = 16
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
    """DSATUR: the vertex with the most distinctly colored neighbours next, ties by the order."""
    if rules is not None:
        log.round(active=G.n, colored=G.n, conflicts=0)
        return _with_rules(G, p, rules)
    colors = np.empty(0, np.int32)
    if G.n:
        indptr, indices = unsigned(G)
        colors, _ = color_all(indptr, indices, p.sequence.view(np.uint32), G.max_degree)
    log.round(active=G.n, colored=G.n, conflicts=0)
    return colors


def _with_rules(G: Graph, p: Priorities, rules: Rules) -> np.ndarray:
    """The vertex with the fewest colors left next; of so many colors that each vertex finds one, by doubling."""
    with importing():
        from .lists.dsatur import dsatur_with_rules

    most = rules.enough(G.n)
    k = min(FEW, most)
    while True:
        colors = dsatur_with_rules(G, rules, p.sequence, k)
        if k == most or not len(colors) or int(colors.min()) >= 0:
            return colors
        k = min(2 * k, most)


def color_all(
    indptr: np.ndarray, indices: np.ndarray, sequence: np.ndarray, max_degree: int
) -> tuple[np.ndarray, np.ndarray]:
    """DSATUR colors, int32, of a CSR graph with n ≥ 1, ties by position in `sequence`.

    The second array, of uint64, has in its lower halves when each vertex was colored: 0 … n − 1.
    """
    n = len(sequence)
    colors, risen = np.empty(n, np.int32), np.empty(max_degree, np.uint32)
    masks, slots = np.zeros((1, n), np.uint64), np.empty(n, np.uint64)
    slots[sequence] = np.arange(n, dtype=np.uint64) << HALF
    left = ones(n)
    levels = [np.zeros((FIRST_LEVELS, words(bits)), np.uint64) for bits in (n, words(n), words(words(n)))]
    for level, bits in zip(levels, (n, words(n), words(words(n))), strict=True):
        level[0] = ones(bits)
    saturate(indptr, indices, sequence, colors, masks, slots, left, *levels, risen)
    return colors, slots


def words(bits: int) -> int:
    """How many words hold so many bits."""
    return bits + 63 >> 6


def ones(bits: int) -> np.ndarray:
    """That many bits set, in words."""
    out = np.full(words(bits), FULL)
    if bits & 63:
        out[-1] = (1 << (bits & 63)) - 1
    return out


@njit(cache=True, nogil=True)
def saturate(
    indptr: Any, indices: Any, sequence: Any, colors: Any, masks: Any, slots: Any, left: Any, low: Any, mid: Any,
    high: Any, risen: Any,
) -> None:  # fmt: skip
    """Color all vertices; `masks` and the three bitmaps per level grow here where there are too few rows."""
    todo = np.uint64(sequence.size)
    s = ZERO
    while todo > ZERO:
        r = first_left(low, mid, high, s, left)
        if r == FULL:
            s -= ONE
            continue
        v = sequence[r]
        slots[v] = (r << HALF) | (np.uint64(sequence.size) - todo)
        left[r >> SIX] ^= ONE << (r & LAST_BIT)
        todo -= ONE
        page = ZERO
        while masks[page, v] == FULL:
            page += ONE
            if page == np.uint64(masks.shape[0]):
                masks = with_rows(masks, 2 * masks.shape[0])
        bit = ctz64(~masks[page, v])
        colors[v] = (page << SIX) + bit
        masks[0, v] = FULL
        if s + ONE == np.uint64(low.shape[0]):  # a neighbour may rise one above the present top
            low, mid, high = (
                with_rows(low, 2 * low.shape[0]),
                with_rows(mid, 2 * low.shape[0]),
                with_rows(high, 2 * low.shape[0]),
            )
        count = show(indptr, indices, v, masks, page, ONE << bit, risen, slots)
        s = rise(indptr, indices, sequence, risen, count, page, slots, left, s, low, mid, high)


@njit(cache=True, nogil=True)
def show(indptr: Any, indices: Any, v: Any, masks: Any, page: Any, bit: Any, risen: Any, slots: Any) -> Any:
    """Show a color to the row of v; the neighbours that had not seen it go to `risen`, their number is returned."""
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
        low[t, word] |= ONE << (r & LAST_BIT)
        mid[t, word >> SIX] |= ONE << (word & LAST_BIT)
        high[t, word >> SIX >> SIX] |= ONE << (word >> SIX & LAST_BIT)
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
