"""Kokkos Kernels' net-based coloring at distance 2: first-fit on one thread, proper on several, in small chunks."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from two_hop_cases import TWO_HOP, case, cases, random_pattern

import lagcolor
from lagcolor.core.nets import Nets
from lagcolor.papers.kokkos import net_based


@pytest.mark.parametrize("problem", TWO_HOP)
def test_one_thread_is_first_fit(problem: str) -> None:
    for name in cases(problem):
        P = case(problem, name)
        given = lagcolor.color(P, "net_based_bit", problem=problem, threads=1)
        assert (given.colors == lagcolor.color(P, problem=problem, order="natural").colors).all(), name


@pytest.mark.parametrize("problem", TWO_HOP)
@pytest.mark.parametrize("threads", [2, 5])
def test_several_threads(problem: str, threads: int) -> None:
    x: Any = random_pattern(40_000, 30_000, 160_000, 3)
    if problem == "distance2":
        x = lagcolor.generate.from_spec("grid2d:200")
    result = lagcolor.color(x, "net_based_bit", problem=problem, threads=threads, trace=True)
    assert result.verified
    assert result.rounds == len(result.trace) and result.trace[-1]["conflicts"] == 0
    assert sum(row["colored"] for row in result.trace) == len(result.colors)


@pytest.mark.parametrize("closed", [False, True])
def test_conflicts_are_resolved(closed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """All vertices choose with no net changed meanwhile, as if each had a thread: many lose, and rounds end it."""
    nets = (
        Nets.neighborhoods(lagcolor.generate.from_spec("grid2d:12"))
        if closed
        else Nets.columns(case("columns", "wide"))
    )
    calls = [0]

    def blind(team: Any, shared: Any, count: Any, work: Any, rows: Any, colors: Any, window: Any) -> int:
        calls[0] += 1
        for v in work:
            one, unchanged = (np.int64(1), np.array([v])), (window[0], window[1].copy())
            net_based.choose(0, np.zeros(1, np.int64), *one, rows, colors, unchanged)
        return 0

    monkeypatch.setattr(net_based, "choose_on_all", blind)
    log = lagcolor.core.log.Log(trace=True)
    colors = net_based.net_based_bit(nets, None, log, threads=1)  # type: ignore[arg-type]
    x = nets.of_vertices if closed else nets.members
    assert lagcolor.verify(x, colors, problem="distance2" if closed else "columns").ok
    assert log.rows[0]["conflicts"] > 0 and calls[0] == log.rounds > 2
    losses = [row["conflicts"] for row in log.rows]
    assert all(b < a for a, b in itertools.pairwise(losses))
