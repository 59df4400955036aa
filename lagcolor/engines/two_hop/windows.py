"""First-fit of vertices in nets, in the time of one hop: each net stores its colors as bits.

A vertex reads one word per net, takes the smallest color that is in none of them, and sets its bit in each.
It does not read the other vertices of its nets or their colors: O(n + m) instead of the two-hop neighborhoods,
8 bytes per net, and no squared graph.

A word has the 64 colors of a window. If all 64 are taken, the vertex is left for the next pass, over the next 64
colors. This is first-fit: a vertex colored in a later pass has no color of this window, so it does not constrain any
vertex in this pass. Each vertex costs its entries times (1 + color / 64).

Each thread runs a pass, with its own words: 8 bytes per net for each of up to four threads. A vertex that a pass leaves
goes to the next pass at once. All passes use one array of vertices, because a pass leaves no more than it has read.
The first pass reads all entries, which takes about half of the time on random graphs of some hundred colors, so a
few threads are enough. If the first pass colors almost all vertices, as on a mesh, one thread runs alone.

=========  ==========================================================================
taken      colors of the window that a net has; for a closed net without the color of its own vertex
left       vertices for the next pass, in order; may be `sequence` itself
shared     per running pass: twice the number of vertices left so far, plus 1 at the end
window     whether nets are closed, its first color, and `taken`
out        `colors` and `left`
starts     offsets of copied rows, by position
=========  ==========================================================================

Progress: a pass waits only for the previous pass, and the first one does not wait.

If nets are closed, a vertex also reads the word of its own net, which has the colors of its neighbors. It need
not add its own color there, because each vertex that would read it finds it in its own words.

Kokkos Kernels' serial code (COLORING_D2_SERIAL) does this with 32 colors per word, in the order of ids.

In other orders than by id each row is one or more cache misses, and a thread that colors waits for them. So all threads
first copy long rows in the order of coloring (`copy_rows`); each pass then reads them one after the other.
If rows are short, most of the time goes into the words of nets.

Words are read by relaxed loads, although only one thread uses them: a compiler would gather the words of a row into a
vector, and a gather waits for the stores of the previous vertex (1000 × 1000 grid: 15.4 ms instead of 10.4).
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
WINDOW = 64  # colors in a word
PASSES = 4  # most threads: later passes have few vertices
SHARE = 64  # more threads start if the first pass leaves more than one of this number of vertices
LEAST = 1 << 12  # fewest vertices of a pass that start more threads
CHUNK = 256  # vertices that a pass reads before it publishes how many are left
LINE = 8  # int64 words in a cache line
NEAR, FAR = np.uint64(4), np.uint64(16)  # vertices between a prefetch and its use: of words of nets, of rows
LONG, MANY = 8, 1 << 20  # mean entries of a row, and entries of all rows, from which copying rows pays
AHEAD = np.uint64(32)  # positions between a prefetch and its use when rows are copied
ENTRIES = np.uint64(16)  # entries in a cache line


def first_fit(nets: Nets, sequence: Any = None, workers: int | None = None) -> np.ndarray:
    """Return first-fit colors, on up to `workers` threads (None: chosen by the amount of work)."""
    rows, k, order = unsigned(nets.of_vertices), nets.of_vertices.columns, None
    workers = threads_for(None, nets.m) if workers is None else workers
    if sequence is not None:
        order = sequence.view(np.uint32)
        if copying_pays(nets):
            colors = color(*copied(nets, order, workers), None, k, False, workers)
            return by_vertex(order, colors, workers)
    return color(*rows, order, k, nets.closed, workers)


def color(indptr: Any, indices: Any, order: Any, k: int, closed: bool, workers: int) -> np.ndarray:
    """Return first-fit colors of vertices in `k` nets."""
    n, rows = len(indptr) - 1, (indptr, indices)
    workers = min(workers, PASSES) if n > LEAST else 1
    taken, colors, left = np.zeros(k, np.uint64), np.empty(n, np.int32), np.empty(n, np.uint32)
    out = colors, left
    known, place, n_left, base = n, 0, 0, 0
    part = n if workers == 1 else n // SHARE + 1
    while place < n and (workers == 1 or SHARE * n_left <= place):
        stop = min(place + part, n)
        n_left = color_window(rows, order, (place, stop, n), (closed, 0, taken), out, n_left, None)
        place = stop
    others = np.empty((workers - 1, k if place < known or n_left > LEAST else 0), np.uint64)
    while place < known or n_left:  # ends: a pass colors at least its first vertex, whose words are 0
        if place == known:
            order, known, place, n_left, base = left, n_left, 0, 0, base + WINDOW
        if workers > 1 and known > LEAST:
            shared, (at, end, few, low) = slots(LINE * workers), map(np.int64, (place, known, n_left, base))
            launch(color_passes, workers, shared, rows, order, (at, end, few), (closed, low, taken, others), out)
            n_left, base = int(shared[LINE * (workers - 1)]) >> 1, base + WINDOW * (workers - 1)
        else:
            clear(*rows, left, known, closed, taken)
            n_left = color_window(rows, order, (0, known, known), (closed, base, taken), out, 0, None)
        place = known
    return colors


@njit(cache=True, nogil=True)
def color_window(rows: Any, sequence: Any, places: Any, window: Any, out: Any, n_left: Any, rules: Any) -> Any:
    """Color vertices that find a free color base … base + 63; return the number left, with `n_left` from before.

    The vertices have positions begin … stop - 1 in the sequence, whose first `known` entries may be read. Without a
    sequence, ids are positions. `rules` (`with_rules` of first_fit.py), or None: forbidden colors of each vertex,
    weights, and the free capacity of each class of the window.
    """
    (indptr, indices), (begin, stop, known) = rows, places
    (closed, base, taken), (colors, left) = window, out
    count = np.uint64(n_left)
    if rules is not None:
        offsets, forbidden, weights, free = rules
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
            while ~mask != ZERO and free[ctz64(~mask)] < weights[v]:
                mask |= ~mask & (mask + ONE)  # the lowest bit that is 0
        if ~mask == ZERO:
            left[count] = v
            count += ONE
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
            free[color] -= weights[v]
    return np.int64(count)


@parallel
def color_passes(t: Any, shared: Any, rows: Any, order: Any, begun: Any, windows: Any, out: Any) -> None:
    """Run pass `t`; `begun` of the first pass: next position, known positions, and vertices left so far."""
    (place, known, n_left), (closed, base, taken, others) = begun, windows
    if t > 0:
        others[t - 1, :] = ZERO
        color_pass(t, shared, rows, out[1], (0, 0, 0), (closed, base + WINDOW * t, others[t - 1]), out)
        return
    if place == 0:
        taken[:] = ZERO
    color_pass(t, shared, rows, order, (place, known, n_left), (closed, base, taken), out)


@inner()
def color_pass(t: Any, shared: Any, rows: Any, order: Any, begun: Any, window: Any, out: Any) -> None:
    """Color vertices that the previous pass has left; publish in `shared` how many are left."""
    place, known, n_left = begun
    mine, more = np.uint64(LINE * t), t > 0
    while place < known or more:
        if place == known:
            word = load_acquire(shared, mine - np.uint64(LINE))
            known, more = word >> 1, word & 1 == 0
            if place == known and more:
                look_again(SELDOM, shared)
            continue
        stop = min(known, place + CHUNK)
        n_left = color_window(rows, order, (place, stop, known), window, out, n_left, None)
        store_release(shared, mine, np.int64(2) * n_left)
        place = stop
    store_release(shared, mine, np.int64(2) * n_left + 1)


@njit(cache=True, nogil=True)
def clear(indptr: Any, indices: Any, vertices: Any, count: Any, closed: bool, taken: Any) -> None:
    """Clear the words of the nets of the first `count` vertices; other words are not read again."""
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
    """Prefetch offsets and rows of later vertices, and the words of nets of a nearer one."""
    prefetch(indptr, sequence[min(i + TWO * FAR, last)])
    prefetch(indices, np.uint64(indptr[sequence[min(i + FAR, last)]]))
    u = sequence[min(i + NEAR, last)]
    for e in range(indptr[u], indptr[u + ONE32]):
        prefetch(taken, np.uint64(indices[e]))


# ---- rows in the order of coloring, and colors by vertex again -------------------------------------------------------


def copying_pays(nets: Nets) -> bool:
    """Return whether copying rows costs less time than it saves."""
    return nets.m >= MANY and nets.m >= LONG * nets.n


def copied(nets: Nets, order: Any, workers: int) -> tuple[Any, Any]:
    """Return the nets of vertices in an order, as offsets and indices."""
    size = nets.m + nets.n * nets.closed
    starts, rows = np.empty(nets.n + 1, np.uint32 if size < 2**32 else np.uint64), large_pages(size, np.uint32)
    args = (*unsigned(nets.of_vertices), order, nets.closed, starts, rows, np.int64(workers))
    launch(copy_rows, workers, slots(LINE * (workers + 1)), *args)
    return starts, rows


def by_vertex(order: Any, colors: Any, workers: int) -> Any:
    """Return colors by vertex, from colors by position."""
    out = np.empty(len(order), np.int32)
    launch(spread, workers, slots(0), order, colors, out, np.int64(workers))
    return out


@parallel
def copy_rows(
    t: Any, shared: Any, indptr: Any, indices: Any, order: Any, closed: Any, starts: Any, rows: Any, workers: Any
) -> None:
    """Copy the rows of a share of the positions."""
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
    """Write the colors of a share of the positions by vertex."""
    for i in share(t, workers, order.size):
        out[order[i]] = colors[i]
