"""First-fit of vertices in nets, in the time of one hop: each net keeps the colors that it has, as bits.

A vertex reads one word per net that it is in, takes the least color that is in none of them, and sets its bit in each.
So neither the other vertices of a net nor their colors are looked at: O(n + m) instead of the two-hop neighborhoods,
8 bytes per net, and no squared graph.

A word has the 64 colors of a window. A vertex that finds all of them taken is left for the next pass, over the next 64
colors. That is first-fit: a vertex colored later has no color of this window, and only such colors matter in it. The
cost is the entries of each vertex times one more than its color / 64.

Threads take a pass each, with words of their own: 8 bytes per net for each of up to four. A vertex that a pass leaves
goes to the next one at once: all passes have their vertices in one array, for a pass leaves no more than it has read.
The first pass reads all entries, which takes about half of the time on random graphs of some hundred colors, so that a
few threads are enough. Where one pass is almost all, as on a mesh, one thread does it.

=========  ==========================================================================
taken      colors of the window that a net has; for a closed net without the color of its own vertex
left       vertices for the next pass, in their order; it may be `sequence` itself
shared     by passes that run: twice the number of vertices left so far, and 1 at the end
window     whether nets are closed, its first color, and `taken`
out        `colors` and `left`
starts     where the row of each place begins, and the end, of rows that are copied
=========  ==========================================================================

Progress: a pass waits for the one before alone, and the first for none.

Where nets are closed, a vertex also reads the word of its own net, where its neighbors have left their colors. It need
not add its own color there, for those who would read it there find it in their own words.

Kokkos Kernels' serial code (COLORING_D2_SERIAL) does the same with 32 colors per word, in the order of ids.

In another order than by id each row is a cache miss, or several, and one thread that colors waits for them. So long
rows are copied first, by all threads at once, and are then read as in the order of ids, in every pass (`copy_rows`).
Where rows are short, the words of nets take the time.

Words are read by relaxed loads, although one thread has them, because a compiler would gather the words of a row into a
vector, and a gather waits for the stores of the vertex before (1000 × 1000 grid: 15.4 ms for 10.4).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device import large_pages, threads_for
from ...base.device.bits import in_window
from ...base.device.compiled import inner, njit
from ...base.device.intrinsics import ctz64, load_acquire, load_relaxed, prefetch, store_relaxed, store_release
from ...base.device.parallel import SELDOM, barrier, launch, look_again, parallel, share, slots
from ...graph.nets import Nets
from ...graph.pattern import unsigned

ONE32 = np.uint32(1)
ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)
WINDOW = 64  # colors of a word
PASSES = 4  # threads at most: later passes have few vertices
SHARE = 64  # more threads begin if a pass leaves one vertex of this number
LEAST = 1 << 12  # vertices of a pass, below which no more begin
CHUNK = 256  # vertices that a pass takes before it tells how many it has left
LINE = 8  # int64 of a cache line
NEAR, FAR = np.uint64(4), np.uint64(16)  # vertices between a prefetch and its use: of words of nets, of rows
LONG, MANY = 8, 1 << 20  # entries of a row in the mean, and of all rows, from which on copying them pays
AHEAD = np.uint64(32)  # places between a prefetch and its use, where rows are copied
ENTRIES = np.uint64(16)  # of a cache line


def first_fit(nets: Nets, sequence: Any = None, workers: int | None = None) -> np.ndarray:
    """First-fit colors, on up to `workers` threads; None: as many as the work is worth."""
    rows, k, order = unsigned(nets.of_vertices), nets.of_vertices.columns, None
    workers = threads_for(None, nets.m) if workers is None else workers
    if sequence is not None:
        order = sequence.view(np.uint32)
        if copying_pays(nets):
            colors = color(*copied(nets, order, workers), None, k, False, workers)
            return by_vertex(order, colors, workers)
    return color(*rows, order, k, nets.closed, workers)


def color(indptr: Any, indices: Any, order: Any, k: int, closed: bool, workers: int) -> np.ndarray:
    """First-fit colors of vertices in `k` nets."""
    n, rows = len(indptr) - 1, (indptr, indices)
    workers = min(workers, PASSES) if n > LEAST else 1
    taken, colors, left = np.zeros(k, np.uint64), np.empty(n, np.int32), np.empty(n, np.uint32)
    out = colors, left
    known, place, kept, base = n, 0, 0, 0
    part = n if workers == 1 else n // SHARE + 1
    while place < n and (workers == 1 or SHARE * kept <= place):
        stop = min(place + part, n)
        kept = color_window(rows, order, (place, stop, n), (closed, 0, taken), out, kept, None)
        place = stop
    others = np.empty((workers - 1, k if place < known or kept > LEAST else 0), np.uint64)
    while place < known or kept:  # ends: a pass colors at least the first vertex that is left, whose words are 0
        if place == known:
            order, known, place, kept, base = left, kept, 0, 0, base + WINDOW
        if workers > 1 and known > LEAST:
            shared, (at, end, few, low) = slots(LINE * workers), map(np.int64, (place, known, kept, base))
            launch(color_passes, workers, shared, rows, order, (at, end, few), (closed, low, taken, others), out)
            kept, base = int(shared[LINE * (workers - 1)]) >> 1, base + WINDOW * (workers - 1)
        else:
            clear(*rows, left, known, closed, taken)
            kept = color_window(rows, order, (0, known, known), (closed, base, taken), out, 0, None)
        place = known
    return colors


@njit(cache=True, nogil=True)
def color_window(rows: Any, sequence: Any, places: Any, window: Any, out: Any, kept: Any, rules: Any) -> Any:
    """Color vertices that find a color base … base + 63; returns how many are left, `kept` of them from before.

    The vertices have the places begin … stop of the sequence. Its first `known` places may be read. Without a sequence
    they are the places themselves. `rules` (`with_rules` of first_fit.py), or None: forbidden colors of each vertex,
    weights, and what each class of the window may still weigh.
    """
    (indptr, indices), (begin, stop, known) = rows, places
    (closed, base, taken), (colors, left) = window, out
    held = np.uint64(kept)
    if rules is not None:
        offsets, forbidden, weights, room = rules
    for i in range(np.uint64(begin), np.uint64(stop)):
        if sequence is None:
            v = np.uint32(i)
        else:
            v = sequence[i]
            ahead(indptr, indices, sequence, i, np.uint64(known) - ONE, taken)
        start, end = indptr[v], indptr[v + ONE32]
        mask = load_relaxed(taken, np.uint64(v)) if closed else ZERO
        e = start
        while e < end:
            mask |= load_relaxed(taken, np.uint64(indices[e]))
            e += ONE32
        if rules is not None:
            for j in range(offsets[v], offsets[v + ONE32]):
                mask |= in_window(forbidden[j], base)
            while ~mask != ZERO and room[ctz64(~mask)] < weights[v]:
                mask |= ~mask & (mask + ONE)  # the lowest bit that is 0
        if ~mask == ZERO:
            left[held] = v
            held += ONE
            continue
        color = ctz64(~mask)
        bit = ONE << color
        e = start
        while e < end:
            net = np.uint64(indices[e])
            store_relaxed(taken, net, load_relaxed(taken, net) | bit)
            e += ONE32
        colors[v] = np.int32(base) + np.int32(color)
        if rules is not None:
            room[color] -= weights[v]
    return np.int64(held)


@parallel
def color_passes(t: Any, shared: Any, rows: Any, order: Any, begun: Any, windows: Any, out: Any) -> None:
    """Pass `t`; the first one goes on from a place, of those that it knows, and has left some vertices: `begun`."""
    (place, known, kept), (closed, base, taken, others) = begun, windows
    if t > 0:
        others[t - 1, :] = ZERO
        color_pass(t, shared, rows, out[1], (0, 0, 0), (closed, base + WINDOW * t, others[t - 1]), out)
        return
    if place == 0:
        taken[:] = ZERO
    color_pass(t, shared, rows, order, (place, known, kept), (closed, base, taken), out)


@inner()
def color_pass(t: Any, shared: Any, rows: Any, order: Any, begun: Any, window: Any, out: Any) -> None:
    """Color vertices as soon as the pass before has left them; tell in `shared` how many are left."""
    place, known, kept = begun
    mine, more = np.uint64(LINE * t), t > 0
    while place < known or more:
        if place == known:
            word = load_acquire(shared, mine - np.uint64(LINE))
            known, more = word >> 1, word & 1 == 0
            if place == known and more:
                look_again(SELDOM, shared)
            continue
        stop = min(known, place + CHUNK)
        kept = color_window(rows, order, (place, stop, known), window, out, kept, None)
        store_release(shared, mine, np.int64(2) * kept)
        place = stop
    store_release(shared, mine, np.int64(2) * kept + 1)


@njit(cache=True, nogil=True)
def clear(indptr: Any, indices: Any, vertices: Any, count: Any, closed: bool, taken: Any) -> None:
    """No color is taken in the nets of the first `count` vertices; the words of others are not read again."""
    entries = np.uint64(0)
    for i in range(count):
        v = vertices[i]
        entries += np.uint64(indptr[v + ONE32] - indptr[v])
    if entries >= np.uint64(taken.size):
        for net in range(taken.size):
            taken[net] = ZERO
        return
    for i in range(count):
        v = vertices[i]
        if closed:
            taken[v] = ZERO
        for e in range(indptr[v], indptr[v + ONE32]):
            taken[indices[e]] = ZERO


@njit(cache=True, nogil=True, inline="always")
def ahead(indptr: Any, indices: Any, sequence: Any, i: Any, last: Any, taken: Any) -> None:
    """Prefetch offsets and rows of vertices to come, and the words of the nearest one's nets."""
    prefetch(indptr, sequence[min(i + TWO * FAR, last)])
    prefetch(indices, np.uint64(indptr[sequence[min(i + FAR, last)]]))
    u = sequence[min(i + NEAR, last)]
    for e in range(indptr[u], indptr[u + ONE32]):
        prefetch(taken, np.uint64(indices[e]))


# ---- rows in the order of coloring, and colors by vertex again -------------------------------------------------------


def copying_pays(nets: Nets) -> bool:
    """Whether copied rows are read in so much less time."""
    return nets.m >= MANY and nets.m >= LONG * nets.n


def copied(nets: Nets, order: Any, workers: int) -> tuple[Any, Any]:
    """The nets of vertices in an order, as offsets and indices."""
    size = nets.m + nets.n * nets.closed
    starts, rows = np.empty(nets.n + 1, np.uint32 if size < 2**32 else np.uint64), large_pages(size, np.uint32)
    args = (*unsigned(nets.of_vertices), order, nets.closed, starts, rows, np.int64(workers))
    launch(copy_rows, workers, slots(LINE * (workers + 1)), *args)
    return starts, rows


def by_vertex(order: Any, colors: Any, workers: int) -> Any:
    """Colors by place as colors by vertex."""
    out = np.empty(len(order), np.int32)
    launch(spread, workers, slots(0), order, colors, out, np.int64(workers))
    return out


@parallel
def copy_rows(
    t: Any, shared: Any, indptr: Any, indices: Any, order: Any, closed: Any, starts: Any, rows: Any, workers: Any
) -> None:
    """The rows of a share of the places."""
    own, size = share(t, workers, order.size), ZERO
    for i in own:
        prefetch(indptr, np.uint64(order[min(i + AHEAD, own.stop - ONE)]))
        v = order[i]
        size += np.uint64(indptr[v + ONE32] - indptr[v]) + np.uint64(closed)
    shared[LINE * (t + 1)] = size
    barrier(shared, 0, workers)
    at = ZERO
    for other in range(t):
        at += np.uint64(shared[LINE * (other + 1)])
    for i in own:
        prefetch(indptr, np.uint64(order[min(i + TWO * AHEAD, own.stop - ONE)]))
        u, v = order[min(i + AHEAD, own.stop - ONE)], order[i]
        line, end = np.uint64(indptr[u]), np.uint64(indptr[u + ONE32])
        while line < end:
            prefetch(indices, line)
            line += ENTRIES
        starts[i] = at
        for e in range(indptr[v], indptr[v + ONE32]):
            rows[at] = indices[e]
            at += ONE
        if closed:
            rows[at] = v
            at += ONE
    if t == workers - 1:
        starts[own.stop] = at


@parallel
def spread(t: Any, shared: Any, order: Any, colors: Any, out: Any, workers: Any) -> None:
    """Colors of the vertices of a share of the places."""
    for i in share(t, workers, order.size):
        out[order[i]] = colors[i]
