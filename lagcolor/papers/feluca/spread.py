"""The sequential spread stage on a CPU, color-centric: a thread takes a color and finds all vertices for it.

Who is left has no color; all others keep theirs. A color goes through the left in order; a vertex takes it unless a
neighbour has it. In the pipeline the thread of color c goes through a chunk once that of color c − 1 is through with
it, so that each vertex gets the first color it can have. Chunks of the order of ids stand for the levels of the DAG,
which a thread alone has no need of.

Progress: of the colors under way the least waits for nobody.

=========  =========================================================================================
left       vertices without a color, in order; i, j: positions in it
children   later neighbours that are left too, as positions: CSR with `offsets`
fixed      fixed[i]: bits of the colors that i's neighbours with colors have
open       bits of the positions that have no color yet; a word is written by one thread at a time
near       bits of the positions that a parent keeps from the color in hand; a thread's own
progress   chunks that each color is through with
=========  =========================================================================================
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...device import threads as cpu_threads
from ...device.compiled import njit
from ...device.intrinsics import ctz64, fence, fetch_add, load_relaxed, store_relaxed, yield_core
from .dag import Dag

ZERO, ONE, SIX, LOW = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(63)
NOWHERE = np.uint32(2**32 - 1)
CHUNK = 64  # words: 4096 vertices


class Left(NamedTuple):
    """The left, with what they need to know of their neighbours; see the table above."""

    offsets: np.ndarray
    children: np.ndarray
    fixed: np.ndarray


def survey(D: Dag, colors: np.ndarray, left: np.ndarray, threads: int | None) -> Left:
    """Look at the neighbourhoods of the left once; their colors must be −1."""
    indptr, indices = D.indptr.view(f"u{D.indptr.itemsize}"), D.indices.view(np.uint32)
    place = np.full(D.n, NOWHERE, np.uint32)
    place[left] = np.arange(len(left), dtype=np.uint32)
    words = (int(colors.max(initial=-1)) + 64) // 64
    fixed = np.zeros((len(left), words), np.uint64)
    offsets = np.zeros(len(left) + 1, np.int64)
    workers = cpu_threads.count(threads, 16 * len(left))
    ends = np.linspace(0, len(left), workers + 1).astype(np.int64)
    cpu_threads.run(
        lambda t: look_around(indptr, indices, colors, left, place, fixed, offsets, ends[t], ends[t + 1]), workers
    )
    np.cumsum(offsets, out=offsets)
    children = np.empty(offsets[-1], np.uint32)
    cpu_threads.run(lambda t: adopt(indptr, indices, left, place, offsets, children, ends[t], ends[t + 1]), workers)
    return Left(offsets, children, fixed)


def pipeline(D: Dag, colors: np.ndarray, left: np.ndarray, threads: int | None) -> None:
    """The second strategy: color the left in place, the same for any number of threads."""
    colors[left] = -1
    L = survey(D, colors, left, threads)
    workers = cpu_threads.count(threads, len(L.children) + 16 * len(left))
    open_bits, result, done = _bits(len(left)), np.empty(len(left), np.int32), np.zeros(1, np.int64)
    progress = np.zeros(D.max_degree + 1 + workers, np.int64)  # each thread may be one color too far at the end
    cpu_threads.run(
        lambda t: take_in_turn(L.offsets, L.children, L.fixed, open_bits, result, progress, done, t, workers), workers
    )
    colors[left] = result


def at_once(D: Dag, colors: np.ndarray, left: np.ndarray, threads: int | None) -> list[int]:
    """The first strategy: all colors at the same time, and each vertex keeps the least of those that found it.

    Tried are the colors in use and one more: to each further one the same vertices would come. Whoever none found is
    tried again. Each pass colors at least the first that is left, so they end.

    Returns
    -------
    list of int
        How many were left before each pass.
    """
    passes = []
    while len(left):
        passes.append(len(left))
        colors[left] = -1
        L = survey(D, colors, left, threads)
        budget = int(colors.max(initial=-1)) + 2
        workers = min(cpu_threads.count(threads, budget * len(left)), budget)
        open_bits = _bits(len(left))
        claims = np.full((workers, len(left)), np.iinfo(np.int32).max, np.int32)
        _all_colors(L, open_bits, claims, budget, workers)
        claim = claims.min(axis=0)
        found = claim < budget
        colors[left[found]] = claim[found]
        left = left[~found]
    return passes


def _all_colors(L: Left, open_bits: np.ndarray, claims: np.ndarray, budget: int, workers: int) -> None:
    cpu_threads.run(
        lambda t: take_alone(L.offsets, L.children, L.fixed, open_bits, claims[t], t, workers, budget), workers
    )


def vertex_centric(D: Dag, colors: np.ndarray, left: np.ndarray, threads: int | None) -> list[int]:
    """Without color classes: each vertex left takes its first-fit color at once; the later end of a conflict again.

    The first that is left never conflicts with an earlier one, so there are ever fewer.

    Returns
    -------
    list of int
        How many were left before each round.
    """
    indptr, indices = D.indptr.view(f"u{D.indptr.itemsize}"), D.indices.view(np.uint32)
    colors[left] = -1
    rounds = []
    while len(left):
        rounds.append(len(left))
        new, lost = np.empty(len(left), np.int32), np.zeros(len(left), np.bool_)
        workers = cpu_threads.count(threads, 16 * len(left))
        ends = np.linspace(0, len(left), workers + 1).astype(np.int64).tolist()
        for loop, out in ((fit, new), (compare, lost)):
            _in_parts(loop, (indptr, indices, colors, left, out), ends)
            if out is new:
                colors[left] = new
        left = left[lost]
    return rounds


def _in_parts(loop: Any, args: tuple[Any, ...], ends: list[int]) -> None:
    cpu_threads.run(lambda t: loop(*args, ends[t], ends[t + 1]), len(ends) - 1)


def _bits(n: int) -> np.ndarray:
    """n set bits."""
    words = np.full((n + 63) // 64, ~np.uint64(0))
    if n % 64:
        words[-1] = (1 << n % 64) - 1
    return words


@njit(cache=True, nogil=True)
def look_around(
    indptr: Any, indices: Any, colors: Any, left: Any, place: Any, fixed: Any, offsets: Any, first: Any, stop: Any
) -> None:
    """Colors around each of the left, and how many later neighbours are left: offsets[i + 1]."""
    for i in range(first, stop):
        v = left[i]
        n = 0
        for e in range(indptr[v], indptr[v + np.uint32(1)]):
            u = indices[e]
            c = colors[u]
            if c >= 0:
                fixed[i, np.uint64(c) >> SIX] |= ONE << (np.uint64(c) & LOW)
            elif u > v and place[u] != NOWHERE:
                n += 1
        offsets[i + 1] = n


@njit(cache=True, nogil=True)
def adopt(indptr: Any, indices: Any, left: Any, place: Any, offsets: Any, children: Any, first: Any, stop: Any) -> None:
    """The positions of the later neighbours that are left."""
    for i in range(first, stop):
        v = left[i]
        k = offsets[i]
        for e in range(indptr[v], indptr[v + np.uint32(1)]):
            u = indices[e]
            if u > v and place[u] != NOWHERE:
                children[k] = place[u]
                k += 1


@njit(cache=True, nogil=True)
def take_in_turn(
    offsets: Any, children: Any, fixed: Any, open_bits: Any, result: Any, progress: Any, done: Any, first: Any,
    step: Any,
) -> None:  # fmt: skip
    """The pipeline: colors first, first + step … until everyone has one."""
    n = result.size
    near = np.empty(open_bits.size, np.uint64)
    c = np.int64(first)
    while load_relaxed(done, ZERO) < n:
        near[:] = ZERO
        chunk = np.int64(0)
        word = np.int64(0)
        while word < open_bits.size:
            while c > 0 and load_relaxed(progress, np.uint64(c - 1)) <= chunk:
                if load_relaxed(done, ZERO) == n:
                    return
                yield_core()
            fence()
            taken = np.int64(0)
            end = min(word + CHUNK, open_bits.size)
            while word < end:
                taken += take_word(offsets, children, fixed, open_bits, near, result, word, c, True)
                word += 1
            fence()
            if taken:
                fetch_add(done, ZERO, taken)
            chunk += 1
            store_relaxed(progress, np.uint64(c), chunk)
        c += step


@njit(cache=True, nogil=True)
def take_alone(
    offsets: Any, children: Any, fixed: Any, open_bits: Any, claim: Any, first: Any, step: Any, budget: Any
) -> None:
    """All vertices for each of the colors first, first + step …, whoever else finds them."""
    near = np.empty(open_bits.size, np.uint64)
    for c in range(first, budget, step):
        near[:] = ZERO
        for word in range(open_bits.size):
            take_word(offsets, children, fixed, open_bits, near, claim, word, c, False)


@njit(cache=True, nogil=True)
def take_word(
    offsets: Any, children: Any, fixed: Any, open_bits: Any, near: Any, result: Any, word: Any, c: Any, close: Any
) -> Any:
    """Color c for whom it suits of 64 positions, one after the other; how many. With `close` they leave `open_bits`."""
    taken = 0
    passed = ZERO  # positions of this word that have been looked at
    column = np.uint64(c) >> SIX
    bit = ONE << (np.uint64(c) & LOW)
    while True:
        rest = open_bits[word] & ~near[word] & ~passed
        if rest == ZERO:
            return taken
        b = ctz64(rest)
        passed |= (ONE << b) | ((ONE << b) - ONE)
        i = (np.uint64(word) << SIX) + b
        if column < np.uint64(fixed.shape[1]) and fixed[i, column] & bit:
            continue
        if close:
            open_bits[word] &= ~(ONE << b)
            result[i] = c
        else:
            result[i] = min(result[i], np.int32(c))
        taken += 1
        for k in range(offsets[i], offsets[i + ONE]):
            j = np.uint64(children[k])
            near[j >> SIX] |= ONE << (j & LOW)


@njit(cache=True, nogil=True)
def fit(indptr: Any, indices: Any, colors: Any, left: Any, new: Any, first: Any, stop: Any) -> None:
    """The least color that no neighbour has, in windows of 64."""
    for i in range(first, stop):
        v = left[i]
        base = np.int64(0)
        while True:
            seen = ZERO
            for e in range(indptr[v], indptr[v + np.uint32(1)]):
                above = np.uint64(np.int64(colors[indices[e]]) - base)
                if above <= LOW:
                    seen |= ONE << above
            if ~seen != ZERO:
                break
            base += 64
        new[i] = np.int32(base) + np.int32(ctz64(~seen))


@njit(cache=True, nogil=True)
def compare(indptr: Any, indices: Any, colors: Any, left: Any, lost: Any, first: Any, stop: Any) -> None:
    """Whether a parent has the same color."""
    for i in range(first, stop):
        v = left[i]
        for e in range(indptr[v], indptr[v + np.uint32(1)]):
            u = indices[e]
            if u >= v:
                break
            if colors[u] == colors[v]:
                lost[i] = True
                break
