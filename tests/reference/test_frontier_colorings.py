"""The colorings of Gunrock against specifications in plain Python, on every engine and with every load balance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, graph, neighbors, random_graph
from emulated import ENGINES
from frontier_cases import EVERY_BALANCE, classes, numpy, on_engine, operators
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.algorithms.osama_gunrock.gunrock_ar import color_by_reduction
from lagcolor.algorithms.osama_gunrock.gunrock_hash import color_by_hash
from lagcolor.algorithms.osama_gunrock.gunrock_is import color_sets
from lagcolor.base.log import Log
from lagcolor.orders import Priorities

pytestmark = pytest.mark.inner

NAMES = ("gunrock_is", "gunrock_hash", "gunrock_ar")
# To emulate a block's 256 threads takes long: graphs of a few rounds only.
QUICK = ("empty", "no edges", "path", "star", "crown", "clique 5", "disconnected")


def sets_in_python(G: lagcolor.Graph, p: list[int], min_max: bool) -> list[int]:
    """Algorithm 5: maxima take 2k + 1, minima 2k + 2, what is both the latter; unused colors squeezed out."""
    near, colors, left, k = neighbors(G), [-1] * G.n, set(range(G.n)), 0
    while left:
        beside = {v: [p[u] for u in near[v] if u in left] for v in left}
        least = {v for v in left if all(q > p[v] for q in beside[v])} if min_max else set()
        largest = {v for v in left - least if all(q < p[v] for q in beside[v])}
        for found in (largest, least):
            for v in found:
                colors[v] = k
            k += bool(found)
        left -= largest | least
    return colors


def hash_in_python(G: lagcolor.Graph, p: list[int], size: int) -> list[int]:
    """Algorithm 6: proposals, a used color outside of the table else a new one, conflicts, tables that fill up."""
    near, left, k = neighbors(G), set(range(G.n)), 0
    tables: list[list[int]] = [[] for _ in range(G.n)]
    final: dict[int, int] = {}
    beaten_by_older: set[int] = set()
    while left:
        used, trial = sorted(set(final.values())), {}
        for v in left:
            closed = [u for u in [v, *near[v]] if u in left]
            for new, x in enumerate(f(closed, key=p.__getitem__) for f in (max, min)):
                free = [c for c in used if c not in tables[x] and x not in beaten_by_older]
                trial[x] = min([trial.get(x, 2 * G.n), (free or [2 * k + new])[0]])
        older = {v for v, c in trial.items() if any(final.get(u) == c for u in near[v])}
        losers = {v for v, c in trial.items() if any(trial.get(u) == c and p[u] > p[v] for u in near[v])}
        won = {v: c for v, c in trial.items() if v not in older | losers}
        beaten_by_older |= older
        final |= won
        left -= set(won)
        for v in left:
            for c in [won[u] for u in near[v] if u in won]:
                if c not in tables[v] and len(tables[v]) < size:
                    tables[v].append(c)
        k += 1
        assert k <= 2 * G.n
    number = {c: i for i, c in enumerate(sorted(set(final.values())))}
    return [number[final[v]] for v in range(G.n)]


def frontiers_in_python(G: lagcolor.Graph, p: list[int], inner: str) -> list[int]:
    """Algorithm 2, whose frontier is found by Algorithm 3 ("mis") or takes the color of Algorithm 4 ("jp")."""
    near, colors, k = neighbors(G), [-1] * G.n, 0
    while -1 in colors:
        candidates, found = {v for v in range(G.n) if colors[v] < 0}, set[int]()
        while True:
            frontier = {v for v in candidates if all(p[u] < p[v] for u in near[v] if u in candidates)}
            found |= frontier
            candidates -= frontier | {u for v in frontier for u in near[v]}
            if inner == "jp" or not candidates:
                break
        taken = {colors[u] for v in found for u in near[v]}
        color = next(c for c in range(G.n) if c not in taken) if inner == "jp" else k
        for v in found:
            colors[v] = color
        k += 1
    return colors


@pytest.mark.parametrize(("algorithm", "inner"), [("luby_mis", "mis"), ("jones_plassmann_gb", "jp")])
@given(n=st.integers(0, 40), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
def test_graphblas_colorings_are_as_written(algorithm: str, inner: str, n: int, density: float, seed: int) -> None:
    G = random_graph(n, int(density * n * n / 3), seed)
    P = Priorities.of(G, "random", seed=seed)
    result = lagcolor.color(G, algorithm, P)
    assert result.colors.tolist() == frontiers_in_python(G, P.p.tolist(), inner)


# What runs each coloring in an engine's operators.
RUN: dict[str, Callable[..., Any]] = {
    "max": lambda ops, p, log, balance: color_sets(ops, p, log, False, False),
    "min-max": lambda ops, p, log, balance: color_sets(ops, p, log, True, False),
    "min-max, atomics": lambda ops, p, log, balance: color_sets(ops, p, log, True, True),
    "hash": lambda ops, p, log, balance: color_by_hash(ops, p, log, 32),
    "hash of 1": lambda ops, p, log, balance: color_by_hash(ops, p, log, 1),
    "hash of 3": lambda ops, p, log, balance: color_by_hash(ops, p, log, 3),
    "advance-reduce": lambda ops, p, log, balance: color_by_reduction(ops, p, log, balance),
}
SPECIFIED: dict[str, Callable[..., list[int]]] = {
    "max": lambda G, p: sets_in_python(G, p, False),
    "min-max": lambda G, p: sets_in_python(G, p, True),
    "min-max, atomics": lambda G, p: sets_in_python(G, p, True),
    "hash": lambda G, p: hash_in_python(G, p, 32),
    "hash of 1": lambda G, p: hash_in_python(G, p, 1),
    "hash of 3": lambda G, p: hash_in_python(G, p, 3),
    "advance-reduce": lambda G, p: sets_in_python(G, p, False),
}
BALANCED = ("advance-reduce",)


def compare(which: str, engine: str, balance: str, G: lagcolor.Graph, seed: int) -> None:
    P = Priorities.of(G, "random", seed=seed)
    ops = operators(engine, G)
    colors = numpy(RUN[which](ops, on_engine(ops, P.p), Log(), balance))
    assert colors.dtype == np.int32
    lagcolor.verify(G, colors)
    assert colors.tolist() == SPECIFIED[which](G, P.p.tolist()), f"seed {seed}"


@pytest.mark.parametrize("which", sorted(SPECIFIED.keys() - set(BALANCED)))
@pytest.mark.parametrize("engine", ENGINES)
def test_colors_are_as_specified(engine: str, which: str) -> None:
    for name in QUICK if engine == "emulated" else [k for k in CORPUS if not k.startswith("clique 1")]:
        compare(which, engine, "auto", graph(name), 3)


@pytest.mark.parametrize("which", BALANCED)
@pytest.mark.parametrize(("engine", "balance"), EVERY_BALANCE)
def test_colors_with_every_balance(engine: str, balance: str, which: str) -> None:
    for name in QUICK if engine == "emulated" else [k for k in CORPUS if not k.startswith("clique 1")]:
        if balance == "block" and engine == "emulated" and name in ("star", "crown"):
            continue
        compare(which, engine, balance, graph(name), 3)


@pytest.mark.parametrize("which", ["min-max", "hash", "hash of 3", "advance-reduce"])
@pytest.mark.parametrize("engine", ENGINES)
def test_all_degree_classes(engine: str, which: str) -> None:
    compare(which, engine, "auto", classes(), 1)


@pytest.mark.parametrize("which", SPECIFIED)
@given(n=st.integers(0, 40), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
def test_random_graphs_are_as_specified(which: str, n: int, density: float, seed: int) -> None:
    compare(which, "cpu", "auto", random_graph(n, int(density * n * n / 3), seed), seed)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_full_table_ignores_colors(engine: str) -> None:
    """Small tables lead to conflicts with colored neighbors, hence to new colors; large ones hold every color."""
    G = graph("rmat")
    ops, colors, conflicts = operators(engine, G), {}, {}
    p = on_engine(ops, Priorities.of(G, "random", seed=2).p)
    for size in (1, 4, 256, 10**9):
        log = Log(True)
        colors[size] = numpy(color_by_hash(ops, p, log, size))
        conflicts[size] = sum(row["conflicts"] for row in log.rows)
        lagcolor.verify(G, colors[size])
    assert np.array_equal(colors[256], colors[10**9])
    assert colors[1].max() > colors[4].max() > colors[256].max()
    assert conflicts[1] > 0


def test_a_forgotten_color_is_tried_once() -> None:
    """A table of one entry forgets one of two colors beside the last vertex, which then takes a new one."""
    # 0 and 1 are colored in round 0 as greatest and least; 2 is beside both, and its table holds color 0 alone.
    G = lagcolor.Graph.of((np.array([0, 1, 3, 3, 4, 4]), np.array([2, 2, 0, 2, 1, 2])), n=5)
    for order in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 4, 0, 3, 1]):
        for size in (1, 2):
            result = lagcolor.color(G, "gunrock_hash", order=order, table=size, verify=True, trace=True)
            assert result.rounds <= 2 * G.n
            assert result.colors.tolist() == hash_in_python(G, Priorities.of(G, order, seed=None).p.tolist(), size)


@pytest.mark.parametrize("name", [name for name in CORPUS if graph(name).m < 20_000])
def test_relations(name: str) -> None:
    """One set a round is Luby's coloring, however it is written."""
    G = graph(name)
    luby = lagcolor.color(G, "luby_is", seed=4)
    assert np.array_equal(lagcolor.color(G, "luby_is_graphblas", seed=4).colors, luby.colors)
    assert np.array_equal(lagcolor.color(G, "gunrock_ar", seed=4).colors, luby.colors)
    assert np.array_equal(lagcolor.color(G, "gunrock_is", seed=4, min_max=False).colors, luby.colors)
    sets = lagcolor.color(G, "gunrock_is", seed=4)
    counted = lagcolor.color(G, "gunrock_is", seed=4, atomics=True)
    assert np.array_equal(counted.colors, sets.colors) and counted.rounds == sets.rounds
    assert sets.rounds <= luby.rounds
    hashed = lagcolor.color(G, "gunrock_hash", seed=4)
    assert hashed.n_colors <= 2 * hashed.rounds <= 4 * max(G.n, 1)


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
    assert result.colors.tolist() == [1, 0, 1, 1, 1]
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


def test_options_are_checked() -> None:
    G = graph("path")
    with pytest.raises(lagcolor.OptionError, match="load_balance must be one of auto, thread"):
        lagcolor.color(G, "gunrock_ar", load_balance="fair")
    with pytest.raises(lagcolor.OptionError, match="min_max must be True or False, not 2"):
        lagcolor.color(G, "gunrock_is", min_max=2)
    for table in (0, 2.5, True):
        with pytest.raises(lagcolor.OptionError, match="table must be a whole number of entries from 1 on"):
            lagcolor.color(G, "gunrock_hash", table=table)


@pytest.mark.gpu
@pytest.mark.parametrize("algorithm", NAMES)
@pytest.mark.parametrize("spec", ["kron_g500:14", "social:1e5,10", "road:100", "stencil27:30,30,30"])
def test_cpu_equals_gpu(algorithm: str, spec: str) -> None:
    """Graphs with hubs and many rounds, with each balance that deals with them."""
    G = lagcolor.generate.from_spec(spec)
    expected = lagcolor.color(G, algorithm, seed=2)
    ways = {
        "gunrock_is": [{}, {"atomics": True}],
        "gunrock_ar": [{"load_balance": b} for b in ("auto", "warp", "merge")],
        "gunrock_hash": [{}],
    }
    for options in ways[algorithm]:
        result = lagcolor.color(G.on("cuda"), algorithm, seed=2, verify=True, **options)
        assert np.array_equal(result.to_numpy(), expected.colors), options
        assert result.rounds == expected.rounds


def test_luby_as_listed_multiplies_by_max_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """GrB_vxm with GrB_INT32MaxTimes, once a round and once more to find nothing."""
    import graphblas as gb

    called = []
    vxm = gb.Vector.vxm
    monkeypatch.setattr(gb.Vector, "vxm", lambda u, A, op: called.append((op.name, A.dtype.name)) or vxm(u, A, op))
    result = lagcolor.color(graph("rmat"), "luby_is_graphblas")
    assert called[-result.rounds - 1 :] == [("max_times", "INT32")] * (result.rounds + 1)
