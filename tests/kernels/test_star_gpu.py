"""Star coloring on an emulated GPU: sequential first-fit, color for color."""

from __future__ import annotations

from collections.abc import Iterator

import emulated
import numpy as np
import pytest
import scipy.sparse as sp
from corpus import CORPUS, graph, random_graph

import lagcolor
from lagcolor.engines.two_colored import star_cuda
from lagcolor.search import two_colored

pytestmark = pytest.mark.skipif(not emulated.available(), reason="no C++ compiler")
SMALL = 12_000  # walks of two edges, which the emulated device passes in a moment


@pytest.fixture(scope="module")
def gpu() -> Iterator[emulated.Emulated]:
    with emulated.emulated_gpu() as e:
        yield e


def check(G: lagcolor.Graph, order: str = "natural", seed: int | None = None) -> None:
    result = lagcolor.color(G, problem="star", order=order, seed=seed, device="cuda")
    assert result.device == "cuda:0"
    assert result.verified
    expected = lagcolor.color(G, problem="star", order=order, seed=seed)
    assert result.to_numpy().tolist() == expected.colors.tolist()


def test_corpus(gpu: emulated.Emulated) -> None:
    names = [name for name in CORPUS if (graph(name).degrees.astype(np.int64) ** 2).sum() <= SMALL]
    assert len(names) >= 12
    for name in names:
        check(graph(name))
        check(graph(name), "random", 3)


@pytest.mark.parametrize("problem", ["star", "acyclic", "star_bicoloring", "acyclic_bicoloring"])
def test_balanced_has_the_colors_of_a_cpu(gpu: emulated.Emulated, problem: str) -> None:
    """A CPU colors small inputs, by default and in a named order; larger star colorings are the same, too."""
    G = random_graph(30, 60, 4)
    for given in ({}, {"order": "natural", "quality": "balanced"}, {"quality": "fast"}, {"order": "largest_first"}):
        there = lagcolor.color(G, problem=problem, device="cuda", **given)
        here = lagcolor.color(G, problem=problem, **given)
        assert there.device == "cuda:0"
        assert there.to_numpy().tolist() == here.colors.tolist()
        tries = ([t["name"] for t in one.notes.get("tried", [])] for one in (there, here))
        assert next(tries) == next(tries)
        assert ("on_cpu" in there.notes) == ("tried" in there.notes or problem.startswith("acyclic"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(two_colored, "HOST", 10)
        there = lagcolor.color(G, problem=problem, device="cuda", verify=True)
        if problem.startswith("star"):
            assert there.to_numpy().tolist() == lagcolor.color(G, problem=problem).colors.tolist()


def test_large_bicolorings_with_a_dense_row_are_a_cpus(gpu: emulated.Emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    """Acyclic ones; a dense column counts as well."""
    monkeypatch.setattr(two_colored, "HOST", 10)
    dense = sp.coo_array((np.ones(60), (np.r_[np.zeros(30, int), np.arange(30)], np.r_[np.arange(30), np.arange(30)])))
    even = sp.eye_array(40) + sp.eye_array(40, k=1)
    for A, there in ((dense, True), (dense.T, True), (even, False)):
        P = lagcolor.Pattern.of(A.tocsr())
        result = lagcolor.color(P.on("cuda"), problem="acyclic_bicoloring", quality="fast", verify=True)
        assert ("on_cpu" in result.notes) == there
        star = lagcolor.color(P.on("cuda"), problem="star_bicoloring", quality="fast")
        assert "on_cpu" not in star.notes


def test_a_schedule(gpu: emulated.Emulated) -> None:
    """Several blocks, whose threads take turns at random."""
    seed = 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gpu.gpu, "seed", seed)
        patch.setattr(gpu.gpu, "processors", 3)
        check(graph("clique 5"))
        check(random_graph(30, 60, seed))
        check(lagcolor.generate.from_spec("grid2d:6"), "random", seed)


@pytest.mark.parametrize("group", star_cuda.GROUPS)
@pytest.mark.parametrize(("bits", "hub"), [(64, 128), (32, 1)])
def test_lanes_per_neighbor(gpu: emulated.Emulated, group: int, bits: int, hub: int) -> None:
    """By warps, and by blocks where there are hubs."""
    G = random_graph(25, 70, 5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(star_cuda, "HUB", hub)
        patch.setattr(star_cuda, "PARALLEL", 0)
        patch.setattr(star_cuda, "_group", lambda G: group)
        check(lagcolor.Graph(G.indptr.astype(f"i{bits // 8}"), G.indices))


@pytest.mark.parametrize("name", ["star", "clique 70"])
def test_hubs(gpu: emulated.Emulated, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Where neighbors of hubs would wait for each other a CPU colors."""
    G = graph(name)
    monkeypatch.setattr(star_cuda, "PARALLEL", 0)
    assert "hubs" not in lagcolor.color(G, problem="star", quality="fast", device="cuda").notes
    monkeypatch.setattr(star_cuda, "HUB", 2)
    monkeypatch.setattr(star_cuda, "PARALLEL", 1000)
    check(G)
    check(G, "random", 3)
    assert "hubs" in lagcolor.color(G, problem="star", quality="fast", device="cuda").notes
    P = lagcolor.Pattern.of(G)
    result, expected = (
        lagcolor.color(P, "first_fit", problem="star_bicoloring", device=where) for where in ("cuda", "cpu")
    )
    assert result.to_numpy().tolist() == expected.colors.tolist()


@pytest.mark.parametrize("order", ["natural", "largest_first", "random"])
def test_chains(gpu: emulated.Emulated, monkeypatch: pytest.MonkeyPatch, order: str) -> None:
    """Where few vertices of an order are ready at a time a CPU colors: by id, of which a grid has all degrees equal."""
    G = lagcolor.generate.from_spec("grid2d:16")
    assert "chain" not in lagcolor.color(G, problem="star", order=order, device="cuda").notes
    monkeypatch.setattr(star_cuda, "WINDOW", 64)
    monkeypatch.setattr(star_cuda, "READY", 6)
    check(G, order)
    assert ("chain" in lagcolor.color(G, problem="star", order=order, device="cuda").notes) == (order != "random")


def test_longest_chain(gpu: emulated.Emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the definition: longest paths through rising places of the window, in the order of ids and in another."""
    monkeypatch.setattr(star_cuda, "WINDOW", 40)
    for seed, order in ((1, "natural"), (2, "natural"), (1, "random"), (2, "smallest_last")):
        G = random_graph(170, 1500, seed)
        sequence = lagcolor.Priorities.of(G, order).sequence
        window = sequence[85:125].tolist()
        longest: dict[int, int] = {}
        for i, v in enumerate(window):
            row = G.indices[G.indptr[v] : G.indptr[v + 1]].tolist()
            longest[v] = 1 + max((longest[u] for u in row if u in window[:i]), default=0)
        H = G.on("cuda")
        given = None if order == "natural" else H.xp.asarray(sequence)
        assert star_cuda.ready_at_a_time(H, given) == 40 / max(longest.values())


def test_more_colors_than_a_palette_holds() -> None:
    """A palette of 32 colors and a clique of 70."""
    with emulated.emulated_gpu(macros={"WORDS": 1}):
        check(graph("clique 70"))
