"""The colorings of Gunrock against specifications in plain Python, on every engine and with every load balance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from corpus import graph, neighbors, random_graph
from emulated import ENGINES
from frontier_cases import EVERY_BALANCE, classes, numpy, on_engine, operators
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.algorithms.osama_gunrock.gunrock_ar import color_by_reduction
from lagcolor.algorithms.osama_gunrock.gunrock_hash import color_by_hash
from lagcolor.algorithms.osama_gunrock.gunrock_is import color_sets
from lagcolor.base.log import Log
from lagcolor.orders import Priorities

pytestmark = pytest.mark.inner

NAMES = ("gunrock_is", "gunrock_hash", "gunrock_ar")
# To emulate a block's 256 threads takes long: graphs of a few rounds only.
QUICK = ("empty", "no edges", "path", "star", "crown", "clique 5", "disconnected")


def sets_in_python(G: lagcolor.Graph, p: list[int], min_max: bool) -> list[int]:
    """Algorithm 5: maxima take 2k + 1, minima 2k + 2, what is both the latter; unused colors squeezed out."""
    near, colors, left, k = neighbors(G), [-1] * G.n, set(range(G.n)), 0
    while left:
        adjacent = {v: [p[u] for u in near[v] if u in left] for v in left}
        least = {v for v in left if all(q > p[v] for q in adjacent[v])} if min_max else set()
        largest = {v for v in left - least if all(q < p[v] for q in adjacent[v])}
        for found in (largest, least):
            for v in found:
                colors[v] = k
            k += bool(found)
        left -= largest | least
    return colors


def hash_in_python(G: lagcolor.Graph, p: list[int], size: int) -> list[int]:
    """Algorithm 6: proposals, a used color outside of the table else a new one, conflicts, tables that fill up."""
    near, left, k = neighbors(G), set(range(G.n)), 0
    tables: list[list[int]] = [[] for _ in range(G.n)]
    final: dict[int, int] = {}
    beaten_by_older: set[int] = set()
    while left:
        used, trial = sorted(set(final.values())), {}
        for v in left:
            closed = [u for u in [v, *near[v]] if u in left]
            for new, x in enumerate(f(closed, key=p.__getitem__) for f in (max, min)):
                free = [c for c in used if c not in tables[x] and x not in beaten_by_older]
                trial[x] = min([trial.get(x, 2 * G.n), (free or [2 * k + new])[0]])
        older = {v for v, c in trial.items() if any(final.get(u) == c for u in near[v])}
        losers = {v for v, c in trial.items() if any(trial.get(u) == c and p[u] > p[v] for u in near[v])}
        won = {v: c for v, c in trial.items() if v not in older | losers}
        beaten_by_older |= older
        final |= won
        left -= set(won)
        for v in left:
            for c in [won[u] for u in near[v] if u in won]:
                if c not in tables[v] and len(tables[v]) < size:
                    tables[v].append(c)
        k += 1
        assert k <= 2 * G.n
    number = {c: i for i, c in enumerate(sorted(set(final.values())))}
    return [number[final[v]] for v in range(G.n)]


def frontiers_in_python(G: lagcolor.Graph, p: list[int]) -> list[int]:
    """Algorithm 2, whose frontier takes the color of Algorithm 4."""
    near, colors = neighbors(G), [-1] * G.n
    while -1 in colors:
        left = {v for v in range(G.n) if colors[v] < 0}
        frontier = [v for v in left if all(p[u] < p[v] for u in near[v] if u in left)]
        taken = {colors[u] for v in frontier for u in near[v]}
        color = next(c for c in range(G.n) if c not in taken)
        for v in frontier:
            colors[v] = color
    return colors


@given(n=st.integers(0, 40), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
def test_jones_plassmann_gb_is_as_written(n: int, density: float, seed: int) -> None:
    G = random_graph(n, int(density * n * n / 3), seed)
    P = Priorities.of(G, "random", seed=seed)
    assert lagcolor.color(G, "jones_plassmann_gb", P).colors.tolist() == frontiers_in_python(G, P.p.tolist())


# What runs each coloring in an engine's operators, and its specification.
RUN: dict[str, tuple[Callable[..., Any], Callable[..., list[int]]]] = {
    "max": (lambda ops, p, _: color_sets(ops, p, Log(), False, False), lambda G, p: sets_in_python(G, p, False)),
    "min-max": (lambda ops, p, _: color_sets(ops, p, Log(), True, False), lambda G, p: sets_in_python(G, p, True)),
    "atomics": (lambda ops, p, _: color_sets(ops, p, Log(), True, True), lambda G, p: sets_in_python(G, p, True)),
    "hash": (lambda ops, p, _: color_by_hash(ops, p, Log(), 32), lambda G, p: hash_in_python(G, p, 32)),
    "hash of 1": (lambda ops, p, _: color_by_hash(ops, p, Log(), 1), lambda G, p: hash_in_python(G, p, 1)),
    "hash of 3": (lambda ops, p, _: color_by_hash(ops, p, Log(), 3), lambda G, p: hash_in_python(G, p, 3)),
    "advance-reduce": (
        lambda ops, p, balance: color_by_reduction(ops, p, Log(), balance), lambda G, p: sets_in_python(G, p, False)
    ),
}  # fmt: skip


def compare(which: str, engine: str, balance: str, G: lagcolor.Graph, seed: int) -> None:
    p, ops, (run, specified) = Priorities.of(G, "random", seed=seed).p, operators(engine, G), RUN[which]
    colors = numpy(run(ops, on_engine(ops, p), balance))
    assert colors.dtype == np.int32
    assert colors.tolist() == specified(G, p.tolist())


@pytest.mark.parametrize("which", sorted(RUN.keys() - {"advance-reduce"}))
@pytest.mark.parametrize("engine", ENGINES)
def test_colors_are_as_specified(engine: str, which: str) -> None:
    for name in QUICK:
        compare(which, engine, "auto", graph(name), 3)


@pytest.mark.parametrize(("engine", "balance"), EVERY_BALANCE)
def test_colors_with_every_balance(engine: str, balance: str) -> None:
    for name in QUICK:
        if balance == "block" and engine == "emulated" and name in ("star", "crown"):
            continue
        compare("advance-reduce", engine, balance, graph(name), 3)


@pytest.mark.parametrize("which", ["min-max", "hash of 3", "advance-reduce"])
@pytest.mark.parametrize("engine", ENGINES)
def test_all_degree_classes(engine: str, which: str) -> None:
    compare(which, engine, "auto", classes(), 1)


@pytest.mark.parametrize("which", RUN)
@given(n=st.integers(0, 40), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
def test_random_graphs_are_as_specified(which: str, n: int, density: float, seed: int) -> None:
    compare(which, "cpu", "auto", random_graph(n, int(density * n * n / 3), seed), seed)


def test_gaps_are_closed() -> None:
    """Two vertices without neighbors, and a path of three whose middle is the maximum: two colors, no third."""
    G = lagcolor.Graph.of((np.array([1, 1]), np.array([0, 2])), n=5)
    result = lagcolor.color(G, "gunrock_is", order=[1, 9, 2, 4, 5])
    assert result.colors.tolist() == [1, 0, 1, 1, 1]
    path = lagcolor.Graph.of((np.arange(3), np.arange(1, 4)), n=4)
    assert lagcolor.color(path, "gunrock_is", order=[0, 1, 2, 3]).n_colors == 4
    assert lagcolor.color(graph("no edges"), "gunrock_is").n_colors == 1
