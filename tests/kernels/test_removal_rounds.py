"""The rounds of approximate degeneracy on a GPU, compared with the rounds of a CPU."""

from __future__ import annotations

import numpy as np
import pytest
from corpus import CORPUS, fewer, graph, random_graph
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lagcolor
from lagcolor.base import device as dev
from lagcolor.orders import approximate_degeneracy as adg

pytestmark = pytest.mark.inner

BLOCK = 64  # threads: two warps, for a fiber each is slow
FEW = 40  # neighbors of a hub: small graphs have hubs, and more of them than HUBS


EMULATED = pytest.mark.emulated(macros={"BLOCK": BLOCK, "HUB": FEW, "HUBS": 3})


@pytest.fixture
def few_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adg, "ROUNDS", dev.Source(adg.ROUNDS.path, BLOCK=BLOCK))


def check(G: lagcolor.Graph, eps: float) -> None:
    level, rounds = adg.rounds_on_gpu(G, eps)
    expected = adg.removal_rounds(G.on("cpu"), eps)
    assert (dev.to_device(level, "cpu").tolist(), int(rounds[0])) == (expected[0].tolist(), expected[1])


@pytest.mark.parametrize("on", [pytest.param("emulated", marks=EMULATED), pytest.param("cuda", marks=pytest.mark.gpu)])
def test_rounds_on_the_corpus(on: str, few_threads: None) -> None:
    for name in CORPUS:
        for eps in (0.0, 0.01, 3.0, 1e300):
            check(graph(name).on("cuda"), eps)


@EMULATED
@settings(max_examples=fewer(25), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(n=st.integers(1, 300), degree=st.floats(0, 60), seed=st.integers(0, 2**32 - 1), wide=st.booleans())
def test_rounds_on_random_graphs(few_threads: None, n: int, degree: float, seed: int, wide: bool) -> None:
    """A dense part and a sparse one, with hubs among those that go early."""
    G = random_graph(n, int(n * degree / 2), seed)
    check((lagcolor.Graph(G.indptr.astype(np.int64), G.indices) if wide else G).on("cuda"), 0.01)


@pytest.mark.gpu
@pytest.mark.parametrize("spec", ["kron_g500:16", "uniform:100000,4", "stencil27:40", "grid2d:300"])
def test_rounds_on_families(spec: str) -> None:
    G = lagcolor.generate.from_spec(spec)
    check(G.on("cuda"), 0.01)
    check(lagcolor.Graph(G.indptr.astype(np.int64), G.indices).on("cuda"), 0.01)
