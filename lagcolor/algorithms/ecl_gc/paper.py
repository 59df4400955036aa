"""Algorithms 1 to 3 of the paper on one core: every vertex keeps its possible colors, and a visit tries the shortcuts.

The same `visit` serves visits one after another (what they read and write is one state) and, for a trace, steps in
which all vertices see the state before the step and write to the state after it (cpu.py).

==========  ==========================================================================================
dag         one row per vertex, at the offsets of the graph: its earlier neighbors that are pending
left        how many those are; `worst`: how many they were, the last possible color of all
possible    a vertex with less than `wide_from` neighbors: a word, bit c set while color c is possible
best        any other vertex: the least possible color (a full bitmap is kept as well)
color       −1 until it has one
==========  ==========================================================================================

Progress: the earliest vertex without a color finds all its earlier neighbors colored at its next visit.

References
----------
Alabandi, Burtscher 2022, "Improving the speed and quality of parallel graph coloring", ACM Trans. Parallel
Computing 9(3), Algorithms 1, 2, 3.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base.device.compiled import njit
from ...base.device.intrinsics import ctz64

ONE, ZERO = np.uint64(1), np.uint64(0)
WORD = np.uint64(64)
WAITING, CONVENTIONAL, SHORTCUT = 0, 1, 2  # what `visit` returns


class VisitTables(NamedTuple):
    """What visits read and write of a vertex and its earlier neighbors."""

    indptr: np.ndarray
    dag: np.ndarray
    left: np.ndarray
    worst: np.ndarray
    wide: np.ndarray
    cut: np.ndarray
    at: np.ndarray
    bitmaps: np.ndarray


class Colors(NamedTuple):
    """What visits read of neighbors without a color: the state before a step, and after it."""

    possible: np.ndarray
    best: np.ndarray
    color: np.ndarray


class PossibleColors:
    """Possible colors of all vertices, oriented by the priorities `p`: the larger is earlier (Algorithm 1).

    From the degree `wide_from` on, at most 64, a vertex has an interval in place of a word.
    """

    tables: VisitTables
    colors: Colors

    def __init__(self, indptr: np.ndarray, indices: np.ndarray, p: np.ndarray, wide_from: int) -> None:
        n = len(p)
        dag, left, wide = np.empty_like(indices), np.empty(n, np.int32), np.empty(n, np.uint8)
        self.colors = Colors(np.empty(n, np.uint64), np.zeros(n, np.int32), np.empty(n, np.int32))
        orient(indptr, indices, p, wide_from, (dag, left, wide), self.colors)
        worst, cut = left.copy(), np.zeros(n, np.uint8)
        words = np.where(wide != 0, (worst.astype(np.int64) >> 6) + 1, 0)
        bitmaps = np.full(int(words.sum()), 2**64 - 1, np.uint64)
        self.tables = VisitTables(indptr, dag, left, worst, wide, cut, np.cumsum(words) - words, bitmaps)


@njit(cache=True, nogil=True)
def orient(indptr: Any, indices: Any, p: Any, wide_from: Any, tables: Any, colors: Any) -> None:
    """Algorithm 1; vertices without an earlier neighbor get color 0."""
    (dag, left, wide), (possible, _, color) = tables, colors
    for v in range(p.size):
        begin = np.uint64(indptr[v])
        end = np.uint64(indptr[v + 1])
        k = ZERO
        for e in range(begin, end):
            u = indices[e]
            if p[u] > p[v]:
                dag[begin + k] = u
                k += ONE
        left[v] = k
        wide[v] = end - begin >= np.uint64(wide_from)
        possible[v] = (bit(k + ONE) - ONE) if k + ONE < WORD else ~ZERO
        color[v] = 0 if k == ZERO else -1


@njit(cache=True, nogil=True, forceinline=True)
def bit(k: Any) -> Any:
    """A word with bit k set."""
    return ONE << np.uint64(k)


@njit(cache=True, nogil=True, forceinline=True)
def highest(word: Any) -> Any:
    """The highest bit that is set in a word, as a word."""
    for s in (1, 2, 4, 8, 16, 32):
        word |= word >> np.uint64(s)
    return word & ~(word >> ONE)


@njit(cache=True, nogil=True, forceinline=True)
def interval(best: Any, worst: Any) -> Any:
    """Bits `best` … `worst` of a word, as far as it has them."""
    if best >= 64:
        return ZERO
    upto = ~ZERO if worst >= 63 else bit(worst + 1) - ONE
    return upto & ~(bit(best) - ONE)


@njit(cache=True, nogil=True, forceinline=True)
def visit(v: Any, tables: Any, before: Any, after: Any, sc1: Any, sc2: Any) -> Any:
    """One visit of vertex v without a color: WAITING, CONVENTIONAL or SHORTCUT."""
    indptr, dag, left, worst, wide, cut, _, _ = tables
    if wide[v]:
        return visit_wide(v, tables, before, after, sc1)
    (possible, best, color), (possible_out, _, color_out) = before, after
    mine = possible[v]
    union = ZERO
    begin = np.uint64(indptr[v])
    kept = ZERO
    for k in range(np.uint64(left[v])):
        u = np.uint64(dag[begin + k])
        c = color[u]
        if c >= 0:
            theirs = bit(c) if c < 64 else ZERO
        elif wide[u]:
            theirs = interval(best[u], worst[u])
        else:
            theirs = possible[u]
        if mine & theirs == ZERO and (sc2 or c >= 0):
            if sc2:  # Shortcut 2: one pending neighbor less, so one possible color less
                mine &= ~highest(mine)
                cut[v] |= c < 0
        elif c >= 0:
            mine &= ~theirs
        else:
            union |= theirs
            dag[begin + kept] = u
            kept += ONE
    left[v] = kept
    first = ctz64(mine)
    if kept == ZERO or (sc1 and (union >> first) & ONE == ZERO):
        color_out[v] = np.int32(first)
        return CONVENTIONAL if kept == ZERO and not cut[v] else SHORTCUT
    possible_out[v] = mine
    return WAITING


@njit(cache=True, nogil=True, forceinline=True)
def visit_wide(v: Any, tables: Any, before: Any, after: Any, sc1: Any) -> Any:
    """The same with an interval for others and a full bitmap for the vertex itself (Algorithm 2)."""
    indptr, dag, left, worst, wide, _, at, bitmaps = tables
    (possible, best, color), (_, best_out, color_out) = before, after
    mine = best[v]
    bitmap = at[v]
    shortcut = sc1
    begin = np.uint64(indptr[v])
    kept = ZERO
    for k in range(np.uint64(left[v])):
        u = np.uint64(dag[begin + k])
        c = color[u]
        if c >= 0:
            shortcut &= c != mine
            if c <= worst[v]:
                bitmaps[bitmap + (c >> 6)] &= ~bit(c & 63)
            continue
        if wide[u]:
            considers = best[u] <= mine <= worst[u]
        else:
            considers = mine < 64 and (possible[u] >> np.uint64(mine)) & ONE != ZERO
        shortcut &= not considers
        dag[begin + kept] = u
        kept += ONE
    left[v] = kept
    w = mine >> 6
    while bitmaps[bitmap + w] == ZERO:
        w += 1
    first = np.int32((w << 6) + np.int64(ctz64(bitmaps[bitmap + w])))
    if kept == ZERO or shortcut:
        color_out[v] = first
        return CONVENTIONAL if kept == ZERO else SHORTCUT
    best_out[v] = first
    return WAITING


@njit(cache=True, nogil=True)
def visit_all(todo: Any, tables: Any, colors: Any, sc1: Any, sc2: Any) -> None:
    """Visit the vertices of `todo` in turn until all have colors."""
    count = todo.size
    while count > 0:
        kept = 0
        for k in range(count):
            v = todo[k]
            if visit(v, tables, colors, colors, sc1, sc2) == WAITING:
                todo[kept] = v
                kept += 1
        count = kept


def color_by_visits(state: PossibleColors, sequence: np.ndarray, sc1: bool, sc2: bool) -> np.ndarray:
    """Colors, int32, shape (n,); in the order of the sequence each vertex needs one visit."""
    todo = sequence[state.colors.color[sequence] < 0]
    visit_all(todo, state.tables, state.colors, sc1, sc2)
    return state.colors.color
