"""First-fit in the order largest_first_spread in one launch: by a block, and by all blocks of a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, fewer, graph, random_graph
from emulated import EMULATED, Emulated, emulated_gpu
from hypothesis import given, settings
from hypothesis import strategies as st

import lagcolor
from lagcolor import device as dev
from lagcolor.engines.greedy import cuda_small
from lagcolor.engines.greedy.cuda_small import first_fit_small
from lagcolor.orders.ties import seed_word

pytestmark = pytest.mark.inner

WAYS = {"block": {"BLOCK_VERTICES": 2**13}, "grid": {"BLOCK_VERTICES": -1}}
ways = pytest.mark.parametrize("way", WAYS)
MANY = "star:3000", "uniform:700,90", "grid2d:40", "barabasi_albert:900,40", "clique:90"


def equal(G: lagcolor.Graph, H: lagcolor.Graph, seed: int, small: cuda_small.Small) -> bool:
    """Whether the colors of H, which is G on a GPU, are those of the sequential algorithm."""
    colors = first_fit_small(H, np.uint32(seed_word(seed)), small)
    assert colors is not None and colors.dtype == np.int32
    expected = lagcolor.color(G, "greedy", order="largest_first_spread", seed=seed).colors
    return bool(np.array_equal(colors.get(), expected))


def on_the_way(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in WAYS[way].items():
        monkeypatch.setattr(cuda_small, name, value)


def wide(G: lagcolor.Graph) -> lagcolor.Graph:
    return lagcolor.Graph(G.indptr.astype(np.int64), G.indices)


@pytest.fixture
def gpu() -> Emulated:
    """The device that the mark of a test describes."""
    return Emulated(dev.cupy())


@pytest.mark.emulated(processors=3, occupancy=2)
@ways
@pytest.mark.parametrize("name", [name for name in CORPUS if 0 < graph(name).n <= 2000 and graph(name).m < 10**5])
def test_emulated_corpus(gpu: Emulated, name: str, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    on_the_way(way, monkeypatch)
    gpu.gpu.macros["WINDOW"] = 1024
    monkeypatch.setattr(cuda_small.Small, "room", 1 << 18, raising=False)
    G = graph(name)
    for bits, H in ((32, G), (64, wide(G))):
        small = cuda_small.Small(0, bits)
        small.room = 1 << 18
        for seed in (0, 3):
            assert equal(G, gpu.graph(H), seed, small)
