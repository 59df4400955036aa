"""Orders at distance 2: each against a plain Python reference, and the counts that others publish."""

from __future__ import annotations

import csv
import importlib.util
from typing import Any

import numpy as np
import pytest
import shared_data
from corpus import fewer
from hypothesis import given, settings
from hypothesis import strategies as st
from two_hop_cases import TWO_HOP, apart, case, cases, random_pattern

import lagcolor
from lagcolor.graph.nets import Nets
from lagcolor.orders import Priorities
from lagcolor.orders.ties import tie_order
from lagcolor.problems import PROBLEMS

DYNAMIC = {"smallest_last": (min, -1), "dynamic_largest_first": (max, -1), "incidence_degree": (max, 1)}


def near_in_order(nets: Nets, v: int) -> list[int]:
    """The vertices that share a net with v, as they are first met: of closed nets neighbors first, then net by net."""
    P, members = nets.of_vertices, nets.members
    around = P.indices[P.indptr[v] : P.indptr[v + 1]].tolist()
    found: dict[int, None] = dict.fromkeys(around if nets.closed else [])
    for net in around:
        found.update(dict.fromkeys(members.indices[members.indptr[net] : members.indptr[net + 1]].tolist()))
    found.pop(v, None)
    return list(found)


def by_degree(nets: Nets, seed: int | None) -> list[int]:
    ties = tie_order(np, nets.n, seed).tolist()
    return sorted(ties, key=lambda v: -len(near_in_order(nets, v)))


def reference(nets: Nets, name: str, seed: int | None) -> list[int]:
    """The order by its definition: of those with the extreme key, the one whose key changed last."""
    ties = tie_order(np, nets.n, seed).tolist()
    if name == "largest_first":
        return by_degree(nets, seed)
    extreme, change = DYNAMIC[name]
    key = {v: len(near_in_order(nets, v)) if change < 0 else 0 for v in range(nets.n)}
    first = by_degree(nets, seed) if name == "incidence_degree" else ties[::-1] if name == "smallest_last" else ties
    changed = {v: -i for i, v in enumerate(first)}
    taken: list[int] = []
    for moment in range(1, nets.n + 1):
        best = extreme(key.values())
        v = max((u for u in key if key[u] == best), key=lambda u: changed[u])
        del key[v]
        taken.append(v)
        for i, u in enumerate(near_in_order(nets, v)):
            if u in key:
                key[u] += change
                changed[u] = moment * nets.n + i
    return taken[::-1] if name == "smallest_last" else taken


def check(nets: Nets, name: str, seed: int | None) -> None:
    assert Priorities.of(nets, name, seed=seed).sequence.tolist() == reference(nets, name, seed)


@pytest.mark.parametrize("problem", TWO_HOP)
@pytest.mark.parametrize("name", ["largest_first", *DYNAMIC])
def test_cases(name: str, problem: str) -> None:
    for which in cases(problem):
        P = case(problem, which)
        if max(P.shape) <= 130:
            for seed in (None, 5):
                check(PROBLEMS[problem].structure(P), name, seed)


@pytest.mark.parametrize("name", ["largest_first", *DYNAMIC])
@given(rows=st.integers(1, 25), columns=st.integers(1, 25), share=st.floats(0, 0.6), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=fewer(40))
def test_any_pattern(name: str, rows: int, columns: int, share: float, seed: int) -> None:
    P = random_pattern(rows, columns, int(share * rows * columns), seed)
    check(Nets.columns(P), name, seed if seed % 2 else None)
    check(Nets.rows(P), name, None)


@pytest.mark.parametrize("problem", TWO_HOP)
def test_degrees_are_those_of_the_square(problem: str) -> None:
    from lagcolor.orders.two_hop import degrees

    for which in cases(problem):
        P = case(problem, which)
        assert degrees(PROBLEMS[problem].structure(P)).tolist() == apart(problem, P).sum(axis=1).tolist()


# What first-fit needs, columns and rows, in natural order and by largest first; of lp_dfl001's rows none is published.
def test_counts_in_natural_order() -> None:
    with open(shared_data.file("rectangular/matrices.csv"), newline="") as f:
        for row in csv.DictReader(f):
            P = lagcolor.Pattern.of(shared_data.file(f"rectangular/{row['name']}.npz"))
            for problem in ("columns", "rows"):
                found = lagcolor.color(P, problem=problem, order="natural")
                assert found.n_colors == int(row[f"{problem}_first_fit_natural"])
            assert lagcolor.color(P, problem="columns", order="natural").lower_bound == int(row["max_row"])


def loader() -> Any:
    """The reader that comes with the graphs."""
    spec = importlib.util.spec_from_file_location("load_of_shared_data", shared_data.file("load.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_colpack_counts() -> None:
    """ColPack's distance-2 colors: in natural order, and by falling degree, in which it counts neighbors only."""
    load, files = loader().load, {row["name"]: row["file"] for row in shared_data.rows()}
    with open(shared_data.file("colpack_reference_colors.csv"), newline="") as f:
        rows = [r for r in csv.DictReader(f) if r["method"] == "D2" and int(r["n"]) <= 2500]
    assert len(rows) >= 50
    for r in rows:
        indptr, indices, _ = load(str(shared_data.file(files[r["name"]])))
        G = lagcolor.Graph(indptr.astype(np.int32), indices)
        natural = lagcolor.color(G, order="natural", problem="distance2").n_colors
        assert lagcolor.color(G, problem="distance2").n_colors <= natural == int(r["NATURAL"]), r["name"]
        assert lagcolor.color(G, order=G.degrees, problem="distance2").n_colors == int(r["LARGEST_FIRST"]), r["name"]
