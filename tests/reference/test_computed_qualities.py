"""Qualities of graphs with computed edges: valid colors, no more than first-fit's, the same on every run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from corpus import first_fit
from pauli_cases import CASES, RELATIONS, conflicts, strings

from lagcolor import color_implicit, pauli
from lagcolor.api import color_implicit as computed_edges
from lagcolor.engines.implicit import Strings, classes, windows
from lagcolor.engines.implicit import conflicts as engine
from lagcolor.pauli.grouping import RELATIONS as RELATION

ORDERS = ("natural", "random", "largest_first")


def is_proper(matrix: np.ndarray, colors: np.ndarray) -> bool:
    """Whether all vertices have colors 0 … k − 1, and no two that conflict have one."""
    same = colors[:, None] == colors[None, :]
    return not (matrix & same).any() and set(colors.tolist()) == set(range(len(set(colors.tolist()))))


@pytest.mark.parametrize("commute", RELATIONS)
def test_balanced_groups(commute: str) -> None:
    for texts in CASES.values():
        matrix, result = conflicts(texts, commute), pauli.group(texts, commute)
        assert is_proper(matrix, result.to_numpy()) and result.verified and result.quality == "balanced"
        single = [pauli.group(texts, commute, order) for order in ORDERS]
        assert [first.quality for first in single] == ["fast"] * 3
        assert result.n_groups <= min(first.n_groups for first in single)
        assert result.order == min(single, key=lambda first: first.n_groups).order
    P = pauli.two_body(6)
    assert pauli.group(P, commute).n_groups < min(pauli.group(P, commute, order).n_groups for order in ORDERS)


@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("commute", RELATIONS)
def test_balanced_is_the_same_with_every_number_of_threads(
    commute: str, stored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(computed_edges.BYTES, "balanced", 1 << 26 if stored else 0)
    P = pauli.random(700, 6, seed=1)
    alone = pauli.group(P, commute, threads=1, seed=3)
    monkeypatch.setattr(classes, "MANY", 1)
    monkeypatch.setattr(classes, "BATCH", 100)
    again = pauli.group(P, commute, threads=3, seed=3)
    assert np.array_equal(again.colors, alone.colors)


@pytest.mark.parametrize("commute", RELATIONS)
def test_the_stored_graph(commute: str) -> None:
    for texts in (*CASES.values(), strings(600, 3, 5)):
        P, matrix = pauli.PauliStrings.of(texts), conflicts(texts, commute)
        record = Strings(P.x, P.z, P.qubits, RELATION[commute])
        indptr, indices = engine.graph(record, engine.degrees(record))
        assert indptr.tolist() == [0, *np.cumsum(matrix.sum(axis=1)).tolist()]
        assert indices.tolist() == np.nonzero(matrix)[1].tolist() and indices.dtype == np.int32


def test_which_quality() -> None:
    """An order means one pass, unless a quality is named, too."""
    texts = strings(80, 4, 1)
    matrix = conflicts(texts, "anti")
    by_degree = sorted(range(80), key=lambda v: -int(matrix[v].sum()))
    fast = pauli.group(texts, "anti", quality="fast")
    assert fast.to_numpy().tolist() == first_fit(matrix, by_degree) and fast.order == "largest_first"
    both = pauli.group(texts, "anti", "natural", quality="balanced")
    assert both.order == "natural" and both.notes["tried"][1]["name"] == "iterated_greedy"
    assert both.provenance()["quality"] == "balanced" and "balanced (natural)" in repr(both)
    M = random_matrix(80, 0.3)
    assert color_implicit(reads(M), 80, quality="fast").to_numpy().tolist() == first_fit(M, range(80))
    assert color_implicit(reads(M), 80).quality == "balanced"


# Any relation.


def random_matrix(n: int, density: float) -> np.ndarray:
    upper = np.triu(np.random.default_rng(7).random((n, n)) < density, 1)
    return upper | upper.T


def reads(M: np.ndarray) -> Callable[[Any, Any], Any]:
    return lambda us, vs: M[us][:, vs]


@pytest.mark.parametrize("most", [0, 1 << 26])
@pytest.mark.parametrize("density", [0.0, 0.3, 1.0])
def test_any_relation(density: float, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(computed_edges.BYTES, "balanced", most)
    M = random_matrix(150, density)
    results = [color_implicit(reads(M), 150, batch=batch) for batch in (13, 1024)]
    assert len({tuple(result.to_numpy().tolist()) for result in results}) == 1
    assert is_proper(M, results[0].to_numpy()) and results[0].verified
    assert results[0].n_colors <= min(color_implicit(reads(M), 150, order).n_colors for order in ORDERS)


@pytest.mark.parametrize("batch", [1, 7])
def test_a_sweep(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sweep calls the function once for each pair, apart from the samples."""
    monkeypatch.setattr(windows.OracleGraph, "check_symmetry", lambda *_: None)
    M = random_matrix(60, 0.2)
    for most in (0, M.sum() * 4 - windows.EDGE, M.sum() * 4):
        asked = list[tuple[int, int]]()

        def once(us: Any, vs: Any, asked: Any = asked) -> Any:
            asked.append((us[0], vs[0]))
            return M[us][:, vs]

        G = windows.OracleGraph(once, np.arange(60), batch, most)
        stored = G.graph
        assert G.degrees.tolist() == M.sum(axis=1).tolist()
        assert len(set(asked)) == len(asked) and all(u <= v for u, v in asked)
        assert (stored is None) == (most < M.sum() * 4)
    assert stored.indices.tolist() == np.nonzero(M)[1].tolist() and stored.degrees.tolist() == M.sum(axis=1).tolist()


# Best.


@pytest.mark.parametrize("most", [0, 1 << 29])
def test_best(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without the stored graph."""
    monkeypatch.setitem(computed_edges.BYTES, "best", most)
    texts = strings(120, 5, 2)
    result = pauli.group(texts, "anti", quality="best", time_limit=0.2)
    assert is_proper(conflicts(texts, "anti"), result.to_numpy())
    assert result.n_groups <= min(pauli.group(texts, "anti", order).n_groups for order in ORDERS)
    M = random_matrix(120, 0.3)
    assert is_proper(M, color_implicit(reads(M), 120, quality="best", time_limit=0.2).to_numpy())


@pytest.mark.parametrize("quality", ["balanced", "best"])
def test_an_interrupt_returns_the_best_so_far(quality: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, calls, first_fit_ = strings(120, 5, 2), [], classes.first_fit

    def interrupted(*args: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return first_fit_(*args)

    monkeypatch.setattr(classes, "first_fit", interrupted)
    result = pauli.group(texts, "anti", quality=quality)
    assert result.notes["interrupted"] and len(result.notes["tried"]) == 2
    assert is_proper(conflicts(texts, "anti"), result.to_numpy())
    calls[:] = [1, 1]
    with pytest.raises(KeyboardInterrupt):
        pauli.group(texts, "anti", quality=quality)


@pytest.mark.parametrize("seed", [0, 8, 10])
def test_balance_that_takes_one_pass_has_its_colors(seed: int) -> None:
    """If the fewer groups of balanced cannot be even, the result has the groups and the order of fast."""
    letters = np.random.default_rng(seed).choice(list("IXYZ"), (60, 5))
    strings = ["".join(row) for row in letters]
    taken = 0
    for ratio in (1.0, 1.1, 1.3):
        result = pauli.group(strings, "anti", balance=ratio)
        if "quality" not in result.notes["balance"]:
            continue
        fast = pauli.group(strings, "anti", balance=ratio, quality="fast")
        assert np.array_equal(result.colors, fast.colors) and result.order == fast.order
        taken += 1
    assert taken
