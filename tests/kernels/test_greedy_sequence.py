"""First-fit of any sequence on a GPU, whole or in part: equals plain first-fit, color for color."""

from __future__ import annotations

import numpy as np
import pytest
from corpus import fewer, graph, neighbors
from emulated import EMULATED
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lagcolor
from lagcolor import Graph
from lagcolor.base import device
from lagcolor.engines.greedy.cuda_sequence import first_fit_in_sequence
from lagcolor.engines.greedy.plain import first_fit
from lagcolor.generate import from_spec
from lagcolor.orders import Priorities

ON = [pytest.param("emulated", marks=EMULATED), pytest.param("cuda", marks=pytest.mark.gpu)]
SPECS = ("path:70", "grid2d:13", "star:300", "clique:70", "complete_bipartite:66,70", "rmat:8", "uniform:400,9")
ORDERS = (("natural", None), ("random", 3), ("largest_first", 0), ("smallest_last", None))


def some(G: Graph, sequence: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Half of the vertices in their order, and colors of up to 100 for a third of all, not of these."""
    rng = np.random.default_rng(seed)
    draw = rng.random(G.n)
    fixed = np.where(draw < 0.3, rng.integers(0, 100, G.n), -1).astype(np.int32)
    active = (draw >= 0.3) & (draw < 0.8)
    return sequence[active[sequence]], fixed


def colored(G: Graph, *arrays: np.ndarray | None) -> np.ndarray:
    """`first_fit_in_sequence` with all that it is given on the device; the fixed colors stay as they are."""
    D = G.on("cuda")
    with device.using(D.indices):
        there = [a if a is None else device.to_device(a, D.device) for a in arrays]
        colors = first_fit_in_sequence(D, *there).get()
    assert all(a is None or np.array_equal(a, b.get()) for a, b in zip(arrays, there, strict=True))
    return colors


@pytest.mark.parametrize("on", ON)
@pytest.mark.parametrize(("spec", "bits"), [(spec, 32 + 32 * (i % 2)) for i, spec in enumerate(SPECS)])
def test_whole_and_part(on: str, spec: str, bits: int) -> None:
    G = from_spec(spec)
    G = Graph(G.indptr.astype(f"i{bits // 8}"), G.indices)
    for order, seed in ORDERS:
        sequence = Priorities.of(G, order, seed=seed).sequence
        whole = colored(G, None if order == "natural" else sequence)
        assert whole.dtype == np.int32 and whole.tolist() == first_fit(neighbors(G), sequence.tolist())
        part, fixed = some(G, sequence, 1)
        assert colored(G, part, fixed).tolist() == first_fit(neighbors(G), part.tolist(), fixed.tolist())


@pytest.mark.parametrize("on", ON)
def test_none(on: str) -> None:
    """Nothing to color, and nothing to color it with."""
    assert colored(graph("empty")).shape == (0,)
    G, nobody = from_spec("path:5"), np.empty(0, np.int32)
    assert colored(G, nobody).tolist() == [-1] * 5
    assert colored(G, nobody, np.arange(-1, 4, dtype=np.int32)).tolist() == [-1, 0, 1, 2, 3]


@EMULATED
@given(st.integers(1, 150), st.floats(0, 0.9), st.integers(0, 2**32))
@settings(max_examples=fewer(25), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_random_graphs(n: int, density: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    G = Graph.of(np.triu(rng.random((n, n)) < density, 1), symmetrize=True)
    sequence = rng.permutation(n).astype(np.int32)
    assert colored(G, sequence).tolist() == first_fit(neighbors(G), sequence.tolist())
    part, fixed = some(G, sequence, seed)
    assert colored(G, part, fixed).tolist() == first_fit(neighbors(G), part.tolist(), fixed.tolist())


@pytest.mark.parametrize("on", ON)
def test_more_colors_than_a_window(on: str) -> None:
    """A clique of 2100: the bitmap holds 2048 colors at a time, and the list of a row is refilled."""
    sequence = np.random.default_rng(0).permutation(2100).astype(np.int32)
    assert np.array_equal(colored(from_spec("clique:2100"), sequence)[sequence], np.arange(2100))


@pytest.mark.gpu
@pytest.mark.parametrize("spec", ["rmat:17", "grid2d:700", "star:100000", "kron_g500:14", "clique:3000", "rgg:16"])
def test_larger_on_gpu(spec: str) -> None:
    """A hub over 65,535 neighbors, long chains, rows longer than any list."""
    G = from_spec(spec)
    on_gpu = G.on("cuda")
    with device.using(on_gpu.indices):
        for order, seed in ORDERS[:3]:
            p = Priorities.of(on_gpu, order, seed=seed)
            expected = lagcolor.color(G, "greedy", order=order, seed=seed).colors
            for _ in range(3):
                assert np.array_equal(first_fit_in_sequence(on_gpu, p.sequence).get(), expected)
