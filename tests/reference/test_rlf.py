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
from lagcolor.orders import ORDERS, Priorities

WAYS = (0, 10**9)  # for `DENSE`: rows of all graphs, bits of all


def by_definition(G: lagcolor.Graph, sequence: list[int]) -> list[int]:
    """RLF by sets, as Leighton defines it; remaining ties go by position in `sequence`."""
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


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 200), st.integers(0, 10**6))
def test_random_bipartite_graphs_get_two_colors(a: int, b: int, m: int, seed: int) -> None:
    r = np.random.default_rng(seed)
    relabel = r.permutation(a + b)
    G = lagcolor.Graph.of((relabel[r.integers(0, a, m)], relabel[a + r.integers(0, b, m)]), n=a + b)
    assert lagcolor.color(G, "rlf", verify=True).n_colors == (2 if m else 1)


def test_slices_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slice for each vertex: classes go on where they were, and the heap is one each time."""
    G, grow = lagcolor.generate.from_spec("rmat:9"), rlf.grow_by_rows.py_func
    whole = lagcolor.color(G, "rlf", verify=True).colors.tolist()

    def step(indptr: Any, indices: Any, work: rlf.RLFState) -> Any:
        done, keys = grow(indptr, indices, work), work.keys[: work.state[rlf.HEAP]]
        assert (keys[(np.arange(1, len(keys)) - 1) // 2] > keys[1:]).all()
        return done

    monkeypatch.setattr(rlf, "SLICE", 1)
    monkeypatch.setattr(rlf, "grow_by_rows", step)
    assert lagcolor.color(G, "rlf").colors.tolist() == whole


def test_a_hub_and_wide_offsets() -> None:
    n = 70_000
    i = np.arange(1, n)
    u, v = np.concatenate([np.zeros(n - 1, int), i]), np.concatenate([i, 1 + i % (n - 1)])
    G = lagcolor.Graph.of((u, v), n=n)  # a wheel, of 69,999 vertices around the hub
    assert lagcolor.color(G, "rlf", verify=True).n_colors == 4
    wide = lagcolor.Graph(G.indptr.astype(np.int64), G.indices)
    assert np.array_equal(lagcolor.color(wide, "rlf").colors, lagcolor.color(G, "rlf").colors)


def test_dense_random_graphs_take_fewer_colors_than_dsatur() -> None:
    """Half of all edges, as DSJC; Lewis (2016) has RLF well below DSATUR there."""
    G = lagcolor.generate.from_spec("erdos_renyi:250,0.5,seed=1")
    k = lagcolor.color(G, "rlf", verify=True).n_colors
    assert k <= 36 and k < lagcolor.color(G, "dsatur").n_colors
