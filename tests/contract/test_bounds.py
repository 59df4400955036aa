"""No coloring has fewer colors than `lower_bound`: all are tried on small random inputs, for each problem and rule."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from corpus import random_graph
from two_hop_cases import random_pattern

import lagcolor
from lagcolor.problems import PROBLEMS

from . import calls
from .definitions import HOLDS
from .test_problems import size_of

QUALITIES = ("fast", "balanced", "best")
RULED = [problem for problem, row in PROBLEMS.items() if row.keeps_rules and problem != "distance3"]
RULES = {
    **calls.RULES,
    "allowed": lambda n: {"allowed": {v: range(v % 3, n + v % 3) for v in range(n)}},
    "max_colors": lambda n: {"max_colors": n},
}


def random_input(problem: str, seed: int, n: int) -> Any:
    """A graph, or a pattern, with up to n vertices, rows and columns in all, or edges."""
    r = np.random.default_rng(seed)
    if not PROBLEMS[problem].symmetric:
        return random_pattern(n // 2, n - n // 2, int(r.integers(n, 2 * n)), seed)
    m = n if problem == "edges" else int(r.integers(n, n * n // 2))
    return random_graph(n, m, seed)


def strings(n: int, k: int, least: int = 0) -> Iterator[list[int]]:
    """Colorings of n vertices with at most k colors, one of those that differ by the names of colors; −1 is `least`."""
    if n == 0:
        yield []
        return
    for head in strings(n - 1, k, least):
        for c in range(least, min(max(head, default=-1) + 2, k)):
            yield [*head, c]


def bicolorings(rows: int, columns: int, k: int) -> Iterator[list[int]]:
    for a in strings(rows, k, -1):
        used = max(a, default=-1) + 1
        for b in strings(columns, k - used, -1):
            yield [*a, *(c + used if c >= 0 else -1 for c in b)]


def conflicts(problem: str, x: Any) -> list[set[int]]:
    """Which of those that are colored must differ from each, by the definition: 0, 1 … are different colors."""
    n = size_of(problem, x)
    near: list[set[int]] = [set() for _ in range(n)]
    for u, v in itertools.combinations(range(n), 2):
        if not HOLDS[problem](x, [*range(v), u, *range(v + 1, n)]):
            near[u].add(v)
            near[v].add(u)
    return near


def colorable(near: list[set[int]], k: int, rules: dict[str, Any]) -> bool:
    """Whether some coloring that keeps the rules has at most k different colors."""
    fixed, forbidden, allowed = (rules.get(name, {}) for name in ("fixed", "forbidden", "allowed"))
    weights = rules.get("weights", [1] * len(near))
    named = [*fixed.values(), *itertools.chain(*forbidden.values(), *allowed.values())]
    alike = max(named, default=-1) + 1  # colors from here on are alike

    def fits(colors: list[int], c: int) -> bool:
        v = len(colors)
        return (
            c == fixed.get(v, c)
            and c not in forbidden.get(v, ())
            and c in allowed.get(v, (c,))
            and all(colors[u] != c for u in near[v] if u < v)
            and weights[v] + sum(weights[u] for u in range(v) if colors[u] == c) <= rules.get("capacity", np.inf)
            and len({*colors, c}) <= k
        )

    def go(colors: list[int]) -> bool:
        if len(colors) == len(near):
            return True
        top = max(alike, max(colors, default=-1) + 1) + 1
        return any(go([*colors, c]) for c in range(min(top, rules.get("max_colors", top))) if fits(colors, c))

    return go([])


def is_true(problem: str, x: Any, result: Any, rules: dict[str, Any]) -> bool:
    """Whether no coloring has fewer colors than the lower bound."""
    k = result.lower_bound - 1
    if problem in ("star", "acyclic"):
        return not any(HOLDS[problem](x, colors) for colors in strings(x.n, k))
    if problem.endswith("bicoloring"):
        return not any(HOLDS[problem](x, colors) for colors in bicolorings(x.rows, x.columns, k))
    return not colorable(conflicts(problem, x), k, rules)


@pytest.mark.parametrize("quality", QUALITIES)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_bounds_of_problems(problem: str, quality: str) -> None:
    most = 12 if PROBLEMS[problem].keeps_rules else 7
    for seed in range(40 if problem == "distance1" and quality == "balanced" else 8):
        x = random_input(problem, seed, most - seed % 3)
        limit = {"time_limit": 0.1} if quality == "best" else {}
        result = lagcolor.color(x, problem=problem, quality=quality, **limit)
        assert is_true(problem, x, result, {}), seed


@pytest.mark.parametrize("quality", QUALITIES)
@pytest.mark.parametrize("rule", RULES)
def test_bounds_with_rules(rule: str, quality: str) -> None:
    for problem, seed in itertools.product(RULED, range(3)):
        x = random_input(problem, seed, 6)
        rules = RULES[rule](size_of(problem, x))
        limit = {"time_limit": 0.05} if quality == "best" else {}
        result = lagcolor.color(x, problem=problem, quality=quality, **rules, **limit)
        assert is_true(problem, x, result, rules), (problem, seed)
