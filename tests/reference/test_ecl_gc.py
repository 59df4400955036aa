"""ECL-GC compared with its oracle: all switches, and the steps of the paper."""

from __future__ import annotations

import numpy as np
import pytest
from corpus import CORPUS, first_fit, graph, random_graph
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.orders import Priorities

SWITCHES = ("both", "sc1", "sc2", "none")
NAMES = [name for name in CORPUS if len(CORPUS[name][1]) < 10_000]


@given(
    n=st.integers(1, 200),
    degree=st.floats(0, 100),
    seed=st.integers(0, 2**32 - 1),
    shortcuts=st.sampled_from(SWITCHES),
    trace=st.booleans(),
)
def test_any_priorities(n: int, degree: float, seed: int, shortcuts: str, trace: bool) -> None:
    """Priorities that have nothing to do with degrees: a word may wait for an interval, and the other way round."""
    G = random_graph(n, int(n * degree / 2), seed)
    keys = np.random.default_rng(seed).integers(0, 9, n)
    result = lagcolor.color(G, "ecl_gc", keys, shortcuts=shortcuts, trace=trace)
    assert result.colors.tolist() == first_fit(G, Priorities.of(G, keys, seed=0).sequence.tolist())


@pytest.mark.parametrize("shortcuts", SWITCHES)
def test_trace_accounts_for_every_vertex(shortcuts: str) -> None:
    for name in NAMES:
        G = graph(name)
        if G.n == 0:
            continue
        result = lagcolor.color(G, "ecl_gc", shortcuts=shortcuts, trace=True)
        notes = result.notes
        assert notes["initialization"] + notes["shortcut"] + notes["conventionally"] == G.n
        assert sum(row["by_shortcut"] for row in result.trace) == notes["shortcut"]
        assert notes["steps"] == result.rounds == len(result.trace) <= notes["steps_without_shortcuts"]
        if shortcuts == "none":
            assert notes["shortcut"] == 0
            assert notes["steps"] == notes["steps_without_shortcuts"]
        again = lagcolor.color(G, "ecl_gc", shortcuts=shortcuts, trace=True)
        assert again.notes == notes


@pytest.mark.parametrize("k", [2, 3])
def test_heuristic_1_keeps_the_colors_of_a_clique(k: int) -> None:
    """The matrix of Algorithm 4 as printed allows x = y, which makes improper colorings."""
    G = lagcolor.Graph.of(np.triu_indices(k, 1), n=k)
    assert lagcolor.reduce(G, np.arange(k), method="heuristics", verify=True).n_colors == k


def test_steps_of_the_papers_example() -> None:
    """A graph with the paper's Figures 3 and 6: five steps after initialization without shortcuts, three with."""
    a, b, c, d, e, f, g = range(7)
    edges = [(a, b), (a, d), (a, e), (a, f), (a, g), (b, c), (b, d), (b, e), (b, g), (c, d), (c, e), (c, f), (c, g),
             (d, e), (d, f), (e, f)]  # fmt: skip
    G = lagcolor.Graph.of(tuple(np.array(edges).T))
    order = -np.arange(7)
    plain = lagcolor.color(G, "ecl_gc", order, shortcuts="none", trace=True)
    quick = lagcolor.color(G, "ecl_gc", order, shortcuts="both", trace=True)
    assert plain.colors.tolist() == quick.colors.tolist() == [0, 1, 0, 2, 3, 1, 2]
    assert (plain.rounds - 1, quick.rounds - 1) == (5, 3)


@pytest.mark.parametrize(("shortcuts", "expected"), [
    ("both", (21, 98)), ("sc1", (22, 69)), ("sc2", (34, 92)), ("none", (39, 0)),
])  # fmt: skip
def test_steps_where_some_vertices_are_wide(shortcuts: str, expected: tuple[int, int]) -> None:
    """Steps, and vertices colored by a shortcut: as in the paper's algorithms in step, on sets."""
    G = random_graph(150, 2100, 0)
    result = lagcolor.color(G, "ecl_gc", "random", seed=0, shortcuts=shortcuts, trace=True)
    assert (result.rounds, result.notes["shortcut"]) == expected
    assert result.colors.tolist() == first_fit(G, Priorities.of(G, "random", seed=0).sequence.tolist())


@pytest.mark.parametrize("shortcuts", SWITCHES)
def test_a_wide_vertex_waits_for_one_that_may_have_to_take_its_last_color(shortcuts: str) -> None:
    """The earlier of two neighbors loses all its other colors late, long after the later one has read its best color.

    Cliques A and B of 40, then u adjacent to all of B and v to all of A; B comes late, because it hangs on a long path.
    """
    k, length = 40, 150
    a, path, b = np.arange(k), k + np.arange(length), k + length + np.arange(k)
    u, v = k + length + k, k + length + k + 1
    pairs = [(x, y) for clique in (a, b) for x in clique for y in clique if x < y]
    pairs += [(path[i], path[i + 1]) for i in range(length - 1)] + [(path[-1], b[0]), (u, v)]
    pairs += [(x, u) for x in b] + [(x, v) for x in a]
    G = lagcolor.Graph.of(tuple(np.array(pairs).T))
    order = -np.arange(G.n)
    expected = first_fit(G, range(G.n))
    assert (expected[u], expected[v]) == (k, k + 1)
    for trace in (True, False):
        result = lagcolor.color(G, "ecl_gc", order, shortcuts=shortcuts, trace=trace)
        assert result.colors.tolist() == expected
