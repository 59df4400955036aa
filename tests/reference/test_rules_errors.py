"""What is refused of rules: malformed values, contradictions, what goes with none; and other libraries' behavior."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from corpus import graph

import lagcolor
from lagcolor.problems import PROBLEMS
from lagcolor.problems.registry import TABLES

PATH = lagcolor.generate.path(4)
NAMED = nx.Graph([("a", "b"), ("b", "c")])


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({"fixed": [0, 1]}, r"fixed must have shape \(4,\)"),
        ({"fixed": [0.5, -1, -1, -1]}, "fixed must hold whole numbers, not float64"),
        ({"fixed": [True, False, True, False]}, "fixed must hold whole numbers, not bool"),
        ({"fixed": [-2, -1, -1, -1]}, "fixed: vertex 0 has color -2"),
        ({"fixed": [2**31 - 1, -1, -1, -1]}, "fixed: vertex 0 has color 2147483647"),
        ({"fixed": [[0], [1, 2]]}, "fixed must be an array"),
        ({"fixed": {4: 0}}, "fixed: there is no vertex 4; keys are numbers from 0 to 3"),
        ({"fixed": {"a": 0}}, "fixed: there is no vertex 'a'"),
        ({"fixed": {0: "red"}}, "fixed: the color of 0 must be a whole number"),
        ({"fixed": {0: -2}}, "fixed: the color of 0 must be a whole number from 0 to 2147483646, or -1"),
        ({"forbidden": [[0], [1], [], []]}, "forbidden must be a sparse matrix or a boolean array"),
        ({"forbidden": np.ones((4, 2))}, "forbidden must be .* not an array of float64"),
        ({"forbidden": np.ones((3, 2), bool)}, r"forbidden must have shape \(4, colors\)"),
        ({"forbidden": sp.csr_array((5, 2), dtype=bool)}, r"forbidden must have shape \(4, colors\)"),
        ({"forbidden": {9: [0]}}, "forbidden: there is no vertex 9"),
        ({"allowed": np.ones((4, 2))}, "allowed must be .* not an array of float64"),
        ({"allowed": np.ones((3, 2), bool)}, r"allowed must have shape \(4, colors\)"),
        ({"allowed": {9: [0]}}, "allowed: there is no vertex 9"),
        ({"allowed": {0: [0, 1], 3: []}}, "allowed: vertex 1 has no list, .* pass max_colors"),
        ({"allowed": {v: [2**30] for v in range(4)}}, "allowed: 4 lists among 1,073,741,825 colors are over"),
        ({"forbidden": {0: "red"}}, "forbidden: 0 has 'red'"),
        ({"forbidden": {0: [-1]}}, "forbidden: the color of 0"),
        ({"max_colors": 2.5}, "max_colors must be a whole number"),
        ({"max_colors": -1}, "max_colors must be a whole number"),
        ({"capacity": -1}, "capacity must be a number from 0 on"),
        ({"capacity": float("nan")}, "capacity must be a number from 0 on"),
        ({"capacity": "all"}, "capacity must hold whole numbers or floats"),
        ({"capacity": [1, -2]}, "capacity of color 1"),
        ({"capacity": [[1]]}, "capacity must be a number, or an array"),
        ({"capacity": [4, 4], "max_colors": 3}, "capacity has 2 entries, one per color, and max_colors is 3"),
        ({"weights": [1, 2]}, r"weights must have shape \(4,\)"),
        ({"weights": [1, 2, -3, 4]}, "weights: the value of vertex 2 is -3"),
        ({"weights": [1, 2, float("inf"), 4]}, "weights: the value of vertex 2 is inf"),
        ({"weights": [2**52, 2**52, 1, 1]}, "their sum is over"),
        ({"weights": {0: 1, 1: 1, 3: 1}}, "weights: vertex 2 has none"),
    ],
)  # fmt: skip
def test_malformed(rules: dict[str, Any], said: str) -> None:
    with pytest.raises(lagcolor.OptionError, match=said):
        lagcolor.color(PATH, **rules)
    with pytest.raises(lagcolor.OptionError, match=said):
        lagcolor.verify(PATH, [0, 1, 0, 1], **rules)


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({"fixed": {1: 3, 2: 3}}, "fixed: vertex 1 and vertex 2 are neighbors, and both have color 3"),
        ({"fixed": {1: 3}, "forbidden": {1: [2, 3]}}, "fixed: vertex 1 has color 3, which is forbidden to it"),
        ({"fixed": {1: 3}, "max_colors": 3}, "fixed: vertex 1 has color 3, and max_colors=3 allows 0 to 2"),
        ({"fixed": {1: 3}, "capacity": [9, 9]}, "fixed: vertex 1 has color 3, and capacity of 2 colors allows 0 to 1"),
        ({"max_colors": 0}, "max_colors=0: a graph with vertices needs a color"),
        ({"capacity": 0.5}, "capacity: vertex 0 weighs 1, and a class at most 0.5"),
        ({"capacity": [1, 3], "weights": [1, 1, 4, 1]}, "capacity: vertex 2 weighs 4, and a class at most 3"),
        (
            {"capacity": [1, 1, 100], "max_colors": 2, "weights": [50, 0, 0, 0]},
            "capacity: vertex 0 weighs 50, and a class at most 1",
        ),
        ({"capacity": [1, 2]}, "capacity: the vertices weigh 4, and 2 classes hold 3 at most"),
        ({"capacity": 1, "max_colors": 3}, "capacity: the vertices weigh 4, and 3 classes hold 3 at most"),
        ({"capacity": 1, "fixed": {0: 5, 2: 5}}, "the vertices fixed to color 5 weigh 2, and its free capacity is 1"),
        ({"capacity": []}, "capacity of 0 colors: a graph with vertices needs a color"),
    ],
)
def test_contradictions(rules: dict[str, Any], said: str) -> None:
    with pytest.raises(lagcolor.ColoringError, match=said) as caught:
        lagcolor.color(PATH, **rules)
    assert caught.value.partial is None and caught.value.reason == str(caught.value)


def test_contradictions_at_two_hops() -> None:
    with pytest.raises(lagcolor.ColoringError, match="vertices 0 and 2 both have color 1, and vertex 1 is a neighbor"):
        lagcolor.color(PATH, problem="distance2", fixed={0: 1, 2: 1})
    P = lagcolor.Pattern.of(np.ones((1, 3), bool))
    with pytest.raises(lagcolor.ColoringError, match="columns 0 and 2 both have color 1, and row 0"):
        lagcolor.color(P, problem="columns", fixed=[1, -1, 1])
    assert lagcolor.color(P, problem="rows", fixed={0: 2}).colors.tolist() == [2]


def test_vertices_have_their_labels() -> None:
    with pytest.raises(lagcolor.ColoringError, match=r"vertex 0 \('a'\) and vertex 1 \('b'\) are neighbors"):
        lagcolor.color(NAMED, fixed={"a": 0, "b": 0})
    with pytest.raises(lagcolor.OptionError, match="no vertex 0; keys are the labels"):
        lagcolor.color(NAMED, fixed={0: 0})
    result = lagcolor.color(NAMED, fixed={"b": 2}, forbidden={"a": [0]}, weights={"a": 1, "b": 2, "c": 3}, capacity=9)
    assert result.to_dict() == {"a": 1, "b": 2, "c": 0}
    assert result.class_weights.tolist() == [3, 1, 2]


def test_forms_of_forbidden_are_one() -> None:
    """Mapping, dense and sparse matrices, patterns: the same rules; stored entries that are false forbid nothing."""
    dense = np.zeros((4, 5), bool)
    dense[0, [0, 3]] = dense[2, 1] = True
    stored = sp.csr_array((np.array([True, True, True, False]), ([0, 0, 2, 1], [0, 3, 1, 0])), shape=(4, 5))
    mapping = {0: [3, 0, 0], 2: {1}, 1: []}
    forms = [dense, stored, stored.tocoo(), stored.tolil(), mapping, lagcolor.Pattern.of(dense), {0: (0, 3), 2: 1}]
    for form in forms:
        result = lagcolor.color(PATH, order="natural", forbidden=form)
        assert result.rules is not None and result.rules.forbidden is not None
        assert [a.tolist() for a in result.rules.forbidden] == [[0, 2, 2, 3, 3], [0, 3, 1]]
        assert result.colors.tolist() == [1, 0, 2, 0]


def test_forms_of_fixed_are_one() -> None:
    before = lagcolor.color(PATH, order="natural")
    assert lagcolor.color(PATH, fixed=before).colors.tolist() == before.colors.tolist()
    for form in (
        {0: 5},
        {np.int64(0): np.int32(5)},
        [5, -1, -1, -1],
        np.array([5, -1, -1, -1], np.int8),
        {0: 5, 1: -1},
    ):
        assert lagcolor.color(PATH, order="natural", fixed=form).colors.tolist() == [5, 0, 1, 0]


def test_what_goes_with_no_rules() -> None:
    for problem, row in PROBLEMS.items():
        x = PATH if row.symmetric else lagcolor.Pattern.of(np.eye(3, dtype=bool))
        kept = TABLES[problem][row.default].rules
        if not kept:
            with pytest.raises(lagcolor.OptionError, match=f"{problem} keeps no rules"):
                lagcolor.color(x, problem=problem, max_colors=4)
        else:
            assert lagcolor.color(x, problem=problem, max_colors=4).n_colors <= 4
    with pytest.raises(
        lagcolor.OptionError, match="greedy keeps no fixed; algorithms that do: dsatur, exact, first_fit"
    ):
        lagcolor.color(PATH, "greedy", fixed={0: 0})
    with pytest.raises(lagcolor.OptionError, match="reduce keeps no rules"):
        lagcolor.reduce(PATH, lagcolor.color(PATH, fixed={0: 3}))


def test_each_row_that_names_a_rule_keeps_it() -> None:
    """The registry says what an algorithm keeps: each row is asked for each."""
    values: dict[str, Any] = {
        "fixed": {0: 3}, "forbidden": {0: [0]}, "max_colors": 4, "capacity": 2, "weights": [1, 2, 1, 1],
    }  # fmt: skip
    for problem in PROBLEMS:
        for row in TABLES[problem].values():
            for rule in row.rules:
                x = PATH if PROBLEMS[problem].symmetric else lagcolor.Pattern.of(np.eye(4, dtype=bool))
                x = lagcolor.generate.cycle(4) if problem == "edges" else x  # four of all
                if rule in values:
                    assert lagcolor.color(x, row.name, problem=problem, verify=True, **{rule: values[rule]}).verified


def test_empty_graphs() -> None:
    for rules in ({"max_colors": 0}, {"fixed": {}}, {"fixed": []}, {"forbidden": {}}, {"capacity": 0}, {"weights": []}):
        for problem in ("distance1", "distance2"):
            result = lagcolor.color(graph("empty"), problem=problem, **rules)
            assert result.n_colors == 0 and result.verify().ok
