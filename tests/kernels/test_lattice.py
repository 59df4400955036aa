"""First-fit by id of grids on a GPU, guessed and checked: the colors of a CPU, or no guess."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from corpus import CORPUS, graph
from emulated import EMULATED

import lagcolor
from lagcolor.base.device import to_device, using
from lagcolor.engines.greedy import cuda_natural, lattice
from lagcolor.engines.improve.survey import survey

ON = [pytest.param("emulated", marks=EMULATED), pytest.param("cuda", marks=pytest.mark.gpu)]
STAR = [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
STENCILS = {
    "path": ((1, 1, 50), STAR[:1]), "5": ((1, 7, 6), STAR[:2]), "7": ((4, 5, 6), STAR),
    "9": ((1, 8, 7), [(0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, -1)]),
    "27": ((4, 5, 6), [step for step in product((-1, 0, 1), repeat=3) if step > (0, 0, 0)]),
}  # fmt: skip
NO_GUESS = ("triangles", "band")
STENCILS |= {"triangles": ((1, 7, 6), [(0, 0, 1), (0, 1, 0), (0, 1, 1)]), "band": ((1, 1, 60), [(0, 0, 1), (0, 0, 2)])}


def stencil(name: str) -> lagcolor.Graph:
    """Vertices of a box, with edges along the steps of a stencil."""
    shape, steps = STENCILS[name]
    ids = np.arange(np.prod(shape)).reshape(shape)
    ends = []
    for step in steps:
        here = ids[tuple(slice(max(0, -d), size - max(0, d)) for d, size in zip(step, shape, strict=True))]
        there = ids[tuple(slice(max(0, d), size - max(0, -d)) for d, size in zip(step, shape, strict=True))]
        ends.append(np.stack([here.ravel(), there.ravel()]))
    return lagcolor.Graph.of(tuple(np.concatenate(ends, axis=1)), n=ids.size)


def guessed(G: lagcolor.Graph) -> list[int] | None:
    H = G.on("cuda")
    with using(H.indices):
        colors = lattice.by_lattice(H, survey(H).row)
        return None if colors is None else to_device(colors, "cpu").tolist()


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_natural, "LEAST", 1)


@pytest.mark.parametrize("on", ON)
@pytest.mark.parametrize("name", STENCILS)
@pytest.mark.parametrize("bits", [32, 64])
def test_stencils(on: str, name: str, bits: int) -> None:
    G = stencil(name)
    expected = lagcolor.color(G, "greedy", order="natural").colors.tolist()
    found = guessed(lagcolor.Graph(G.indptr.astype(f"i{bits // 8}"), G.indices))
    assert found == (None if name in NO_GUESS else expected)
    assert lagcolor.color(G, "first_fit", order="natural", device="cuda").to_numpy().tolist() == expected


@pytest.mark.parametrize("on", ON)
@pytest.mark.parametrize("name", ["5", "27"])
@pytest.mark.parametrize("seed", range(6))
def test_other_edges(on: str, name: str, seed: int) -> None:
    """An edge more or less: where first-fit has other colors there is no guess."""
    G, r = stencil(name), np.random.default_rng(seed)
    u, v = G.rows_of_entries(), G.indices
    kept = u < v
    u, v = u[kept], v[kept]
    if seed % 2:
        u, v = np.append(u, r.integers(0, G.n // 2)), np.append(v, r.integers(G.n // 2, G.n))
    else:
        gone = r.integers(0, len(u))
        u, v = np.delete(u, gone), np.delete(v, gone)
    H = lagcolor.Graph.of((u, v), n=G.n)
    expected = lagcolor.color(H, "greedy", order="natural").colors.tolist()
    found = guessed(H)
    assert found is None or found == expected
    same = expected == lagcolor.color(G, "greedy", order="natural").colors.tolist()
    assert same or found is None
    assert lagcolor.color(H, "first_fit", order="natural", device="cuda").to_numpy().tolist() == expected


@pytest.mark.parametrize("on", ON)
def test_corpus(on: str) -> None:
    for name in CORPUS:
        G = graph(name)
        if G.n > 0 and G.m <= 4_500 and G.max_degree < 64:
            found = guessed(G)
            assert found is None or found == lagcolor.color(G, "greedy", order="natural").colors.tolist()
