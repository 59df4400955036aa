"""Balanced of a small graph on a CPU, in few compiled calls: called one by one, most steps take longer to begin than to
run.

The steps, their loops and the colors are the same as in qualities.py. The order is computed between the first two
calls, and many graphs do without it. Many also do without ejection and the last call, which take longest to compile.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device.compiled import njit
from ..engines.dsatur import color_all
from ..engines.greedy.sequential import TOO_MANY, first_fit_alone, unsigned
from ..engines.recolor.chordal import search as chordal
from ..engines.recolor.clique import largest_at_top
from ..engines.recolor.ejections import Rule
from ..engines.recolor.ejections_cpu import save_alone
from ..engines.recolor.two_colors import sides
from ..orders.ties import seed_word

STEPS = "natural", "bipartite", "clique", "first_fit", "ejection", "chordal", "dsatur"
NATURAL, BIPARTITE, CLIQUE, FIRST_FIT, EJECTION, CHORDAL, DSATUR = range(len(STEPS))
MOST, NONE = 10, -1  # steps; colors of a step without any


def balanced(search: Any) -> bool:
    """All steps of a `Search`, or those before no coloring has fewer colors; False where they take too many colors."""
    G, rows = search.G, np.empty((MOST, 2), np.int64)
    graph = unsigned(G)
    best, count = first_steps(graph, search.least, rows)
    if best[1] > best[2]:
        sequence = search.p.sequence.view(np.uint32)
        best, count = middle_steps(graph, sequence, best, rows)
        if best[1] > best[2]:
            best, count = with_ejection(search, graph, sequence, best, rows, count)
    if best[1] == TOO_MANY:
        return False
    search.keep_all([(STEPS[step], None if k == NONE else k) for step, k in rows[:count].tolist()], *best)
    return True


def with_ejection(search: Any, graph: Any, sequence: Any, best: Any, rows: Any, i: int) -> Any:
    """Ejection and the steps behind it, from those colors on, after i rows."""
    G, (colors, before, least) = search.G, best
    rule, salt = Rule.balanced(G.n, G.m).on(G), seed_word(search.seed)
    k = save_alone(*graph, colors, before, least, salt, rule.limits(before))
    rows[i], i = (EJECTION, k), i + 1
    if least < k < before:
        least = max(least, largest_at_top(*graph, colors, k))
        rows[i], i = (CLIQUE, NONE), i + 1
    if k == least:
        return (colors, k, least), i
    (colors, found, least), i = last_steps(graph, sequence, (colors, k, least), rows, i)
    if least < found < k:
        found = save_alone(*graph, colors, found, least, salt, rule.limits(found))
        rows[i], i = (EJECTION, found), i + 1
    return (colors, found, least), i


@njit(cache=True, nogil=True)
def first_steps(graph: tuple[Any, Any], least: Any, rows: Any) -> Any:
    """What needs no order: (colors, their number, the least number), and how many rows there are."""
    colors, k = first_fit_alone(*graph, np.arange(graph[0].size - 1).astype(np.uint32))
    note(rows, 0, NATURAL, k)
    if k <= least:
        return (colors, k, least), 1
    link = np.empty(colors.size, np.uint32)
    if sides(*graph, link):
        note(rows, 1, BIPARTITE, least)
        return (link.view(np.int32), least, least), 2
    note(rows, 1, BIPARTITE, NONE)
    if k <= 3:
        return (colors, k, np.int64(3)), 2
    note(rows, 2, CLIQUE, NONE)
    return (colors, k, max(np.int64(3), largest_at_top(*graph, colors, k))), 3


@njit(cache=True, nogil=True)
def middle_steps(graph: tuple[Any, Any], sequence: Any, best: Any, rows: Any) -> Any:
    """First-fit in an order, and a clique of its colors, after three rows."""
    colors, k, least = best
    other = first_fit_alone(*graph, sequence)
    i = note(rows, 3, FIRST_FIT, other[1])
    if other[1] == TOO_MANY:
        return (colors, other[1], least), i
    if other[1] <= k:
        colors = other[0]
    if least < other[1] < k:
        least = max(least, largest_at_top(*graph, colors, other[1]))
        i = note(rows, i, CLIQUE, NONE)
    return (colors, min(k, other[1]), least), i


@njit(cache=True, nogil=True)
def last_steps(graph: tuple[Any, Any], sequence: Any, best: Any, rows: Any, i: Any) -> Any:
    """Maximum cardinality search and DSATUR, from those colors on, after i rows."""
    colors, k, least = best
    order = np.empty(colors.size, np.uint32)
    if chordal(*graph, order):
        colors, k = first_fit_alone(*graph, order)
        return (colors, k, k), note(rows, i, CHORDAL, k)
    i = note(rows, i, CHORDAL, NONE)
    saturated, _, found = color_all(*graph, sequence, k - 1)
    i = note(rows, i, DSATUR, found if found < k else NONE)
    if found < k:
        colors, k = saturated, found
    return (colors, k, least), i


@njit(inline="always")
def note(rows: Any, i: Any, step: Any, colors: Any) -> Any:
    """Note a step; returns how many there are."""
    rows[i, 0], rows[i, 1] = step, colors
    return i + 1
