"""TabuCol and HEAD on a GPU: moves as of a search in plain Python, and what does not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tabu_reference as reference
from corpus import random_graph

import lagcolor
from lagcolor.engines.tabu import population
from lagcolor.engines.tabu.population import NO_COLOR, Population

DEVICES = [pytest.param("emulated", marks=pytest.mark.emulated), pytest.param("cuda", marks=pytest.mark.gpu)]


def begun(G: lagcolor.Graph, k: int, seed: int, pairs: int = 2, **more: Any) -> Population:
    """A population whose first children are made."""
    made = Population(G, k, seed, 100, pairs, **more)
    made._breed()
    return made


def seeds_of(made: Population) -> list[int]:
    return [int(x) for x in made._seeds.get()]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("table", ["shared", "global"])
@pytest.mark.parametrize(
    ("n", "density", "k", "most"), [(12, 0.5, 2, 40), (40, 0.5, 7, 300), (61, 0.3, 6, 200), (90, 0.9, 33, 150)]
)
def test_moves(n: int, density: float, k: int, most: int, table: str, device: str, monkeypatch: Any) -> None:
    """Best colors, objective and iterations of each search, color for color."""
    monkeypatch.setattr(population, "BLOCK", 64)
    G = random_graph(n, int(density * n * n / 2), 3)
    made = begun(G, k, 5, in_memory=table == "global")
    assert made.shape.shared_table == (table == "shared")
    starts = made._children.get()
    made._improve(most)
    bests, values, ran = made._best.get(), made._values.get(), made._ran.get()
    expected = [
        reference.improve(G, start, k, seed, 0, most, 63) for start, seed in zip(starts, seeds_of(made), strict=True)
    ]
    first = min((t for _, value, t in expected if value == 0), default=None)
    for i, (best, value, t) in enumerate(expected):
        if first is None or t == first:  # the others may have stopped before
            assert (values[i], ran[i]) == (value, t)
            assert np.array_equal(bests[i], best)
    if first is not None:
        assert made.found is not None
