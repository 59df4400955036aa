"""Taş, Kaya and Saule's rounds: as in plain Python on one thread; proper on several, and where none sees the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from two_hop_cases import TWO_HOP, case, cases, random_pattern, size

import lagcolor
from lagcolor.core.nets import Nets
from lagcolor.papers.tas import coloring, loops
from lagcolor.problems import PROBLEMS

BALANCES = (None, "B1", "B2")


def structure(problem: str, P: Any) -> tuple[list[list[int]], list[list[int]]]:
    """The nets of each vertex and the vertices of each net, in the order in which they are walked."""
    a = np.zeros(P.shape, bool)
    a[np.repeat(np.arange(P.rows), np.diff(P.indptr)), P.indices] = True
    rows = [np.flatnonzero(row).tolist() for row in a]
    columns = [np.flatnonzero(column).tolist() for column in a.T]
    if problem == "distance2":
        closed = [[v, *row] for v, row in enumerate(rows)]
        return closed, closed
    return (columns, rows) if problem == "columns" else (rows, columns)


def choice(balance: str | None, v: int, taken: set[int], largest: int, following: int) -> int:
    """The color by a heuristic, from its description."""
    free = [c for c in range(len(taken) + largest + 2) if c not in taken]
    if balance == "B1" and v % 2 == 0:
        return max((c for c in free if c <= largest), default=min(c for c in free if c > largest))
    if balance == "B2":
        return next((c for c in free if following <= c <= largest), free[0])
    return free[0]


def by_vertices(nets: Any, members: Any, work: Any, colors: list[int], balance: str | None) -> None:
    largest = following = 0
    for v in work:
        taken = {colors[u] for e in nets[v] for u in members[e] if u != v} - {-1}
        c = colors[v] = choice(balance, v, taken, largest, following)
        largest = max(largest, c)
        following = min(c + 1, largest // 3 + 1)


def by_nets(members: Any, colors: list[int]) -> None:
    for net in members:
        seen: set[int] = set()
        again = []
        for u in net:
            if colors[u] >= 0 and colors[u] not in seen:
                seen.add(colors[u])
            else:
                again.append(u)
        for u, c in zip(again, (c for c in reversed(range(len(net))) if c not in seen), strict=False):
            colors[u] = c


def clear(members: Any, colors: list[int]) -> None:
    for net in members:
        seen: set[int] = set()
        for u in net:
            if colors[u] in seen:
                colors[u] = -1
            seen |= {colors[u]} - {-1}


def plainly(problem: str, P: Any, variant: str, balance: str | None) -> list[int]:
    """The rounds on one thread, where vertices never conflict."""
    nets, members = structure(problem, P)
    colors = [-1] * len(nets)
    for _ in range({"V": 0, "N1": 1, "N2": 2}[variant.partition("-")[0]]):
        by_nets(members, colors)
        clear(members, colors)
    by_vertices(nets, members, [v for v, c in enumerate(colors) if c < 0], colors, balance)
    used = sorted(set(colors))
    return [used.index(c) for c in colors]


@pytest.mark.parametrize("variant", coloring.VARIANTS)
@pytest.mark.parametrize("problem", TWO_HOP)
def test_one_thread(problem: str, variant: str) -> None:
    for name in cases(problem):
        P = case(problem, name)
        for balance in BALANCES if P.m < 3000 else BALANCES[:1]:
            found = lagcolor.color(P, "tas", problem=problem, variant=variant, heuristic=balance, threads=1)
            assert found.colors.tolist() == plainly(problem, P, variant, balance), (name, balance)


@pytest.mark.parametrize("variant", coloring.VARIANTS)
@pytest.mark.parametrize("problem", TWO_HOP)
def test_several_threads(problem: str, variant: str) -> None:
    for seed, threads in ((1, 2), (2, 5)):
        x: Any = random_pattern(3000, 2500, 12_000, seed)
        if problem == "distance2":
            x = lagcolor.generate.from_spec("grid2d:60" if seed == 1 else "rmat:10")
        for balance in BALANCES:
            how = {"variant": variant, "heuristic": balance, "threads": threads}
            result = lagcolor.color(x, "tas", problem=problem, trace=True, **how)
            assert result.verified and sorted(set(result.colors.tolist())) == list(range(result.n_colors))
            assert result.n_colors <= PROBLEMS[problem].upper_bound(x)
            assert result.trace[-1]["conflicts"] == 0
            assert sum(row["colored"] for row in result.trace) == size(problem, x)


@pytest.mark.parametrize("variant", ["V-V", "V-N2"])
@pytest.mark.parametrize("problem", TWO_HOP)
def test_conflicts_are_resolved(problem: str, variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All vertices of a round choose with no color given meanwhile, as if each had a thread."""

    def blind(team: Any, shared: Any, work: Any, hops: Any, colors: Any, room: int, choose: int) -> int:
        before = colors.copy()
        for i in range(len(work)):
            alone = before.copy()
            loops.color_vertices(0, np.zeros(1, np.int64), work[i : i + 1], hops, alone, room, choose)
            colors[work[i]] = alone[work[i]]
        return 0

    monkeypatch.setattr(loops, "color_vertices_on_all", blind)
    P: Any = lagcolor.generate.from_spec("grid2d:12") if problem == "distance2" else case(problem, "wide")
    result = lagcolor.color(P, "tas", problem=problem, variant=variant, threads=1, trace=True)
    losses = [row["conflicts"] for row in result.trace]
    assert result.verified and losses[0] > 0 and len(losses) > 2
    if variant == "V-V":
        assert losses == sorted(losses, reverse=True)


def test_net_rounds_need_no_more_than_the_largest_net() -> None:
    P = random_pattern(400, 500, 2000, 3)
    state = coloring._State(Nets.columns(P), 1)
    state.color_by_nets()
    assert state.colors.max() + 1 == P.max_degree
    assert (state.colors >= 0).tolist() == (P.T.degrees > 0).tolist()


def test_options_that_are_none() -> None:
    P = case("columns", "wide")
    with pytest.raises(lagcolor.OptionError, match="V-V, V-N1, V-N2, N1-N2, N2-N2"):
        lagcolor.color(P, "tas", problem="columns", variant="N1")
    with pytest.raises(lagcolor.OptionError, match="B1, B2"):
        lagcolor.color(P, "tas", problem="columns", heuristic="B3")
