"""Each problem on small graphs and patterns, against its definition; and `verify` finds what breaks that."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, graph
from patterns import SHAPES, pattern

import lagcolor
from lagcolor.problems import PROBLEMS

from .definitions import HOLDS

MOST_EDGES = {  # of graphs, for slow definitions
    "distance1": 10**5, "distance2": 10**5, "distance3": 10**4, "edges": 10**5, "star": 1200, "acyclic": 7000,
}  # fmt: skip
CASES = [
    pytest.param(problem, name, id=f"{problem}-{name}")
    for problem, row in PROBLEMS.items()
    for name in (CORPUS if row.symmetric else SHAPES)
    if not row.symmetric or len(CORPUS[name][1]) < MOST_EDGES[problem]
]


def input_of(problem: str, name: str) -> Any:
    return graph(name) if PROBLEMS[problem].symmetric else pattern(name)


def size_of(problem: str, x: Any) -> int:
    """How many colors a coloring lists."""
    if problem == "edges":
        return len(x.indices) // 2
    return sum({"vertices": x.rows, "rows": x.rows, "columns": x.columns}[side] for side in PROBLEMS[problem].colored)


def test_every_problem_has_a_definition() -> None:
    assert set(HOLDS) == set(PROBLEMS)


@pytest.mark.parametrize(("problem", "name"), CASES)
def test_the_definition_holds(problem: str, name: str) -> None:
    """Colorings fulfill the definition; `verify` finds the fault if one color changes to another color in use."""
    x = input_of(problem, name)
    for order in (None, "random"):
        result = lagcolor.color(x, order=order, problem=problem)
        colors = result.to_numpy().tolist()
        assert len(colors) == size_of(problem, x)
        assert HOLDS[problem](x, colors), order
        assert result.n_colors == max(colors, default=-1) + 1 >= result.lower_bound
        assert result.n_colors <= PROBLEMS[problem].upper_bound(x)
        assert problem.endswith("bicoloring") or min(colors, default=0) >= 0
    assert lagcolor.verify(x, result.to_numpy(), problem=problem).ok
    r = np.random.default_rng(len(colors))
    for _ in range(6 if 0 < len(colors) < 130 else min(len(colors), 1)):
        broken = result.to_numpy().copy()
        broken[r.integers(len(colors))] = r.choice(broken)
        report = lagcolor.verify(x, broken, problem=problem, errors="return")
        violations = report.n_conflicts if problem == "distance1" else report.n_violations
        assert (violations == 0) == HOLDS[problem](x, broken.tolist())


@pytest.mark.parametrize("problem", PROBLEMS)
def test_verify_raises(problem: str) -> None:
    """All in one color, or none."""
    x = graph("even cycle") if PROBLEMS[problem].symmetric else pattern("dense")
    n = size_of(problem, x)
    with pytest.raises(lagcolor.ColoringError):
        lagcolor.verify(x, np.zeros(n, int), problem=problem)
    with pytest.raises(lagcolor.ColoringError):
        lagcolor.verify(x, np.full(n, -1), problem=problem)
    with pytest.raises(lagcolor.ColoringError, match="shape"):
        lagcolor.verify(x, np.arange(n + 1), problem=problem)
