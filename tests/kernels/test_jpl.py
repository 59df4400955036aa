"""jpl on a GPU, emulated and real: the rounds of its definition, with hubs, over many launches."""

from __future__ import annotations

import numpy as np
import pytest
from corpus import CORPUS, graph
from emulated import GPU

import lagcolor
from lagcolor.algorithms import jpl
from lagcolor.base import device as dev

FEW = {"SHORT": 4, "ALONE": 2, "HUB": 24, "HUBS": 2}  # so that small graphs have hubs, and too many of them
SMALL = [name for name in CORPUS if name != "clique 1100"]


@pytest.fixture(autouse=True)
def small_blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "gpu" not in request.keywords:
        monkeypatch.setattr(jpl, "SOURCE", dev.Source(jpl.SOURCE.path, BLOCK=64))


def levels(G: lagcolor.Graph) -> list[int]:
    """Rounds as defined: the uncolored vertices above all their uncolored neighbors take the round's color."""
    p = lagcolor.Priorities.of(G, "random", seed=0).p
    color, k = np.full(G.n, -1), 0
    row = np.split(G.indices, G.indptr[1:-1]).__getitem__
    while (color < 0).any():
        left = color < 0
        chosen = [v for v in np.flatnonzero(left) if all(p[u] < p[v] for u in row(v) if left[u])]
        color[chosen] = k
        k += 1
    return color.tolist()


@pytest.mark.parametrize("name", [name for name in SMALL if graph(name).m <= 5000])
def test_rounds_by_definition(name: str) -> None:
    G = graph(name)
    assert lagcolor.color(G, "jpl").colors.tolist() == levels(G)


@pytest.mark.emulated(macros=FEW)
@pytest.mark.parametrize("many", [1, 3, jpl.MANY])
@pytest.mark.parametrize("name", SMALL)
def test_launches(name: str, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists go from launch to launch."""
    G = graph(name)
    monkeypatch.setattr(jpl, "MANY", many)
    assert np.array_equal(lagcolor.color(G, "jpl", device="cuda").to_numpy(), lagcolor.color(G, "jpl").colors)


@pytest.mark.emulated(macros=FEW, processors=3)
@pytest.mark.parametrize("seed", range(1, 4))
def test_threads_in_random_order(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GPU, "seed", seed)
    for name in ("odd cycle", "clique 5", "disconnected", "crown"):
        G = graph(name)
        assert np.array_equal(lagcolor.color(G, "jpl", device="cuda").to_numpy(), lagcolor.color(G, "jpl").colors)


@pytest.mark.gpu
@pytest.mark.parametrize("spec", ["kron_g500:15", "social:20000,8", "rgg:14", "road:60", "star:70000"])
@pytest.mark.parametrize("many", [2, jpl.MANY])
def test_same_on_gpu(spec: str, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    G = lagcolor.generate.from_spec(spec)
    monkeypatch.setattr(jpl, "MANY", many)
    assert np.array_equal(lagcolor.color(G.on("cuda"), "jpl").to_numpy(), lagcolor.color(G, "jpl").colors)
