"""Names of NetworkX's strategies, and labels where orders and colors are given."""

from __future__ import annotations

import itertools
from typing import Any

import corpus
import networkx as nx
import numpy as np
import pytest

import lagcolor
from lagcolor.api.strategies import DSATUR, ORDERS_OF
from lagcolor.orders import Priorities

PEOPLE = nx.les_miserables_graph()
PATH = lagcolor.generate.from_spec("path:6")


@pytest.mark.parametrize("name", [*nx.coloring.greedy_coloring.STRATEGIES])
def test_names_of_strategies(name: str) -> None:
    by_algorithm, by_order = lagcolor.color(PEOPLE, name), lagcolor.color(PEOPLE, order=name)
    assert (by_algorithm.colors == by_order.colors).all()
    if name in DSATUR:
        assert by_algorithm.to_dict() == nx.greedy_color(PEOPLE, name)
        assert by_algorithm.algorithm == by_order.algorithm == "dsatur"
    else:
        assert (by_algorithm.colors == lagcolor.color(PEOPLE, order=ORDERS_OF[name]).colors).all()
        assert by_algorithm.algorithm == by_order.algorithm == "first_fit"
    assert by_algorithm.verified


def test_strategies_that_do_not_go_together() -> None:
    assert lagcolor.color(PATH, "dsatur", "random_sequential").order == "random"
    assert lagcolor.color(PATH, "DSATUR", "natural").order == "natural"
    assert lagcolor.color(PATH, "greedy", "connected_sequential").order == "connected_sequential_bfs"
    with pytest.raises(lagcolor.OptionError, match="'smallest_last' is an order"):
        lagcolor.color(PATH, "smallest_last", "natural")


@pytest.mark.parametrize("order", ["connected_sequential_bfs", "connected_sequential_dfs"])
@pytest.mark.parametrize("name", list(corpus.CORPUS))
def test_connected_orders_by_definition(order: str, name: str) -> None:
    """A queue or a stack of vertices, as in a textbook; components and neighbors in the order of ids."""
    G = corpus.graph(name)
    near = [G.indices[a:b].tolist() for a, b in itertools.pairwise(G.indptr.tolist())]
    expected: list[int] = []
    seen: set[int] = set()
    for root in range(G.n):
        if root in seen:
            continue
        if order.endswith("bfs"):
            seen.add(root)
            queue = [root]
            for v in queue:
                queue += [u for u in near[v] if u not in seen]
                seen.update(near[v])
            expected += queue
            continue
        stack = [root]
        while stack:
            v = stack.pop()
            if v not in seen:
                seen.add(v)
                expected.append(v)
                stack += [u for u in reversed(near[v]) if u not in seen]
    assert Priorities.of(G, order).sequence.tolist() == expected


@pytest.mark.parametrize("name", list(corpus.CORPUS))
def test_independent_sets_are_maximal(name: str) -> None:
    """First-fit gives each set a color: in the sequence colors never fall."""
    G = corpus.graph(name)
    for seed in (None, 3):
        p = Priorities.of(G, "independent_set", seed=seed)
        colors = lagcolor.color(G, "greedy", p).colors[p.sequence]
        assert (np.diff(colors) >= 0).all()


def test_orders_by_label() -> None:
    degree = dict(PEOPLE.degree)
    array = np.array([degree[name] for name in PEOPLE])
    expected = lagcolor.color(PEOPLE, order=array).colors
    for order in (degree, PEOPLE.degree, lambda name: degree[name], degree | {"nobody": 99}):
        assert (lagcolor.color(PEOPLE, order=order).colors == expected).all()
    for falling in ({v: v for v in range(6)}, lambda v: v):
        assert lagcolor.color(PATH, "greedy", falling).colors.tolist() == [1, 0, 1, 0, 1, 0]
    P = lagcolor.Pattern(np.array([0, 2, 4]), np.array([0, 1, 1, 2], np.int32), 3, column_labels=["a", "b", "c"])
    first_b = lagcolor.color(P, problem="columns", order={"a": 0, "b": 9, "c": 0})
    assert first_b.colors.tolist() == [1, 0, 1]


def test_orders_by_label_that_lack_one() -> None:
    with pytest.raises(lagcolor.OptionError, match=r"no priority for vertex 0 \('Napoleon'\)"):
        lagcolor.color(PEOPLE, order={"Myriel": 1})
    with pytest.raises(lagcolor.OptionError, match="no priority for vertex 4:"):
        lagcolor.color(PATH, order=dict.fromkeys((0, 1, 2, 3, 5), 1))
    with pytest.raises(lagcolor.OptionError, match="whole numbers or floats"):
        lagcolor.color(PATH, order=lambda v: None)


def test_colors_by_label() -> None:
    colors: dict[Any, int] = nx.greedy_color(PEOPLE)
    report = lagcolor.verify(PEOPLE, colors)
    assert report.ok and report.n_colors == max(colors.values()) + 1
    assert lagcolor.reduce(PEOPLE, colors).n_colors <= report.n_colors
    assert lagcolor.balance(PEOPLE, colors).n_colors == report.n_colors
    same = lagcolor.verify(PEOPLE, colors | {"Valjean": colors["Javert"]}, errors="return")
    assert same.conflicts and not same.ok
    del colors["Valjean"]
    assert lagcolor.verify(PEOPLE, colors, errors="return").n_uncolored == 1
