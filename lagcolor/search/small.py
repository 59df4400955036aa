"""Balanced of a small graph on a CPU, one compiled call for each step: tens of microseconds.

The steps, their loops and the colors are the same as in qualities.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engines.exact.chordal import search as chordal
from ..engines.exact.clique_cpu import largest_at_top
from ..engines.exact.dsatur import color_all
from ..engines.greedy.sequential import TOO_MANY, first_fit_alone
from ..engines.improve.ejections import Rule
from ..engines.improve.ejections_cpu import save_alone
from ..graph.pattern import unsigned
from ..graph.two_colors_cpu import sides
from ..orders.ties import seed_word

type Arrays = tuple[np.ndarray, np.ndarray]  # unsigned


def balanced(search: Any) -> bool:
    """All steps of a `Search`, or those before no coloring has fewer colors; False where they take too many colors."""
    tried: list[tuple[str, int | None]] = []
    best = first_steps(search, unsigned(search.G), tried)
    if best[1] == TOO_MANY:
        return False
    search.keep_all(tried, *best)
    return True


def first_steps(search: Any, graph: Arrays, tried: Any) -> Any:
    """What needs no order first: (colors, their number, the least number)."""
    least = search.least
    colors, k = first_fit_alone(*graph, np.arange(search.G.n, dtype=np.uint32))
    tried.append(("natural", k))
    if k <= least:
        return colors, k, least
    link = np.empty(len(colors), np.uint32)
    if sides(*graph, link):
        tried.append(("bipartite", least))
        return link.view(np.int32), least, least
    tried.append(("bipartite", None))
    if k <= 3:
        return colors, k, 3
    tried.append(("clique", None))
    least = max(3, largest_at_top(*graph, colors, k))
    if k == least:
        return colors, k, least
    return in_order(search, graph, (colors, k, least), tried)


def in_order(search: Any, graph: Arrays, best: Any, tried: Any) -> Any:
    """First-fit in an order, and ejection, from those colors on."""
    (colors, k, least), sequence = best, search.p.sequence.view(np.uint32)
    other, found = first_fit_alone(*graph, sequence)
    tried.append(("first_fit", found))
    if found == TOO_MANY:
        return colors, found, least
    if found <= k:
        colors = other
    if least < found < k:
        least = max(least, largest_at_top(*graph, colors, found))
        tried.append(("clique", None))
    before = k = min(k, found)
    if k > least:
        k = ejected(search, graph, (colors, k, least), tried)
    if least < k < before:
        least = max(least, largest_at_top(*graph, colors, k))
        tried.append(("clique", None))
    if k > least:
        return last_steps(search, graph, (colors, k, least), tried)
    return colors, k, least


def last_steps(search: Any, graph: Arrays, best: Any, tried: Any) -> Any:
    """Maximum cardinality search and DSATUR, from those colors on."""
    (colors, k, least), sequence = best, search.p.sequence.view(np.uint32)
    order = np.empty(len(colors), np.uint32)
    if chordal(*graph, order):
        colors, k = first_fit_alone(*graph, order)
        tried.append(("chordal", k))
        return colors, k, k
    tried.append(("chordal", None))
    saturated, _, found = color_all(*graph, sequence, k - 1)
    tried.append(("dsatur", found if found < k else None))
    if found < k:
        colors, k = saturated, found
        if k > least:
            k = ejected(search, graph, (colors, k, least), tried)
    return colors, k, least


def ejected(search: Any, graph: Arrays, best: Any, tried: Any) -> int:
    """Ejection in place; returns how many colors are left."""
    G, (colors, k, least) = search.G, best
    rule, salt = Rule.balanced(G.n, G.m).on(G), seed_word(search.seed)
    k = save_alone(*graph, colors, k, least, salt, rule.limits(k))
    tried.append(("ejection", k))
    return int(k)
