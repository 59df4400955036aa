"""The first calls of a process: NumPy in place of loops that would be compiled or loaded, with the same answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.device import first
from lagcolor.inputs import canonical_cpu, canonical_numpy
from lagcolor.orders import by_key, degree, spread
from lagcolor.problems import distance1

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
