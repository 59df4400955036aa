"""che_hybrid: values of `switch` at the edge, what its function is told and may do, and phases over many launches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corpus import graph
from test_che import ALGORITHMS, DEVICES, ENGINES, SCHEDULES, color_on

import lagcolor
from lagcolor.core.errors import OptionError
from lagcolor.engines.independent_sets import rounds as set_rounds
from lagcolor.papers.che import hybrid as che_hybrid
from lagcolor.papers.che import work_stealing as che_work_stealing

on_each_schedule = pytest.mark.parametrize("schedule", SCHEDULES)


@pytest.mark.parametrize("kind", DEVICES)
@on_each_schedule
def test_what_was_told_stays_so(kind: str, schedule: str) -> None:
    """A function may keep the statistics, and look at the degrees when all is colored."""
    kept: list[Any] = []
    G = graph("rmat")
    lagcolor.color(G.on(kind), "che_hybrid", switch=kept.append, schedule=schedule)  # None: go on
    colors = lagcolor.color(G, "che_hybrid").colors
    assert len(kept) > 3
    for k, s in enumerate(kept):
        expected = G.degrees[colors > k]
        assert len(expected) == s.left
        assert np.array_equal(lagcolor.device.to_device(s.degrees, "cpu"), expected)


@pytest.mark.parametrize("kind", DEVICES)
@on_each_schedule
def test_function_that_raises(kind: str, schedule: str) -> None:
    """Its exception is the caller's, and the next coloring is as ever."""
    G = graph("rmat").on(kind)

    def decide(s: Any) -> bool:
        if s.round == 3:
            raise ZeroDivisionError("mine")
        return False

    expected = lagcolor.color(G, "che_hybrid").to_numpy()
    with pytest.raises(ZeroDivisionError, match="mine"):
        lagcolor.color(G, "che_hybrid", switch=decide, schedule=schedule)
    assert np.array_equal(lagcolor.color(G, "che_hybrid").to_numpy(), expected)


@pytest.mark.parametrize("digits", [30, 5000])
def test_numbers_of_many_digits(digits: int) -> None:
    """No round colors so many: one round of degree labelling, as below any number over n."""
    G = graph("rmat")
    result = lagcolor.color(G, "che_hybrid", switch="below:" + "9" * digits)
    assert np.array_equal(result.colors, lagcolor.color(G, "che_hybrid", switch=f"below:{G.n + 1}").colors)
    assert result.notes["degree_rounds"] == 1


def test_arrays_are_no_policy() -> None:
    for switch in (np.array([1, 2]), np.array(["none_colored"] * 2), b"none_colored"):
        with pytest.raises(OptionError, match="switch must be"):
            lagcolor.color(graph("grid"), "che_hybrid", switch=switch)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("many", [1, 3])
@pytest.mark.parametrize("name", ["rmat", "crown", "clique 70"])
def test_more_rounds_than_one_launch_has(engine: str, name: str, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Worklists go from launch to launch, also behind one that had both phases."""
    G, color = graph(name), color_on(engine, monkeypatch)
    expected = [color(G, algorithm, schedule="worklist") for algorithm in ALGORITHMS]
    for module in (set_rounds, che_hybrid, che_work_stealing):
        monkeypatch.setattr(module, "MANY", many)
    for algorithm, whole in zip(ALGORITHMS, expected, strict=True):
        result = color(G, algorithm, schedule="worklist")
        assert np.array_equal(result.to_numpy(), whole.to_numpy())
        assert result.rounds == whole.rounds > many


@pytest.mark.parametrize("many", [1, 2])
def test_a_launch_that_ends_at_the_threshold(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A round that colors exactly N is followed by another, whether or not it is the last of its launch."""
    G = graph("rmat")
    trace = lagcolor.color(G, "che_hybrid", trace=True).trace
    counts = sorted({row["colored"] for row in trace if row["phase"] == "degree"} - {0})
    expected = [lagcolor.color(G, "che_hybrid", switch=f"below:{n}") for n in counts]
    assert len({result.notes["degree_rounds"] for result in expected}) > 3
    monkeypatch.setattr(che_hybrid, "MANY", many)
    for n, whole in zip(counts, expected, strict=True):
        result = lagcolor.color(G, "che_hybrid", switch=f"below:{n}")
        assert result.notes == whole.notes
        assert np.array_equal(result.colors, whole.colors)
