"""bipartite: two colors where two do, None otherwise, the same on every engine."""

from __future__ import annotations

import numpy as np
import pytest
from corpus import CORPUS, fewer, graph, random_graph
from emulated import EMULATED, ENGINES
from hypothesis import given, settings
from hypothesis import strategies as st
from reduction_cases import run, two_colors

import lagcolor
from lagcolor.graph.two_colors import bipartite


def agrees(engine: str, G: lagcolor.Graph) -> None:
    colors, right = run(engine, bipartite, G), two_colors(G)
    assert (None if colors is None else colors.tolist()) == right
    assert colors is None or colors.dtype == np.int32


def two_sided(n: int, m: int, seed: int) -> lagcolor.Graph:
    """A random bipartite graph with its vertices shuffled."""
    r = np.random.default_rng(seed)
    names = r.permutation(n)
    u, v = r.integers(0, (n + 1) // 2, m), r.integers(n // 2, n, m)
    apart = (u < n // 2) & (v >= n // 2)
    return lagcolor.Graph.of((names[u[apart]], names[v[apart]]), n=n)


@pytest.mark.parametrize("engine", ENGINES)
def test_corpus(engine: str) -> None:
    for name in CORPUS:
        if name != "clique 1100":
            agrees(engine, graph(name))
    for name in ("grid", "odd cycle"):
        G = graph(name)
        agrees(engine, lagcolor.Graph(G.indptr.astype(np.int64), G.indices))


@given(n=st.integers(1, 200), density=st.floats(0, 2), seed=st.integers(0, 2**32 - 1))
def test_random_graphs(n: int, density: float, seed: int) -> None:
    agrees("cpu", random_graph(n, int(density * n / 2), seed))
    agrees("cpu", two_sided(n, int(density * n), seed))


@EMULATED
@settings(max_examples=fewer(15))
@given(n=st.integers(1, 100), density=st.floats(0, 2), seed=st.integers(0, 2**32 - 1))
def test_kernels_on_random_graphs(n: int, density: float, seed: int) -> None:
    agrees("emulated", random_graph(n, int(density * n / 2), seed))
    agrees("emulated", two_sided(n, int(density * n), seed))


@pytest.mark.gpu
@given(n=st.integers(1, 3000), density=st.floats(0, 2), seed=st.integers(0, 2**32 - 1))
def test_same_on_gpu(n: int, density: float, seed: int) -> None:
    agrees("cuda", random_graph(n, int(density * n / 2), seed))
    agrees("cuda", two_sided(n, int(density * n), seed))


@pytest.mark.parametrize("engine", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
@pytest.mark.parametrize("odd", [False, True])
def test_long_shuffled_cycles(odd: bool, engine: str) -> None:
    """Deep trees: a cycle of 200,000 or one more, whose parity only the last edge tells."""
    n = 200_000 + odd
    names = np.random.default_rng(1).permutation(n)
    G = lagcolor.Graph.of((names, names[np.r_[1:n, 0]]), n=n)
    colors = run(engine, bipartite, G)
    assert (colors is None) == odd
    assert odd or (lagcolor.verify(G, colors).n_colors == 2 and colors[0] == 0)


@pytest.mark.parametrize("engine", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_families(engine: str) -> None:
    for spec in ("grid3d:40", "star:100000", "crown:300"):
        G = lagcolor.generate.from_spec(spec)
        colors = run(engine, bipartite, G)
        assert lagcolor.verify(G, colors).n_colors == 2 and colors[0] == 0


def large(kind: str) -> tuple[np.ndarray, np.ndarray, int]:
    """Edges of bipartite graphs over several tiles: long rows of equal constraints, hubs that come last, random."""
    r = np.random.default_rng(3)
    if kind == "grid":
        v = np.arange(90 * 80)
        right, down = v[v % 90 < 89], v[:-90]
        return np.r_[right, down], np.r_[right + 1, down + 90], len(v)
    if kind == "hubs":  # two hubs that share a few leaves, and rows of 50 to 400
        leaves, rest = np.arange(6000), np.arange(6003, 6040)
        some = r.permuted(np.tile(leaves, (len(rest), 1)), axis=1)[:, :400]
        few = np.arange(50, 50 + 9 * len(rest), 9)
        u = [leaves[:5000], leaves[900:], *(a[:k] for a, k in zip(some, few, strict=True))]
        v = [np.full(len(a), x) for a, x in zip(u, [6001, 6002, *rest], strict=True)]
        return np.concatenate(u), np.concatenate(v), 6040
    u, v = r.integers(0, 3500, 9000), r.integers(3500, 7000, 9000)
    names = r.permutation(7000)
    return names[u], names[v], 7000


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["grid", "hubs", "random"])
def test_many_tiles(kind: str, engine: str) -> None:
    u, v, n = large(kind)
    agrees(engine, lagcolor.Graph.of((u, v), n=n))
    two = bipartite(lagcolor.Graph.of((u, v), n=n))
    a, b = np.flatnonzero(two == two[u[-1]])[[0, -1]]  # where these are connected, the last edge closes an odd cycle
    agrees(engine, lagcolor.Graph.of((np.r_[u, a], np.r_[v, b]), n=n))
