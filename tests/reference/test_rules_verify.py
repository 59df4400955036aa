"""The verifier of rules on broken colorings, and what results say of their rules."""

from __future__ import annotations

import dataclasses
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
        ({"capacity": 1}, GOOD, "2 classes over capacity, the first: color 0 weighs 2, and its capacity is 1"),
        ({"capacity": [2, 1]}, GOOD, "1 class over capacity, the first: color 1 weighs 2, and its capacity is 1"),
        ({"capacity": 3, "weights": [1, 1, 2.5, 1]}, GOOD, "color 0 weighs 3.5, and its capacity is 3"),
        ({"capacity": [2, 2]}, [0, 1, 0, 2], "capacity of 2 colors: 1 with a color from there on, the first"),
        ({"capacity": [2, 1]}, [0, 4, 0, 4], "capacity of 2 colors: 2 with a color from there on"),  # beyond the list
        ({"fixed": {0: 0}}, [0, 2, 0, 2], "colors are not 0 … k-1: 1 below the largest are unused"),
        ({"forbidden": {1: [1], 3: [1]}}, [0, 2, 3, 2], "colors are not 0 … k-1: 1 below the largest are unused"),
        ({"fixed": {0: 0}}, [0, 0, 1, 0], "1 conflicting edge, the first (0, 1)"),
        ({"fixed": {0: 0}}, [0, -1, 0, 1], "1 uncolored vertex (-1), the first 1"),
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


def unexplained(colors: list[int], rules: dict[str, Any]) -> int:
    """Unused colors that some free vertex of a larger color could have had, by definition, one after the other."""
    n, capacity = len(colors), rules.get("capacity", float("inf"))
    fixed, weights, forbidden = rules.get("fixed", [-1] * n), rules.get("weights", [1] * n), rules.get("forbidden", {})

    def fits(v: int, c: int) -> bool:
        room = capacity if not isinstance(capacity, list) else capacity[c] if c < len(capacity) else -1
        return fixed[v] < 0 and c not in forbidden.get(v, ()) and weights[v] <= room

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
@pytest.mark.parametrize("capacity", [None, 9, range(1_000_001)])
def test_a_million_forbidden_colors(capacity: Any) -> None:
    """Also where they are all looked at: it is not done one by one."""
    k = 10**6
    forbidden = sp.csr_array((np.ones(k - 1, bool), np.delete(np.arange(k), 7), [0, k - 1, k - 1]), shape=(2, k))
    G, rules = lagcolor.generate.path(2), {"forbidden": forbidden, "capacity": capacity}
    report = lagcolor.verify(G, [k, 0], errors="return", **rules)
    assert report.gaps == 1 and report.n_colors == 2
    assert lagcolor.verify(G, [k, 7], errors="return", **rules).gaps == (7 if np.ndim(capacity) == 0 else 6)


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


NAMED_PATH = [("Ann", "Bob"), ("Bob", "Carl"), ("Carl", "Dora")]
VISITS = [("Ann", "zoo"), ("Ann", "museum"), ("Bob", "zoo")]
NAMED = {
    "conflict": ("distance1", [0, 0, 1, 0], "1 conflicting edge, the first (0 ('Ann'), 1 ('Bob')): both have color 0"),
    "uncolored": ("distance1", [0, 1, -1, 0], "1 uncolored vertex (-1), the first 2 ('Carl')"),
    "two uncolored": ("distance1", [0, 1, -1, -1], "2 uncolored vertices (-1), the first 2 ('Carl')"),
    "out of range": ("distance1", [0, 1, 9, 0], "vertex 2 ('Carl') has color 9: colors go from 0 to n - 1"),
    "distance 2": (
        "distance2", [0, 1, 0, 2],
        "1 violation, the first: vertices 0 ('Ann') and 2 ('Carl') both have color 0, and vertex 1 ('Bob') is",
    ),
    "distance 2, uncolored": ("distance2", [0, 1, 2, -1], "1 uncolored (-1), the first 3 ('Dora')"),
    "star": (
        "star", [0, 1, 0, 1], "path 0 ('Ann') - 1 ('Bob') - 2 ('Carl') - 3 ('Dora'): only colors 0 and 1",
    ),
    "star, uncolored": ("star", [0, 1, -1, 1], "1 uncolored (-1), the first 2 ('Carl')"),
    "acyclic": ("acyclic", [0, 0, 1, 0], "edge (0 ('Ann'), 1 ('Bob')): both have color 0"),
    "columns": (
        "columns", [0, 0], "columns 0 ('zoo') and 1 ('museum') both have color 0, and row 0 ('Ann') has an entry",
    ),
    "columns, out of range": ("columns", [0, -2], "1 ('museum') has color -2: colors begin at 0"),
    "rows": ("rows", [0, 0], "rows 0 ('Ann') and 1 ('Bob') both have color 0, and column 0 ('zoo') has an entry"),
    "star bicoloring": ("star_bicoloring", [-1, -1, 0, 0], "entry (0 ('Ann'), 0 ('zoo')) of colors -1 and 0"),
}  # fmt: skip


@pytest.mark.parametrize("case", NAMED)
def test_names_of_what_is_at_fault(case: str) -> None:
    problem, colors, said = NAMED[case]
    x = VISITS if problem in ("columns", "rows", "star_bicoloring") else NAMED_PATH
    report = lagcolor.verify(x, np.array(colors), problem=problem, errors="return")
    assert said in "; ".join(report.problems())
    with pytest.raises(lagcolor.ColoringError, match=re.escape(said)):
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
    plain = lagcolor.color(PATH)
    assert plain.rules is None and plain.fixed is None and plain.class_weights.tolist() == [2, 2]
    assert "rules" not in plain.provenance()


def test_colors_in_use_are_told_from_the_largest() -> None:
    result = lagcolor.color(PATH, fixed={0: 5}, capacity=2)
    assert result.colors.tolist() == [5, 1, 0, 1] and (result.n_colors, result.n_used) == (6, 3)
    assert result.n_used == result.verify().n_colors and len(result.class_sizes) == 6
    assert "<Coloring: 3 colors (the largest 5) for 4 vertices" in repr(result)
    assert "<td>3 (the largest 5)</td>" in result._repr_html_()
    assert (result.provenance()["n_colors"], result.provenance()["n_used"]) == (6, 3)
    high = lagcolor.color(PATH, fixed={3: 2**31 - 2})
    assert high.n_used == 3 and "3 colors (the largest 2,147,483,646) for" in repr(high)
    plain = lagcolor.color(PATH)
    assert plain.n_used == plain.n_colors == 2 and "<Coloring: 2 colors for" in repr(plain)


def test_of_several_orders_the_one_with_fewest_in_use() -> None:
    """A path in which natural order needs three colors, and a vertex fixed to a color far above."""
    G = nx.empty_graph(5)
    G.add_edges_from([(0, 2), (2, 3), (3, 1)])
    result = lagcolor.color(G, fixed={4: 9}, order=("natural", "smallest_last"))
    assert [tried["colors"] for tried in result.notes["tried"]] == [4, 3]
    assert result.order == "smallest_last" and result.n_used == 3


@EMULATED
def test_on_a_gpu() -> None:
    result = lagcolor.color(PATH.on("cuda"), fixed={0: 3}, forbidden={1: [0]}, verify=True)
    assert result.verified and lagcolor.base.device.device_of(result.fixed) == corpus.gpu()
    assert result.class_weights.tolist() == [1, 2, 0, 1] and (result.n_colors, result.n_used) == (4, 3)
    assert lagcolor.color(PATH.on("cuda"), fixed={0: 2**31 - 2}).n_used == 3
    report = lagcolor.verify(
        PATH.on("cuda"), lagcolor.base.device.to_device(np.array(GOOD), "cuda"), errors="return", fixed={0: 3}
    )
    assert len(report.broken) == 1


def test_reports_have_no_rules_to_break_without_rules() -> None:
    for problem in ("distance1", "distance2"):
        report = lagcolor.verify(graph("grid"), lagcolor.color(graph("grid"), problem=problem))
        assert dataclasses.asdict(report)["broken"] == []
