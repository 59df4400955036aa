"""reduce: never worse, never improper, the same everywhere; what it refuses."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, fewer, graph, random_graph
from emulated import EMULATED
from hypothesis import given, settings
from hypothesis import strategies as st
from reduction_cases import colors_for, run

import lagcolor
from lagcolor.algorithms.ecl_gc import heuristics as exchange
from lagcolor.algorithms.ecl_gc.heuristics import heuristics
from lagcolor.api import reduce as recoloring
from lagcolor.api.reduce import METHODS
from lagcolor.base.log import Log
from lagcolor.cli import main
from lagcolor.cli import reduce as command
from lagcolor.engines.improve import classes, ejection, ejections, iterated_greedy

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


@EMULATED
@pytest.mark.parametrize("method", SHORT)
@settings(max_examples=fewer(10))
@given(n=st.integers(1, 60), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
def test_kernels_on_random_graphs(method: str, n: int, density: float, seed: int) -> None:
    same_on(("cpu", "emulated"), random_graph(n, int(density * n * n / 3), seed), method, seed)


@pytest.mark.gpu
@pytest.mark.parametrize("method", SHORT)
@given(n=st.integers(1, 300), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
def test_same_on_gpu(method: str, n: int, density: float, seed: int) -> None:
    same_on(("cpu", "cuda", "cuda"), random_graph(n, int(density * n * 20), seed), method, seed)


@pytest.mark.parametrize("method", SHORT)
@given(n=st.integers(1, 120), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
def test_random_graphs(method: str, n: int, density: float, seed: int) -> None:
    same_on(("cpu", "cpu"), random_graph(n, int(density * n * n / 3), seed), method, seed)


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


STEP: dict[str, tuple[Any, str]] = {  # where a method's loop calls a step, on the CPU
    "heuristics": (exchange.CPUPasses, "__call__"),
    "iterated_greedy": (classes, "one_pass"),
    "ejection": (ejections.CPUEjections, "open"),
}


@pytest.mark.parametrize("method", METHODS)
def test_interrupted(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the third step: the best so far is given, and is proper."""
    G = graph("random dense")
    before = lagcolor.color(G, "greedy", "random", seed=1)
    lagcolor.reduce(G, before, method=method)  # the code is warm
    where, name = STEP[method]
    real, calls = getattr(where, name), []

    def third(*args: Any) -> Any:
        calls.append(args)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(where, name, third)
    result = lagcolor.reduce(G, before, method=method, verify=True)
    assert len(calls) < 3 or result.notes["interrupted"]
    assert result.n_colors <= before.n_colors
    assert len(calls) == 3 or method == "heuristics"


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
    given, out = tmp_path / "given.txt", tmp_path / "out.txt"
    assert main(["color", "rmat:8", "--order", "random", "--out", str(given), "--json"]) == 0
    before = json.loads(capsys.readouterr().out)
    assert main(["reduce", "rmat:8", str(given), "--out", str(out), "--json", "--seed", "3"]) == 0
    after = json.loads(capsys.readouterr().out)
    assert after["algorithm"] == "ejection" == inspect.signature(lagcolor.reduce).parameters["method"].default
    assert tuple(METHODS) == command.METHODS
    assert after["n_colors"] < before["n_colors"] == after["notes"]["colors_before"]
    assert np.loadtxt(out, dtype=int).max() + 1 == after["n_colors"]
    assert main(["color", "rmat:8", "--order", "random", "--reduce", "heuristics"]) == 0
    assert "first_fit + heuristics" in capsys.readouterr().out
