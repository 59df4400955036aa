"""The colorings of Gunrock against specifications in plain Python, on every engine and with every load balance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, graph, random_graph
from emulated import ENGINES
from frontier_cases import EVERY_BALANCE, classes, numpy, on_engine, operators
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.frontier.gunrock_ar import color_by_reduction
from lagcolor.frontier.gunrock_hash import color_by_hash
from lagcolor.frontier.gunrock_is import color_sets
from lagcolor.frontier.rounds import rounds_ahead
from lagcolor.orders import Priorities
from lagcolor.result import Log

pytestmark = pytest.mark.inner

NAMES = ("gunrock_is", "gunrock_hash", "gunrock_ar")
# To emulate a block's 256 threads takes long: graphs of a few rounds only.
QUICK = ("empty", "no edges", "path", "star", "crown", "clique 5", "disconnected")


def rows(G: lagcolor.Graph) -> list[list[int]]:
    return [G.indices[G.indptr[v] : G.indptr[v + 1]].tolist() for v in range(G.n)]


def sets_in_python(G: lagcolor.Graph, p: list[int], min_max: bool) -> list[int]:
    """Algorithm 5: in step, the maxima, then the minima; unused colors squeezed out."""
    near, colors, left, k = rows(G), [-1] * G.n, set(range(G.n)), 0
    while left:
        beside = {v: [p[u] for u in near[v] if u in left] for v in left}
        largest = {v for v in left if all(q < p[v] for q in beside[v])}
        least = {v for v in left - largest if all(q > p[v] for q in beside[v])} if min_max else set()
        for found in (largest, least):
            for v in found:
                colors[v] = k
            k += bool(found)
        left -= largest | least
    return colors


def hash_in_python(G: lagcolor.Graph, p: list[int]) -> list[int]:
    """Algorithm 6 with a table without limit: proposals, trials of the least allowed color, the preferred one wins."""
    near, colors, left = rows(G), [-1] * G.n, set(range(G.n))
    while left:
        around = [[u for u in [v, *near[v]] if u in left] for v in left]
        chosen = {f(r, key=p.__getitem__) for r in around for f in (max, min)}
        trial = {}
        for v in chosen:
            taken = {colors[u] for u in near[v]}
            trial[v] = next(c for c in range(len(near[v]) + 1) if c not in taken)
        won = [v for v in chosen if not any(u in chosen and trial[u] == trial[v] and p[u] > p[v] for u in near[v])]
        for v in won:
            colors[v] = trial[v]
        left -= set(won)
    return colors


# What runs each coloring in an engine's operators.
RUN: dict[str, Callable[..., Any]] = {
    "max": lambda ops, p, sequence, log, balance: color_sets(ops, p, log, False, False, balance),
    "min-max": lambda ops, p, sequence, log, balance: color_sets(ops, p, log, True, False, balance),
    "min-max, atomics": lambda ops, p, sequence, log, balance: color_sets(ops, p, log, True, True, balance),
    "hash": lambda ops, p, sequence, log, balance: color_by_hash(ops, p, sequence, log, 1, balance),
    "advance-reduce": lambda ops, p, sequence, log, balance: color_by_reduction(ops, p, log, balance),
}
SPECIFIED: dict[str, Callable[..., list[int]]] = {
    "max": lambda G, p: sets_in_python(G, p, False),
    "min-max": lambda G, p: sets_in_python(G, p, True),
    "min-max, atomics": lambda G, p: sets_in_python(G, p, True),
    "hash": hash_in_python,
    "advance-reduce": lambda G, p: sets_in_python(G, p, False),
}


def compare(which: str, engine: str, balance: str, G: lagcolor.Graph, seed: int) -> None:
    P = Priorities.of(G, "random", seed)
    ops = operators(engine, G)
    colors = numpy(RUN[which](ops, on_engine(ops, P.p), on_engine(ops, P.sequence), Log(), balance))
    assert colors.dtype == np.int32
    lagcolor.verify(G, colors)
    assert colors.tolist() == SPECIFIED[which](G, P.p.tolist()), f"seed {seed}"


@pytest.mark.parametrize("which", SPECIFIED)
@pytest.mark.parametrize(("engine", "balance"), EVERY_BALANCE)
def test_colors_are_as_specified(engine: str, balance: str, which: str) -> None:
    for name in QUICK if engine == "emulated" else [k for k in CORPUS if not k.startswith("clique 1")]:
        if balance == "block" and engine == "emulated" and name in ("star", "crown"):
            continue
        compare(which, engine, balance, graph(name), 3)


@pytest.mark.parametrize("which", ["min-max", "hash", "advance-reduce"])
@pytest.mark.parametrize("engine", ENGINES)
def test_all_degree_classes(engine: str, which: str) -> None:
    compare(which, engine, "auto", classes(), 1)


@pytest.mark.parametrize("which", SPECIFIED)
@given(n=st.integers(0, 40), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
def test_random_graphs_are_as_specified(which: str, n: int, density: float, seed: int) -> None:
    compare(which, "cpu", "auto", random_graph(n, int(density * n * n / 3), seed), seed)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_full_table_turns_its_page(engine: str) -> None:
    """A clique of 70 needs three pages of 32 colors, or two of 64."""
    G = graph("clique 70")
    P = Priorities.of(G, "random", 2)
    ops = operators(engine, G)
    p, sequence = on_engine(ops, P.p), on_engine(ops, P.sequence)
    for words in (1, 2):
        colors = numpy(color_by_hash(ops, p, sequence, Log(), words, "thread"))
        assert sorted(colors.tolist()) == list(range(70))


@pytest.mark.parametrize("name", CORPUS)
def test_relations(name: str) -> None:
    """One set a round is Luby's coloring, however it is written; hashing needs no more colors than any of them."""
    G = graph(name)
    luby = lagcolor.color(G, "luby_is", seed=4)
    assert np.array_equal(lagcolor.color(G, "gunrock_ar", seed=4).colors, luby.colors)
    assert np.array_equal(lagcolor.color(G, "gunrock_is", seed=4, min_max=False).colors, luby.colors)
    sets = lagcolor.color(G, "gunrock_is", seed=4)
    assert np.array_equal(lagcolor.color(G, "gunrock_is", seed=4, atomics=True).colors, sets.colors)
    assert sets.rounds <= luby.rounds
    assert lagcolor.color(G, "gunrock_hash", seed=4).n_colors <= min(sets.n_colors, luby.n_colors)


@pytest.mark.parametrize("spec", ["grid3d:25", "rgg:13", "rmat:12", "kron_g500:10", "social:4000,10", "delaunay:12"])
def test_hash_uses_fewer_colors(spec: str) -> None:
    """The paper's Figure 1b."""
    G = lagcolor.generate.from_spec(spec)
    hashed, sets = (lagcolor.color(G, a, verify=True).n_colors for a in ("gunrock_hash", "gunrock_is"))
    assert hashed < sets


def test_gaps_are_closed() -> None:
    """Two vertices that nobody is beside, and a path of three whose middle is the maximum: two colors, no third."""
    G = lagcolor.Graph.of((np.array([1, 1]), np.array([0, 2])), n=5)
    result = lagcolor.color(G, "gunrock_is", order=[1, 9, 2, 4, 5])
    assert result.colors.tolist() == [1, 0, 1, 0, 0]
    path = lagcolor.Graph.of((np.arange(3), np.arange(1, 4)), n=4)
    assert lagcolor.color(path, "gunrock_is", order=[0, 1, 2, 3]).n_colors == 4
    assert lagcolor.color(graph("no edges"), "gunrock_is").n_colors == 1


@pytest.mark.parametrize("algorithm", NAMES)
def test_trace(algorithm: str) -> None:
    G = graph("rmat")
    result = lagcolor.color(G, algorithm, trace=True)
    left = [row["active"] for row in result.trace]
    assert left[0] == G.n
    assert all(row["active"] - row["colored"] == after for row, after in zip(result.trace, [*left[1:], 0], strict=True))
    conflicts = sum(row["conflicts"] for row in result.trace)
    assert conflicts > 0 if algorithm == "gunrock_hash" else conflicts == 0


@pytest.mark.parametrize("which", RUN)
@pytest.mark.parametrize("engine", ENGINES)
def test_trace_has_milliseconds(engine: str, which: str) -> None:
    """Each round its own; colors and rounds are those of a run without a trace."""
    G = graph("crown")
    P = Priorities.of(G, "random", 5)
    ops, logs, runs = operators(engine, G), (Log(), Log(True)), []
    for log in logs:
        runs.append(numpy(RUN[which](ops, on_engine(ops, P.p), on_engine(ops, P.sequence), log, "auto")).tolist())
    ms = [row["ms"] for row in logs[1].rows]
    assert len(ms) == logs[0].rounds == logs[1].rounds
    assert runs[0] == runs[1]
    assert all(isinstance(x, float) and x > 0 for x in ms)


@pytest.mark.parametrize(
    ("before", "left", "least", "most"),
    [(1, 0, 1, 1), (9, 9, 1000, 1 << 20), (2, 1, 1, 1), (300, 30, 1, 3), (1000, 999, 1000, 9999)],
)
def test_rounds_ahead(before: int, left: int, least: int, most: int) -> None:
    assert least <= rounds_ahead(before, left) <= most


@pytest.mark.parametrize("algorithm", NAMES)
def test_options_are_checked(algorithm: str) -> None:
    with pytest.raises(lagcolor.OptionError, match="load_balance must be one of auto, thread"):
        lagcolor.color(graph("path"), algorithm, load_balance="fair")
    with pytest.raises(lagcolor.OptionError, match="min_max must be True or False, not 2"):
        lagcolor.color(graph("path"), "gunrock_is", min_max=2)
    for table in (0, 2.5, True):
        with pytest.raises(lagcolor.OptionError, match="table must be a whole number of entries from 1 on"):
            lagcolor.color(graph("path"), "gunrock_hash", table=table)


@pytest.mark.gpu
@pytest.mark.parametrize("algorithm", NAMES)
@pytest.mark.parametrize("spec", ["kron_g500:14", "social:1e5,10", "road:100", "stencil27:30,30,30"])
def test_cpu_equals_gpu(algorithm: str, spec: str) -> None:
    """Graphs with hubs and many rounds, with each balance that deals with them."""
    G = lagcolor.generate.from_spec(spec)
    expected = lagcolor.color(G, algorithm, seed=2)
    for balance in ("auto", "warp", "merge"):
        result = lagcolor.color(G.on("cuda"), algorithm, seed=2, load_balance=balance, verify=True)
        assert np.array_equal(result.to_numpy(), expected.colors), balance
        assert result.rounds == expected.rounds
