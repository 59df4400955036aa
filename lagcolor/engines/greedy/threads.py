"""First-fit on CPU threads that take chunks of the sequence in turn and share one state.

With few threads, or very different degrees, each thread has a copy of the state (copies.py), because a cache line with
vertices that are colored at different times moves from core to core. Natural order needs no chunk numbers (natural.py).

The state of a vertex (uint16) has the number of its chunk, set at the beginning, and its code: a color, DEFERRED or
PENDING. One comparison with c << SHIFT | PENDING finds the neighbors that come before a vertex of chunk c: the vertices
of earlier chunks, and the vertices of its own chunk that are colored or DEFERRED. No array of positions is needed.
If an earlier neighbor has no color, the vertex is DEFERRED until the chunk is done, and then waits for the neighbor.

=========  ===========================================================================================
starts     first place of each chunk, and the end
shared     the next chunk to mark, the next to color, whether a vertex needs more than 62 colors; barriers
=========  ===========================================================================================

Progress: a vertex waits for vertices of earlier chunks, which are taken earlier, and for earlier vertices of its own
chunk, which its thread has colored by then. A waiting thread reads a state seldom: each read takes the cache line from
the thread that writes it. 16 threads that read all the time were slower than one thread.

References
----------
Welsh, Powell 1967, for first-fit. The chunks were developed in this project.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device import large_pages
from ...base.device.compiled import inner
from ...base.device.intrinsics import ctz64, fetch_add, load_relaxed, store_relaxed
from ...base.device.parallel import SELDOM, barrier, launch, look_again, parallel, share, slots
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...orders import Priorities
from ...problems.registry import UNEVEN
from . import copies
from .natural import first_fit_by_id
from .sequential import ONE, ONE32, ZERO, far_ahead, first_ahead, first_fit, flag_bytes, top_degree, wide_dtype

FEW, LITTLE, LIGHT = 4, 1 << 21, 2  # with fewer threads copies are faster, or one thread if there is little work
LEAST_WORK = 1 << 14  # entries and vertices of a chunk with one state, approximately
HEAD, SAMPLES = 512, 512  # positions whose degrees are sampled: the first ones, and of the whole sequence
VERTEX = 4  # a vertex without entries takes as long as this number of entries
LEAST_ENTRIES, MOST_ENTRIES = 1 << 13, 1 << 15  # stored entries of a chunk with copies, approximately
UNEVEN_ENTRIES = 1 << 11  # stored entries of a chunk if many threads color an uneven graph
CHUNKS = 64  # chunks per thread, if each has more than LEAST_ENTRIES
DENSE = 64  # mean degree from which more than one word of colors is likely
SHIFT, CODES, DEFERRED, PENDING = np.uint64(6), np.uint64(63), np.uint64(62), np.uint64(63)
MOST = 1000  # chunks, whose numbers have 10 bits
MARK, NEXT, FULL = np.uint64(0), np.uint64(8), np.uint64(16)  # a cache line each in `shared`
MARKED, COLORED, SLOTS = 24, 32, 40  # barriers, and the size of `shared`
LATER = np.uint64(256)  # uncolored neighbors that are listed; for further ones the thread waits while it reads the row


def first_fit_on_threads(G: Graph, p: Priorities, workers: int) -> np.ndarray:
    """Return first-fit colors, on up to `workers` threads; one thread if few threads would have little work."""
    graph = unsigned(G)
    if workers < FEW and (G.m < LITTLE or G.m < LIGHT * G.n):
        workers = 1
    if p.is_natural:
        return first_fit_by_id(*graph, workers)
    sequence = p.sequence.view(np.uint32)
    return first_fit(*graph, sequence) if workers == 1 else by_chunks(*graph, sequence, workers)


def by_chunks(
    indptr: np.ndarray, indices: np.ndarray, sequence: np.ndarray, workers: int, entries: int | None = None
) -> np.ndarray:
    """Return first-fit colors in the order of `sequence`; `entries`: entries of a chunk, with copies of the state."""
    graph, uneven = (indptr, indices, sequence), False
    if workers >= FEW and entries is None and 0 < len(indices) <= DENSE * (len(indptr) - 1):
        starts, uneven = starts_of_chunks(indptr, sequence, len(indices))
        if not uneven and (colors := _on_one_state(graph, starts, workers)) is not None:
            return colors
    return _on_copies(graph, workers, UNEVEN_ENTRIES if uneven else entries)


def starts_of_chunks(indptr: np.ndarray, sequence: np.ndarray, m: int) -> tuple[np.ndarray, bool]:
    """Estimate from sampled degrees: bounds of chunks of equal work, and whether a degree is far over the mean."""
    n = len(indptr) - 1
    places = np.unique(np.append(np.arange(min(n, HEAD)), np.linspace(0, n - 1, min(n, SAMPLES)).astype(np.int64)))
    v = sequence[places].astype(np.int64)
    degrees = (indptr[v + 1] - indptr[v]).astype(np.float64)
    work = np.append(0, np.cumsum((degrees + VERTEX) * np.diff(np.append(places, n))))
    count = int(min(MOST, n, max(1, work[-1] // LEAST_WORK)))
    cuts = np.interp(np.linspace(0, work[-1], count + 1), work, np.append(places, n))
    return np.unique(cuts.astype(np.uint64)), bool(degrees.max() * n > UNEVEN * m)


def _on_one_state(graph: tuple[Any, ...], starts: np.ndarray, workers: int) -> np.ndarray | None:
    """Color on one state; return None if 62 colors are too few."""
    n = len(graph[0]) - 1
    state, colors, shared = large_pages(n, np.uint16), large_pages(n, np.int32), slots(SLOTS)
    launch(color_chunks, workers, shared, *graph, starts, state, colors, np.int64(workers))
    return None if shared[int(FULL)] else colors


def _on_copies(graph: tuple[Any, ...], workers: int, entries: int | None) -> np.ndarray:
    """Color on copies of the state: with masks of one word, then with flags from the first vertex that needs them."""
    (indptr, indices, sequence), done, found = graph, 0, np.empty(0, np.uint8)
    n, few = len(sequence), LEAST_ENTRIES if entries is None else entries
    if len(indices) <= DENSE * n:
        most = min(MOST_ENTRIES, max(few, len(indices) // (CHUNKS * workers))) if entries is None else entries
        found, done, colors = _run(graph, workers, most, np.uint8)
        if done == n:
            return colors
    degree = top_degree(indptr)
    return _run(graph, workers, few, wide_dtype(degree), found[:done], flag_bytes(degree))[2]


def most_chunks(n: int, m: int, entries: int) -> int:
    """Return an upper bound of the number of chunks of n vertices with m stored entries, in any order."""
    # At most n / size chunks have `size` vertices or more. All others begin with a vertex of more than entries / size
    # entries (and itself); there are at most (n + m) · size / entries such vertices. `size` makes the bounds equal.
    size = max(1, min(copies.CHUNK, int((n * entries / max(n + m, 1)) ** 0.5)))
    return min(n, n // size + (n + m) * size // entries + 1) + 1


def _run(
    graph: tuple[Any, ...], workers: int, entries: int, code: Any, before: Any = (), words: Any = None
) -> tuple[np.ndarray, int, np.ndarray]:
    """Return codes by position, beginning with `before`; the first position that needs wider masks, or n; colors."""
    n, m = len(graph[2]), len(graph[1])
    width = max(1, -(-n // copies.LINE)) * copies.LINE
    rows, colors = large_pages((workers + 1) * width, code), large_pages(n, np.int32)
    found = rows[workers * width :][:n]
    found[: len(before)] = before
    chunks = most_chunks(n, m, entries) + workers + 1  # each thread takes one chunk after the last
    start, done, shared = np.zeros(chunks, np.int64), np.zeros(chunks, np.uint8), slots(40)
    start[0] = 1 + len(before)
    words = None if words is None else np.zeros((workers, len(words)), np.uint64)
    launch(copies.color_share, workers, shared, *graph, rows, start, done, words, colors, np.int64(entries))
    return found, int(start[np.argmin(done)]) - 1 if shared[int(copies.FULL)] else n, colors


# ---- one state -------------------------------------------------------------------------------------------------------


@inner()
def narrow(indptr: Any, indices: Any, sequence: Any, state: Any, base: Any, first: Any, stop: Any) -> Any:
    """Color from position `first` on, to a vertex that must wait or needs a wider mask; return its position and mask.

    Return `stop` if there is none. Plain reads see whole states; atomic reads of 16 bits take a third longer.
    """
    limit = base | PENDING
    for i in range(np.uint64(first), np.uint64(stop)):
        far_ahead(indptr, indices, sequence, i, stop)
        v = sequence[i]
        mask = ZERO
        e, end = indptr[v], indptr[v + ONE32]
        while e < end:
            s = np.uint64(state[indices[e]])
            mask |= np.uint64(s < limit) << (s & CODES)
            e += ONE32
        code = ctz64(~mask)
        if mask >> DEFERRED or code >= DEFERRED:
            return i, mask
        store_relaxed(state, np.uint64(v), np.uint16(base | code))
    return np.uint64(stop), ZERO


@inner()
def narrow_chunk(
    indptr: Any, indices: Any, sequence: Any, state: Any, base: Any, first: Any, stop: Any, deferred: Any
) -> Any:  # fmt: skip
    """Color a chunk except `deferred` vertices; return the number of these, or −1 if a mask is too narrow."""
    n_deferred, i = 0, np.uint64(first)
    while True:
        i, mask = narrow(indptr, indices, sequence, state, base, i, stop)
        if i == stop:
            return n_deferred
        v, code = sequence[i], ctz64(~mask)
        if mask >> DEFERRED:
            code = DEFERRED
            deferred[n_deferred] = v
            n_deferred += 1
        elif code >= DEFERRED:
            return -1
        store_relaxed(state, np.uint64(v), np.uint16(base | code))
        i += ONE


@inner()
def narrow_rest(indptr: Any, indices: Any, state: Any, base: Any, deferred: Any, n_deferred: Any, shared: Any) -> Any:
    """Color the deferred vertices of a chunk in order; return whether all have a color."""
    limit = np.uint16(base | PENDING)
    waiting = np.empty(LATER, np.uint32)
    for k in range(n_deferred):
        store_relaxed(state, np.uint64(deferred[k]), limit)
    for k in range(n_deferred):
        v, mask, count = deferred[k], ZERO, ZERO
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            s = load_relaxed(state, np.uint64(u))
            if s < limit and np.uint64(s) & CODES >= DEFERRED and count < LATER:
                waiting[count] = u
                count += ONE
            elif s < limit:
                mask |= ONE << color_of(state, u, shared)
        for j in range(count):
            mask |= ONE << color_of(state, waiting[j], shared)
        code = ctz64(~mask)
        if code >= DEFERRED:
            return False
        store_relaxed(state, np.uint64(v), np.uint16(base | code))
    return True


@inner()
def color_of(state: Any, u: Any, shared: Any) -> Any:
    """Wait for the color of an earlier vertex and return it; PENDING if another thread has ended the coloring."""
    code = np.uint64(load_relaxed(state, np.uint64(u))) & CODES
    while code >= DEFERRED:
        if load_relaxed(shared, FULL) != 0:
            return PENDING
        look_again(SELDOM, shared)
        code = np.uint64(load_relaxed(state, np.uint64(u))) & CODES
    return code


@inner()
def mark_chunks(sequence: Any, starts: Any, state: Any, shared: Any) -> None:
    """Write the number of its chunk to the state of each vertex, for chunk after chunk."""
    while True:
        c = np.uint64(fetch_add(shared, MARK, 1))
        if c >= np.uint64(starts.size - 1):
            return
        for i in range(starts[c], starts[c + ONE]):
            state[sequence[i]] = c << SHIFT | PENDING


@parallel
def color_chunks(
    t: Any, shared: Any, indptr: Any, indices: Any, sequence: Any, starts: Any, state: Any, colors: Any, workers: Any
) -> None:  # fmt: skip
    """Color chunks until none is left or a vertex needs more colors (FULL), then write a share of the public colors."""
    deferred = np.empty(np.max(starts[1:] - starts[:-1]), np.uint32)
    mark_chunks(sequence, starts, state, shared)
    barrier(shared, MARKED, workers)
    while load_relaxed(shared, FULL) == 0:
        c = np.uint64(fetch_add(shared, NEXT, 1))
        if c >= np.uint64(starts.size - 1):
            break
        first, stop, base = starts[c], starts[c + ONE], c << SHIFT
        first_ahead(indptr, indices, sequence, first, stop)
        count = narrow_chunk(indptr, indices, sequence, state, base, first, stop, deferred)
        if count < 0 or (count > 0 and not narrow_rest(indptr, indices, state, base, deferred, count, shared)):
            store_relaxed(shared, FULL, 1)
    barrier(shared, COLORED, workers)
    if load_relaxed(shared, FULL) == 0:
        for v in share(t, workers, colors.size):
            colors[v] = np.int32(np.uint64(state[v]) & CODES)
