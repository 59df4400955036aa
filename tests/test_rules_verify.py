"""The verifier of rules on broken colorings, and what results say of their rules."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import corpus
import networkx as nx
import numpy as np
import pytest
from corpus import graph, random_graph
from emulated import EMULATED
from hypothesis import given
from hypothesis import strategies as st
from rule_cases import color, faults, keywords, neighborhoods, random_rules

import lagcolor

PATH = lagcolor.generate.path(4)
GOOD = [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("rules", "colors", "said"),
    [
        ({"fixed": {1: 1}}, [1, 0, 1, 0], "1 without their fixed color, the first vertex 1: color 0 instead of 1"),
        ({"fixed": [-1, -1, 5, -1]}, GOOD, "the first vertex 2: color 0 instead of 5"),
        ({"forbidden": {3: [7, 1]}}, GOOD, "1 with a forbidden color, the first vertex 3: color 1"),
        ({"forbidden": np.eye(4, 2, dtype=bool)}, GOOD, "2 with a forbidden color, the first vertex 0: color 0"),
        ({"max_colors": 1}, GOOD, "max_colors=1: 2 with a color from there on, the first vertex 1: color 1"),
        ({"capacity": 1}, GOOD, "2 class(es) over capacity, the first: color 0 weighs 2, and its capacity is 1"),
        ({"capacity": [2, 1]}, GOOD, "1 class(es) over capacity, the first: color 1 weighs 2, and its capacity is 1"),
        ({"capacity": 3, "weights": [1, 1, 2.5, 1]}, GOOD, "color 0 weighs 3.5, and its capacity is 3"),
        ({"capacity": [2, 2]}, [0, 1, 0, 2], "max_colors=2: 1 with a color from there on, the first vertex 3"),
        ({"fixed": {0: 0}}, [0, 2, 0, 2], "colors are not 0 … k-1: 1 below the largest are unused"),
        ({"forbidden": {1: [1], 3: [1]}}, [0, 2, 3, 2], "colors are not 0 … k-1: 1 below the largest are unused"),
        ({"fixed": {0: 0}}, [0, 0, 1, 0], "1 conflicting edge(s), the first (0, 1)"),
        ({"fixed": {0: 0}}, [0, -1, 0, 1], "1 uncolored vertices (-1), the first 1"),
        ({"fixed": {0: 0}}, [0, -2, 0, 1], "vertex 1 has color -2"),
    ],
)
def test_broken_colorings(rules: dict[str, Any], colors: list[int], said: str) -> None:
    for device in ("cpu", *(["cuda"] if lagcolor.has_gpu() else [])):
        G = PATH.on(device)
        report = lagcolor.verify(G, np.array(colors), errors="return", **rules)
        assert not report.ok
        assert any(said in problem for problem in report.problems()), report.problems()
        with pytest.raises(lagcolor.ColoringError, match="keeps its rules: "):
            lagcolor.verify(G, colors, **rules)


@pytest.mark.parametrize(
    ("rules", "colors"),
    [
        ({"fixed": {0: 7}}, [7, 0, 1, 0]),  # all gaps by a fixed color, over n - 1
        ({"fixed": {0: 2, 3: 2**31 - 2}}, [2, 0, 1, 2**31 - 2]),
        ({"forbidden": {v: [0] for v in range(4)}}, [1, 2, 1, 2]),
        ({"forbidden": {1: range(9), 3: range(9)}}, [0, 9, 0, 9]),
        ({"capacity": [0, 4, 4]}, [1, 2, 1, 2]),
        ({"capacity": [1, 4, 4], "weights": [2, 2, 2, 2]}, [1, 2, 1, 2]),
        ({"capacity": 0.3, "weights": [0.1, 0.3, 0.2, 0]}, GOOD),  # 0.1 + 0.2 is over 0.3 in float64
        ({"max_colors": 2}, GOOD),
    ],
)
def test_gaps_that_rules_cause_are_no_fault(rules: dict[str, Any], colors: list[int]) -> None:
    report = lagcolor.verify(PATH, colors, **rules)
    assert report.ok and report.n_colors == len(set(colors)) and not report.broken


def test_columns_and_distance2() -> None:
    P = lagcolor.Pattern.of(np.array([[1, 1, 0], [0, 0, 1]], bool))
    report = lagcolor.verify(P, [0, 1, 0], problem="columns", fixed={2: 1}, capacity=1, errors="return")
    assert len(report.broken) == 2 and report.n_violations == 0
    assert lagcolor.verify(P, [0, 1, 1], problem="columns", fixed={2: 1}, capacity=2).ok
    assert not lagcolor.verify(PATH, [0, 1, 0, 2], problem="distance2", max_colors=2, errors="return").ok


def test_labels_are_in_the_sentences() -> None:
    G = nx.Graph([("Algebra", "Logic")])
    report = lagcolor.verify(G, [0, 1], fixed={"Logic": 0}, errors="return")
    assert report.broken == ["1 without their fixed color, the first vertex 1 ('Logic'): color 1 instead of 0"]


@given(n=st.integers(1, 25), seed=st.integers(0, 2**32 - 1), changes=st.integers(1, 3))
def test_changed_colors_against_the_definition(n: int, seed: int, changes: int) -> None:
    """Some colors of a good coloring are changed: there is a fault by definition, or at most a gap."""
    r, G = np.random.default_rng(seed), random_graph(n, 2 * n, seed)
    near = neighborhoods(G, "distance1")
    rules = random_rules(near, seed, "fixed forbidden capacity weights")
    colors = color(G, rules).colors.copy()
    colors[r.integers(0, n, changes)] = r.integers(0, n + 3, changes)
    report = lagcolor.verify(G, colors, errors="return", **keywords(rules))
    wrong = faults(near, colors.tolist(), rules)
    assert bool(report.broken or report.n_conflicts) == bool(wrong)
    assert report.ok <= (not wrong)


def test_a_coloring_is_verified_by_its_own_rules() -> None:
    result = lagcolor.color(PATH, fixed={0: 3}, capacity=2)
    assert lagcolor.verify(PATH, result).ok
    result.colors = np.array([0, 1, 0, 1], np.int32)
    with pytest.raises(lagcolor.ColoringError, match="fixed color"):
        result.verify()
    with pytest.raises(lagcolor.ColoringError, match="fixed color"):
        lagcolor.verify(PATH, result)
    assert lagcolor.verify(PATH, result, capacity=2).ok, "given rules stand for its own"
    assert lagcolor.verify(PATH, result.colors).ok


def test_a_result_says_its_rules(tmp_path: Path) -> None:
    result = lagcolor.color(PATH, fixed={0: 3}, forbidden={1: [0]}, capacity=6, weights=[1, 2, 3, 4], verify=True)
    assert result.colors.tolist() == [3, 1, 0, 1] and result.verified
    assert result.fixed.tolist() == [True, False, False, False] and result.fixed.dtype == bool
    assert result.class_weights.tolist() == [3, 6, 0, 1]
    assert result.notes["gaps"] == 1
    result.save(tmp_path / "c.json")
    document = json.loads((tmp_path / "c.json").read_text())
    assert document["rules"] == {"fixed": 1, "forbidden": 1, "capacity": 6, "weight": 10}
    plain = lagcolor.color(PATH)
    assert plain.rules is None and plain.fixed is None and plain.class_weights.tolist() == [2, 2]
    assert "rules" not in plain.provenance()


@EMULATED
def test_on_a_gpu() -> None:
    result = lagcolor.color(PATH.on("cuda"), fixed={0: 3}, forbidden={1: [0]}, verify=True)
    assert result.verified and lagcolor.device.device_of(result.fixed) == corpus.gpu()
    assert result.class_weights.tolist() == [1, 2, 0, 1]
    report = lagcolor.verify(
        PATH.on("cuda"), lagcolor.device.to_device(np.array(GOOD), "cuda"), errors="return", fixed={0: 3}
    )
    assert len(report.broken) == 1


def test_reports_have_no_rules_to_break_without_rules() -> None:
    for problem in ("distance1", "distance2"):
        report = lagcolor.verify(graph("grid"), lagcolor.color(graph("grid"), problem=problem))
        assert dataclasses.asdict(report)["broken"] == []
