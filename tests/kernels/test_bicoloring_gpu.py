"""Bicolorings on a GPU: those of a CPU, color for color, whatever is neutral."""

from __future__ import annotations

from typing import Any

import corpus
import numpy as np
import pytest
from emulated import EMULATED
from patterns import SHAPES, pattern

import lagcolor
from lagcolor.base.device import to_device
from lagcolor.engines.two_colored import cover, direct
from lagcolor.engines.two_colored.first_fit import star
from lagcolor.engines.two_colored.neutral import without_unneeded
from lagcolor.engines.two_colored.star_cuda import first_fit_star
from lagcolor.graph.bipartite import Augmented
from lagcolor.problems.registry import TABLES

pytestmark = pytest.mark.inner  # arrays of its own are on the current device
ON = [pytest.param("emulated", marks=EMULATED), pytest.param("cuda", marks=pytest.mark.gpu)]
ROWS = [
    (problem, name)
    for problem in ("star_bicoloring", "acyclic_bicoloring")
    for name, row in TABLES[problem].items()
    if {"cpu", "cuda"} <= set(row.engines)
]
SMALL = 1000  # entries


def small() -> list[str]:
    return [name for name in SHAPES if pattern(name).m <= SMALL]


def random_pattern(rows: int, columns: int, density: float, seed: int) -> lagcolor.Pattern:
    return lagcolor.Pattern.of(np.random.default_rng(seed).random((rows, columns)) < density)


@pytest.mark.parametrize(("problem", "algorithm"), ROWS)
@pytest.mark.parametrize("kind", ON)
def test_as_on_the_cpu(kind: str, problem: str, algorithm: str) -> None:
    for name in small():
        P = pattern(name)
        result = lagcolor.color(P.on("cuda"), algorithm, problem=problem)
        assert result.device == corpus.gpu() and result.verified, name
        expected = lagcolor.color(P, algorithm, problem=problem)
        assert result.to_numpy().tolist() == expected.colors.tolist(), name
        assert to_device(result.column_colors, "cpu").tolist() == expected.column_colors.tolist(), name
        assert result.n_colors == expected.n_colors


@pytest.mark.parametrize("options", [{}, {"cover": False}, {"postprocess": False}, {"order": "random", "seed": 3}])
@pytest.mark.parametrize("kind", ON)
def test_options(kind: str, options: dict[str, Any]) -> None:
    """Those of first-fit have the colors of a CPU; speculative ones are the same on every run."""
    for name in ("empty rows and columns", "arrow", "band plus arrow", "tall"):
        P = pattern(name)
        result = lagcolor.color(P.on("cuda"), "first_fit", problem="star_bicoloring", **options)
        expected = lagcolor.color(P, "first_fit", problem="star_bicoloring", **options)
        assert result.to_numpy().tolist() == expected.colors.tolist(), name
        result, again = (
            lagcolor.color(P.on("cuda"), "speculative", problem="acyclic_bicoloring", **options) for _ in range(2)
        )
        assert result.verified and result.to_numpy().tolist() == again.to_numpy().tolist(), name
        if options.get("cover", True):
            bare = result.to_numpy() < 0
            assert (bare | ~cover.neutral(P)).all()


@pytest.mark.parametrize("kind", ON)
def test_neutral_vertices(kind: str) -> None:
    """Any set of them, in any order, as first-fit on a CPU, which tests hold against the definition."""
    for seed in range(6 if kind == "emulated" else 60):
        r = np.random.default_rng(seed)
        P = random_pattern(int(r.integers(1, 16)), int(r.integers(0, 16)), r.random() / 2, seed)
        G = Augmented.of(P)
        without = r.random(G.n) < (0.0, 0.3, 0.7)[seed % 3]
        sequence = np.array([v for v in r.permutation(G.n) if not without[v]], np.int32)
        there = G.on("cuda")
        colors = first_fit_star(there, *(there.xp.asarray(a) for a in (sequence,)), P.rows, there.xp.asarray(without))
        assert colors.get().tolist() == star(G, sequence, P.rows, without).tolist()


@pytest.mark.emulated(macros={"WORDS": 1})
def test_more_colors_than_a_palette_holds() -> None:
    """A palette of 16 colors of each kind, and 40 columns in one neutral row."""
    P = lagcolor.Pattern.of(np.ones((2, 40)))
    G = Augmented.of(P)
    there, sequence, without = G.on("cuda"), np.arange(2, 42, dtype=np.int32), np.arange(G.n) < 2
    colors = first_fit_star(there, there.xp.asarray(sequence), P.rows, there.xp.asarray(without))
    assert colors.get().tolist() == star(G, sequence, P.rows, without).tolist() == [-1, -1, *range(1, 80, 2)]


@pytest.mark.parametrize("kind", ON)
def test_covers(kind: str) -> None:
    for name in SHAPES:
        P = pattern(name)
        there = P.on("cuda")
        assert cover.dense(there) == cover.dense(P), name
        assert cover.neutral(there).get().tolist() == cover.neutral(P).tolist(), name


@pytest.mark.parametrize("kind", ON)
@pytest.mark.parametrize(("bits", "long"), [(32, 1), (64, 1024)])
def test_sums_of_long_rows(kind: str, bits: int, long: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of over 32 entries by a block or a warp, with and without colors, some of them more than once."""
    monkeypatch.setattr(direct, "LONG", long)
    P = pattern("many colors")
    G = Augmented.of(P)
    G = lagcolor.Graph(G.indptr.astype(f"i{bits // 8}"), G.indices)
    there = G.on("cuda")
    for most in (1, 40, 3000):
        colors = np.random.default_rng(most).integers(-1, most, G.n).astype(np.int32)
        assert direct.alone(there, there.xp.asarray(colors)).get().tolist() == direct.alone(G, colors).tolist()


@pytest.mark.parametrize("kind", ON)
def test_unneeded_colors(kind: str) -> None:
    """Of a coloring with a color per line, with entries that need none, either or both of theirs."""
    for name in small():
        P = pattern(name)
        G = Augmented.of(P)
        there, colors = G.on("cuda"), np.arange(G.n, dtype=np.int32)
        left = without_unneeded(there, there.xp.asarray(colors), P.rows).get()
        assert left.tolist() == without_unneeded(G, colors, P.rows).tolist(), name
