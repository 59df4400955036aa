"""What is refused of rules, and the verifier of rules on broken colorings."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import corpus
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from corpus import graph, random_graph
from emulated import EMULATED
from hypothesis import given
from hypothesis import strategies as st
from rule_cases import color, faults, keywords, neighborhoods, random_rules

import lagcolor
from lagcolor.problems import PROBLEMS
from lagcolor.problems.registry import TABLES

PATH = lagcolor.generate.path(4)
NAMED = nx.Graph([("a", "b"), ("b", "c")])


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"fixed": [0.5, -1, -1, -1]}, "fixed must hold whole numbers, not float64"),
        ({"fixed": [-2, -1, -1, -1]}, "fixed: vertex 0 has color -2"),
        ({"fixed": [2**31 - 1, -1, -1, -1]}, "fixed: vertex 0 has color 2147483647"),
        ({"fixed": [[0], [1, 2]]}, "fixed must be an array"),
        ({"forbidden": np.ones((4, 2))}, "forbidden must be .* not an array of float64"),
        ({"forbidden": sp.csr_array((5, 2), dtype=bool)}, r"forbidden must have shape \(4, colors\)"),
        ({"allowed": np.ones((3, 2), bool)}, r"allowed must have shape \(4, colors\)"),
        ({"allowed": {0: [0, 1], 3: []}}, "allowed: vertex 1 has no list, .* pass max_colors"),
        ({"allowed": {v: [2**30] for v in range(4)}}, "allowed: 4 lists with 1,073,741,825 colors are over"),
        ({"forbidden": {0: [-1]}}, "forbidden: the color of 0"),
        ({"capacity": float("nan")}, "capacity must be a number from 0 on"),
        ({"capacity": [1, -2]}, "capacity of color 1"),
        ({"capacity": [[1]]}, "capacity must be a number, or an array"),
        ({"capacity": [4, 4], "max_colors": 3}, "capacity has 2 entries, one per color, and max_colors is 3"),
        ({"weights": [1, 2]}, r"weights must have shape \(4,\)"),
        ({"weights": [1, 2, float("inf"), 4]}, "weights: the value of vertex 2 is inf"),
        ({"weights": [2**52, 2**52, 1, 1]}, "their sum is over"),
        ({"weights": {0: 1, 1: 1, 3: 1}}, "weights: vertex 2 has none"),
    ],
)  # fmt: skip
def test_malformed(rules: dict[str, Any], message: str) -> None:
    with pytest.raises(lagcolor.OptionError, match=message):
        lagcolor.color(PATH, **rules)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"fixed": {1: 3}, "max_colors": 3}, "fixed: vertex 1 has color 3, and max_colors=3 allows 0 to 2"),
        ({"fixed": {1: 3}, "capacity": [9, 9]}, "fixed: vertex 1 has color 3, and capacity of 2 colors allows 0 to 1"),
        ({"max_colors": 0}, "max_colors=0: a graph with vertices needs a color"),
        ({"capacity": 0.5}, "capacity: vertex 0 weighs 1, and a class at most 0.5"),
        ({"capacity": [1, 3], "weights": [1, 1, 4, 1]}, "capacity: vertex 2 weighs 4, and a class at most 3"),
        (
            {"capacity": [1, 1, 100], "max_colors": 2, "weights": [50, 0, 0, 0]},
            "capacity: vertex 0 weighs 50, and a class at most 1",
        ),
        ({"capacity": 1, "fixed": {0: 5, 2: 5}}, "the vertices fixed to color 5 weigh 2, and its free capacity is 1"),
        ({"capacity": []}, "capacity of 0 colors: a graph with vertices needs a color"),
        (
            {"fixed": {0: 1, 2: 1}, "problem": "distance2"},
            "vertices 0 and 2 both have color 1, and vertex 1 is a neighbor",
        ),
    ],
)
def test_contradictions(rules: dict[str, Any], message: str) -> None:
    with pytest.raises(lagcolor.ColoringError, match=message) as caught:
        lagcolor.color(PATH, **rules)
    assert caught.value.partial is None and caught.value.reason == str(caught.value)


def test_vertices_have_their_labels() -> None:
    with pytest.raises(lagcolor.ColoringError, match=r"vertex 0 \('a'\) and vertex 1 \('b'\) are neighbors"):
        lagcolor.color(NAMED, fixed={"a": 0, "b": 0})
    with pytest.raises(lagcolor.OptionError, match="no vertex 0; keys are the labels"):
        lagcolor.color(NAMED, fixed={0: 0})
    report = lagcolor.verify(NAMED, [0, 1, 0], fixed={"c": 1}, errors="return")
    assert report.broken == ["1 without their fixed color, the first vertex 2 ('c'): color 0 instead of 1"]
    result = lagcolor.color(NAMED, fixed={"b": 2}, forbidden={"a": [0]}, weights={"a": 1, "b": 2, "c": 3}, capacity=9)
    assert result.to_dict() == {"a": 1, "b": 2, "c": 0}
    assert result.class_weights.tolist() == [3, 1, 2]


def test_forms_of_forbidden_are_one() -> None:
    """Mapping, dense and sparse matrices, patterns: the same rules; stored entries that are false forbid nothing."""
    dense = np.zeros((4, 5), bool)
    dense[0, [0, 3]] = dense[2, 1] = True
    stored = sp.csr_array((np.array([True, True, True, False]), ([0, 0, 2, 1], [0, 3, 1, 0])), shape=(4, 5))
    mapping = {0: [3, 0, 0], 2: {1}, 1: []}
    for form in (dense, stored, stored.tocoo(), stored.tolil(), mapping, lagcolor.Pattern.of(dense)):
        result = lagcolor.color(PATH, order="natural", forbidden=form)
        assert [a.tolist() for a in result.rules.forbidden] == [[0, 2, 2, 3, 3], [0, 3, 1]]  # type: ignore[union-attr]
        assert result.colors.tolist() == [1, 0, 2, 0]


def test_forms_of_fixed_are_one() -> None:
    before = lagcolor.color(PATH, order="natural")
    assert lagcolor.color(PATH, fixed=before).colors.tolist() == before.colors.tolist()
    small = np.array([5, -1, -1, -1], np.int8)
    for form in ({0: 5}, {np.int64(0): np.int32(5)}, small.tolist(), small, {0: 5, 1: -1}):
        assert lagcolor.color(PATH, order="natural", fixed=form).colors.tolist() == [5, 0, 1, 0]


def test_each_row_that_names_a_rule_keeps_it() -> None:
    """Each algorithm keeps the rules that the registry lists for it."""
    values: dict[str, Any] = {
        "fixed": {0: 3}, "forbidden": {0: [0]}, "max_colors": 4, "capacity": 2, "weights": [1, 2, 1, 1],
    }  # fmt: skip
    for problem in PROBLEMS:
        x = PATH if PROBLEMS[problem].symmetric else lagcolor.Pattern.of(np.eye(4, dtype=bool))
        x = lagcolor.generate.cycle(4) if problem == "edges" else x  # four of all
        for row in TABLES[problem].values():
            for rule in {*row.rules} & {*values}:
                assert lagcolor.color(x, row.name, problem=problem, verify=True, **{rule: values[rule]}).verified


def test_empty_graphs() -> None:
    for rules in ({"max_colors": 0}, {"fixed": {}}, {"fixed": []}, {"forbidden": {}}, {"capacity": 0}, {"weights": []}):
        for problem in ("distance1", "distance2"):
            result = lagcolor.color(graph("empty"), problem=problem, **rules)
            assert result.n_colors == 0 and result.verify().ok


GOOD = [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("rules", "colors", "message"),
    [
        ({"fixed": {1: 1}}, [1, 0, 1, 0], "1 without their fixed color, the first vertex 1: color 0 instead of 1"),
        ({"forbidden": {3: [7, 1]}}, GOOD, "1 with a forbidden color, the first vertex 3: color 1"),
        ({"forbidden": np.eye(4, 2, dtype=bool)}, GOOD, "2 with a forbidden color, the first vertex 0: color 0"),
        ({"max_colors": 1}, GOOD, "max_colors=1: 2 with a color from there on, the first vertex 1: color 1"),
        ({"capacity": [2, 1]}, GOOD, "1 class over capacity, the first: color 1 weighs 2, and its capacity is 1"),
        ({"capacity": 3, "weights": [1, 1, 2.5, 1]}, GOOD, "color 0 weighs 3.5, and its capacity is 3"),
        ({"capacity": [2, 2]}, [0, 1, 0, 2], "capacity of 2 colors: 1 with a color from there on, the first"),
        ({"capacity": [2, 1]}, [0, 4, 0, 4], "capacity of 2 colors: 2 with a color from there on"),  # beyond the list
        ({"forbidden": {1: [1], 3: [1]}}, [0, 2, 3, 2], "colors are not 0 … k-1: 1 below the largest are unused"),
        ({"fixed": {0: 0}}, [0, 0, 1, 0], "1 conflicting edge, the first (0, 1)"),
        ({"fixed": {0: 0}}, [0, -1, 0, 1], "1 uncolored vertex (-1), the first 1"),
        ({"fixed": {0: 0}}, [0, -2, 0, 1], "vertex 1 has color -2"),
        ({"max_colors": 2, "problem": "distance2"}, [0, 1, 0, 2], "max_colors=2: 1 with a color from there on"),
    ],
)
def test_broken_colorings(rules: dict[str, Any], colors: list[int], message: str) -> None:
    for device in ("cpu", *(["cuda"] if lagcolor.has_gpu() else [])):
        G = PATH.on(device)
        report = lagcolor.verify(G, np.array(colors), errors="return", **rules)
        assert not report.ok
        assert any(message in problem for problem in report.problems()), report.problems()
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


def unexplained(colors: list[int], rules: dict[str, Any]) -> int:
    """Unused colors that some free vertex of a larger color could have had, by definition, one after the other."""
    n, capacity = len(colors), rules.get("capacity", float("inf"))
    fixed, weights, forbidden = rules.get("fixed", [-1] * n), rules.get("weights", [1] * n), rules.get("forbidden", {})

    def fits(v: int, c: int) -> bool:
        space = capacity if not isinstance(capacity, list) else capacity[c] if c < len(capacity) else -1
        return fixed[v] < 0 and c not in forbidden.get(v, ()) and weights[v] <= space

    unused = set(range(max(colors))) - set(colors)
    return sum(any(colors[v] > c and fits(v, c) for v in range(n)) for c in unused)


@given(n=st.integers(1, 12), seed=st.integers(0, 2**32 - 1), density=st.floats(0, 1))
def test_gaps_are_counted_as_defined(n: int, seed: int, density: float) -> None:
    r = np.random.default_rng(seed)
    colors, k = r.integers(-2, 2 * n, n).tolist(), 2 * n
    rules: dict[str, Any] = {"forbidden": {v: np.flatnonzero(r.random(k) < density).tolist() for v in range(n)}}
    if r.integers(2):
        rules["fixed"] = [c if c >= 0 and r.integers(2) else -1 for c in colors]
    if r.integers(2):
        rules["weights"] = r.integers(0, 5, n).tolist() if r.integers(2) else r.random(n).round(1).tolist()
    if kind := r.integers(3):
        rules["capacity"] = r.integers(0, 5, k).tolist() if kind == 1 else float(r.integers(0, 5))
    report = lagcolor.verify(sp.csr_array((n, n)), colors, errors="return", **keywords(rules))
    expected = unexplained(colors, rules)
    assert bool(report.gaps) == bool(expected)
    # Colors are looked at up to as many as are in use, forbidden to one vertex, or in the list of capacities.
    looked = len(set(colors) - {-2, -1}) + max(map(len, rules["forbidden"].values())) + (k if kind == 1 else 0)
    assert report.gaps == expected or looked < max(colors)


@pytest.mark.timeout(120)  # color by color it takes an hour
@pytest.mark.parametrize("capacity", [None, range(1_000_001)])
def test_a_million_forbidden_colors(capacity: Any) -> None:
    """A million forbidden colors are checked in bulk, not one by one."""
    k = 10**6
    forbidden = sp.csr_array((np.ones(k - 1, bool), np.delete(np.arange(k), 7), [0, k - 1, k - 1]), shape=(2, k))
    G, rules = lagcolor.generate.path(2), {"forbidden": forbidden, "capacity": capacity}
    report = lagcolor.verify(G, [k, 0], errors="return", **rules)
    assert report.gaps == 1 and report.n_colors == 2
    assert lagcolor.verify(G, [k, 7], errors="return", **rules).gaps == (7 if np.ndim(capacity) == 0 else 6)


PEOPLE = [("Ann", "Bob"), ("Bob", "Carl"), ("Carl", "Dora")]
VISITS = [("Ann", "zoo"), ("Ann", "museum"), ("Bob", "zoo")]
NAMES_AT_FAULT = {
    "conflict": ("distance1", [0, 0, 1, 0], "1 conflicting edge, the first (0 ('Ann'), 1 ('Bob')): both have color 0"),
    "uncolored": ("distance1", [0, 1, -1, 0], "1 uncolored vertex (-1), the first 2 ('Carl')"),
    "out of range": ("distance1", [0, 1, 9, 0], "vertex 2 ('Carl') has color 9: colors go from 0 to n - 1"),
    "distance 2": (
        "distance2", [0, 1, 0, 2],
        "1 violation, the first: vertices 0 ('Ann') and 2 ('Carl') both have color 0, and vertex 1 ('Bob') is",
    ),
    "star": (
        "star", [0, 1, 0, 1], "path 0 ('Ann') - 1 ('Bob') - 2 ('Carl') - 3 ('Dora'): only colors 0 and 1",
    ),
    "acyclic": ("acyclic", [0, 0, 1, 0], "edge (0 ('Ann'), 1 ('Bob')): both have color 0"),
    "columns": (
        "columns", [0, 0], "columns 0 ('zoo') and 1 ('museum') both have color 0, and row 0 ('Ann') has an entry",
    ),
    "rows": ("rows", [0, 0], "rows 0 ('Ann') and 1 ('Bob') both have color 0, and column 0 ('zoo') has an entry"),
    "star bicoloring": ("star_bicoloring", [-1, -1, 0, 0], "entry (0 ('Ann'), 0 ('zoo')) of colors -1 and 0"),
}  # fmt: skip


@pytest.mark.parametrize("case", NAMES_AT_FAULT)
def test_names_of_what_is_at_fault(case: str) -> None:
    problem, colors, message = NAMES_AT_FAULT[case]
    x = VISITS if problem in ("columns", "rows", "star_bicoloring") else PEOPLE
    report = lagcolor.verify(x, np.array(colors), problem=problem, errors="return")
    assert message in "; ".join(report.problems())
    with pytest.raises(lagcolor.ColoringError, match=re.escape(message)):
        lagcolor.verify(x, np.array(colors), problem=problem)


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


def test_colors_in_use_differ_from_the_largest() -> None:
    result = lagcolor.color(PATH, fixed={0: 5}, capacity=2)
    assert result.colors.tolist() == [5, 1, 0, 1] and (result.n_colors, result.n_used) == (6, 3)
    assert result.n_used == result.verify().n_colors and len(result.class_sizes) == 6
    assert "<Coloring: 3 colors (the largest 5) for 4 vertices" in repr(result)
    assert "<td>3 (the largest 5)</td>" in result._repr_html_()
    assert (result.provenance()["n_colors"], result.provenance()["n_used"]) == (6, 3)
    assert lagcolor.color(PATH, fixed={3: 2**31 - 2}).n_used == 3


def test_of_several_orders_the_one_with_fewest_in_use() -> None:
    """A path in which natural order needs three colors, and a vertex fixed to a color far above."""
    G = lagcolor.Graph.of(([0, 2, 3], [2, 3, 1]), n=5)
    result = lagcolor.color(G, fixed={4: 9}, order=("natural", "smallest_last"))
    assert result.order == "smallest_last" and result.n_used == 3


@EMULATED
def test_on_a_gpu() -> None:
    result = lagcolor.color(PATH.on("cuda"), fixed={0: 3}, forbidden={1: [0]}, verify=True)
    assert result.verified and lagcolor.base.device.device_of(result.fixed) == corpus.gpu()
    assert result.class_weights.tolist() == [1, 2, 0, 1] and (result.n_colors, result.n_used) == (4, 3)
