"""Edge colorings on an emulated GPU: the colors of the CPU, and the check by sorting."""

from __future__ import annotations

from collections.abc import Iterator

import emulated
import numpy as np
import pytest
from corpus import graph

import lagcolor

pytestmark = pytest.mark.skipif(not emulated.available(), reason="no C++ compiler")
NAMES = ("empty", "no edges", "one edge", "isolated among others", "star", "grid", "disconnected")


@pytest.fixture(scope="module")
def gpu() -> Iterator[emulated.Emulated]:
    with emulated.emulated_gpu() as e:
        yield e


@pytest.mark.parametrize("name", NAMES)
def test_the_colors_of_the_cpu(gpu: emulated.Emulated, name: str) -> None:
    G = graph(name)
    for options in ({"quality": "fast"}, {"quality": "balanced"}, {"order": "random", "seed": 3}):
        here = lagcolor.color(G, problem="edges", **options)
        there = lagcolor.color(G, problem="edges", device="cuda", **options)
        assert there.device == "cuda:0"
        assert there.to_numpy().tolist() == here.colors.tolist()
        ends = [lagcolor.base.device.to_device(end, "cpu").tolist() for end in there.edges]
        assert ends == [end.tolist() for end in here.edges]


def test_the_check_by_sorting(gpu: emulated.Emulated) -> None:
    there, r = lagcolor.color(graph("grid"), problem="edges", device="cuda", quality="fast"), np.random.default_rng(1)
    for _ in range(5):
        e, d = r.integers(graph("grid").n_edges, size=2)
        colors = there.to_numpy()
        colors[e] = colors[d]
        outcomes = (
            lagcolor.verify(G, given, problem="edges", errors="return").ok
            for G, given in ((graph("grid"), colors), (there.graph, gpu.array(colors)))
        )
        assert next(outcomes) == next(outcomes)
