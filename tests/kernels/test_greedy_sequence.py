"""First-fit of any sequence on a GPU, whole or in part: equals plain first-fit, color for color."""

from __future__ import annotations

import numpy as np
import pytest
from corpus import CORPUS, graph, neighbors
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

SPECS = ("path:70", "grid2d:13", "star:300", "clique:70", "complete_bipartite:66,70", "rmat:8", "uniform:400,9")
ORDERS = (("natural", None), ("random", 3), ("largest_first", 0), ("smallest_last", None))


def some(G: Graph, sequence: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Half of the vertices in their order, and colors of up to 100 for a third of all, not of these."""
    rng = np.random.default_rng(seed)
    draw = rng.random(G.n)
    fixed = np.where(draw < 0.3, rng.integers(0, 100, G.n), -1).astype(np.int32)
    active = (draw >= 0.3) & (draw < 0.8)
    return sequence[active[sequence]], fixed


def emulated(G: Graph, *arrays: np.ndarray | None) -> np.ndarray:
    """`first_fit_in_sequence` with all that it is given on the device; the fixed colors stay as they are."""
    there = [a if a is None else device.to_device(a, "cuda") for a in arrays]
    colors = first_fit_in_sequence(G.on("cuda"), *there).get()
    assert all(a is None or np.array_equal(a, b.get()) for a, b in zip(arrays, there, strict=True))
    return colors


@EMULATED
@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("spec", SPECS)
def test_emulated(spec: str, bits: int) -> None:
    G = from_spec(spec)
    G = Graph(G.indptr.astype(f"i{bits // 8}"), G.indices)
    for order, seed in ORDERS:
        sequence = Priorities.of(G, order, seed=seed).sequence
        whole = emulated(G, None if order == "natural" else sequence)
        assert whole.dtype == np.int32 and whole.tolist() == first_fit(neighbors(G), sequence.tolist())
        part, fixed = some(G, sequence, 1)
        assert emulated(G, part, fixed).tolist() == first_fit(neighbors(G), part.tolist(), fixed.tolist())


@EMULATED
def test_none_emulated() -> None:
    """Nothing to color, and nothing to color it with."""
    assert emulated(graph("empty")).shape == (0,)
    G, nobody = from_spec("path:5"), np.empty(0, np.int32)
    assert emulated(G, nobody).tolist() == [-1] * 5
    assert emulated(G, nobody, np.arange(-1, 4, dtype=np.int32)).tolist() == [-1, 0, 1, 2, 3]


@EMULATED
@given(st.integers(1, 150), st.floats(0, 0.9), st.integers(0, 2**32))
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=25, deadline=None
)
def test_random_graphs_emulated(n: int, density: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    G = Graph.of(np.triu(rng.random((n, n)) < density, 1), symmetrize=True)
    sequence = rng.permutation(n).astype(np.int32)
    assert emulated(G, sequence).tolist() == first_fit(neighbors(G), sequence.tolist())
    part, fixed = some(G, sequence, seed)
    assert emulated(G, part, fixed).tolist() == first_fit(neighbors(G), part.tolist(), fixed.tolist())


@EMULATED
def test_more_colors_than_a_window_emulated() -> None:
    """A clique of 2100: the bitmap holds 2048 colors at a time, and the list of a row is refilled."""
    sequence = np.random.default_rng(0).permutation(2100).astype(np.int32)
    colors = emulated(from_spec("clique:2100"), sequence)
    assert np.array_equal(colors[sequence], np.arange(2100))


@pytest.mark.gpu
@pytest.mark.parametrize("name", CORPUS)
def test_on_gpu(name: str) -> None:
    """Whole against the sequential code; a part against the plain one."""
    G = graph(name)
    on_gpu = G.on("cuda")
    with device.using(on_gpu.indices):
        for order, seed in ORDERS:
            sequence = Priorities.of(G, order, seed=seed).sequence
            expected = lagcolor.color(G, "greedy", order=order, seed=seed).colors
            there = device.to_device(sequence, on_gpu.device)
            assert np.array_equal(first_fit_in_sequence(on_gpu, there).get(), expected)
            part, fixed = some(G, sequence, 1)
            colors = first_fit_in_sequence(on_gpu, *(device.to_device(x, on_gpu.device) for x in (part, fixed)))
            if G.n < 3000:
                assert colors.get().tolist() == first_fit(neighbors(G), part.tolist(), fixed.tolist())


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
