"""Acyclic coloring on a GPU, emulated and real: proper, and what its rounds are in plain Python, in every schedule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import corpus
import emulated
import numpy as np
import pytest
import scipy.sparse as sp
from acyclic_rounds import rounds as reference
from corpus import CORPUS, graph, neighbors, random_graph
from emulated import EMULATED

import lagcolor
from lagcolor.base.device import to_device, using
from lagcolor.engines.two_colored import acyclic_cuda
from lagcolor.engines.two_colored.first_fit import acyclic
from lagcolor.generate import from_spec
from lagcolor.graph.bipartite import Augmented
from lagcolor.orders import Priorities
from lagcolor.orders.ties import mix
from lagcolor.search import two_colored

ON = [pytest.param("emulated", marks=EMULATED), pytest.param("cuda", marks=pytest.mark.gpu)]
SMALL = 4_500  # entries, which the emulated device passes in a moment
LOW = {"REGISTERS": 2, "SOLO": 3, "WORDS": 1}  # with the degrees below all code is for small graphs


@pytest.fixture
def low_degrees() -> Iterator[None]:
    """Tables of a warp for up to 4 neighbors, of a block for up to 32, and palettes of 32 colors."""
    with emulated.emulated_gpu(macros=LOW), pytest.MonkeyPatch.context() as patch:
        patch.setattr(acyclic_cuda, "THREAD_MOST", 4)
        patch.setattr(acyclic_cuda, "WARP_MOST", 32)
        yield


def colored(
    G: lagcolor.Graph, sequence: Any = None, rows: int = 0, neutral: Any = None
) -> tuple[list[int], list[tuple[int, int]]]:  # fmt: skip
    """Colors and the lengths of rounds, from the device."""
    H, log = G.on("cuda"), lagcolor.base.log.Log(trace=True)
    with using(H.indices):
        passed = None if sequence is None else to_device(np.asarray(sequence, np.int32), "cuda")
        without = None if neutral is None else to_device(neutral, "cuda")
        colors = acyclic_cuda.speculative_acyclic(H, passed, rows, without, log=log)
        assert colors.dtype == np.int32
        return colors.get().tolist(), [(row["active"], row["conflicts"]) for row in log.rows]


def check(G: lagcolor.Graph, order: str = "natural", seed: int | None = None) -> None:
    p = Priorities.of(G, order, seed=seed)
    colors, history = colored(G, None if p.is_natural else p.sequence)
    lagcolor.verify(G, np.array(colors, np.int32), problem="acyclic")
    expected = reference(neighbors(G), p.sequence.tolist(), acyclic_cuda.places_for_claims(G.n))
    assert (colors, history) == expected


@pytest.mark.parametrize("kind", ON)
def test_corpus(kind: str) -> None:
    names = [name for name in CORPUS if graph(name).m <= SMALL]
    assert len(names) >= 15
    for name in names:
        check(graph(name))
        check(graph(name), "random", 3)
        result = lagcolor.color(graph(name), "speculative", problem="acyclic", device="cuda")
        assert (result.algorithm, result.device, result.verified) == ("speculative", corpus.gpu(), True)


@pytest.mark.parametrize("kind", ON)
def test_random_graphs(kind: str) -> None:
    for seed in range(6):
        G = random_graph(10 + 12 * seed, 20 + 45 * seed, seed)
        check(lagcolor.Graph(G.indptr.astype(f"i{4 + 4 * (seed % 2)}"), G.indices), "random", seed)


@pytest.mark.parametrize("kind", ON)
def test_elements_where_a_row_begins_again(kind: str) -> None:
    """Colors 2 and 11 of rows of three both begin at place 2; the last vertex may not take 11."""
    cliques = range(12), range(12, 23), range(23, 26)
    edges = [(a, b) for clique in cliques for a in clique for b in clique if a < b]
    w, v = (26, 27), 28
    edges += [(a, b) for a in w for b in (25, 11, v)] + [(b, v) for b in cliques[1]]
    G = lagcolor.Graph.of(np.array(edges).T, n=29)
    check(G)
    assert colored(G)[0][v] == 12


def test_schedules() -> None:
    """Several blocks, whose threads take turns at random; in all of them what is chosen is the same."""
    with emulated.emulated_gpu(seed=1, processors=3, macros={"SOLO": 4}):
        check(graph("clique 5"))
        check(random_graph(30, 60, 1), "random", 1)
        check(from_spec("complete_bipartite:7,9"))


@pytest.mark.parametrize("name", ["clique 70", "random dense", "star, hub last"])
def test_tables_of_roots(low_degrees: None, name: str) -> None:
    check(graph(name))
    check(graph(name), "random", 1)


@pytest.mark.parametrize("kind", ON)
def test_more_rounds_than_a_launch_has(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acyclic_cuda, "ROUNDS", 7)
    monkeypatch.setattr(acyclic_cuda, "PER_ROUND", 0)
    for name in ("path", "grid", "star"):
        check(graph(name))


@pytest.mark.parametrize("kind", ON)
def test_chains_go_to_the_cpu(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acyclic_cuda, "ROUNDS", 7)
    monkeypatch.setattr(acyclic_cuda, "PER_ROUND", 20)
    band = from_spec("banded:90,4")
    result = lagcolor.color(band.on("cuda"), "speculative", problem="acyclic", order="natural")
    assert "on the CPU" in result.notes["chain"] and result.device == corpus.gpu() and result.verified
    assert result.to_numpy().tolist() == lagcolor.color(band, problem="acyclic", order="natural").colors.tolist()
    result = lagcolor.color(band.on("cuda"), "speculative", problem="acyclic", order="random")
    assert "chain" not in result.notes
    G = bipartite(30, 30, 200, 1)
    passed = np.arange(G.n) % 9 == 4
    monkeypatch.setattr(acyclic_cuda, "PER_ROUND", 1 << 40)
    colors, _ = colored(G, np.flatnonzero(~passed), 30, passed)
    assert colors == acyclic(G, np.flatnonzero(~passed).astype(np.int32), 30, passed).tolist()


@pytest.mark.parametrize("kind", ON)
def test_vertices_that_try_again_go_to_the_cpu(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If vertices try again more often than a CPU needs for the graph, the CPU colors it."""
    monkeypatch.setattr(acyclic_cuda, "ROUNDS", 1)
    monkeypatch.setattr(acyclic_cuda, "PER_ROUND", 0)
    G, H = graph("grid"), graph("grid").on("cuda")
    assert "chain" not in lagcolor.color(H, "speculative", problem="acyclic", order="natural").notes
    monkeypatch.setattr(acyclic_cuda, "TRIES", 1e-3)
    result = lagcolor.color(H, "speculative", problem="acyclic", order="natural")
    assert "on the CPU" in result.notes["chain"]
    expected = lagcolor.color(G, "first_fit", problem="acyclic", order="natural")
    assert result.to_numpy().tolist() == expected.colors.tolist()


def bipartite(rows: int, columns: int, entries: int, seed: int) -> Augmented:
    r = np.random.default_rng(seed)
    ends = r.integers(0, rows, entries), r.integers(0, columns, entries)
    A = sp.coo_array((np.ones(entries), ends), (rows, columns))
    return Augmented.of(lagcolor.Pattern.of(A.tocsr()))


def check_sides(G: Augmented, neutral: np.ndarray, seed: int) -> None:
    """The colors of the reference: neighbors of neutral vertices differ; each pair of colors is a forest."""
    sequence = np.random.default_rng(seed).permutation(np.flatnonzero(~neutral))
    rows = G.pattern.rows
    got = colored(G, sequence, rows, neutral)
    near, without = neighbors(G), set(np.flatnonzero(neutral).tolist())
    expected = reference(near, sequence.tolist(), acyclic_cuda.places_for_claims(G.n), rows, without)
    assert got == expected
    colors = np.array(got[0], np.int32)
    assert lagcolor.verify(G, colors, problem="acyclic", errors="return").n_violations == 0
    for w in np.flatnonzero(neutral):
        adjacent = colors[near[w]][colors[near[w]] >= 0]
        assert len(set(adjacent.tolist())) == len(adjacent)


@pytest.mark.parametrize("kind", ON)
def test_sides_and_neutral_vertices(kind: str) -> None:
    for seed in range(4):
        G = bipartite(12 + seed, 20, 70, seed)
        check_sides(G, np.zeros(G.n, bool), seed)
        check_sides(G, np.random.default_rng(seed).random(G.n) < 0.2, seed)


def test_sides_and_neutral_vertices_of_many_neighbors(low_degrees: None) -> None:
    G = bipartite(9, 50, 200, 5)
    check_sides(G, np.arange(G.n) == 3, 6)


@pytest.mark.parametrize("kind", ON)
def test_small_last_classes(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Surroundings of small last classes are colored again, a limited number of times; the best coloring counts."""
    for name, value in {"LAST": 8, "AROUND": 1, "REACH": 2, "ATTEMPTS": 4}.items():
        monkeypatch.setattr(acyclic_cuda, name, value)
    fewer = 0
    for seed in range(5):
        G = graph("grid") if seed == 0 else random_graph(60, 100 + 20 * seed, seed)
        near, places = neighbors(G), acyclic_cuda.places_for_claims(G.n)
        sequence = Priorities.of(G, "random", seed=seed).sequence
        best, history = reference(near, sequence.tolist(), places)
        first = last_class(best)
        for attempt in range(4):
            last, size = last_class(best)
            if size > 8 or last < 2:
                break
            ball = {v for v in range(G.n) if best[v] == last}
            for _ in range(2):
                ball |= {w for v in ball for w in near[v]}
            inside = np.array(sorted(ball), np.int32)
            again, more = reference(near, inside[np.argsort(mix(np, inside, attempt))].tolist(), places, start=best)
            history += more
            best = again if last_class(again) < last_class(best) else best
        fewer += last_class(best) < first
        assert colored(G, sequence) == (best, history)
    assert fewer


def last_class(colors: list[int]) -> tuple[int, int]:
    return max(colors), colors.count(max(colors))


@pytest.mark.parametrize("kind", ON)
def test_hubs(kind: str) -> None:
    """Trees around a hub in global memory: both hubs have more neighbors than a block can hold."""
    leaves = acyclic_cuda.WARP_MOST + 60
    G = lagcolor.Graph.of(sp.block_array([[None, np.ones((2, leaves))], [np.ones((leaves, 2)), None]], format="csr"))
    check(G, "random", 1)


@pytest.mark.gpu
@pytest.mark.parametrize("spec", ["grid2d:300", "stencil27:24,24,24", "rgg:15"])
def test_as_many_colors_as_first_fit_on_large_graphs(spec: str) -> None:
    G = from_spec(spec)
    for order in ("natural", "approximate_degeneracy"):
        expected = lagcolor.color(G, problem="acyclic", order=order)
        result = lagcolor.color(G, problem="acyclic", order=order, device="cuda", verify=True)
        assert result.n_colors <= 1.1 * expected.n_colors


@pytest.mark.parametrize("on", ON)
def test_uneven_graphs_are_colored_in_random_order(on: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large uneven graphs are colored in random order with quality "fast"; a CPU colors them with other qualities."""
    monkeypatch.setattr(two_colored, "HOST", 10)
    for G, order in ((graph("star"), "random"), (from_spec("grid2d:6"), "approximate_degeneracy")):
        assert lagcolor.color(G, problem="acyclic", device="cuda", quality="fast", verify=True).order == order
        result = lagcolor.color(G, problem="acyclic", device="cuda", verify=True)
        assert ("on_cpu" in result.notes) == (order == "random")
