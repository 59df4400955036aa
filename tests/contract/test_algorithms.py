"""Every algorithm of the registry colors every graph of the corpus properly; first-fit rows as first-fit does."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
from corpus import CORPUS, graph

import lagcolor

HUBS = ("star", "star, hub last", "clique 1100")  # a round of verbs for each neighbor of the hub
GRAPHS = [name for name in CORPUS if name not in HUBS]
ON_CPU = [name for name, row in lagcolor.ALGORITHMS.items() if "cpu" in row.engines]
ORACLES = [name for name in ON_CPU if lagcolor.ALGORITHMS[name].oracle == "first_fit"]
FEWER = {"exact": {"nodes": 500}, "head": {"steps": 5000}}  # than by default; the others prove or find as much
FAST = ("first_fit", "greedy", "dsatur", "jones_plassmann", "ecl_gc", "speculative_vb")


def faults(G: lagcolor.Graph, colors: np.ndarray) -> list[str]:
    """Return the faults of a coloring, by plain code that shares nothing with the library."""
    ends = [(u, v) for u, (a, b) in enumerate(itertools.pairwise(G.indptr.tolist())) for v in G.indices[a:b].tolist()]
    c = colors.tolist()
    uncolored = [f"{v} has color {x}" for v, x in enumerate(c) if x < 0]
    return uncolored + [f"{u} and {v} have color {c[u]}" for u, v in ends if c[u] == c[v]]


@functools.cache
def first_fit(name: str, order: str, seed: int | None) -> list[int]:
    """Each vertex in turn takes the least color that no neighbor has."""
    G = graph(name)
    indptr, indices = G.indptr.tolist(), G.indices.tolist()
    colors = [-1] * G.n
    for v in lagcolor.Priorities.of(G, order, seed=seed).sequence.tolist():
        taken = {colors[w] for w in indices[indptr[v] : indptr[v + 1]]}
        colors[v] = next(c for c in itertools.count() if c not in taken)
    return colors


@pytest.mark.parametrize("algorithm", ON_CPU)
def test_every_graph(algorithm: str) -> None:
    row, how = lagcolor.ALGORITHMS[algorithm], FEWER.get(algorithm, {})
    for name in [*GRAPHS, *(HUBS if algorithm in FAST else ())]:
        G = graph(name)
        result = lagcolor.color(G, algorithm, verify=False, **how)
        colors = result.to_numpy()
        assert colors.dtype == np.int32 and colors.shape == (G.n,), name
        assert faults(G, colors) == [], name
        assert result.n_colors == max(colors, default=-1) + 1 >= result.lower_bound, name
        assert len(set(colors.tolist())) == result.n_colors, name
        if row.bound.startswith("Δ+1"):
            assert result.n_colors <= G.max_degree + 1, name
        if row.deterministic:
            assert np.array_equal(lagcolor.color(G, algorithm, verify=False, **how).to_numpy(), colors), name


@pytest.mark.parametrize("algorithm", ORACLES)
@pytest.mark.parametrize(("order", "seed"), [("natural", None), ("random", 7), ("largest_first", None)])
def test_first_fit_is_that_of_one_loop(algorithm: str, order: str, seed: int | None) -> None:
    for name in GRAPHS:
        colors = lagcolor.color(graph(name), algorithm, order, seed=seed, verify=False).to_numpy()
        assert colors.tolist() == first_fit(name, order, seed), name


@functools.cache
def hub() -> lagcolor.Graph:
    """R-MAT, and a vertex with more neighbors than 16 bits count."""
    _, u, v = CORPUS["rmat"]
    leaves = np.arange(1, 66_000)
    return lagcolor.Graph.of((np.concatenate([u, np.zeros(len(leaves), int)]), np.concatenate([v, leaves])))


@pytest.mark.parametrize("algorithm", FAST)
def test_a_hub_of_more_than_65535_neighbors(algorithm: str) -> None:
    G = hub()
    colors = lagcolor.color(G, algorithm, verify=False).to_numpy()
    rows = np.repeat(np.arange(G.n), np.diff(G.indptr))
    assert G.max_degree > 65_535
    assert colors.min() == 0 and not np.any(colors[rows] == colors[G.indices])


@pytest.mark.parametrize("problem", ["distance2", "edges"])
def test_more_than_65535_colors(problem: str) -> None:
    """All ends of a star at distance 2, and all its edges, differ."""
    colors = lagcolor.color(lagcolor.generate.star(66_000), problem=problem).to_numpy()
    assert len(np.unique(colors)) == len(colors) >= 65_999 and colors.min() == 0
