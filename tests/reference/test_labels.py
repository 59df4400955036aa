"""Names of NetworkX's strategies, and labels where orders and colors are given."""

from __future__ import annotations

from typing import Any

import corpus
import networkx as nx
import numpy as np
import pytest

import lagcolor
from lagcolor.api.strategies import DSATUR, ORDERS_OF
from lagcolor.orders import Priorities

PEOPLE = nx.les_miserables_graph()
PATH = nx.path_graph(6)


def test_names_of_strategies() -> None:
    for name in nx.coloring.greedy_coloring.STRATEGIES:
        by_algorithm, by_order = lagcolor.color(PEOPLE, name), lagcolor.color(PEOPLE, order=name)
        assert (by_algorithm.colors == by_order.colors).all()
        if name in DSATUR:
            assert by_algorithm.to_dict() == nx.greedy_color(PEOPLE, name)
            assert by_algorithm.algorithm == by_order.algorithm == "dsatur"
        else:
            assert (by_algorithm.colors == lagcolor.color(PEOPLE, order=ORDERS_OF[name]).colors).all()
            assert by_algorithm.algorithm == by_order.algorithm == "first_fit"
    assert lagcolor.color(PATH, "DSATUR", "random_sequential").order == "random"
    assert lagcolor.color(PATH, "greedy", "connected_sequential").order == "connected_sequential_bfs"
    with pytest.raises(lagcolor.OptionError, match="'smallest_last' is an order"):
        lagcolor.color(PATH, "smallest_last", "natural")


@pytest.mark.parametrize("name", [name for name in corpus.CORPUS if name != "clique 1100"])
def test_connected_orders_equal_networkx(name: str) -> None:
    """Component by component, and neighbors in the order of ids."""
    G = corpus.graph(name)
    H = nx.Graph()
    H.add_nodes_from(range(G.n))
    H.add_edges_from((v, u) for v, near in enumerate(corpus.neighbors(G)) for u in near)
    roots = [min(part) for part in nx.connected_components(H)]
    for order, visit in (("bfs", nx.bfs_tree), ("dfs", nx.dfs_preorder_nodes)):
        found = Priorities.of(G, f"connected_sequential_{order}").sequence.tolist()
        assert found == [v for root in sorted(roots) for v in visit(H, root)]


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
    with pytest.raises(lagcolor.ColoringError, match=r"must be a whole number .*, not 0.5"):
        lagcolor.verify(PEOPLE, colors | {"Valjean": 0.5})
    del colors["Valjean"]
    assert lagcolor.verify(PEOPLE, colors, errors="return").n_uncolored == 1
