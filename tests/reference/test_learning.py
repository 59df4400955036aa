"""Clause learning against all colorings, tried one by one, and what goes on from call to call; ejection on the same."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from corpus import fewer, random_graph
from hypothesis import example, given, settings
from hypothesis import strategies as st

import lagcolor
from benchmarks.exact import exclude
from lagcolor.base.compile_clock import clock
from lagcolor.engines.exact.learning import Learning, solver
from lagcolor.engines.exact.learning.propagation import NO_CONFLICT, propagate
from lagcolor.engines.improve.lists import FOUND, NONE_EXISTS, UNKNOWN, Instance
from lagcolor.engines.improve.lists.ejection import Ejection, lower
from lagcolor.graph.pattern import unsigned


class Case:
    """A small graph with rules; what a class may weigh is `cap` and the weight of its fixed vertices."""

    def __init__(self, G: lagcolor.Graph, k: int, seed: int, *, lists: float = 0, fixed: int = 0, cap: float = np.inf):
        rng = np.random.default_rng(seed)
        self.G, self.k = G, k
        self.forbidden = rng.random((G.n, k)) < lists
        self.colors = np.full(G.n, -1, np.int32)
        for v in rng.permutation(G.n)[:fixed]:
            near = self.colors[G.indices[G.indptr[v] : G.indptr[v + 1]]]
            if len(left := np.setdiff1d(np.arange(k + 1), near)):  # color k is none of the k
                self.colors[v] = rng.choice(left)
                self.forbidden[v] = False
        self.weights = rng.integers(0, 4, G.n).astype(float) if seed & 1 else np.ones(G.n)
        self.cap = np.full(k, cap) if np.isinf(cap) or not seed & 2 else rng.integers(0, cap + 2, k).astype(float)

    def instance(self) -> Instance:
        offsets = np.append(0, np.cumsum(self.forbidden.sum(axis=1)))
        forbidden = np.nonzero(self.forbidden)[1].astype(np.int32)
        return Instance(*unsigned(self.G), self.colors >= 0, offsets, forbidden, self.weights, self.cap.copy())

    def all(self) -> set[tuple[int, ...]]:
        """All colorings that keep the rules, by trying every combination of colors."""
        choices = [range(self.k) if c < 0 else [c] for c in self.colors.tolist()]
        pairs = [(v, u) for v in range(self.G.n) for u in self.G.indices[self.G.indptr[v] : self.G.indptr[v + 1]]]
        free = self.colors < 0
        found = set()
        for each in itertools.product(*choices):
            c = np.array(each, np.int64)
            load = np.bincount(c[free], self.weights[free], self.k)[: self.k]
            if any(c[v] == c[u] for v, u in pairs) or (load > self.cap).any():
                continue
            if not any(self.forbidden[v, c[v]] for v in np.flatnonzero(free)):
                found.add(each)
        return found


def every(search: Learning, most: int = 2**62) -> list[tuple[int, ...]]:
    found = []
    while len(found) < most and search.run() == FOUND:
        found.append(tuple(search.colors.tolist()))
        exclude(search)
    return found


@example(n=5, k=4, density=0.1, lists=0, fixed=0, cap=2.0, seed=1949)  # weights that fit a class exactly
@settings(max_examples=fewer(150))
@given(
    n=st.integers(0, 6), k=st.integers(0, 4), density=st.floats(0, 1), lists=st.sampled_from([0, 0.3, 0.6]),
    fixed=st.integers(0, 3), cap=st.sampled_from([np.inf, 1.0, 2.0, 3.0]), seed=st.integers(0, 2**20),
)  # fmt: skip
def test_all_colorings_are_found_once(
    n: int, k: int, density: float, lists: float, fixed: int, cap: float, seed: int
) -> None:
    case = Case(random_graph(n, int(density * n * n), seed), k, seed, lists=lists, fixed=fixed, cap=cap)
    found, wanted = every(Learning(case.instance(), case.colors, False, seed)), case.all()
    assert len(found) == len(set(found)) and set(found) == wanted
    alike = Learning(case.instance(), case.colors, True, seed)
    assert alike.run() == (FOUND if wanted else NONE_EXISTS)
    assert not wanted or tuple(alike.colors.tolist()) in wanted


@settings(max_examples=fewer(60))
@given(n=st.integers(7, 14), density=st.floats(0.2, 1), seed=st.integers(0, 2**20))
def test_proofs_that_there_is_none(n: int, density: float, seed: int) -> None:
    """The fewest colors equal the colors of the exact algorithm, with the names of colors fixed and without."""
    G = random_graph(n, int(density * n * n), seed)
    chi = lagcolor.color(G, "exact", nodes=None).n_colors
    for k, alike in itertools.product((chi - 1, chi), (True, False)):
        case = Case(G, k, 0)
        search = Learning(case.instance(), case.colors, alike)
        assert search.run() == (FOUND if k == chi else NONE_EXISTS)
        if k == chi:
            lagcolor.verify(G, np.unique(search.colors, return_inverse=True)[1])


def squares(order: int, block: int) -> lagcolor.Graph:
    """Cells of a square that share a row, a column or a block; blocks of one cell: a Latin square."""
    at = np.arange(order * order)
    keys = np.stack([at // order, at % order, at // order // block * order + at % order // block])
    near = (keys[:, :, None] == keys[:, None, :]).any(axis=0) & ~np.eye(order * order, dtype=bool)
    return lagcolor.Graph.of(np.nonzero(near))


@pytest.mark.parametrize(("order", "block", "count"), [(3, 1, 12), (4, 1, 576), (4, 2, 288)])
def test_squares_are_counted(order: int, block: int, count: int) -> None:
    case = Case(squares(order, block), order, 0)
    assert len(set(every(Learning(case.instance(), case.colors, False)))) == count


def test_colorings_are_found_once_where_clauses_are_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Colorings that were found stay excluded."""
    monkeypatch.setattr(solver, "FIRST", 8)
    monkeypatch.setattr(solver, "MORE", 8)
    removed, reduce = [], solver.reduce
    monkeypatch.setattr(solver, "reduce", lambda t, db: removed.append(1) or reduce(t, db))
    case = Case(random_graph(16, 60, 4), 5, 16, lists=0.25)
    found = every(Learning(case.instance(), case.colors, False), 400)
    assert removed and len(found) == len(set(found)) == 400


def test_clauses_that_stay_lose_literals_that_are_false() -> None:
    """A watched literal that is false at level 0 wakes no clause."""
    case = Case(random_graph(5, 4, 1), 3, 4)
    search = Learning(case.instance(), case.colors, False)
    for _ in range(107):  # all colorings but one
        assert search.run() == FOUND
        exclude(search)
        t, db = search._tables, search._clauses
        assert propagate(t, db) == NO_CONFLICT
        solver.reduce(t, db)
        assert (t.value[db.literals[: t.state.literals] >> 1] == 0).all()


def test_limits_leave_the_same_search() -> None:
    case = Case(random_graph(40, 400, 1), 6, 0)
    whole, pieces = (Learning(case.instance(), case.colors, False) for _ in range(2))
    assert whole.run() == NONE_EXISTS and whole.conflicts > 50
    assert pieces.run(until=clock()) == UNKNOWN and pieces.conflicts == 0
    for most in itertools.count(0, 7):
        before = pieces.conflicts
        if pieces.run(conflicts=most) != UNKNOWN:
            break
        assert pieces.conflicts == max(most, before)
    assert pieces.result == NONE_EXISTS and pieces.conflicts == whole.conflicts


def test_limits_of_classes_tell_colors_apart() -> None:
    """A vertex of weight 2 fits into the second class alone."""
    G = random_graph(1, 0, 0)
    case = Case(G, 2, 0)
    case.weights, case.cap = np.array([2.0]), np.array([1.0, 2.0])
    search = Learning(case.instance(), case.colors, True)
    assert search.run() == FOUND and search.colors.tolist() == [1]


@settings(max_examples=fewer(150))
@given(
    n=st.integers(1, 9), k=st.integers(1, 4), density=st.floats(0, 0.5), lists=st.sampled_from([0, 0.3, 0.6]),
    fixed=st.integers(0, 4), cap=st.sampled_from([1.0, 2.0, 4.0]), seed=st.integers(0, 2**20),
)  # fmt: skip
def test_ejection_keeps_the_rules(
    n: int, k: int, density: float, lists: float, fixed: int, cap: float, seed: int
) -> None:
    """The best colors are those that leave the fewest vertices without one, and no class is over its capacity."""
    case = Case(random_graph(n, int(density * n * n), seed), k, seed, lists=lists, fixed=fixed, cap=cap)
    instance = case.instance()
    search = Ejection(instance, case.colors.copy(), True, seed)
    found, free = search.run(2000), case.colors < 0
    for colors, left in ((found, case.cap), (search.colors, case.cap - instance.spare)):
        has = free & (colors >= 0)
        load = np.bincount(colors[has], case.weights[has], k)
        assert (load <= left).all() if left is case.cap else (load == left).all()
        assert (colors == case.colors)[~free].all() and not case.forbidden[has, colors[has]].any()
        rows = case.G.rows_of_entries()
        assert not (free[rows] & (colors[rows] >= 0) & (colors[rows] == colors[case.G.indices])).any()
    assert (found < 0).sum() <= (search.colors < 0).sum()


@settings(max_examples=fewer(100))
@given(
    n=st.integers(1, 9), k=st.integers(2, 5), density=st.floats(0, 0.4), lists=st.sampled_from([0, 0.3]),
    cap=st.sampled_from([2.0, 4.0]), seed=st.integers(0, 2**20),
)  # fmt: skip
def test_lowered_colors_leave_no_gap(n: int, k: int, density: float, lists: float, cap: float, seed: int) -> None:
    """No vertex may have a lower color, by its list, its neighbors and the capacity of the class."""
    case = Case(random_graph(n, int(density * n * n), seed), k, seed, lists=lists, cap=cap)
    colors, load, order = case.colors, np.zeros(k), np.random.default_rng(seed).permutation(n)

    def fits(v: int, c: int) -> bool:
        near = colors[case.G.indices[case.G.indptr[v] : case.G.indptr[v + 1]]]
        return not case.forbidden[v, c] and c not in near and load[c] + case.weights[v] <= case.cap[c]

    for v in order:
        if left := [c for c in range(k) if fits(v, c)]:
            colors[v] = left[-1]
            load[colors[v]] += case.weights[v]
    instance = case.instance()._replace(fixed=np.zeros(n, bool), spare=case.cap - load)
    lower(instance, colors)
    load = np.bincount(colors[colors >= 0], case.weights[colors >= 0], k)
    assert (load <= case.cap).all() and (load == case.cap - instance.spare).all()
    assert not any(fits(v, c) for v in range(n) for c in range(max(colors[v], 0)))
