"""RLF: equal to its definition in plain Python, exact on bipartite graphs, mostly fewer colors than DSATUR."""

from __future__ import annotations

from typing import Any

import corpus
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.algorithms import rlf
from lagcolor.algorithms.rlf import bits, lists
from lagcolor.orders import ORDERS, Priorities

WAYS = (0, 10**9)  # for `DENSE`: rows of all graphs, bits of all
BIPARTITE = ["path", "even cycle", "star", "star, hub last", "complete bipartite", "crown", "grid", "one edge"]


def by_definition(G: lagcolor.Graph, sequence: list[int]) -> list[int]:
    """As Leighton has it, by sets; the remaining ties go by position in `sequence`."""
    bounds, columns = G.indptr.tolist(), G.indices.tolist()
    near = [set(columns[bounds[v] : bounds[v + 1]]) for v in range(G.n)]
    colors, color = [-1] * G.n, 0
    left = list(sequence)
    while left:
        u1, u2 = list(left), set[int]()
        v = max(u1, key=lambda v: len(near[v] & set(left)))  # max() keeps the first of equals
        while True:
            colors[v] = color
            left.remove(v)
            u2 |= near[v] & set(u1)
            u1 = [u for u in u1 if u != v and u not in near[v]]
            if not u1:
                break
            inside = set(u1)
            v = max(u1, key=lambda u: (len(near[u] & u2), -len(near[u] & inside)))
        color += 1
    return colors


@given(
    st.builds(corpus.random_graph, st.integers(0, 50), st.integers(0, 400), st.integers(0, 10**6)),
    st.sampled_from(sorted(ORDERS)),
    st.sampled_from([None, 0, 5]),
)
def test_equals_its_definition(G: lagcolor.Graph, order: str, seed: int | None) -> None:
    expected = by_definition(G, Priorities.of(G, order, seed=seed).sequence.tolist())
    for dense in WAYS:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rlf, "DENSE", dense)
            assert lagcolor.color(G, "rlf", order=order, seed=seed).colors.tolist() == expected


@pytest.mark.parametrize("dense", WAYS, ids=["lists", "bits"])
@pytest.mark.parametrize("name", [name for name in corpus.CORPUS if corpus.graph(name).n <= 300])
def test_corpus_equals_its_definition(name: str, dense: int, monkeypatch: pytest.MonkeyPatch) -> None:
    G = corpus.graph(name)
    monkeypatch.setattr(rlf, "DENSE", dense)
    result = lagcolor.color(G, "rlf", verify=True)
    assert result.order == "natural" and result.colors.dtype == np.int32
    assert result.colors.tolist() == by_definition(G, list(range(G.n)))


@pytest.mark.parametrize("name", BIPARTITE)
def test_bipartite_graphs_get_two_colors(name: str) -> None:
    for order in ORDERS:
        assert lagcolor.color(corpus.graph(name), "rlf", order=order, verify=True).n_colors == 2


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 200), st.integers(0, 10**6))
def test_random_bipartite_graphs_get_two_colors(a: int, b: int, m: int, seed: int) -> None:
    r = np.random.default_rng(seed)
    relabel = r.permutation(a + b)
    G = lagcolor.Graph.of((relabel[r.integers(0, a, m)], relabel[a + r.integers(0, b, m)]), n=a + b)
    assert lagcolor.color(G, "rlf", verify=True).n_colors == (2 if m else 1)


@pytest.mark.parametrize(("spec", "module"), [("rmat:9", lists), ("erdos_renyi:300,0.5,seed=1", bits)])
def test_slices_change_nothing(spec: str, module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slice for each vertex: classes go on where they were, and the heap is one each time."""
    G = lagcolor.generate.from_spec(spec)
    whole = lagcolor.color(G, "rlf", verify=True).colors.tolist()
    calls, grow = [], module.grow.py_func

    def step(indptr: Any, indices: Any, work: lists.RLFState, *more: Any) -> Any:
        done, keys = grow(indptr, indices, work, *more), work.keys[: work.state[lists.HEAP]]
        calls.append(len(keys))
        assert module is bits or (keys[(np.arange(1, len(keys)) - 1) // 2] > keys[1:]).all()
        return done

    monkeypatch.setattr(module, "SLICE", 1)
    monkeypatch.setattr(module, "grow", step)
    assert lagcolor.color(G, "rlf").colors.tolist() == whole
    assert len(calls) > G.n // 2 and max(calls) > G.n // 8


def test_both_ways_give_the_same() -> None:
    graphs = [lagcolor.generate.from_spec(spec) for spec in ("erdos_renyi:700,0.3,seed=1", "kron_g500:10", "grid2d:40")]
    for G in (*graphs, corpus.graph("clique 1100"), corpus.graph("rmat")):
        found = []
        for dense in WAYS:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(rlf, "DENSE", dense)
                found.append(lagcolor.color(G, "rlf", verify=True).colors.tolist())
        assert found[0] == found[1]


def test_a_hub_and_wide_offsets() -> None:
    n = 70_000
    i = np.arange(1, n)
    u, v = np.concatenate([np.zeros(n - 1, int), i]), np.concatenate([i, 1 + i % (n - 1)])
    G = lagcolor.Graph.of((u, v), n=n)  # a wheel, of 69,999 vertices around the hub
    assert lagcolor.color(G, "rlf", verify=True).n_colors == 4
    wide = lagcolor.Graph(G.indptr.astype(np.int64), G.indices)
    assert np.array_equal(lagcolor.color(wide, "rlf").colors, lagcolor.color(G, "rlf").colors)


@pytest.mark.parametrize(("n", "most"), [(250, 36), (500, 61)])
def test_dense_random_graphs_take_fewer_colors_than_dsatur(n: int, most: int) -> None:
    """Half of all edges, as DSJC; Lewis (2016) has RLF well below DSATUR there."""
    i, j = np.triu_indices(n, 1)
    for seed in range(3):
        kept = np.random.default_rng(seed).random(len(i)) < 0.5
        G = lagcolor.Graph.of((i[kept], j[kept]), n=n)
        k = lagcolor.color(G, "rlf", verify=True).n_colors
        assert k <= most and k < lagcolor.color(G, "dsatur").n_colors


def test_what_it_keeps_no_rules_of() -> None:
    with pytest.raises(lagcolor.OptionError, match="rlf keeps no fixed; algorithms that do: dsatur, exact, first_fit"):
        lagcolor.color(corpus.graph("path"), "rlf", fixed={0: 1})
