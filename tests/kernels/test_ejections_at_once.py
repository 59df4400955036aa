"""Ejections limited by work: as in plain Python, the same on every engine, and what they see of the graph."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import emulated
import numpy as np
import pytest
from corpus import graph, neighbors, random_graph
from emulated import EMULATED, ENGINES, GPU
from hypothesis import given
from hypothesis import strategies as st
from reduction_cases import colors_for

import lagcolor
from lagcolor.base import device as dev
from lagcolor.base.log import Log
from lagcolor.engines.improve import ejections, plain
from lagcolor.engines.improve.ejections import GPUEjections, Outcome, Rule, eject_by_work
from lagcolor.orders.ties import seed_word
from lagcolor.search import attempts, qualities

SMALL = ("isolated among others", "path", "star", "clique 80 and more", "crown", "grid", "random dense", "rmat")


def by_plain_loop(G: lagcolor.Graph, colors: np.ndarray, seed: int) -> list[int]:
    """The oracle, with the limits of balanced."""
    limits = Rule.balanced(G.n, G.m).on(G).limits(int(colors.max()) + 1)
    return plain.eject(neighbors(G), colors.tolist(), seed_word(seed), limits, 3)


def on_gpu(G: lagcolor.Graph, colors: np.ndarray, seed: int = 0, least: int = 3) -> tuple[np.ndarray, Outcome]:
    g = G.on("cuda")
    with dev.using(g.indices):
        out = g.xp.asarray(colors)
        did = GPUEjections(g, None, 0, seed, one=True).save_all(out, least, Log())
    return dev.to_device(out, "cpu"), did


def run(engine: str, G: lagcolor.Graph, colors: np.ndarray, seed: int = 0) -> np.ndarray:
    return eject_by_work(G, colors, int(colors.max()) + 1, seed)[0] if engine == "cpu" else on_gpu(G, colors, seed)[0]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", SMALL)
def test_equal_to_the_reference(name: str, engine: str) -> None:
    G = graph(name)
    for seed in (0, 3):
        before = colors_for(G, seed)
        copy = before.copy()
        after = run(engine, G, before, seed)
        assert np.array_equal(before, copy) and after.dtype == np.int32
        assert after.tolist() == by_plain_loop(G, before, seed)
        assert lagcolor.verify(G, after).n_colors <= before.max() + 1


@given(n=st.integers(2, 60), density=st.floats(0.05, 0.9), seed=st.integers(0, 2**64 - 1))
def test_equal_to_the_reference_on_random_graphs(n: int, density: float, seed: int) -> None:
    G = random_graph(n, max(int(density * n * n / 2), 1), seed % 2**32)
    if not G.m:
        return
    before = colors_for(G, seed % 97)
    after, k = eject_by_work(G, before, int(before.max()) + 1, seed)
    assert after.tolist() == by_plain_loop(G, before, seed)
    assert lagcolor.verify(G, after).n_colors <= k <= before.max() + 1


@EMULATED
@pytest.mark.parametrize("spec", ["rmat:8", "star:900", "queen:12"])
def test_several_blocks_and_wide_offsets_change_nothing(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    G = lagcolor.generate.from_spec(spec)
    before = colors_for(G, 1)
    expected, rounds = run("cpu", G, before, 2), set()
    monkeypatch.setattr(ejections, "EACH", 50)
    monkeypatch.setattr(GPU, "processors", 5)
    for long_list in (1, 8, 2**31 - 1):  # every round by all blocks, some, none
        monkeypatch.setattr(ejections, "LONG", long_list)
        colors, did = on_gpu(G, before, 2)
        assert np.array_equal(colors, expected)
        rounds.add((did.rounds, did.after))
    assert len(rounds) == 1 and GPU.grids[-1] == ("save_colors", min(5, G.n // 50))
    monkeypatch.setattr(ejections, "LONG", 8)
    wide = lagcolor.Graph(G.indptr.astype(np.int64), G.indices)
    assert np.array_equal(on_gpu(wide, before, 2)[0], expected)
    assert np.array_equal(run("cpu", wide, before, 2), expected)


@EMULATED
@pytest.mark.parametrize("macros", [{"WIDE": 8, "BARRIERS": 0}, {"BARRIERS": 2**30}])
def test_wide_rounds_and_blocks_for_a_vertex_change_nothing(macros: dict[str, int]) -> None:
    """All blocks or one, and blocks or warps for a vertex; a clique has more colors than a warp weighs at a time."""
    graphs = [lagcolor.generate.from_spec(spec) for spec in ("rmat:8", "star:300", "clique:270")]
    with emulated.emulated_gpu(macros=macros) as e, pytest.MonkeyPatch.context() as patch:
        patch.setattr(e.gpu, "processors", 3)
        patch.setattr(ejections, "EACH", 50)
        for G in graphs:
            before = colors_for(G, 1)
            assert np.array_equal(on_gpu(G, before, 2)[0], run("cpu", G, before, 2))


@EMULATED
@pytest.mark.parametrize("name", ["rmat", "clique 70"])
def test_limits_of_large_graphs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists that are too long begin no color, and rounds are fewer for a larger degree."""
    G, before = graph(name), colors_for(graph(name), 1)
    k, found = int(before.max()) + 1, set()
    monkeypatch.setattr(ejections, "VERTICES", 0)
    monkeypatch.setattr(ejections, "LEAST_ROUNDS", 128)
    for listed in (0, 1, 20, 10**6):
        rule = Rule.balanced(G.n, G.m)._replace(listed=listed, work=4 * G.m, rounds=2, long_rows=200 * G.max_degree)
        monkeypatch.setattr(Rule, "balanced", lambda *_, rule=rule: rule)
        expected, least = eject_by_work(G, before, k)
        colors, did = on_gpu(G, before)
        assert np.array_equal(colors, expected) and did.after == least
        found.add(least)
    assert name == "clique 70" or k in found


def test_limits_grow_with_colors_and_entries() -> None:
    def limits(k: int, n: int, m: int) -> tuple[int, ...]:
        return Rule.balanced(n, m).on(SimpleNamespace(max_degree=0)).limits(k)

    assert limits(4, 100, 0) == (62, 10, 8192, 2730, 0)
    assert limits(20, 100, 300_000) == (830, 58, 208_192, 69_397, 0)
    assert limits(20, 2**19 + 1, 10**6)[2] == 174_858 and limits(20, 100, 6 * 10**6)[2] == 1_008_192  # large graphs


@pytest.mark.parametrize("engine", ENGINES)
def test_more_colors_than_a_window(engine: str) -> None:
    """A clique of 300, and a path with higher colors: a warp looks at 256 colors at a time."""
    k = 300
    u, v = np.triu_indices(k, 1)
    G = lagcolor.Graph.of((np.append(u, [0, k, k + 1]), np.append(v, [k, k + 1, k + 2])), n=k + 3)
    before = np.r_[np.arange(k), k, 0, k].astype(np.int32)
    after = run(engine, G, before)
    assert lagcolor.verify(G, after).n_colors == k
    assert after.tolist() == by_plain_loop(G, before, 0)


@EMULATED
@pytest.mark.parametrize(
    "name", ["grid", "rmat", "random dense", "clique 70", "star", "cycle:201", "delaunay:8", "stencil27:6"]
)
def test_balanced_is_the_same_on_both_devices(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a copy, on the GPU, and with the rules for large graphs."""
    G = lagcolor.generate.from_spec(name) if ":" in name else graph(name)
    for where in ("copy", "small", "large"):
        if where == "small":
            monkeypatch.setattr(attempts, "FEW", -1)
            monkeypatch.setattr(attempts, "FEW_DENSE", -1)
            monkeypatch.setattr("lagcolor.search.attempts.SMALL", 0)
        if where == "large":
            monkeypatch.setattr(ejections, "VERTICES", 0)
        H = G.on("cuda")
        here, there = lagcolor.color(G, seed=5), lagcolor.color(H, seed=5, verify=True)
        assert dev.to_device(there.colors, "cpu").tolist() == here.colors.tolist()
        assert there.graph is H and ("on_cpu" in there.notes) == (where == "copy")


@EMULATED
def test_where_graphs_of_a_gpu_are_colored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "FEW", 50)
    monkeypatch.setattr(attempts, "FEW_DENSE", 700)
    for spec, options, there in (
        ("cycle:25", {}, True), ("cycle:26", {}, False), ("cycle:26", {"problem": "edges"}, False),
        ("clique:27", {}, False), ("clique:26", {}, True), ("clique:25", {}, True), ("clique:24", {}, False),
        ("cycle:25", {"quality": "fast"}, False), ("cycle:25", {"max_colors": 3}, False),
        ("cycle:25", {"algorithm": "first_fit"}, False), ("cycle:25", {"problem": "distance2"}, True),
    ):  # fmt: skip
        result = lagcolor.color(lagcolor.generate.from_spec(spec).on("cuda"), **options)
        note = "colored on the CPU, in a copy of the graph: a graph with few entries takes less time there"
        assert (result.notes.get("on_cpu") == note) == there and result.verified, (spec, options)


@EMULATED
def test_an_interrupt_of_a_cpu_leaves_the_colors_on_the_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(search: Any, rows: Any) -> None:
        one_by_one(search, rows)
        raise KeyboardInterrupt

    G, one_by_one = graph("rmat").on("cuda"), qualities.one_by_one
    monkeypatch.setattr(qualities, "one_by_one", stopped)
    result = lagcolor.color(G, verify=True)
    assert result.notes["interrupted"] and dev.device_of(result.colors) == G.device
