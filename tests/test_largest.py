"""The largest color or degree, and how many have it: the kernel on the CPU, and on a GPU."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, graph
from cuda_emulator import ENGINES, kernel
from reduction_cases import CUPY, EmulatedGraph

import lagcolor
from lagcolor import device as dev
from lagcolor.engines.recolor import largest

pytestmark = pytest.mark.inner

on_each_engine = pytest.mark.parametrize("engine", ENGINES[1:])


@pytest.fixture
def place(engine: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Where graphs and arrays of an engine come from."""
    if engine == "cuda":
        return SimpleNamespace(graph=lambda G: G.on("cuda"), array=dev.cupy().asarray)
    monkeypatch.setattr(dev, "cupy", lambda: CUPY)
    monkeypatch.setattr(dev, "kernel", kernel)
    return SimpleNamespace(graph=lambda G: EmulatedGraph(G.indptr, G.indices), array=np.asarray)


@on_each_engine
@pytest.mark.parametrize("n", [1, 2, 33, 2047, 2048, 2049, 70_001])
def test_colors(engine: str, n: int, place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    r = np.random.default_rng(n)
    for top in (0, 3, 10**6):
        colors = r.integers(0, top + 1, n, dtype=np.int32)
        expected = colors.max(), np.count_nonzero(colors == colors.max())
        assert largest.largest_color(place.array(colors)) == expected
    monkeypatch.setattr(largest, "MOST", 3)  # each block goes over the array several times
    assert largest.largest_color(place.array(colors)) == expected


@on_each_engine
@pytest.mark.parametrize("name", [name for name in CORPUS if graph(name).n])
def test_degrees(engine: str, name: str, place: Any) -> None:
    G = graph(name)
    expected = G.max_degree, np.count_nonzero(G.degrees == G.max_degree)
    for dtype in (np.int32, np.int64):
        H = lagcolor.Graph(G.indptr.astype(dtype), G.indices)
        assert largest.largest_degree(place.graph(H)) == expected
