"""A call with a time limit ends at it, whatever the problem, the rules and the effort.

The time is the clock's, or the CPU time of the process if it is less, without the time to compile: other processes may
keep the cores busy.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import time
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import lagcolor
from lagcolor.base import compile_clock

OVER, SLACK = 1.1, 0.25  # of a limit, and seconds of garbage collection and of checks
K = {"distance1": 25, "distance2": 12, "columns": 6, "edges": 50}


@functools.cache
def graph(problem: str) -> Any:
    """A graph whose search takes longer than any limit here."""
    if problem == "columns":
        return lagcolor.Pattern.of(sp.random_array((2000, 2000), density=3e-3, rng=0))
    if problem == "distance1":
        return lagcolor.Graph.of(nx.gnp_random_graph(300, 0.5, seed=1))
    return lagcolor.Graph.of({"edges": "kron_g500:9", "distance2": "rgg:13"}.get(problem, "rgg:12"))


def rules_of(problem: str, name: str) -> dict[str, Any]:
    """Rules that the search cannot keep, or only just."""
    G, k = graph(problem), K.get(problem, 0)
    n = G.n_edges if problem == "edges" else G.shape[1] if problem == "columns" else G.shape[0]
    return {
        "none": {},
        "max_colors": {"max_colors": k},
        "partial": {"max_colors": k, "partial": "fewest"},
        "lightest": {"max_colors": k, "partial": "lightest", "weights": np.arange(n) % 7 + 1},
        "capacity": {"max_colors": 2 * k, "capacity": n // (2 * k) + 1 if k else 0},
        "partial, capacity": {"max_colors": k, "capacity": n // k // 2 if k else 0, "partial": "fewest"},
        "fixed": {"max_colors": k, "fixed": {0: 1}},
        "forbidden": {"max_colors": k, "forbidden": {v: [v % 3] for v in range(0, n, 2)}},
        "equitable": {"equitable": True},
    }[name]


def seconds(call: Any) -> float:
    """What a call takes, whether it finds a coloring or not."""
    compiled, wall, cpu = compile_clock.seconds(), time.perf_counter(), time.process_time()
    with contextlib.suppress(lagcolor.ColoringError):
        call()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return min(wall, cpu) - (compile_clock.seconds() - compiled)


EFFORTS: dict[str, dict[str, Any]] = {"best": {"quality": "best"}, "exact": {"algorithm": "exact"}}
RULES = ["none", "max_colors", "partial", "lightest", "capacity", "partial, capacity", "fixed", "forbidden"]
CASES = [
    *itertools.product(["distance1", "edges"], RULES, ["best"]),
    *itertools.product(["distance2", "columns"], ["none", "partial", "capacity", "forbidden"], ["best"]),
    *itertools.product(["distance1", "edges", "columns"], ["none", "max_colors"], ["exact"]),
    ("distance1", "equitable", "best"), ("distance1", "equitable", "exact"), ("star", "none", "best"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("problem", "rules", "effort"), CASES)
def test_a_call_ends_at_its_limit(problem: str, rules: str, effort: str) -> None:
    how = {"problem": problem, "time_limit": 1, **rules_of(problem, rules), **EFFORTS[effort]}
    x = graph(problem)
    assert seconds(lambda: lagcolor.color(x, **how)) < OVER + SLACK


def test_a_limit_that_is_over_gives_a_coloring() -> None:
    G = graph("edges")
    result = lagcolor.color(
        G, problem="edges", max_colors=50, partial="fewest", quality="best", time_limit=1e-6, verify=True
    )
    assert result.verified and result.notes["partial"]["lower_bound"] <= result.notes["uncolored"]


def test_a_limit_may_be_infinite() -> None:
    """Until a proof, with a color less than a clique has vertices."""
    how: dict[str, Any] = {"quality": "best", "time_limit": float("inf")}
    with pytest.raises(lagcolor.ColoringError, match="a clique of 6"):
        lagcolor.color(nx.complete_graph(8), max_colors=5, fixed={0: 1}, **how)
    assert lagcolor.color(nx.complete_graph(8), max_colors=5, partial="fewest", **how).notes["uncolored"] == 3
