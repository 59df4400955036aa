"""luby_is_fused against the writing in verbs: colors, rounds and traces, on a GPU or an emulated one."""

from __future__ import annotations

import emulated
import numpy as np
import pytest
from corpus import CORPUS, graph, random_graph
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.algorithms.osama_graphblas import luby_is_fused as fused

pytestmark = pytest.mark.gpu if lagcolor.has_gpu() else emulated.EMULATED
SMALL = [name for name in CORPUS if graph(name).m < 20_000]


def both(
    G: lagcolor.Graph, order: str = "random", seed: int | None = 0, trace: bool = False
) -> list[lagcolor.Coloring]:
    """The fused writing, and that in verbs on the CPU; of the same colors."""
    given = {"order": order, "seed": seed, "trace": trace}
    result = lagcolor.color(G, "luby_is_fused", device="cuda", **given)
    expected = lagcolor.color(G, "luby_is", device="cpu", **given)
    assert result.to_numpy().tolist() == expected.to_numpy().tolist()
    assert result.rounds == expected.rounds
    return result


@pytest.mark.parametrize("name", SMALL)
def test_colors_and_rounds(name: str) -> None:
    both(graph(name))
    both(graph(name), "natural", None)


@given(n=st.integers(1, 120), degree=st.integers(0, 12), seed=st.integers(0, 2**32 - 1))
def test_random_graphs(n: int, degree: int, seed: int) -> None:
    both(random_graph(n, n * degree, seed), seed=seed)


def test_trace_goes_in_step() -> None:
    G = graph("rmat")
    result = both(G, trace=True)
    assert len(result.trace) == result.rounds
    assert all(row["ms"] >= 0 for row in result.trace)
    colored = [row["colored"] for row in result.trace]
    assert [row["active"] for row in result.trace] == [G.n - sum(colored[:k]) for k in range(len(colored))]
    assert colored == np.bincount(result.to_numpy()).tolist()


def test_launches_that_end_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left waits for the next launch."""
    monkeypatch.setattr(fused, "PASSES", 1)
    both(graph("random dense"))
