"""The largest color or degree, and how many have it."""

from __future__ import annotations

import numpy as np
import pytest
from corpus import CORPUS, graph
from emulated import ENGINES

import lagcolor
from lagcolor import device as dev
from lagcolor.engines.recolor import largest

pytestmark = pytest.mark.inner

on_each_engine = pytest.mark.parametrize("engine", ENGINES[1:])


@on_each_engine
@pytest.mark.parametrize("n", [1, 2, 33, 2047, 2048, 2049, 70_001])
def test_colors(engine: str, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    r = np.random.default_rng(n)
    for top in (0, 3, 10**6):
        colors = r.integers(0, top + 1, n, dtype=np.int32)
        expected = colors.max(), np.count_nonzero(colors == colors.max())
        assert largest.largest_color(dev.to_device(colors, "cuda")) == expected
    monkeypatch.setattr(largest, "MOST", 3)  # each block goes over the array several times
    assert largest.largest_color(dev.to_device(colors, "cuda")) == expected


@on_each_engine
@pytest.mark.parametrize("name", [name for name in CORPUS if graph(name).n])
def test_degrees(engine: str, name: str) -> None:
    G = graph(name)
    expected = G.max_degree, np.count_nonzero(G.degrees == G.max_degree)
    for dtype in (np.int32, np.int64):
        H = lagcolor.Graph(G.indptr.astype(dtype), G.indices)
        assert largest.largest_degree(H.on("cuda")) == expected
