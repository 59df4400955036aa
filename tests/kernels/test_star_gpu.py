"""Star colorings and bicolorings on a GPU equal the colors of a CPU."""

from __future__ import annotations

from typing import Any

import corpus
import numpy as np
import pytest
from corpus import CORPUS, graph, random_graph
from emulated import EMULATED
from patterns import SHAPES, pattern

import lagcolor
from lagcolor.base.device import to_device
from lagcolor.engines.two_colored import cover, direct, star_cuda
from lagcolor.engines.two_colored.first_fit import star
from lagcolor.engines.two_colored.star_cuda import first_fit_star
from lagcolor.generate import from_spec
from lagcolor.graph.bipartite import Augmented
from lagcolor.problems.registry import TABLES
from lagcolor.search import two_colored

pytestmark = pytest.mark.inner  # arrays of its own are on the current device
ON = [pytest.param("emulated", marks=EMULATED), pytest.param("cuda", marks=pytest.mark.gpu)]
ROWS = [
    (problem, name)
    for problem in ("star_bicoloring", "acyclic_bicoloring")
    for name, row in TABLES[problem].items()
    if {"cpu", "cuda"} <= set(row.engines)
]


def check(x: Any, problem: str = "star", **options: Any) -> lagcolor.Coloring:
    result = lagcolor.color(x.on("cuda"), problem=problem, verify=True, **options)
    expected = lagcolor.color(x, problem=problem, **options)
    assert result.device == corpus.gpu() and result.n_colors == expected.n_colors
    assert result.to_numpy().tolist() == expected.colors.tolist()
    if problem.endswith("bicoloring"):
        assert to_device(result.column_colors, "cpu").tolist() == expected.column_colors.tolist()
    return result


@pytest.mark.parametrize("kind", ON)
def test_corpus(kind: str) -> None:
    for name in CORPUS:
        if (graph(name).degrees.astype(np.int64) ** 2).sum() > 12_000:  # paths of two edges, and back
            continue
        check(graph(name), order="natural")
        check(graph(name), order="random", seed=3)


@pytest.mark.parametrize("kind", ON)
@pytest.mark.parametrize("problem", ["star", "acyclic", "star_bicoloring", "acyclic_bicoloring"])
def test_qualities(kind: str, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A CPU colors small inputs, by default and in a named order; larger star colorings are the same, too."""
    G = random_graph(30, 60, 4)
    x = lagcolor.Pattern.of(G) if problem.endswith("bicoloring") else G
    for passed in ({}, {"order": "natural", "quality": "balanced"}, {"quality": "fast"}, {"order": "largest_first"}):
        check(x, problem, **passed)
    if problem.startswith("star"):
        monkeypatch.setattr(two_colored, "HOST", 10)
        check(x, problem)


@pytest.mark.emulated(seed=1, processors=3)
def test_a_schedule() -> None:
    """Several blocks, whose threads take turns at random."""
    check(graph("clique 5"), order="natural")
    check(random_graph(30, 60, 1), order="natural")


@pytest.mark.parametrize("kind", ON)
@pytest.mark.parametrize(("group", "bits", "hub"), [(4, 64, 128), (8, 32, 1), (32, 32, 128)])
def test_lanes_per_neighbor(kind: str, group: int, bits: int, hub: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By warps, and by blocks where there are hubs."""
    G = random_graph(25, 70, 5)
    monkeypatch.setattr(star_cuda, "HUB", hub)
    monkeypatch.setattr(star_cuda, "PARALLEL", 0)
    monkeypatch.setattr(star_cuda, "_group", lambda G: group)
    check(lagcolor.Graph(G.indptr.astype(f"i{bits // 8}"), G.indices), order="natural")


@pytest.mark.parametrize("kind", ON)
@pytest.mark.parametrize("name", ["star", "clique 70"])
def test_hubs(kind: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A CPU colors graphs in which neighbors of hubs would wait for each other."""
    G = graph(name)
    monkeypatch.setattr(star_cuda, "PARALLEL", 0)
    assert "hubs" not in check(G, quality="fast").notes
    monkeypatch.setattr(star_cuda, "HUB", 2)
    monkeypatch.setattr(star_cuda, "PARALLEL", 1000)
    assert "hubs" in check(G, quality="fast").notes
    check(G, order="random", seed=3)
    check(lagcolor.Pattern.of(G), "star_bicoloring", algorithm="first_fit")


@pytest.mark.parametrize("kind", ON)
@pytest.mark.parametrize("order", ["natural", "largest_first", "random"])
def test_chains(kind: str, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If few vertices of an order are ready at a time, a CPU colors. All degrees of a grid are equal."""
    G = from_spec("grid2d:16")
    assert "chain" not in check(G, order=order).notes
    monkeypatch.setattr(star_cuda, "WINDOW", 64)
    monkeypatch.setattr(star_cuda, "READY", 6)
    assert ("chain" in check(G, order=order).notes) == (order != "random")


@pytest.mark.emulated(macros={"WORDS": 1})
def test_more_colors_than_a_palette_holds() -> None:
    """A palette of 32 colors and a clique of 70; 16 colors of each kind and 40 columns in one neutral row."""
    check(graph("clique 70"), order="natural")
    G = Augmented.of(lagcolor.Pattern.of(np.ones((2, 40))))
    assert check_neutral(G, np.arange(2, 42, dtype=np.int32), np.arange(G.n) < 2) == [-1, -1, *range(1, 80, 2)]


# ---- bicolorings -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("problem", "algorithm"), ROWS)
@pytest.mark.parametrize("kind", ON)
def test_bicolorings(kind: str, problem: str, algorithm: str) -> None:
    for name in (name for name in SHAPES if pattern(name).m <= 1000):
        check(pattern(name), problem, algorithm=algorithm)


@pytest.mark.parametrize("options", [{}, {"cover": False}, {"postprocess": False}, {"order": "random", "seed": 3}])
@pytest.mark.parametrize("kind", ON)
def test_options_of_bicolorings(kind: str, options: dict[str, Any]) -> None:
    """First-fit has the colors of a CPU; speculative ones are the same on every run."""
    for name in ("empty rows and columns", "arrow", "band plus arrow", "tall"):
        P = pattern(name)
        check(P, "star_bicoloring", algorithm="first_fit", **options)
        result, again = (
            lagcolor.color(P.on("cuda"), "speculative", problem="acyclic_bicoloring", **options) for _ in range(2)
        )
        assert result.verified and result.to_numpy().tolist() == again.to_numpy().tolist(), name
        if options.get("cover", True):
            assert ((result.to_numpy() < 0) | ~cover.neutral(P)).all()


def check_neutral(G: Augmented, sequence: np.ndarray, without: np.ndarray) -> list[int]:
    """First-fit of a sequence, as on a CPU, which tests hold against the definition."""
    there, rows = G.on("cuda"), G.pattern.rows
    colors = first_fit_star(there, there.xp.asarray(sequence), rows, there.xp.asarray(without)).get().tolist()
    assert colors == star(G, sequence, rows, without).tolist()
    return colors


@pytest.mark.parametrize("kind", ON)
def test_neutral_vertices(kind: str) -> None:
    """Any set of them, in any order."""
    for seed in range(6 if kind == "emulated" else 60):
        r = np.random.default_rng(seed)
        A = r.random((int(r.integers(1, 16)), int(r.integers(0, 16)))) < r.random() / 2
        G = Augmented.of(lagcolor.Pattern.of(A))
        without = r.random(G.n) < (0.0, 0.3, 0.7)[seed % 3]
        check_neutral(G, np.array([v for v in r.permutation(G.n) if not without[v]], np.int32), without)


@pytest.mark.parametrize("kind", ON)
@pytest.mark.parametrize(("bits", "long"), [(32, 1), (64, 1024)])
def test_sums_of_long_rows(kind: str, bits: int, long: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of over 32 entries by a block or a warp, with and without colors, some of them more than once."""
    monkeypatch.setattr(direct, "LONG", long)
    G = Augmented.of(pattern("many colors"))
    G = lagcolor.Graph(G.indptr.astype(f"i{bits // 8}"), G.indices)
    there = G.on("cuda")
    for most in (1, 40, 3000):
        colors = np.random.default_rng(most).integers(-1, most, G.n).astype(np.int32)
        assert direct.alone(there, there.xp.asarray(colors)).get().tolist() == direct.alone(G, colors).tolist()
