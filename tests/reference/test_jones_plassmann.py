"""Jones–Plassmann's CUDA kernel gives the colors of sequential first-fit: on a GPU, or emulated on a CPU."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from corpus import fewer, graph, random_graph
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lagcolor
from lagcolor.algorithms import jones_plassmann as jp
from lagcolor.base import device
from lagcolor.base.log import Log
from lagcolor.engines.rounds import worklists
from lagcolor.orders import Priorities

ORDERS = [("natural", None), ("random", None), ("random", 2**40), ("largest_first", 7)]
FEW = {"THREAD_MOST": 5, "WARP_MOST": 20}  # so that small graphs have vertices for warps and for blocks
EMULATED = pytest.mark.emulated(macros={"BLOCK": 64, "WINDOW": 32})


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jp, "SOURCE", device.Source(jp.SOURCE.path, block=64))
    for name, value in FEW.items():
        monkeypatch.setattr(worklists, name, value)
    monkeypatch.setattr(jp, "THREAD_MOST", FEW["THREAD_MOST"])


def colored(G: lagcolor.Graph, p: Priorities, shift: int = 0, log: Log | None = None) -> list[int]:
    """On the device, from offsets that are `shift` more, and columns that begin as much earlier."""
    here = G.on("cuda")
    indptr = device.to_device((G.indptr.astype(np.int64) + shift).astype(G.indptr.dtype), "cuda")
    assert not G.n or indptr[-1] == G.m + shift
    columns = here.indices.data.ptr - 4 * shift  # nothing is read before the first
    shifted: Any = SimpleNamespace(n=G.n, m=G.m, max_degree=G.max_degree, indptr=indptr, indices=columns)
    return jp._gpu(shifted, p.on("cuda"), Log() if log is None else log).get().tolist()


def expected(G: lagcolor.Graph, order: Any, seed: int | None = None) -> list[int]:
    return lagcolor.color(G, "greedy", order=Priorities.of(G, order, seed=seed)).colors.tolist()


@EMULATED
def test_emulated_on_the_corpus(few: None) -> None:
    for G in map(graph, ("empty", "no edges", "star", "star, hub last", "clique 80 and more", "crown", "rmat")):
        for order, seed in ORDERS if G.m < 1000 else ORDERS[2:]:
            assert colored(G, Priorities.of(G, order, seed=seed)) == expected(G, order, seed)


@EMULATED
@settings(max_examples=fewer(12), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(n=st.integers(1, 120), degree=st.floats(0, 40), seed=st.integers(0, 2**32 - 1), wide=st.booleans())
def test_emulated_on_random_graphs(few: None, n: int, degree: float, seed: int, wide: bool) -> None:
    G = random_graph(n, int(n * degree / 2), seed)
    G = lagcolor.Graph(G.indptr.astype(np.int64), G.indices) if wide else G
    assert colored(G, Priorities.of(G, "random", seed=seed)) == expected(G, "random", seed)


@EMULATED
@pytest.mark.parametrize(("dtype", "last"), [(np.int32, 2**31 - 1), (np.int64, 2**40)])
def test_offsets_near_the_end_of_their_type(few: None, dtype: type, last: int) -> None:
    """The last rows end at entry `last`: a step past them must not wrap around."""
    for degree in (4, 60):
        G = random_graph(100, 50 * degree, degree)
        G = lagcolor.Graph(G.indptr.astype(dtype), G.indices)
        for order, seed in ORDERS[2:]:
            assert colored(G, Priorities.of(G, order, seed=seed), shift=last - G.m) == expected(G, order, seed)


@EMULATED
def test_a_long_chain_takes_several_launches(few: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worklists, "ROUNDS", 4)
    for name in ("path", "clique 70"):
        G, log = graph(name), Log()
        p = Priorities.of(G, np.arange(G.n))  # from the end, so that who is looked at first waits
        assert colored(G, p, log=log) == expected(G, np.arange(G.n))
        assert log.rounds > 2 * 4


@pytest.mark.gpu
@pytest.mark.parametrize(("dtype", "last"), [(np.int32, 2**31 - 1), (np.int64, 2**31 + 10**6)])
def test_offsets_near_the_end_of_their_type_on_a_gpu(dtype: type, last: int) -> None:
    G = lagcolor.generate.from_spec("kron_g500:13")
    G = lagcolor.Graph(G.indptr.astype(dtype), G.indices)
    for order, seed in ORDERS:
        assert colored(G, Priorities.of(G, order, seed=seed), shift=last - G.m) == expected(G, order, seed)
