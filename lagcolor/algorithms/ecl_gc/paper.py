"""Algorithms 1 to 3 of the paper on one core: every vertex stores its possible colors, and a visit tries the shortcuts.

`visit` runs in two ways. Usually visits follow each other and share one state. For a trace, all visits of a step read
the state before the step and write the state after it.

A trace describes a machine of unbounded width, and a step is defined as in Section 7.1 of the paper. Initialization
colors the vertices without earlier neighbors. It is no step in Figure 6, but the first step in Table 4. Without
shortcuts the steps in Table 4 are as many as vertices on the longest path of the oriented graph. In a trace, as in the
paper's code, vertices with 32 or more neighbors have an interval of possible colors, others a bitmap.

==========  ==========================================================================================
dag         pending earlier neighbors: one row per vertex, at the offsets of the graph
left        number of pending earlier neighbors; `worst`: its initial value, the largest possible color
possible    vertices with fewer than `wide_from` neighbors: a word, bit c set while color c is possible
best        other vertices: the least possible color (in addition to a full bitmap)
color       −1 while uncolored
==========  ==========================================================================================

Progress: the earliest uncolored vertex finds all its earlier neighbors colored at its next visit.

References
----------
Alabandi, Burtscher 2022, "Improving the speed and quality of parallel graph coloring", ACM Trans. Parallel
Computing 9(3), Algorithms 1, 2, 3.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base.device.compiled import inner, njit
from ...base.device.intrinsics import ctz64
from ...base.log import Log
from ...engines.rounds.worklists import levels
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...orders import Priorities

ONE, ZERO = np.uint64(1), np.uint64(0)
WORD = np.uint64(64)
WIDE, WIDE_IN_STEP = 64, 32  # number of neighbors from which a word is too small for the possible colors
WAITING, CONVENTIONAL, SHORTCUT = 0, 1, 2  # results of `visit`


class VisitTables(NamedTuple):
    """Arrays of the vertices and their earlier neighbors that visits read and write."""

    indptr: np.ndarray
    dag: np.ndarray
    left: np.ndarray
    worst: np.ndarray
    wide: np.ndarray
    cut: np.ndarray
    at: np.ndarray
    bitmaps: np.ndarray


class Colors(NamedTuple):
    """Possible and final colors of all vertices: the state before or after a step."""

    possible: np.ndarray
    best: np.ndarray
    color: np.ndarray


class PossibleColors:
    """Possible colors of all vertices (Algorithm 1): a word, or an interval for degrees of `wide_from` and over."""

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
    """Algorithm 1: orient the graph; vertices without an earlier neighbor get color 0."""
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


@inner(forceinline=True)
def bit(k: Any) -> Any:
    """Word with bit k set."""
    return ONE << np.uint64(k)


@inner(forceinline=True)
def highest(word: Any) -> Any:
    """Highest set bit of a word, as a word."""
    for s in (1, 2, 4, 8, 16, 32):
        word |= word >> np.uint64(s)
    return word & ~(word >> ONE)


@inner(forceinline=True)
def interval(best: Any, worst: Any) -> Any:
    """Word with bits `best` … `worst` set, up to bit 63."""
    if best >= 64:
        return ZERO
    upto = ~ZERO if worst >= 63 else bit(worst + 1) - ONE
    return upto & ~(bit(best) - ONE)


@inner(forceinline=True)
def visit(v: Any, tables: Any, before: Any, after: Any, sc1: Any, sc2: Any) -> Any:
    """Visit the uncolored vertex v; return WAITING, CONVENTIONAL or SHORTCUT."""
    indptr, dag, left, worst, wide, cut, _, _ = tables
    if wide[v]:
        return visit_wide(v, tables, before, after, sc1)
    (possible, best, color), (possible_out, _, color_out) = before, after
    mine = possible[v]
    union = ZERO
    begin = np.uint64(indptr[v])
    pending = ZERO
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
            if sc2:  # Shortcut 2: one pending neighbor less, and the largest possible color is not needed
                mine &= ~highest(mine)
                cut[v] |= c < 0
        elif c >= 0:
            mine &= ~theirs
        else:
            union |= theirs
            dag[begin + pending] = u
            pending += ONE
    left[v] = pending
    first = ctz64(mine)
    if pending == ZERO or (sc1 and (union >> first) & ONE == ZERO):
        color_out[v] = np.int32(first)
        return CONVENTIONAL if pending == ZERO and not cut[v] else SHORTCUT
    possible_out[v] = mine
    return WAITING


@inner(forceinline=True)
def visit_wide(v: Any, tables: Any, before: Any, after: Any, sc1: Any) -> Any:
    """Visit an uncolored vertex of many neighbors: a bitmap of its own colors, intervals of others (Algorithm 2)."""
    indptr, dag, left, worst, wide, _, at, bitmaps = tables
    (possible, best, color), (_, best_out, color_out) = before, after
    mine = best[v]
    bitmap = at[v]
    shortcut = sc1
    begin = np.uint64(indptr[v])
    pending = ZERO
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
        dag[begin + pending] = u
        pending += ONE
    left[v] = pending
    w = mine >> 6
    while bitmaps[bitmap + w] == ZERO:
        w += 1
    first = np.int32((w << 6) + np.int64(ctz64(bitmaps[bitmap + w])))
    if pending == ZERO or shortcut:
        color_out[v] = first
        return CONVENTIONAL if pending == ZERO else SHORTCUT
    best_out[v] = first
    return WAITING


@njit(cache=True, nogil=True)
def visit_all(todo: Any, tables: Any, colors: Any, sc1: Any, sc2: Any) -> None:
    """Visit the vertices of `todo` in turn until all have colors."""
    count = todo.size
    while count > 0:
        pending = 0
        for k in range(count):
            v = todo[k]
            if visit(v, tables, colors, colors, sc1, sc2) == WAITING:
                todo[pending] = v
                pending += 1
        count = pending


def run_cpu(G: Graph, p: Priorities, sc1: bool, sc2: bool, log: Log) -> np.ndarray:
    """Color on one core as sequential first-fit in the order `p`."""
    if G.n == 0:
        return np.empty(0, np.int32)
    state = PossibleColors(*unsigned(G), p.p, WIDE_IN_STEP if log.trace else WIDE)
    sequence = p.sequence.view(np.uint32)
    if log.trace:
        level = np.empty(G.n, np.int32)
        levels(*unsigned(G), sequence, p.p, level)
        return color_in_step(state, int(level.max()) + 1, sequence, sc1, sc2, log)
    todo = sequence[state.colors.color[sequence] < 0]  # in this order one visit colors each vertex
    visit_all(todo, state.tables, state.colors, sc1, sc2)
    return state.colors.color


def color_in_step(
    state: PossibleColors, depth: int, sequence: np.ndarray, sc1: bool, sc2: bool, log: Log
) -> np.ndarray:
    """Color in steps; log the number of vertices colored by shortcut in each step (Figure 12)."""
    n = len(sequence)
    before = state.colors
    todo = sequence[before.color[sequence] != 0]
    total = [n - len(todo), 0, 0]
    log.round(active=n, colored=total[0], by_shortcut=0, conflicts=0)
    after = Colors(*(a.copy() for a in before))
    how = np.empty(len(todo), np.uint8)
    while len(todo):
        step(todo, how, state.tables, before, after, sc1, sc2)
        for now, new in zip(before, after, strict=True):
            now[todo] = new[todo]
        shortcut, conventional = (int(np.count_nonzero(how == kind)) for kind in (SHORTCUT, CONVENTIONAL))
        log.round(active=len(todo), colored=shortcut + conventional, by_shortcut=shortcut, conflicts=0)
        total[1] += shortcut
        total[2] += conventional
        todo = todo[how == WAITING]
        how = how[: len(todo)]
    log.notes |= {"steps": log.rounds, "steps_without_shortcuts": depth}
    log.notes |= dict(zip(("initialization", "shortcut", "conventionally"), total, strict=True))
    return before.color


@njit(cache=True)
def step(todo: Any, how: Any, tables: Any, before: Any, after: Any, sc1: Any, sc2: Any) -> None:
    """Visit all of `todo`; later steps read the results."""
    for k in range(todo.size):
        how[k] = visit(todo[k], tables, before, after, sc1, sc2)
