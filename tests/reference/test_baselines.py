"""The baselines: what each algorithm promises beyond a proper coloring, and their CUDA kernels run on the CPU."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, graph
from emulated import EMULATED

import lagcolor
from lagcolor.algorithms import cohen_castonguay
from lagcolor.algorithms.kokkos import edge_based
from lagcolor.base.device import to_device
from lagcolor.base.log import Log
from lagcolor.engines.greedy.tasks import first_fit_task
from lagcolor.engines.rounds import first_fit as speculative
from lagcolor.engines.rounds import worklists
from lagcolor.orders import Priorities, approximate_degeneracy
from lagcolor.problems.task import PENDING, Task

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution


DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
VERTEX_BASED = ["speculative_vb", "speculative_vbbit"]
SMALL = [name for name in CORPUS if name != "clique 1100"]  # that one takes the emulator minutes


def wide(G: lagcolor.Graph) -> lagcolor.Graph:
    return lagcolor.Graph(G.indptr.astype(np.int64), G.indices)


def hub_graph() -> lagcolor.Graph:
    """Vertices of every degree class: hubs of over 2048 neighbors that are neighbors, and middle ones."""
    n = 6000
    r = np.random.default_rng(4)
    u = np.concatenate([np.repeat(np.arange(3), 4000), np.repeat(np.arange(3, 63), 80), r.integers(0, n, 3000), [0, 1]])
    v = np.concatenate([r.integers(0, n, 12000), r.integers(0, n, 4800), r.integers(0, n, 3000), [1, 2]])
    return lagcolor.Graph.of((u, v), n=n)


@EMULATED
@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_more_rounds_than_one_launch_has(monkeypatch: pytest.MonkeyPatch, rounds: int) -> None:
    G = graph("rmat")
    monkeypatch.setattr(worklists, "ROUNDS", rounds)
    monkeypatch.setattr(edge_based, "ROUNDS", rounds)
    for name, run in {
        "cohen_castonguay": lambda log: cohen_castonguay._gpu(G.on("cuda"), None, 0, log, 4, 0)[0],
        "speculative_eb": lambda log: edge_based._gpu(G.on("cuda"), None, log, edge_based.seed_word(0)),
    }.items():
        log, expected = Log(), lagcolor.color(G, name)
        assert np.array_equal(run(log).get(), expected.colors)
        assert log.rounds == expected.rounds > 5


# ---- cohen_castonguay -----------------------------------------------------------------------------------------------


def csrcolor(G: lagcolor.Graph, first: np.ndarray, seed: int, hashes: int, fraction: float) -> list[int]:
    """The algorithm in plain Python, from its description."""
    from lagcolor.algorithms.cohen_castonguay import GOLDEN, _word
    from lagcolor.orders.ties import mix, seed_word

    ids = np.arange(G.n, dtype=np.uint32)
    colors = [-1] * G.n
    r = 0
    while sum(c >= 0 for c in colors) < fraction * G.n:
        keys = mix(np, ids ^ np.uint32(_word(seed, r) ^ seed_word(0)), 0).astype(np.uint64)
        of = [keys * np.uint64((2 * j * GOLDEN + 1) % 2**32) & np.uint64(2**32 - 1) for j in range(hashes)]
        if r == 0:
            of[0] = first
        free = [v for v in range(G.n) if colors[v] < 0]
        active = set(free)
        for v in free:
            near = [u for u in G.indices[G.indptr[v] : G.indptr[v + 1]].tolist() if u in active]
            for k in range(2 * hashes):
                h = of[k // 2]
                if all((h[u] < h[v]) == (k % 2 == 0) for u in near):
                    colors[v] = 2 * hashes * r + k
                    break
        r += 1
    used = sorted({c for c in colors if c >= 0})
    return [used.index(c) if c >= 0 else -1 for c in colors]


@pytest.mark.parametrize("kind", DEVICES)
@pytest.mark.parametrize("name", ["one vertex", "no edges", "path", "clique 70", "crown", "rmat", "random dense"])
@pytest.mark.parametrize(("hashes", "fraction"), [(1, 1.0), (4, 1.0), (4, 0.6), (16, 1.0)])
def test_csrcolor_is_what_it_says(kind: str, name: str, hashes: int, fraction: float) -> None:
    G = graph(name)
    for order in ("random", "largest_first"):
        result = lagcolor.color(
            G.on(kind), "cohen_castonguay", order=order, seed=3, hashes=hashes, fraction=fraction, verify=True
        )
        assert result.to_numpy().tolist() == csrcolor(G, Priorities.of(G, order, seed=3).p, 3, hashes, fraction)


@pytest.mark.parametrize("kind", DEVICES)
@pytest.mark.parametrize("fraction", [0, 0.01, 0.5, 0.9, 1])
def test_what_is_left_uncolored_says_so(kind: str, fraction: float) -> None:
    G = graph("rmat").on(kind)
    result = lagcolor.color(G, "cohen_castonguay", fraction=fraction, hashes=1, trace=True, verify=True)
    colors = result.to_numpy()
    left = int((colors < 0).sum())
    assert colors.min() >= -1
    assert G.n - left >= fraction * G.n
    assert result.notes.get("uncolored", 0) == left
    assert ("uncolored" in result.notes) == (fraction < 1)
    assert left or fraction in (0.9, 1)  # a round of one hash does not color everything by chance
    lagcolor.verify(G, result, allow_uncolored=True)
    if left:
        with pytest.raises(lagcolor.ColoringError, match=f"{left:,} uncolored vert"):
            lagcolor.verify(G, result)
    assert sum(row["colored"] for row in result.trace) == G.n - left
    assert lagcolor.base.device.to_device(result.class_sizes, "cpu").sum() == G.n - left


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"hashes": 0}, "hashes must be a whole number from 1 to 16, not 0"),
        ({"hashes": 17}, "hashes must be a whole number from 1 to 16, not 17"),
        ({"hashes": 2.0}, "hashes must be a whole number from 1 to 16, not 2.0"),
        ({"fraction": 1.5}, "fraction must be a number from 0 to 1, not 1.5"),
        ({"fraction": "all"}, "fraction must be a number from 0 to 1, not 'all'"),
        ({"fraction": float("nan")}, "fraction must be a number from 0 to 1, not nan"),
    ],
)
def test_options_of_csrcolor_are_checked(option: dict[str, Any], message: str) -> None:
    with pytest.raises(lagcolor.OptionError, match=re.escape(message)):
        lagcolor.color(graph("grid"), "cohen_castonguay", **option)


@EMULATED
@pytest.mark.parametrize("name", [*SMALL, "hubs"])
def test_kernels_of_csrcolor(name: str) -> None:
    G = hub_graph() if name == "hubs" else graph(name)
    for g, order, hashes, fraction in [
        (G, "random", 4, 1.0), (wide(G), "largest_first", 4, 0.7), (G, "largest_first", 16, 1.0), (G, "random", 1, 0.2),
    ]:  # fmt: skip
        expected = lagcolor.color(G, "cohen_castonguay", order=order, hashes=hashes, fraction=fraction, verify=False)
        g = g.on("cuda")
        p = None if order == "random" else Priorities.of(g, order, seed=0).p
        enough = G.n - int(np.ceil(fraction * G.n))
        log = Log(trace=True)
        colors, left = cohen_castonguay._gpu(g, p, 0, log, hashes, enough)
        assert np.array_equal(colors.get(), expected.colors)
        assert log.rounds == (expected.rounds if G.n else 0) or enough >= G.n
        assert left == (colors < 0).sum()


# ---- jpl ------------------------------------------------------------------------------------------------------------


# ---- jp_adg ---------------------------------------------------------------------------------------------------------


# ---- dec_adg_itr ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", DEVICES)
@pytest.mark.parametrize("eps", [0, 0.01, 1.0])
@pytest.mark.parametrize("name", SMALL)
def test_dec_adg_itr_is_bounded_by_the_degeneracy(kind: str, name: str, eps: float) -> None:
    G = graph(name)
    result = lagcolor.color(G.on(kind), "dec_adg_itr", eps=eps, trace=True, verify=True)
    assert result.n_colors <= 2 * (1 + eps) * lagcolor.orders.degeneracy(G) + 1
    assert len(result.trace) >= result.notes["levels"] == approximate_degeneracy.removal_rounds(G, eps)[1]
    left = G.n
    for row in result.trace:
        assert row["active"] == left
        left -= row["colored"]
    assert left == 0


def test_levels_are_colored_the_last_removed_first() -> None:
    """With one thread: first-fit by falling level, then id."""
    for name in SMALL:
        G = graph(name)
        level, levels = approximate_degeneracy.removal_rounds(G)
        result = lagcolor.color(G, "dec_adg_itr", threads=1)
        sequence = np.lexsort((np.arange(G.n), -level))
        p = np.empty(G.n, np.int32)
        p[sequence] = np.arange(G.n)[::-1]
        assert np.array_equal(result.colors, lagcolor.color(G, "greedy", order=p).colors)
        assert result.rounds == max(levels, 1)


@EMULATED
@pytest.mark.parametrize("name", [*SMALL, "hubs"])
def test_kernels_level_by_level(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    G = hub_graph() if name == "hubs" else graph(name)
    for g, rounds in ((G, 1), (G, 5), (wide(G), 1024)):
        monkeypatch.setattr(worklists, "ROUNDS", rounds)  # that a launch has room for
        result = lagcolor.color(g.on("cuda"), "dec_adg_itr", trace=True, verify=True)
        assert result.to_numpy().max(initial=-1) <= 2.02 * lagcolor.orders.degeneracy(G)
        assert sum(row["colored"] for row in result.trace) == G.n


def partial_task(G: lagcolor.Graph, seed: int) -> Task:
    """Half of the vertices, in any order, around others that have the colors of first-fit, or none."""
    r = np.random.default_rng(seed)
    fixed = np.where(r.random(G.n) < 0.7, lagcolor.color(G, "greedy").colors, -1).astype(np.int32)
    return Task(r.permutation(G.n)[: G.n // 2].astype(np.int32), fixed)


def check_task(G: lagcolor.Graph, task: Task, colors: Any) -> None:
    """Active vertices are colored, fixed ones as they were, and no edge has two ends of a color."""
    expected = np.full(G.n, -1) if task.fixed is None else task.fixed.copy()
    assert (colors[task.active] >= 0).all()
    expected[task.active] = colors[task.active]
    assert colors.tolist() == expected.tolist()
    assert lagcolor.verify(G, colors, errors="return").n_conflicts == 0


@pytest.mark.parametrize("kind", DEVICES)
@pytest.mark.parametrize("name", SMALL)
def test_speculation_around_fixed_colors(kind: str, name: str) -> None:
    G = graph(name)
    for seed in range(3):
        task = partial_task(G, seed)
        there = Task(*(to_device(a, kind) for a in (task.active, task.fixed)))
        colors = to_device(speculative.speculate_task(G.on(kind), there, Log(), 2), "cpu")
        check_task(G, task, colors)
        if kind == "cpu":
            alone = speculative.speculate_task(G, task, Log(), 1)
            assert alone.tolist() == first_fit_task(G, task).tolist()


@EMULATED
@pytest.mark.parametrize("name", [*SMALL, "hubs"])
def test_kernels_around_fixed_colors(name: str) -> None:
    G = hub_graph() if name == "hubs" else graph(name)
    for task in (partial_task(G, 1), Task(partial_task(G, 2).active)):
        k = len(task.active)
        active, fixed = (a if a is None else to_device(a, "cuda") for a in (task.active, task.fixed))
        colors = speculative._parts_on_gpu(G.on("cuda"), active, fixed, [0, k // 3, k], Log())
        check_task(G, task, colors.get())


# ---- speculative_vb, speculative_vbbit ------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", VERTEX_BASED)
@pytest.mark.parametrize("name", CORPUS)
def test_one_thread_is_first_fit(algorithm: str, name: str) -> None:
    """Nothing can clash: one round, and the colors of the sequential algorithm."""
    G = graph(name)
    for order in ("natural", "largest_first"):
        result = lagcolor.color(G, algorithm, order=order, threads=1)
        assert result.rounds == 1
        assert result.colors.tolist() == lagcolor.color(G, "greedy", order=order).colors.tolist()


@pytest.mark.parametrize("bits", [False, True])
def test_a_range_of_colors_that_is_full(bits: bool) -> None:
    """A clique needs more colors than a row of `forbidden` has entries, and more bits than a word."""
    G = graph("clique 1100")
    colors, active = np.full(G.n, PENDING, np.int32), np.arange(G.n, dtype=np.uint32)
    suspects = speculative.color_round(speculative.unsigned(G), None, colors, active, 1, bits)
    assert colors.tolist() == list(range(G.n))
    assert not len(suspects)


def test_the_later_ends_of_conflicts() -> None:
    G = graph("clique 1100")
    losers = speculative.find_conflicts(speculative.unsigned(G), None, np.zeros(G.n, np.int32), None, 1)
    assert sorted(losers.tolist()) == list(range(1, G.n))


@EMULATED
@pytest.mark.parametrize("bits", [False, True])
@pytest.mark.parametrize("name", [*SMALL, "hubs"])
def test_kernels_of_vertices(name: str, bits: bool) -> None:
    G = hub_graph() if name == "hubs" else graph(name)
    for g, order in [(G, "natural"), (wide(G), "random")]:
        g, log = g.on("cuda"), Log(trace=True)
        colors = speculative._all_on_gpu(g, Priorities.of(g, order, seed=0), log, bits).get()
        lagcolor.verify(G, colors)
        assert colors.max(initial=-1) <= G.max_degree
        assert sum(row["colored"] for row in log.rows) == G.n


@EMULATED
@pytest.mark.parametrize("bits", [False, True])
@pytest.mark.parametrize("name", ["clique 5", "clique 70", "clique 1100", "crown", "rmat", "random dense", "hubs"])
def test_kernels_mend_clashes(name: str, bits: bool) -> None:
    """All vertices begin with color 0 and are listed, as if all had chosen at once."""
    G = hub_graph() if name == "hubs" else graph(name)
    there = G.on("cuda")
    rounds = worklists.Rounds(there, speculative.SOURCE, None, BITS=int(bits), STEPS=speculative.STEPS)
    rounds.uncolored()
    colors = rounds.cp.zeros(G.n, np.int32)
    lists, n, stride = rounds.items, G.n, len(rounds.items) // 2
    degrees = G.degrees
    small = 64 if not rounds.classified else 32
    parts = [degrees <= small, (degrees > small) & (degrees <= 2048), degrees > 2048]
    rounds.state[:] = 0
    for k, (part, begin) in enumerate(zip(parts, (0, rounds.lists[2], rounds.lists[3]), strict=True)):
        members = np.flatnonzero(part)
        lists[stride + begin : stride + begin + len(members)] = to_device(members, "cuda")  # the list of odd rounds
        rounds.state[k] = len(members)
    rest = (colors, np.int32(1), np.int32(worklists.ROUNDS), rounds.state, rounds.arrived)
    rounds.kernels.cooperative("color_rounds", n, *rounds.lists, there.indptr, there.indices, *rest)
    colors = colors.get()
    report = lagcolor.verify(G, colors, errors="return")
    assert report.n_conflicts == report.n_uncolored == 0
    assert (colors <= degrees).all()


# ---- speculative_eb -------------------------------------------------------------------------------------------------


def edge_based_oracle(G: lagcolor.Graph, p: list[int], seed: int) -> list[int]:
    """The algorithm in plain Python, from its description."""
    from lagcolor.orders.ties import mix

    hashes = mix(np, np.arange(G.n, dtype=np.int32), seed).tolist()
    near = [G.indices[G.indptr[v] : G.indptr[v + 1]].tolist() for v in range(G.n)]
    colors = [hashes[v] * min(len(near[v]) // 3 + 1, 10) >> 32 for v in range(G.n)]
    free: list[set[int]] = [set(range(len(near[v]) + 1)) for v in range(G.n)]
    live = set(range(G.n))
    while live:
        lost = {v for v in live if any(u in live and colors[u] == colors[v] and p[u] > p[v] for u in near[v])}
        chosen = {}
        for v in lost:
            free[v] -= {colors[u] for u in near[v] if u in live - lost}
            rivals = sum(u in lost and colors[u] == colors[v] and p[u] > p[v] for u in near[v])
            chosen[v] = sorted(free[v])[min(rivals // 2, 32)]
        for v, c in chosen.items():
            colors[v] = c
        live = lost
    used = sorted(set(colors))
    return [used.index(c) for c in colors]


@pytest.mark.parametrize("kind", DEVICES)
@pytest.mark.parametrize("name", ["one vertex", "no edges", "odd cycle", "clique 70", "crown", "rmat", "random dense"])
def test_edge_based_is_what_it_says(kind: str, name: str) -> None:
    G = graph(name)
    for order in ("largest_log_first", "natural"):
        result = lagcolor.color(G.on(kind), "speculative_eb", order=order, seed=5)
        assert result.to_numpy().tolist() == edge_based_oracle(G, Priorities.of(G, order, seed=5).p.tolist(), 5)


@EMULATED
@pytest.mark.parametrize("name", [*SMALL, "hubs"])
def test_kernels_of_edges(name: str) -> None:
    G = hub_graph() if name == "hubs" else graph(name)
    if G.n == 0:
        return
    for g, order in [(G, "largest_log_first"), (wide(G), "natural")]:
        expected = lagcolor.color(G, "speculative_eb", order=order, seed=2, trace=True)
        g = g.on("cuda")
        keys = None if order == "largest_log_first" else Priorities.of(g, order, seed=2).p
        log = Log(trace=True)
        colors = edge_based._gpu(g, keys, log, edge_based.seed_word(2))
        assert np.array_equal(colors.get(), expected.colors)
        assert [row["active"] for row in log.rows] == [row["active"] for row in expected.trace]


@EMULATED
@pytest.mark.parametrize("offset", [0, 3000])
def test_gaps_are_closed(offset: int) -> None:
    G = graph("clique 70").on("cuda")
    G._cache["max_degree"] = 6000  # room for colors that block-wide notes do not reach
    colors = np.arange(70, dtype=np.int32)
    colors[9:] += 5 + offset
    colors = to_device(colors, "cuda")
    worklists.close_gaps(G, colors)
    assert colors.tolist() == list(range(70))


# ---- on a GPU only: sizes at which blocks are in each other's way ----------------------------------------------------

LARGER = ["grid2d:300", "stencil27:30", "rmat:15", "kron_g500:13", "clique:1500", "road:200", "social:20000,8"]


@pytest.mark.gpu
@pytest.mark.parametrize("algorithm", ["speculative_eb", "cohen_castonguay", "jpl"])
@pytest.mark.parametrize("spec", LARGER)
def test_same_on_gpu(spec: str, algorithm: str) -> None:
    G = lagcolor.generate.from_spec(spec)
    expected = lagcolor.color(G, algorithm, verify=True)
    for _ in range(3):
        result = lagcolor.color(G.on("cuda"), algorithm)
        assert np.array_equal(result.to_numpy(), expected.colors)
        assert result.rounds == expected.rounds


@pytest.mark.gpu
@pytest.mark.parametrize("algorithm", [*VERTEX_BASED, "dec_adg_itr"])
@pytest.mark.parametrize("spec", LARGER)
def test_repeats_on_gpu(spec: str, algorithm: str) -> None:
    """Schedules differ from run to run; every one must be proper and within the bound."""
    G = lagcolor.generate.from_spec(spec)
    most = 2.02 * lagcolor.orders.degeneracy(G) if algorithm == "dec_adg_itr" else G.max_degree
    for _ in range(5):
        assert lagcolor.color(G.on("cuda"), algorithm, verify=True).n_colors <= most + 1


@pytest.mark.gpu
@pytest.mark.parametrize(
    "algorithm",
    [*VERTEX_BASED, "speculative_eb", "dec_adg_itr", "cohen_castonguay", "jpl", "ipgc", "chen_topology", "chen_data"],
)
def test_many_hubs_on_gpu(algorithm: str) -> None:
    """Forty hubs of a million neighbors, joined to each other: over 65,535, and all in each other's way."""
    n, hubs = 1_000_000, 40
    u = np.repeat(np.arange(hubs), n)
    G = lagcolor.Graph.of((u, np.tile(np.arange(n), hubs)), n=n).on("cuda")
    assert lagcolor.color(G, algorithm, verify=True).n_colors >= hubs + 1
