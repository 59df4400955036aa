"""ECL-GC beside its oracle: all switches, and the steps of the paper."""

from __future__ import annotations

import numpy as np
import pytest
from corpus import CORPUS, first_fit, graph, random_graph
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.orders import Priorities

SWITCHES = ("both", "sc1", "sc2", "none")
NAMES = [name for name in CORPUS if graph(name).m < 20_000]
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shortcuts", SWITCHES)
def test_switches_change_no_color(device: str, shortcuts: str) -> None:
    for name in NAMES:
        G = graph(name)
        for order, seed in (("largest_first", None), ("largest_first", 3), ("random", 1)):
            expected = first_fit(G, Priorities.of(G, order, seed=seed).sequence.tolist())
            p = Priorities.of(G.on(device), order, seed=seed)
            assert lagcolor.color(G.on(device), "ecl_gc", p, shortcuts=shortcuts).to_numpy().tolist() == expected, name


@given(
    n=st.integers(1, 200),
    degree=st.floats(0, 100),
    seed=st.integers(0, 2**32 - 1),
    shortcuts=st.sampled_from(SWITCHES),
    trace=st.booleans(),
)
def test_any_priorities(n: int, degree: float, seed: int, shortcuts: str, trace: bool) -> None:
    """Priorities that have nothing to do with degrees: a word may wait for an interval, and the other way round."""
    G = random_graph(n, int(n * degree / 2), seed)
    keys = np.random.default_rng(seed).integers(0, 9, n)
    result = lagcolor.color(G, "ecl_gc", keys, shortcuts=shortcuts, trace=trace)
    assert result.colors.tolist() == first_fit(G, Priorities.of(G, keys, seed=0).sequence.tolist())


@pytest.mark.parametrize("shortcuts", SWITCHES)
def test_trace_accounts_for_every_vertex(shortcuts: str) -> None:
    for name in NAMES:
        G = graph(name)
        if G.n == 0:
            continue
        result = lagcolor.color(G, "ecl_gc", shortcuts=shortcuts, trace=True)
        notes = result.notes
        assert notes["initialization"] + notes["shortcut"] + notes["conventionally"] == G.n
        assert sum(row["by_shortcut"] for row in result.trace) == notes["shortcut"]
        assert notes["steps"] == result.rounds == len(result.trace) <= notes["steps_without_shortcuts"]
        if shortcuts == "none":
            assert notes["shortcut"] == 0
            assert notes["steps"] == notes["steps_without_shortcuts"]
        again = lagcolor.color(G, "ecl_gc", shortcuts=shortcuts, trace=True)
        assert again.notes == notes


def test_steps_of_the_papers_example() -> None:
    """A graph with the paper's Figures 3 and 6: five steps after initialization without shortcuts, three with."""
    a, b, c, d, e, f, g = range(7)
    edges = [(a, b), (a, d), (a, e), (a, f), (a, g), (b, c), (b, d), (b, e), (b, g), (c, d), (c, e), (c, f), (c, g),
             (d, e), (d, f), (e, f)]  # fmt: skip
    G = lagcolor.Graph.of(tuple(np.array(edges).T))
    order = -np.arange(7)
    plain = lagcolor.color(G, "ecl_gc", order, shortcuts="none", trace=True)
    quick = lagcolor.color(G, "ecl_gc", order, shortcuts="both", trace=True)
    assert plain.colors.tolist() == quick.colors.tolist() == [0, 1, 0, 2, 3, 1, 2]
    assert (plain.rounds - 1, quick.rounds - 1) == (5, 3)


class Stepped:
    """Algorithms 1 to 3 of the paper in step, on sets: colors, and of each step how many it colored, and how.

    A vertex of 32 and more neighbors shows others its best and its worst color only, as in Algorithm 2.
    """

    def __init__(self, G: lagcolor.Graph, p: list[int], sc1: bool, sc2: bool) -> None:
        self.sc1, self.sc2 = sc1, sc2
        rows = np.split(G.indices, G.indptr[1:-1])
        self.left = [[u for u in row.tolist() if p[u] > p[v]] for v, row in enumerate(rows)]
        self.possible = [set(range(len(row) + 1)) for row in self.left]
        self.color = [-1 if row else 0 for row in self.left]
        self.worst = [len(row) for row in self.left]
        self.high = [len(row) >= 32 for row in rows]
        self.cut = [False] * G.n
        self.rows = [(self.color.count(0), 0)]
        while -1 in self.color:
            seen = [self.shown(v) for v in range(G.n)]
            colored = [c >= 0 for c in self.color]
            how = [self.visit(v, seen, colored) for v in range(G.n) if not colored[v]]
            self.rows.append((len(how) - how.count("waits"), how.count("shortcut")))

    def shown(self, v: int) -> set[int]:
        """The colors that later vertices take to be possible for v."""
        if self.color[v] >= 0:
            return {self.color[v]}
        return set(range(min(self.possible[v]), self.worst[v] + 1)) if self.high[v] else set(self.possible[v])

    def visit_high(self, v: int, seen: list[set[int]], colored: list[bool]) -> str:
        best, shortcut, kept = min(self.possible[v]), self.sc1, []
        for u in self.left[v]:
            shortcut &= best not in seen[u]
            if colored[u]:
                self.possible[v] -= seen[u]
            else:
                kept.append(u)
        self.left[v] = kept
        if kept and not shortcut:
            return "waits"
        self.color[v] = min(self.possible[v])
        return "shortcut" if kept else "conventional"

    def visit(self, v: int, seen: list[set[int]], colored: list[bool]) -> str:
        if self.high[v]:
            return self.visit_high(v, seen, colored)
        mine, union, kept = set(self.possible[v]), set[int](), []
        for u in self.left[v]:
            if self.sc2 and not mine & seen[u]:
                mine.remove(max(mine))
                self.cut[v] |= not colored[u]
            elif colored[u]:
                mine -= seen[u]
            else:
                union |= seen[u]
                kept.append(u)
        self.left[v], self.possible[v] = kept, mine
        if kept and not (self.sc1 and min(mine) not in union):
            return "waits"
        self.color[v] = min(mine)
        return "shortcut" if kept or self.cut[v] else "conventional"


@pytest.mark.parametrize("shortcuts", SWITCHES)
@given(n=st.integers(1, 80), degree=st.floats(0, 60), seed=st.integers(0, 2**32 - 1))
def test_steps_are_the_papers(shortcuts: str, n: int, degree: float, seed: int) -> None:
    """Not the colors alone, which no shortcut changes, but when and how each vertex gets its own."""
    G = random_graph(n, int(n * degree / 2), seed)
    p = Priorities.of(G, "random", seed=seed)
    expected = Stepped(G, p.p.tolist(), shortcuts in ("both", "sc1"), shortcuts in ("both", "sc2"))
    result = lagcolor.color(G, "ecl_gc", p, shortcuts=shortcuts, trace=True)
    assert result.colors.tolist() == expected.color
    assert [(row["colored"], row["by_shortcut"]) for row in result.trace] == expected.rows


@pytest.mark.parametrize("shortcuts", SWITCHES)
def test_a_wide_vertex_waits_for_one_that_may_have_to_take_its_last_color(shortcuts: str) -> None:
    """Of two neighbors the earlier has all its other colors taken, late; by then the later has long seen its best.

    Cliques A and B of 40, then u beside all of B and v beside all of A; B comes late, for it hangs on a long path.
    """
    k, length = 40, 150
    a, path, b = np.arange(k), k + np.arange(length), k + length + np.arange(k)
    u, v = k + length + k, k + length + k + 1
    pairs = [(x, y) for clique in (a, b) for x in clique for y in clique if x < y]
    pairs += [(path[i], path[i + 1]) for i in range(length - 1)] + [(path[-1], b[0]), (u, v)]
    pairs += [(x, u) for x in b] + [(x, v) for x in a]
    G = lagcolor.Graph.of(tuple(np.array(pairs).T))
    order = -np.arange(G.n)
    expected = first_fit(G, range(G.n))
    assert (expected[u], expected[v]) == (k, k + 1)
    for trace in (True, False):
        result = lagcolor.color(G, "ecl_gc", order, shortcuts=shortcuts, trace=trace)
        assert result.colors.tolist() == expected
