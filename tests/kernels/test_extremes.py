"""Extremes of arrays on a GPU, and of degrees, compared with NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from corpus import CORPUS, graph
from emulated import ENGINES

import lagcolor
from lagcolor.base import device as dev
from lagcolor.base.device import extremes

pytestmark = pytest.mark.inner

on_each_engine = pytest.mark.parametrize("engine", ENGINES[1:])


def expected(x: np.ndarray) -> tuple[int, ...]:
    falls, repeats = np.flatnonzero(x[:-1] > x[1:]), np.flatnonzero(x[:-1] == x[1:])
    firsts = (int(at[0]) if len(at) else -1 for at in (falls, repeats))
    return int(x.min()), int(x.max()), np.count_nonzero(x == x.max()), *firsts


@on_each_engine
@pytest.mark.parametrize("n", [1, 2, 33, 2047, 2048, 2049, 70_001])
def test_colors(engine: str, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    r = np.random.default_rng(n)
    for top in (0, 3, 10**6):
        colors = r.integers(0, top + 1, n, dtype=np.int32)
        assert extremes.extremes(dev.to_device(colors, "cuda")) == expected(colors)
        rising = np.sort(colors)
        assert extremes.extremes(dev.to_device(rising, "cuda")) == expected(rising)
    monkeypatch.setattr(extremes, "MOST", 3)  # each block goes over the array several times
    assert extremes.extremes(dev.to_device(colors, "cuda")) == expected(colors)


@on_each_engine
@pytest.mark.parametrize("dtype", [name for name in extremes.TYPES if name != "bool"])
def test_types(engine: str, dtype: str) -> None:
    """The least and the largest number of each type, and every second one of an array."""
    r, of = np.random.default_rng(0), np.iinfo(dtype)
    x = r.integers(of.min, of.max, 5000, dtype, endpoint=True)
    x[[17, 40, 4000]] = of.max, of.min, of.max
    assert extremes.extremes(dev.to_device(x, "cuda")) == expected(x)
    assert extremes.extremes(dev.to_device(x, "cuda")[::2]) == expected(x[::2])
    if of.bits == 64:
        distinct = np.unique(x)
        assert extremes.extremes(dev.to_device(distinct, "cuda")) == (*expected(distinct)[:3], -1, -1)


@on_each_engine
@pytest.mark.parametrize("name", [name for name in CORPUS if graph(name).n])
def test_degrees(engine: str, name: str) -> None:
    G = graph(name)
    count = np.count_nonzero(G.degrees == G.max_degree)
    for dtype in (np.int32, np.int64):
        H = lagcolor.Graph(G.indptr.astype(dtype), G.indices).on("cuda")
        found = extremes.degrees(H.indptr)
        assert found[1:3] == (G.max_degree, count) and found.least == G.degrees.min()
        assert found.squares == (G.degrees.astype(np.int64) ** 2).sum()
        assert H.max_degree == G.max_degree


@on_each_engine
@pytest.mark.parametrize("most", [1, 4, 5000])
@pytest.mark.parametrize("n", [0, 1, 3000])
def test_numbers_in_use(engine: str, n: int, most: int) -> None:
    """Counts and flags, in shared memory and past it; negative numbers are passed over."""
    for dtype in (np.int32, np.int64):
        x = np.random.default_rng(n).integers(-1, most, n).astype(dtype)
        there, kept = dev.to_device(x, "cuda"), x[x >= 0]
        expected = np.bincount(kept, minlength=most)
        for found in (dev.counts(there, most), dev.counts(x, most)):
            assert found.dtype == np.int64 and found.tolist() == expected.tolist()
        for found in (dev.used(there, most), dev.used(x, most)):
            assert found.dtype == bool and found.tolist() == (expected > 0).tolist()
        assert extremes.distinct(there) == extremes.distinct(x) == len(np.unique(kept))
