"""The first calls of a process: NumPy in place of loops that would be compiled or loaded, with the same answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.device import first
from lagcolor.engines.balance import plan as balance_plan
from lagcolor.engines.bicoloring import cover, partition
from lagcolor.engines.implicit import ANTI, GENERAL, QUBITWISE, conflicts
from lagcolor.engines.star import first_fit as star
from lagcolor.engines.star import sets
from lagcolor.engines.two_hop import windows
from lagcolor.inputs import canonical_cpu, canonical_numpy, dense
from lagcolor.orders import by_key, degree, spread
from lagcolor.problems import distance1
from lagcolor.solvers import symbolic

pairs = st.integers(1, 9).flatmap(
    lambda n: st.tuples(st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=30))
)


def plain(found: tuple[Any, ...]) -> list[Any]:
    """Arrays as lists, with their types; where an entry has no mirror image only that, for nobody reads the arrays."""
    if len(found) == 3 and found[2] is not None:
        return list(found[2])
    return [(a.tolist(), a.dtype) if isinstance(a, np.ndarray) else a for a in found]


def csr(rows: np.ndarray, cols: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows in turn, entries of each as they come, repeats and all."""
    by_row = np.argsort(rows, kind="stable")
    return np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))]).astype(np.int32), cols[by_row]


@given(pairs, st.booleans())
def test_canonical_form_of_entries(case: tuple[int, list[tuple[int, int]]], mirror: bool) -> None:
    n, made = case
    rows, cols = np.array(made + [p[::-1] for p in made] * mirror, np.int32).reshape(-1, 2).T.copy()
    for name in ("from_edges", "from_coo"):
        here, there = (getattr(engine, name)(rows, cols, n) for engine in (canonical_numpy, canonical_cpu))
        assert plain(here) == plain(there)
    assert plain(canonical_numpy.entries(rows, cols, n, n)) == plain(canonical_cpu.entries(rows, cols, n, n))


@given(pairs, st.booleans())
def test_canonical_form_of_rows(case: tuple[int, list[tuple[int, int]]], canonical: bool) -> None:
    n, made = case
    given_ = np.array(made, np.int32).reshape(-1, 2).T
    indptr, indices = canonical_cpu.from_edges(*given_, n) if canonical else csr(*given_, n)
    for name, more in (
        ("is_canonical", ()),
        ("rows_rise", ()),
        ("union", (n,)),
        ("from_csr", (n, False)),
        ("from_csr", (n, True)),
        ("transpose", (n,)),
    ):
        here, there = (getattr(engine, name)(indptr, indices, *more) for engine in (canonical_numpy, canonical_cpu))
        assert (plain(here) == plain(there)) if isinstance(here, tuple) else here is there, name


def test_no_index_of_an_unchecked_csr_is_trusted() -> None:
    for bad in ([1, 5], [-1, 0], [2, 0]):
        assert not canonical_numpy.is_canonical(np.array([0, 1, 2], np.int32), np.array(bad, np.int32))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Every graph counts as one of the first, small ones."""
    monkeypatch.setattr(first, "ENTRIES", 2**62)
    return monkeypatch


SPECS = ("rgg:8", "rmat:7", "grid2d:9", "star:40", "clique:70", "path:1")


@pytest.mark.parametrize("spec", SPECS)
def test_orders_are_the_same(spec: str, few: pytest.MonkeyPatch) -> None:
    G = lagcolor.generate.from_spec(spec)
    orders = [spread.largest_first_spread, degree.largest_first, degree.largest_log_first]
    here = [order(G, seed) for order in orders for seed in (None, 0, 7)]
    few.setattr(first, "ENTRIES", 0)
    there = [order(G, seed) for order in orders for seed in (None, 0, 7)]
    for a, b in zip(here, there, strict=True):
        assert a.dtype == b.dtype == np.int32 and (a == b).all()
    assert (by_key.by_key(G, G.degrees, G.max_degree, 3) == by_key.by_packed_key(np, G.degrees, G.max_degree, 3)).all()


@pytest.mark.parametrize("fault", ["none", "conflict", "uncolored", "too large", "gap"])
def test_the_verifier_says_the_same(fault: str, few: pytest.MonkeyPatch) -> None:
    G = lagcolor.generate.from_spec("rgg:8")
    colors = lagcolor.color(G, verify=False).colors.copy()
    if fault == "conflict":
        colors[G.indices[0]] = colors[0]
    elif fault != "none":
        colors[colors == 1] = {"uncolored": -1, "too large": G.n, "gap": colors.max() + 1}[fault]
    reports = []
    for entries in (2**62, 0):
        few.setattr(first, "ENTRIES", entries)
        reports.append(distance1.verify(G, colors, errors="return"))
    assert reports[0] == reports[1]
    assert reports[0].ok == (fault == "none")
    assert bool(distance1._colors_if_faultless(G, colors)) == (fault == "none")


def test_small_graphs_go_through_compiled_code_in_the_end(few: pytest.MonkeyPatch) -> None:
    few.setattr(first, "ENTRIES", 100)
    few.setattr(first, "CALL", 1)
    entries = first.FirstEntries()
    assert [entries.has(30) for _ in range(5)] == [True, True, True, False, False]
    assert not entries.has(0)


def test_a_loop_over_tiny_graphs_soon_has_compiled_code(few: pytest.MonkeyPatch) -> None:
    few.undo()
    few.setattr(first, "ENTRIES", 1 << 20)  # as in a process without the settings of the tests
    entries = first.FirstEntries()
    assert 10 <= sum(entries.has(40) for _ in range(1000)) <= 50


def both_ways(few: pytest.MonkeyPatch, answer: Callable[[], Any]) -> Any:
    """What NumPy and what compiled code gives, which must be equal."""
    found = []
    for entries in (2**62, 0):
        few.setattr(first, "ENTRIES", entries)
        found.append(answer())
    for a, b in zip(*found, strict=True):
        assert type(a) is type(b) and np.array_equal(a, b) and getattr(a, "dtype", 0) == getattr(b, "dtype", 0)
    return found[1]


@pytest.mark.parametrize("spec", SPECS)
def test_sums_that_have_one_entry(spec: str, few: pytest.MonkeyPatch) -> None:
    G = lagcolor.generate.from_spec(spec)
    some = np.random.default_rng(0).integers(-1, 4, G.n).astype(np.int32)
    both_ways(few, lambda: (sets.alone(G, some), sets.mirror(G)))
    colors = lagcolor.color(G, problem="star").colors

    def choices() -> tuple[Any, Any]:
        needed = np.arange(int(colors.max()) + 1) % 3 == 0
        return sets.choices(G, colors, needed), needed

    both_ways(few, choices)


@pytest.mark.parametrize("seed", range(3))
def test_parts_of_patterns(seed: int, few: pytest.MonkeyPatch) -> None:
    r = np.random.default_rng(seed)
    P = lagcolor.Pattern.of((r.integers(0, 30, 120), r.integers(0, 25, 120)), shape=(30, 25))
    kept = r.random(30) < 0.6
    for part in (partition._rows, partition._columns):
        both_ways(few, lambda part=part: ((Q := part(P, kept)).indptr, Q.indices))  # type: ignore[misc]
    both_ways(few, lambda: cover._sides(P, 7))
    square = lagcolor.Pattern.of((r.integers(0, 40, 200), r.integers(0, 40, 200)), shape=(40, 40)).to_scipy()
    square.setdiag(1)
    Q = lagcolor.Pattern.of(square)
    order = r.permutation(40).astype(np.int32)
    place = np.empty(40, np.int32)
    place[order] = np.arange(40, dtype=np.int32)

    def triangles() -> list[Any]:
        diagonal, *both = symbolic._split(Q, order, place, 1)
        return [diagonal, *(a for T in both for a in T)]

    both_ways(few, triangles)


@pytest.mark.parametrize("number", [0, 1, 2, 5])
def test_plans_by_python_are_those_of_compiled_code(number: int, few: pytest.MonkeyPatch) -> None:
    for k in (1, 2, 7, 80):
        sizes = np.random.default_rng(k).integers(0, 500, k)

        def plan(sizes: np.ndarray = sizes) -> tuple[Any, ...]:
            table = np.zeros((balance_plan.ROWS, len(sizes)), np.int64)
            table[balance_plan.SIZE] = sizes
            total = max(int(sizes.sum()), 1)
            sinks = balance_plan.plan(table, number, total, 6 * total, total)
            return sinks, table

        both_ways(few, plan)


@pytest.mark.parametrize("relation", [GENERAL, ANTI, QUBITWISE])
def test_conflicts_of_pauli_strings(relation: int, few: pytest.MonkeyPatch) -> None:
    r = np.random.default_rng(relation)
    x, z = r.integers(0, 2**63, (2, 50, 2), np.uint64) & r.integers(0, 2**63, (2, 50, 2), np.uint64)
    x[:, 1] &= np.uint64(7)
    z[:, 1] &= np.uint64(7)
    both_ways(few, lambda: (conflicts.degrees(x, z, 67, relation),))


@pytest.mark.parametrize("spec", ["rgg:8", "rmat:7", "clique:70"])
def test_few_vertices_have_one_loop_with_the_same_colors(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    G = lagcolor.generate.from_spec(spec)
    problems = ("star", "acyclic", "distance2")
    before = [lagcolor.color(G, problem=problem, order="natural").colors for problem in problems]
    monkeypatch.setattr(star, "SMALL", 0)
    monkeypatch.setattr(windows, "SMALL", 0)
    for problem, colors in zip(problems, before, strict=True):
        assert np.array_equal(lagcolor.color(G, problem=problem, order="natural").colors, colors)


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (5, 3), (16, 8), (40, 41), (9, 0), (0, 9), (300, 20)])
@pytest.mark.parametrize("full", [0.0, 0.02, 0.5, 1.0])
@pytest.mark.parametrize("dtype", [bool, np.int8, np.float32, np.complex128])
def test_dense_matrices(shape: tuple[int, int], full: float, dtype: Any, few: pytest.MonkeyPatch) -> None:
    r = np.random.default_rng(1)
    a = np.where(r.random(shape) < full, r.integers(1, 100, shape), 0).astype(dtype)
    few.setattr(dense, "BLOCK", 128)
    for diagonal in (True, False):
        indptr, indices = both_ways(few, lambda diagonal=diagonal: dense._rows(a, diagonal))  # type: ignore[misc]
        rows = np.repeat(np.arange(shape[0]), np.diff(indptr))
        there = np.nonzero((a != 0) & (diagonal | (np.arange(shape[0])[:, None] != np.arange(shape[1]))))
        assert np.array_equal(rows, there[0]) and np.array_equal(indices, there[1])
