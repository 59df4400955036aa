"""Feluca against a specification in plain Python, on the CPU, on a GPU, and on an emulated one."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import emulated
import numpy as np
import pytest
from corpus import CORPUS, fewer, first_fit, graph, random_graph
from emulated import EMULATED
from frontier_cases import classes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lagcolor
from lagcolor.orders import Priorities
from lagcolor.orders.ties import mix, seed_word
from lagcolor.papers.feluca import launch, recursion_gpu, spread_gpu
from lagcolor.papers.feluca.options import Plan

KINDS = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
VARIANTS: list[dict[str, Any]] = [
    {},
    {"length": 2},
    {"length": 5, "alpha": 0.5},
    {"initial": 1},
    {"fraction": 0},
    {"fraction": 0.6},
    {"fraction": 1},
    {"spread": "pipeline"},
    {"spread": "pipeline", "fraction": 0},
    {"spread": "vertex"},
    {"spread": "vertex", "fraction": 0},
]
SMALL = [name for name in CORPUS if name != "clique 1100"]


class Specified:
    """The two stages as docs/feluca.md words them, on the DAG of an order; colors with their gaps closed."""

    def __init__(self, G: lagcolor.Graph, order: Any, seed: int, options: dict[str, Any]) -> None:
        self.seed, self.sequence = seed, Priorities.of(G, order, seed).sequence.tolist()
        position = {v: i for i, v in enumerate(self.sequence)}
        self.near = [
            sorted(position[u] for u in G.indices[G.indptr[v] : G.indptr[v + 1]].tolist()) for v in self.sequence
        ]
        self.n = G.n
        given = options.get("initial", max(8, G.m // max(G.n, 1) + 1))
        size = min(given, G.max_degree + 1)
        hashes = mix(np, np.arange(G.n, dtype=np.uint32), seed).tolist()
        self.colors = [h * size >> 32 for h in hashes]
        self.options, self.conflicts, self.left, self.passes = options, [], [], []
        if options.get("fraction") == 0:
            self.left = list(range(G.n))
        else:
            self.recursion()
        self.spread(options.get("spread") or "pipeline")
        names = {c: i for i, c in enumerate(sorted(set(self.colors)))}
        self.by_vertex = [0] * G.n
        for i, v in enumerate(self.sequence):
            self.by_vertex[v] = names[self.colors[i]]

    def parents(self, v: int) -> list[int]:
        return [u for u in self.near[v] if u < v]

    def recursion(self) -> None:
        while True:
            c = self.colors
            active = [v for v in range(self.n) if c[v] in {c[u] for u in self.parents(v)}]
            self.conflicts.append(len(active))
            if not active or self.switches():
                self.left = active
                return
            self.colors = [self.next(v) if v in set(active) else c[v] for v in range(self.n)]

    def switches(self) -> bool:
        if "fraction" in self.options:
            return (self.n - self.conflicts[-1]) / self.n > self.options["fraction"]
        alpha, h = self.options.get("alpha", 0.1), self.conflicts
        return len(h) > 2 and all(a <= (1 + alpha) * b + 1e-9 for a, b in ((h[-3], h[-2]), (h[-2], h[-1])))

    def next(self, v: int) -> int:
        used, length = sorted({self.colors[u] for u in self.parents(v)}), self.options.get("length", 64)
        own, base = self.colors[v], max(self.colors[v] - 32, 0)
        if used[-1] < 64 and len(used) <= length:
            gaps = [c for c in range(used[0], used[-1]) if c not in used]
        elif length < 64:
            array = [c for c in used if c >= own]  # NeighborColors: the lowest, and the greatest
            array = array if len(array) <= length else [*array[: length - 1], array[-1]]
            gaps = [c for c in range(own, min(used[-1], base + 64)) if c not in array]
        else:
            array = [c for c in used if c < 64 or base <= c < base + 64]
            gaps = [c for c in range(max(base, array[0]), min(used[-1], base + 64)) if c not in array]
            gaps = gaps or [c for c in range(array[0], 64) if c not in array]
        if not gaps:
            return used[-1] + 1
        word = seed_word(self.seed) ^ (0x9E3779B9 * len(self.conflicts) & 0xFFFFFFFF)  # another one each round
        hashed = int(mix(np, np.array([v ^ word ^ seed_word(0)]), 0)[0])
        return gaps[hashed * len(gaps) >> 32]

    def spread(self, strategy: str) -> None:
        for v in self.left:
            self.colors[v] = -1
        left = self.left
        while left:
            self.passes.append(len(left))
            left = {"pipeline": self.pipeline, "vertex": self.vertex}[strategy](left)

    def least(self, v: int) -> int:
        taken = {self.colors[u] for u in self.near[v]}
        return next(c for c in range(self.n + 1) if c not in taken)

    def pipeline(self, left: list[int]) -> list[int]:
        for v in left:
            self.colors[v] = self.least(v)
        return []

    def vertex(self, left: list[int]) -> list[int]:
        for v, c in {v: self.least(v) for v in left}.items():
            self.colors[v] = c
        return [v for v in left if self.colors[v] in {self.colors[u] for u in self.parents(v)}]


def agrees(G: lagcolor.Graph, order: Any, seed: int, options: dict[str, Any], colors: Any, rounds: int) -> None:
    """These colors and rounds are the specified ones."""
    lagcolor.verify(G, colors)
    expected = Specified(G, order, seed, options)
    assert colors.tolist() == expected.by_vertex, f"{options}, order {order}, seed {seed}"
    if G.n:
        assert rounds == len(expected.conflicts) + bool(expected.left)


@pytest.mark.parametrize("options", VARIANTS, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_colors_are_as_specified(kind: str, options: dict[str, Any]) -> None:
    for name in [*SMALL, "clique 1100"] if options.get("fraction") == 0.6 else SMALL:
        G = graph(name)
        for order in ("natural", "random") if G.m < 5000 else ("natural",):
            result = lagcolor.color(G.on(kind), "feluca", order=order, seed=5, **options)
            agrees(G, order, 5, options, result.to_numpy(), result.rounds)


def on_gpu(G: lagcolor.Graph, **options: Any) -> tuple[np.ndarray, lagcolor.Coloring]:
    """Colors on the emulated device, and all of the result."""
    result = lagcolor.color(G.on("cuda"), "feluca", **{"order": "natural", "seed": 0, **options})
    return result.to_numpy(), result


@EMULATED
@pytest.mark.parametrize("options", [*VARIANTS, {"layout": "edges"}, {"layout": "edges", "length": 2}], ids=str)
def test_emulated_gpu_path_is_as_specified(options: dict[str, Any]) -> None:
    names = ["one vertex", "no edges", "star, hub last", "disconnected"]
    slow = options.get("fraction") == 0 or options.get("initial") == 1
    for name in names if slow else [*names, "crown", "random dense", *(["clique 70"] if len(options) < 2 else [])]:
        for order in ("natural", "random") if name != "clique 70" else ("natural",):
            colors, log = on_gpu(graph(name), order=order, seed=2, **options)
            agrees(graph(name), order, 2, options, colors, log.rounds)


@EMULATED
@pytest.mark.parametrize("layout", ["edges", "csr"])
@pytest.mark.parametrize("bits", [32, 64])
def test_emulated_with_every_degree_class(layout: str, bits: int) -> None:
    """A hub of 2100 neighbours: rows for a thread, a warp and a block; few initial colors, so that both stages work."""
    G = classes()
    wide = lagcolor.Graph(G.indptr.astype(f"i{bits // 8}"), G.indices)
    for options in ({}, {"initial": 2, "spread": "pipeline"}, {"fraction": 0}):
        colors, log = on_gpu(wide, layout=layout, **options)
        expected = lagcolor.color(G, "feluca", verify=True, **options)
        assert np.array_equal(colors, expected.colors)
        assert log.rounds == expected.rounds


@EMULATED
@given(
    n=st.integers(60, 140), density=st.floats(0.2, 1), seed=st.integers(0, 2**32 - 1), initial=st.integers(1, 60),
    length=st.sampled_from([2, 6, 64]), fraction=st.sampled_from([None, 1]),
)  # fmt: skip
@settings(max_examples=fewer(10), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_emulated_rows_that_blocks_share(
    n: int, density: float, seed: int, initial: int, length: int, fraction: float | None
) -> None:
    """Where a hub has over 24 neighbours and a block takes 10 entries of its row."""
    G = random_graph(n, int(density * n * 20), seed)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"THREAD_MOST": 6, "WARP_MOST": 24, "SEGMENT": 10}.items():
            patch.setitem(emulated.GPU.macros, name, value)
            for module in (launch, spread_gpu):
                patch.setattr(module, name, value, raising=False)
        options = {"initial": initial, "length": length, "fraction": fraction, "seed": seed}
        colors, log = on_gpu(G, **options)
    expected = lagcolor.color(G, "feluca", **options)
    assert np.array_equal(colors, expected.colors)
    assert log.rounds == expected.rounds


@EMULATED
def test_emulated_vertices_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Colors over 128, and over one vote of a warp; beyond the room for few the pipeline takes over."""
    u, v = np.triu_indices(1100, 1)
    G = lagcolor.Graph.of((u, v), n=1100)
    colors, _ = on_gpu(G, fraction=0)
    assert colors.tolist() == list(range(1100))
    monkeypatch.setattr(spread_gpu, "FEW", 10)
    colors, _ = on_gpu(graph("random dense"), initial=2)
    assert np.array_equal(colors, lagcolor.color(graph("random dense"), "feluca", initial=2).colors)


@EMULATED
def test_emulated_hub_that_claims_more_than_a_block_has_room_for() -> None:
    """Two hubs in a clique, with 2600 leaves each: one takes a color that over 1100 of its leaves have."""
    core, leaves = 8, 2600
    u, v = np.triu_indices(core, 1)
    hubs, ends = np.repeat([core - 2, core - 1], leaves), np.arange(core, core + 2 * leaves)
    G = lagcolor.Graph.of((np.append(u, hubs), np.append(v, ends)), n=core + 2 * leaves)
    for seed in (8, 15):
        options = {"fraction": 1, "initial": 2, "seed": seed}
        expected = lagcolor.color(G, "feluca", trace=True, **options)
        conflicts = [row["conflicts"] for row in expected.trace]
        assert any(before < 10 and after > 1100 for before, after in itertools.pairwise(conflicts[2:]))
        colors, log = on_gpu(G, layout="csr", **options)
        assert np.array_equal(colors, expected.colors)
        assert log.rounds == expected.rounds


@EMULATED
@pytest.mark.parametrize("room", [0, 1 << 30])
def test_emulated_chunks(monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    """Chunks of 256 and of 1024; order of levels, and of ids after many levels of one vertex."""
    monkeypatch.setattr(spread_gpu, "INSIDE_ROOM", room)
    u, v = np.triu_indices(300, 1)
    for G in (lagcolor.Graph.of((u[u % 7 > 1], v[u % 7 > 1]), n=300), classes()):
        colors, _ = on_gpu(G, fraction=0, spread="pipeline")
        assert np.array_equal(colors, lagcolor.color(G, "feluca", fraction=0).colors)


@EMULATED
@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_emulated_rounds_go_on_in_another_launch(monkeypatch: pytest.MonkeyPatch, rounds: int) -> None:
    monkeypatch.setattr(recursion_gpu, "ROUNDS", rounds)
    for options in ({"fraction": 1}, {"fraction": 1, "length": 2}, {}):
        colors, log = on_gpu(graph("clique 70"), **options)
        agrees(graph("clique 70"), "natural", 0, options, colors, log.rounds)


@given(
    n=st.integers(1, 60), density=st.floats(0, 1), seed=st.integers(0, 2**64 - 1), which=st.sampled_from(VARIANTS),
    order=st.sampled_from(["natural", "random", "largest_first"]), threads=st.integers(1, 4),
)  # fmt: skip
def test_random_graphs_are_as_specified(
    n: int, density: float, seed: int, which: dict[str, Any], order: str, threads: int
) -> None:
    G = random_graph(n, int(density * n * n / 3), seed % 2**32)
    result = lagcolor.color(G, "feluca", order=order, seed=seed, threads=threads, **which)
    agrees(G, order, seed, which, result.colors, result.rounds)


@EMULATED
@given(
    n=st.integers(1, 40), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1), which=st.sampled_from(VARIANTS[:7]),
    layout=st.sampled_from(["edges", "csr"]),
)  # fmt: skip
@settings(max_examples=fewer(15), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_emulated_on_random_graphs(n: int, density: float, seed: int, which: dict[str, Any], layout: str) -> None:
    G = random_graph(n, int(density * n * n / 3), seed)
    colors, log = on_gpu(G, seed=seed, layout=layout, **which)
    agrees(G, "natural", seed, which, colors, log.rounds)


def test_spread_alone_is_first_fit() -> None:
    for name in ("grid", "rmat", "crown"):
        for order in ("natural", "largest_first"):
            result = lagcolor.color(graph(name), "feluca", order=order, seed=3, fraction=0, threads=3)
            expected = first_fit(graph(name), Priorities.of(graph(name), order, 3).sequence.tolist())
            assert result.colors.tolist() == expected


def test_threads_in_a_pipeline_of_many_chunks() -> None:
    """Over ten chunks of 4096 vertices and twenty colors, by more threads than there are cores."""
    G = random_graph(50_000, 400_000, 4)
    expected = lagcolor.color(G, "greedy").colors
    for threads in (1, 2, 7):
        assert np.array_equal(lagcolor.color(G, "feluca", fraction=0, threads=threads).colors, expected)
        first = lagcolor.color(G, "feluca", length=3, threads=threads, verify=True)
        assert np.array_equal(first.colors, lagcolor.color(G, "feluca", length=3, threads=1).colors)


@pytest.mark.parametrize("kind", KINDS)
def test_the_short_array_would_repeat_itself_for_ever(kind: str) -> None:
    """Parents of colors 0, 1, 2, 9 show an array of two only 0 and 9; color 1 is taken, and must not be tried again."""
    u, v = np.triu_indices(30, 1)
    G = lagcolor.Graph.of((u, v), n=30)
    for seed in range(20):
        result = lagcolor.color(G.on(kind), "feluca", length=2, fraction=1, seed=seed, verify=True)
        assert result.n_colors == 30


@pytest.mark.parametrize("kind", KINDS)
def test_trace(kind: str) -> None:
    G = lagcolor.generate.from_spec("kron_g500:11")
    result = lagcolor.color(G.on(kind), "feluca", trace=True)
    rows, left = result.trace, result.notes["left"]
    assert [row["active"] for row in rows] == [G.n, *(row["conflicts"] for row in rows[:-1])]
    assert rows[-1]["active"] == left > 0
    assert sum(row["colored"] for row in rows) == G.n
    steps = result.notes["spread"]
    assert steps[0]["active"] == left
    assert steps[-1]["conflicts"] == 0
    assert all(a["conflicts"] == b["active"] for a, b in itertools.pairwise(steps))
    assert result.notes["recursion_ms"] > 0 < result.notes["spread_ms"]
    passes = lagcolor.color(G.on(kind), "feluca", trace=True, spread="vertex").notes["spread"]
    assert passes[0]["active"] == left


def test_the_switch() -> None:
    """A higher α switches earlier, a higher fraction later; those left are those in conflict then."""
    G = lagcolor.generate.from_spec("rmat:12")
    rounds = [lagcolor.color(G, "feluca", alpha=a, trace=True) for a in (0.0, 0.1, 0.5, 2.0)]
    assert [r.rounds for r in rounds] == sorted((r.rounds for r in rounds), reverse=True)
    for f in (0.6, 0.9, 0.97):
        result = lagcolor.color(G, "feluca", fraction=f, trace=True)
        conflicts = [row["conflicts"] for row in result.trace if row["conflicts"]]
        assert all((G.n - c) / G.n <= f for c in conflicts[:-1])
        assert (G.n - result.notes["left"]) / G.n > f


def test_the_switch_at_its_limits() -> None:
    """By at most a tenth, twice in a row, is few enough; a share is reached only once there are more."""
    few = Plan(initial=8, length=64, alpha=100_000, fraction=-1, spread=None, layout="csr")
    assert few.switches(1000, [121, 110, 100])
    assert not few.switches(1000, [122, 110, 100])
    assert not few.switches(1000, [123, 111, 100])
    assert not few.switches(1000, [121, 110])
    share = replace(few, alpha=-1, fraction=600_000)
    assert [share.switches(10, [left]) for left in (10, 5, 4, 3, 0)] == [False, False, False, True, True]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": -1}, "alpha must be a number from 0"),
        ({"alpha": float("nan")}, "alpha must be a number from 0"),
        ({"alpha": "x"}, "alpha must be a number from 0"),
        ({"fraction": 1.5}, "fraction must be a number from 0 to 1, or None, not 1.5"),
        ({"fraction": True}, "fraction must be a number from 0 to 1"),
        ({"length": 1}, "length must be a whole number from 2 to 64, not 1"),
        ({"length": 65}, "length must be a whole number from 2 to 64, not 65"),
        ({"initial": 0}, "initial must be a whole number of colors from 1 on"),
        ({"spread": "fast"}, "spread must be one of pipeline, vertex, or None, not 'fast'"),
        ({"layout": "coo"}, "layout must be one of edges, csr, not 'coo'"),
        ({"threads": 0}, "threads must be a whole number from 1 on"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(lagcolor.OptionError, match=message):
        lagcolor.color(graph("rmat"), "feluca", **options)


@pytest.mark.gpu
@pytest.mark.parametrize("spec", ["kron_g500:14", "social:1e5,10", "road:100", "stencil27:30,30,30", "star:200000"])
def test_cpu_equals_gpu(spec: str) -> None:
    """Hubs, many rounds, many levels; every strategy and layout."""
    G = lagcolor.generate.from_spec(spec)
    for options in (*VARIANTS, {"layout": "edges"}):
        if options.get("spread") == "at_once" and spec.startswith(("kron", "social")):
            continue
        expected = lagcolor.color(G, "feluca", seed=2, **options)
        result = lagcolor.color(G.on("cuda"), "feluca", seed=2, verify=True, **options)
        assert np.array_equal(result.to_numpy(), expected.colors), options
        assert result.rounds == expected.rounds, options


@pytest.mark.gpu
def test_edge_list_is_made_once_and_whole() -> None:
    from lagcolor.papers.feluca.layout import Edges

    G = classes().on("cuda")
    lagcolor.color(G, "feluca", layout="edges")
    E: Edges = G._cache["feluca edges natural"]
    lagcolor.color(G, "feluca", layout="edges", seed=9)
    assert G._cache["feluca edges natural"] is E
    check_edges(classes(), *(x.get() for x in E))


@EMULATED
def test_emulated_edge_list() -> None:
    from lagcolor.papers.feluca.dag import Dag
    from lagcolor.papers.feluca.layout import make

    for G in (graph("rmat"), graph("star, hub last"), graph("no edges"), classes()):
        on_gpu = G.on("cuda")
        edges = make(Dag(on_gpu.indptr, on_gpu.indices, None, G.max_degree))
        check_edges(G, *(x.get() for x in edges))


def check_edges(G: lagcolor.Graph, parents: Any, children: Any, packs: Any, hubs: Any) -> None:
    """Every edge once, by child; no row in two packs; a pack of several rows has at most 32 edges."""
    v = np.repeat(np.arange(G.n), np.diff(G.indptr))
    up = G.indices < v
    assert np.array_equal(parents, G.indices[up])
    assert np.array_equal(children, v[up])
    assert packs[-1] == len(parents)
    for k, (begin, end) in enumerate(zip(packs[:-1].tolist(), packs[1:].tolist(), strict=True)):
        row = children[begin:end]
        assert 0 < len(row) <= 32 or len(set(row.tolist())) == 1
        assert begin == 0 or children[begin - 1] != row[0]
        assert (k in hubs) == (len(row) > 2048)
