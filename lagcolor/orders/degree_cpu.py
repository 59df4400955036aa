"""Orders by degree as counting sorts on CPU threads, with tables per thread.

Keys are decreasing degrees and, within a degree, the first bits of the hash of a run: no bits for largest_first, the
groups for largest_first_spread. Equal keys stay in the order of ids, or of runs and within a run of `NTH`.

A thread visits four ranges of ids at once, each with its own table, because increments of one table depend on each
other (3.4 M vertices of degree 1 to 4, one thread: 12.5 ms, with four ranges 6 ms). Tables are a cache line apart. A
run of one degree is counted and written as a whole, and the positions of the next vertices of a key are prefetched.
Degrees are differences of row offsets, without an array. Vertices of degrees over the table of keys share the first
key, and two more counting sorts sort them; there are at most m / their least degree.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from ..base.device import large_pages, threads_for
from ..base.device.bits import mix32
from ..base.device.compiled import inner, njit
from ..base.device.intrinsics import prefetch
from ..base.device.parallel import LINE, barrier, launch, parallel, share, slots
from .counting import counting_sort
from .ties import MOST_BITS, NTH, RUN, bits_by_degree, seed_word

ONE, ONE32 = np.uint64(1), np.uint32(1)
TOP = np.uint64(2**MOST_BITS - 1)
RANGES = 4  # visited at once by a thread
PAD = 16
ALONE = 1 << 14  # up to this number of vertices one loop is faster than ranges and threads


class Keys(NamedTuple):
    """Keys of vertices: ``first[d] + (hash of the run >> shift[d])``, d the degree, at most the last index."""

    first: np.ndarray  # uint32
    shift: np.ndarray  # uint64; for a hash of 32 bits
    number: int  # number of keys
    nth: np.ndarray  # uint64, shape (32,); the order of the ids in a run
    word: int  # 32 bits of a seed


@functools.cache
def _keys(degrees: int, spread: bool) -> tuple[np.ndarray, np.ndarray, int, np.ndarray]:
    """All fields of `Keys` except the word; cached, because they take longer than coloring a small graph."""
    each = bits_by_degree(degrees) if spread else np.zeros(degrees, np.int64)
    sizes = np.append(1 << each, 1)[::-1]  # by decreasing degree; all larger degrees share the first key
    first, nth = (np.cumsum(sizes) - sizes)[::-1], NTH if spread else np.arange(RUN)
    shift = np.append(32 - each, 32).astype(np.uint64)
    return first.astype(np.uint32), shift, int(sizes.sum()), nth.astype(np.uint64)


def sort_by_degree(indptr: np.ndarray, threads: int | None = None) -> np.ndarray:
    """Sequence of the order largest_first with ties by id."""
    sequence, high = _sorted(indptr, Keys(*_keys(2047, False), 0), threads)
    if high > 1:
        vertices = sequence[:high]
        degrees = _degrees(indptr, vertices)
        sequence[:high] = vertices[np.argsort(~degrees, kind="stable")]
    return sequence.view(np.int32)


def sort_spread(indptr: np.ndarray, seed: int, threads: int | None = None) -> np.ndarray:
    """Sequence of the order largest_first_spread."""
    keys = Keys(*_keys(64, True), seed_word(seed))
    sequence, high = _sorted(indptr, keys, threads)
    if high > 1:
        vertices, (groups, degrees) = sequence[:high], np.empty((2, high), np.uint32)
        most = groups_of(indptr, vertices, np.uint32(keys.word), groups, degrees)
        by_group = counting_sort(groups, int(TOP), np.arange(high, dtype=np.uint32))
        order = counting_sort(degrees, most, by_group.view(np.uint32))
        sequence[:high] = vertices[order]
    return sequence.view(np.int32)


def _sorted(indptr: np.ndarray, keys: Keys, most: int | None) -> tuple[np.ndarray, int]:
    """Vertices by key, and the number of vertices that share the first key."""
    n = len(indptr) - 1
    if n <= ALONE:
        sequence, table = np.empty(n, np.uint32), np.zeros(keys.number, np.uint32)
        sort_alone(indptr, keys.first, keys.shift, keys.nth, np.uint32(keys.word), table, sequence)
        return sequence, int(table[0])
    threads = threads_for(None, n) if most is None else most
    ranges, runs = RANGES * threads, -(-n // RUN)
    cuts = np.array([runs * i // ranges for i in range(ranges + 1)], np.uint64)
    tables = np.zeros((ranges, keys.number + PAD), np.uint32)
    sequence = large_pages(n, np.uint32)
    how = (keys.first, keys.shift, keys.nth, np.uint32(keys.word))
    launch(
        sort_share, threads, slots(LINE * (1 + threads)), indptr, cuts, tables, *how, np.int64(keys.number), sequence
    )
    return sequence, int(tables[-1, 0])  # end of the first key


def _degrees(indptr: np.ndarray, vertices: np.ndarray) -> np.ndarray:
    return indptr[vertices + ONE32] - indptr[vertices]


@njit(cache=True, nogil=True)
def groups_of(indptr: Any, vertices: Any, word: Any, groups: Any, degrees: Any) -> Any:
    """Write the inverted group and the degree of each vertex; return the largest degree."""
    most = np.uint32(0)
    for i in range(vertices.size):
        v = vertices[i]
        groups[i] = TOP - (mix32((v >> np.uint32(5)) ^ word) >> np.uint64(32 - MOST_BITS))
        degrees[i] = indptr[v + ONE32] - indptr[v]
        most = max(most, degrees[i])
    return most


@inner(forceinline=True)
def step(indptr: Any, v: Any, h: Any, table: Any, first: Any, shift: Any, sequence: Any) -> None:
    """Count vertex v, or write it to its position."""
    d = min(np.uint64(indptr[v + ONE] - indptr[v]), np.uint64(first.size - 1))
    k = np.uint64(first[d]) + (h >> shift[d])
    at = table[k]
    if sequence is not None:
        sequence[at] = v
        prefetch(sequence, np.uint64(at) + np.uint64(RUN))
    table[k] = at + ONE32


@inner(forceinline=True)
def is_level(indptr: Any, v: Any) -> Any:
    """True if all vertices of the run that begins with `v` have one degree; one comparison rules out most runs."""
    d = indptr[v + ONE] - indptr[v]
    return indptr[v + np.uint64(RUN)] - indptr[v] == d * np.uint32(RUN) and differing(indptr, v, d) == 0


@inner()
def differing(indptr: Any, v: Any, d: Any) -> Any:
    """Bits in which the degrees of a run differ from d."""
    bits = d ^ d
    for j in range(RUN):
        bits |= (indptr[v + np.uint64(j) + ONE] - indptr[v + np.uint64(j)]) ^ d
    return bits


@inner()
def step_run(indptr: Any, v: Any, h: Any, table: Any, first: Any, shift: Any, nth: Any, sequence: Any) -> None:
    """`step` for the run that begins with `v`; a run of one degree is counted or written as a whole."""
    if not is_level(indptr, v):
        for j in range(RUN):
            step(indptr, v + nth[j], h, table, first, shift, sequence)
        return
    d = min(np.uint64(indptr[v + ONE] - indptr[v]), np.uint64(first.size - 1))
    k = np.uint64(first[d]) + (h >> shift[d])
    at = table[k]
    if sequence is not None:
        for j in range(RUN):
            sequence[np.uint64(at) + np.uint64(j)] = np.uint32(v + nth[j])
        for j in range(3):  # the position of the next run of this key
            prefetch(sequence, np.uint64(at) + np.uint64(RUN + PAD * j))
    table[k] = at + np.uint32(RUN)


@inner()
def scan(indptr: Any, cuts: Any, tables: Any, first: Any, shift: Any, nth: Any, word: Any, sequence: Any) -> None:
    """Count the vertices of four ranges of runs by key; with a sequence, write them to their positions.

    On return a table has the number of vertices of each key, or with a sequence the end of each key.
    """
    n, whole = np.uint64(indptr.size - 1), np.uint64(shortest(cuts, indptr.size - 1))
    ta, tb, tc, td = tables[0], tables[1], tables[2], tables[3]
    for i in range(whole):
        a, b, c, d = cuts[0] + i, cuts[1] + i, cuts[2] + i, cuts[3] + i
        ha, hb, hc, hd = mix32(a ^ word), mix32(b ^ word), mix32(c ^ word), mix32(d ^ word)
        a, b, c, d = a << np.uint64(5), b << np.uint64(5), c << np.uint64(5), d << np.uint64(5)
        if is_level(indptr, a) or is_level(indptr, b) or is_level(indptr, c) or is_level(indptr, d):
            step_run(indptr, a, ha, ta, first, shift, nth, sequence)
            step_run(indptr, b, hb, tb, first, shift, nth, sequence)
            step_run(indptr, c, hc, tc, first, shift, nth, sequence)
            step_run(indptr, d, hd, td, first, shift, nth, sequence)
            continue
        for j in range(RUN):
            at = nth[j]
            step(indptr, a + at, ha, ta, first, shift, sequence)
            step(indptr, b + at, hb, tb, first, shift, sequence)
            step(indptr, c + at, hc, tc, first, shift, sequence)
            step(indptr, d + at, hd, td, first, shift, sequence)
    for r in range(RANGES):
        for run_ in range(cuts[r] + whole, cuts[r + 1]):
            h = mix32(run_ ^ word)
            for j in range(RUN):
                v = (np.uint64(run_) << np.uint64(5)) + nth[j]
                if v < n:
                    step(indptr, v, h, tables[r], first, shift, sequence)


@parallel
def sort_share(
    t: Any, shared: Any, indptr: Any, cuts: Any, tables: Any, first: Any, shift: Any, nth: Any, word: Any, number: Any,
    sequence: Any,
) -> None:  # fmt: skip
    """Thread t counts its ranges, turns the counts of its share of the keys into positions, and writes its ranges."""
    threads, begin = tables.shape[0] // RANGES, RANGES * t
    own, mine = cuts[begin : begin + RANGES + 1], tables[begin : begin + RANGES]
    scan(indptr, own, mine, first, shift, nth, word, None)
    barrier(shared, 0, threads)
    keys, before = share(t, threads, number), np.int64(0)
    low, high = np.int64(keys.start), np.int64(keys.stop)
    shared[LINE * (1 + t)] = tables[:, low:high].sum()
    barrier(shared, 0, 2 * threads)
    for i in range(t):
        before += shared[LINE * (1 + i)]
    places(tables, low, high, np.uint32(before))
    barrier(shared, 0, 3 * threads)
    scan(indptr, own, mine, first, shift, nth, word, sequence)


@njit(cache=True, nogil=True)
def sort_alone(indptr: Any, first: Any, shift: Any, nth: Any, word: Any, table: Any, sequence: Any) -> None:
    """Count and write a small graph; `table` has zeros at first, and on return the end of each key."""
    n, last = np.uint64(sequence.size), np.uint64(first.size - 1)
    for v in range(n):
        d = min(np.uint64(indptr[v + ONE] - indptr[v]), last)
        table[np.uint64(first[d]) + (mix32((v >> np.uint64(5)) ^ word) >> shift[d])] += ONE32
    total = np.uint32(0)
    for k in range(table.size):
        size = table[k]
        table[k] = total
        total += size
    for begin in range(np.uint64(0), n, np.uint64(RUN)):
        h = mix32((begin >> np.uint64(5)) ^ word)
        for j in range(RUN):
            v = begin + nth[j]
            if v < n:
                d = min(np.uint64(indptr[v + ONE] - indptr[v]), last)
                k = np.uint64(first[d]) + (h >> shift[d])
                sequence[table[k]] = v
                table[k] += ONE32


@inner()
def places(tables: Any, low: Any, high: Any, total: Any) -> None:
    """Turn the counts of some keys into first positions, from `total` on: by key, then by range."""
    for k in range(low, high):
        for r in range(tables.shape[0]):
            size = tables[r, k]
            tables[r, k] = total
            total += size


@inner()
def shortest(cuts: Any, n: Any) -> Any:
    """Number of whole runs in the shortest range."""
    size = np.int64(n) // RUN - np.int64(cuts[RANGES - 1])
    for r in range(RANGES):
        size = min(size, np.int64(cuts[r + 1]) - np.int64(cuts[r]))
    return max(size, 0)
