"""luby_is_fused against the writing in verbs: colors, rounds and traces; on a GPU, and its kernels on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, graph, random_graph
from emulated import ENGINES
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.algebra import luby_is_fused as fused
from lagcolor.orders import Priorities
from lagcolor.result import Log

kinds = pytest.mark.parametrize("kind", ENGINES[1:])
SMALL = [name for name in CORPUS if graph(name).n > 0 and graph(name).m < 20_000]


@pytest.fixture(autouse=True)
def _short_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of the emulator run one after another, so that waiting in one is in vain."""
    monkeypatch.setattr(fused, "PASSES", 20)


def run(kind: str, G: lagcolor.Graph, p: np.ndarray, trace: bool = False) -> tuple[np.ndarray, Log]:
    """Colors and log of the fused writing."""
    log = Log(trace)
    cp, G = lagcolor.device.cupy(), G.on("cuda")
    with lagcolor.device.using(G.indices):
        return fused.levels(cp, G, cp.asarray(p), log).get(), log


def in_verbs(G: lagcolor.Graph, order: Any, seed: int | None = 0) -> tuple[np.ndarray, Log, np.ndarray]:
    """Colors and log of the writing in verbs, on the CPU, and the priorities."""
    p = Priorities.of(G, order, seed)
    return lagcolor.ALGORITHMS["luby_is"].run(G, p, log := Log()), log, p.p


@pytest.mark.parametrize("name", SMALL)
@kinds
def test_colors_and_rounds(kind: str, name: str) -> None:
    G = graph(name)
    for order, seed in (("random", 0), ("natural", None)):
        expected, in_step, p = in_verbs(G, order, seed)
        colors, log = run(kind, G, p)
        assert colors.dtype == np.int32
        assert colors.tolist() == expected.tolist()
        assert log.rounds == in_step.rounds


@kinds
@given(n=st.integers(1, 120), degree=st.integers(0, 12), seed=st.integers(0, 2**32 - 1))
def test_random_graphs(kind: str, n: int, degree: int, seed: int) -> None:
    G = random_graph(n, n * degree, seed)
    expected, _, p = in_verbs(G, "random", seed)
    assert run(kind, G, p)[0].tolist() == expected.tolist()


@kinds
def test_trace_goes_in_step(kind: str) -> None:
    G = graph("rmat")
    expected, in_step, p = in_verbs(G, "random")
    colors, log = run(kind, G, p, trace=True)
    assert colors.tolist() == expected.tolist()
    assert len(log.rows) == log.rounds == in_step.rounds
    assert all(row["ms"] >= 0 for row in log.rows)
    colored = [row["colored"] for row in log.rows]
    assert [row["active"] for row in log.rows] == [G.n - sum(colored[:k]) for k in range(len(colored))]
    assert colored == np.bincount(expected).tolist()


@kinds
def test_launches_that_end_early(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left waits for the next launch."""
    monkeypatch.setattr(fused, "PASSES", 1)
    G = graph("random dense")
    expected, in_step, p = in_verbs(G, "random")
    colors, log = run(kind, G, p)
    assert colors.tolist() == expected.tolist()
    assert log.rounds == in_step.rounds
