"""reduce: never worse, never improper, the same everywhere; what it refuses. Two colors where two do."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, fewer, graph, random_graph
from emulated import EMULATED, ENGINES
from hypothesis import given, settings
from hypothesis import strategies as st
from reduction_cases import colors_for, run, two_colors

import lagcolor
from lagcolor.algorithms.ecl_gc import heuristics as exchange
from lagcolor.algorithms.ecl_gc.heuristics import heuristics
from lagcolor.api import reduce as recoloring
from lagcolor.api.reduce import METHODS
from lagcolor.base.log import Log
from lagcolor.cli import main
from lagcolor.cli import reduce as command
from lagcolor.engines.improve import ejections
from lagcolor.engines.improve.classes import iterated_greedy
from lagcolor.engines.improve.ejections import ejection
from lagcolor.graph.two_colors import bipartite

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
# Few passes and rounds, for the emulator.
SHORT: dict[str, tuple[Any, dict[str, Any]]] = {
    "heuristics": (heuristics, {}),
    "iterated_greedy": (iterated_greedy, {"rounds": 5}),
    "ejection": (ejection, {"passes": 0.1}),
}


def check(G: lagcolor.Graph, before: np.ndarray, after: np.ndarray) -> int:
    assert after.dtype == np.int32
    report = lagcolor.verify(G, after)
    assert report.n_colors <= before.max(initial=-1) + 1
    return report.n_colors


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("method", METHODS)
def test_corpus(method: str, device: str) -> None:
    for G in map(graph, CORPUS):
        before = colors_for(G, 1)
        copy = before.copy()
        result = lagcolor.reduce(G.on(device), before, method=method, verify=True)
        assert result.device.startswith(device)
        check(G, before, result.to_numpy())
        assert np.array_equal(before, copy)
        again = lagcolor.reduce(G.on(device), before, method=method)
        assert np.array_equal(result.to_numpy(), again.to_numpy())
        if device != "cpu":
            assert np.array_equal(result.to_numpy(), lagcolor.reduce(G, before, method=method).colors)


def same_on(engines: tuple[str, ...], G: lagcolor.Graph, method: str, seed: int) -> None:
    """Equal colors, and an equal course, on all engines."""
    hook, options = SHORT[method]
    before, outcomes = colors_for(G, seed), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ejections, "LEAST_WORK", 1000)
        for engine in engines:
            log = Log(trace=True)
            outcomes.append((run(engine, hook, G, before, log=log, **options), log.rows))
    for colors, rows in outcomes:
        check(G, before, colors)
        assert np.array_equal(colors, outcomes[0][0])
        assert [{**row, "ms": 0} for row in rows] == [{**row, "ms": 0} for row in outcomes[0][1]]


@pytest.mark.parametrize("method", SHORT)
@pytest.mark.parametrize(
    "engines",
    [
        ("cpu", "cpu"),
        pytest.param(("cpu", "emulated"), marks=EMULATED),
        pytest.param(("cpu", "cuda", "cuda"), marks=pytest.mark.gpu),
    ],
)
@settings(max_examples=fewer(20))
@given(n=st.integers(1, 90), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
def test_random_graphs(engines: tuple[str, ...], method: str, n: int, density: float, seed: int) -> None:
    same_on(engines, random_graph(n, int(density * n * n / 3), seed), method, seed)


@pytest.mark.gpu
@pytest.mark.parametrize("method", SHORT)
@pytest.mark.parametrize("spec", ["rmat:14,seed=2", "uniform:30000,4", "kron_g500:12", "star:70000"])
def test_larger_graphs_on_gpu(spec: str, method: str) -> None:
    """Lists of many blocks, hubs, and several windows of colors."""
    same_on(("cpu", "cuda", "cuda"), lagcolor.generate.from_spec(spec), method, 3)


@EMULATED
@pytest.mark.parametrize("method", METHODS)
def test_offsets_of_64_bits(method: str) -> None:
    G = graph("random sparse")
    wide = lagcolor.Graph(G.indptr.astype(np.int64), G.indices)
    before = colors_for(G, 3)
    same = [lagcolor.reduce(g, before, method=method).colors for g in (G, wide)]
    assert np.array_equal(*same)
    same_on(("cpu", "emulated"), wide, method, 1)


@pytest.mark.parametrize("method", METHODS)
def test_a_result_says_what_it_was_made_of(method: str) -> None:
    G = graph("random sparse")
    before = lagcolor.color(G, "luby_mis")
    after = lagcolor.reduce(G, before, method=method)
    assert after.verified and after.n_colors <= before.n_colors == after.notes["colors_before"]
    assert after.algorithm == f"luby_mis + {method}" and after.seconds >= before.seconds


@pytest.mark.parametrize("method", METHODS)
def test_any_proper_coloring_will_do(method: str) -> None:
    """More colors than Δ + 1, gaps between them, numbers over n, other types."""
    G = graph("grid")
    for before in (np.arange(G.n), 2**20 * colors_for(G, 1), np.arange(G.n).tolist(), np.arange(G.n, dtype=np.uint8)):
        result = lagcolor.reduce(G, before, method=method)
        assert result.verified and result.n_colors <= G.max_degree + 1
    for close in (lagcolor.reduce, lagcolor.balance):
        assert close([(0, 1), (1, 2)], {0: 7, 1: 2**30, 2: 7}).colors.tolist() == [0, 1, 0]


def test_an_interrupt_of_heuristics_keeps_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other methods are in tests/faults/test_interrupts.py."""

    def second(*args: Any) -> Any:
        monkeypatch.setattr(exchange.CPUPasses, "__call__", interrupted)
        return real(*args)

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    real = exchange.CPUPasses.__call__
    monkeypatch.setattr(exchange.CPUPasses, "__call__", second)
    before = lagcolor.color(graph("random dense"), "greedy", "random", seed=1)
    result = lagcolor.reduce(graph("random dense"), before, method="heuristics", verify=True)
    assert result.notes["interrupted"] and result.n_colors <= before.n_colors


def test_heuristics_make_no_random_choices() -> None:
    with pytest.raises(lagcolor.OptionError, match="heuristics makes no random choices: leave seed"):
        lagcolor.reduce(graph("path"), np.arange(50) % 2, method="heuristics", seed=1)


@pytest.mark.parametrize("method", METHODS)
def test_no_time_leaves_the_colors(method: str) -> None:
    before = colors_for(graph("rmat"), 1)
    result = lagcolor.reduce(graph("rmat"), before, method=method, time_limit=0, verify=True)
    assert np.array_equal(result.colors, before)


def test_all_colors_differ_at_first() -> None:
    """Far more colors than Δ + 1 are brought there by one first-fit, not one by one."""
    G = lagcolor.generate.from_spec("path:100000")
    assert lagcolor.reduce(G, np.arange(G.n)).n_colors == 2
    assert recoloring.dense(G, 2 * (np.arange(G.n) % 3)).max() == 2


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start, out = tmp_path / "start.txt", tmp_path / "out.txt"
    assert main(["color", "rmat:8", "--order", "random", "--out", str(start), "--json"]) == 0
    before = json.loads(capsys.readouterr().out)
    assert main(["reduce", "rmat:8", str(start), "--out", str(out), "--json", "--seed", "3"]) == 0
    after = json.loads(capsys.readouterr().out)
    assert after["algorithm"] == "ejection" == inspect.signature(lagcolor.reduce).parameters["method"].default
    assert tuple(METHODS) == command.METHODS
    assert after["n_colors"] < before["n_colors"] == after["notes"]["colors_before"]
    assert np.loadtxt(out, dtype=int).max() + 1 == after["n_colors"]
    assert main(["color", "rmat:8", "--order", "random", "--reduce", "heuristics"]) == 0
    assert "first_fit + heuristics" in capsys.readouterr().out


# ---- two colors where two do -----------------------------------------------------------------------------------------


def agrees(engine: str, G: lagcolor.Graph) -> None:
    colors, right = run(engine, bipartite, G), two_colors(G)
    assert (None if colors is None else colors.tolist()) == right
    assert colors is None or colors.dtype == np.int32


def two_sided(n: int, m: int, seed: int) -> lagcolor.Graph:
    """A random bipartite graph with its vertices shuffled."""
    r = np.random.default_rng(seed)
    names = r.permutation(n)
    u, v = r.integers(0, (n + 1) // 2, m), r.integers(n // 2, n, m)
    apart = (u < n // 2) & (v >= n // 2)
    return lagcolor.Graph.of((names[u[apart]], names[v[apart]]), n=n)


@pytest.mark.parametrize("engine", ENGINES)
def test_bipartite_corpus(engine: str) -> None:
    for name in CORPUS:
        if name != "clique 1100":
            agrees(engine, graph(name))
    for name in ("grid", "odd cycle"):
        G = graph(name)
        agrees(engine, lagcolor.Graph(G.indptr.astype(np.int64), G.indices))


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=fewer(20))
@given(n=st.integers(1, 150), density=st.floats(0, 2), seed=st.integers(0, 2**32 - 1))
def test_bipartite_random_graphs(engine: str, n: int, density: float, seed: int) -> None:
    agrees(engine, random_graph(n, int(density * n / 2), seed))
    agrees(engine, two_sided(n, int(density * n), seed))


@pytest.mark.parametrize("engine", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
@pytest.mark.parametrize("odd", [False, True])
def test_long_shuffled_cycles(odd: bool, engine: str) -> None:
    """Deep trees: a cycle of 200,000 or one more, whose parity only the last edge tells."""
    n = 200_000 + odd
    names = np.random.default_rng(1).permutation(n)
    G = lagcolor.Graph.of((names, names[np.r_[1:n, 0]]), n=n)
    colors = run(engine, bipartite, G)
    assert (colors is None) == odd
    assert odd or (lagcolor.verify(G, colors).n_colors == 2 and colors[0] == 0)


def large(kind: str) -> tuple[np.ndarray, np.ndarray, int]:
    """Edges of bipartite graphs over several tiles: long rows of equal constraints, hubs that come last, random."""
    r = np.random.default_rng(3)
    if kind == "grid":
        v = np.arange(90 * 80)
        right, down = v[v % 90 < 89], v[:-90]
        return np.r_[right, down], np.r_[right + 1, down + 90], len(v)
    if kind == "hubs":  # two hubs that share a few leaves, and rows of 50 to 400
        leaves, rest = np.arange(6000), np.arange(6003, 6040)
        some = r.permuted(np.tile(leaves, (len(rest), 1)), axis=1)[:, :400]
        few = np.arange(50, 50 + 9 * len(rest), 9)
        u = [leaves[:5000], leaves[900:], *(a[:k] for a, k in zip(some, few, strict=True))]
        v = [np.full(len(a), x) for a, x in zip(u, [6001, 6002, *rest], strict=True)]
        return np.concatenate(u), np.concatenate(v), 6040
    u, v = r.integers(0, 3500, 9000), r.integers(3500, 7000, 9000)
    names = r.permutation(7000)
    return names[u], names[v], 7000


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["grid", "hubs", "random"])
def test_many_tiles(kind: str, engine: str) -> None:
    u, v, n = large(kind)
    agrees(engine, lagcolor.Graph.of((u, v), n=n))
    two = bipartite(lagcolor.Graph.of((u, v), n=n))
    a, b = np.flatnonzero(two == two[u[-1]])[[0, -1]]  # where these are connected, the last edge closes an odd cycle
    agrees(engine, lagcolor.Graph.of((np.r_[u, a], np.r_[v, b]), n=n))
