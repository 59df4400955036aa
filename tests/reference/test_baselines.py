"""The baselines: what each algorithm promises beyond a proper coloring, and their kernels on the emulated device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, graph
from emulated import EMULATED

import lagcolor
from lagcolor.algorithms import cohen_castonguay
from lagcolor.algorithms.kokkos import edge_based
from lagcolor.base.device import to_device
from lagcolor.engines.rounds import worklists
from lagcolor.orders import Priorities, approximate_degeneracy
from lagcolor.orders.ties import mix, seed_word

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
VERTEX_BASED = ["speculative_vb", "speculative_vbbit"]
SMALL = [name for name in CORPUS if name != "clique 1100"]
KERNELS = ["empty", "no edges", "star, hub last", "clique 70", "crown", "rmat", "hubs"]
on_kernel_graphs = pytest.mark.parametrize("G", KERNELS, indirect=True)


@pytest.fixture(name="G")
def graph_of_name(request: pytest.FixtureRequest) -> lagcolor.Graph:
    return hub_graph() if request.param == "hubs" else graph(request.param)


def wide(G: lagcolor.Graph) -> lagcolor.Graph:
    return lagcolor.Graph(G.indptr.astype(np.int64), G.indices)


def hub_graph() -> lagcolor.Graph:
    """Vertices of every degree class: hubs of over 2048 neighbors that are neighbors, and middle ones."""
    n = 6000
    r = np.random.default_rng(4)
    u = np.concatenate([np.repeat(np.arange(3), 4000), np.repeat(np.arange(3, 63), 80), r.integers(0, n, 3000), [0, 1]])
    v = np.concatenate([r.integers(0, n, 12000), r.integers(0, n, 4800), r.integers(0, n, 3000), [1, 2]])
    return lagcolor.Graph.of((u, v), n=n)


# ---- cohen_castonguay -----------------------------------------------------------------------------------------------


def csrcolor(G: lagcolor.Graph, first: np.ndarray, seed: int, hashes: int, fraction: float) -> list[int]:
    """The algorithm in plain Python, from its description."""
    ids = np.arange(G.n, dtype=np.uint32)
    factors = [np.uint64((2 * j * cohen_castonguay.GOLDEN + 1) % 2**32) for j in range(hashes)]
    colors = [-1] * G.n
    r = 0
    while sum(c >= 0 for c in colors) < fraction * G.n:
        keys = mix(np, ids ^ np.uint32(cohen_castonguay._word(seed, r) ^ seed_word(0)), 0).astype(np.uint64)
        of = [keys * factor & np.uint64(2**32 - 1) for factor in factors]
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
@pytest.mark.parametrize("name", ["one vertex", "no edges", "clique 70", "crown", "rmat"])
@pytest.mark.parametrize(("hashes", "fraction"), [(1, 1.0), (4, 0.6), (16, 1.0)])
def test_csrcolor_is_what_it_says(kind: str, name: str, hashes: int, fraction: float) -> None:
    G = graph(name)
    for order in ("random", "largest_first"):
        how: dict[str, Any] = {"order": order, "seed": 3, "hashes": hashes, "fraction": fraction}
        result = lagcolor.color(G.on(kind), "cohen_castonguay", **how, verify=True)
        assert result.to_numpy().tolist() == csrcolor(G, Priorities.of(G, order, seed=3).p, 3, hashes, fraction)


@pytest.mark.parametrize("kind", DEVICES)
@pytest.mark.parametrize("fraction", [0, 0.5, 1])
def test_what_is_left_uncolored_says_so(kind: str, fraction: float) -> None:
    G = graph("rmat").on(kind)
    result = lagcolor.color(G, "cohen_castonguay", fraction=fraction, hashes=1, trace=True, verify=True)
    left = int((result.to_numpy() < 0).sum())
    assert G.n - left >= fraction * G.n and (left > 0) == (fraction < 1)
    assert result.notes.get("uncolored", 0) == left
    lagcolor.verify(G, result, allow_uncolored=True)
    if left:
        with pytest.raises(lagcolor.ColoringError, match=f"{left:,} uncolored vert"):
            lagcolor.verify(G, result)
    assert sum(row["colored"] for row in result.trace) == to_device(result.class_sizes, "cpu").sum() == G.n - left


# ---- dec_adg_itr ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", DEVICES)
@pytest.mark.parametrize("eps", [0, 1.0])
def test_dec_adg_itr_is_bounded_by_the_degeneracy(kind: str, eps: float) -> None:
    for name in SMALL:
        G = graph(name)
        result = lagcolor.color(G.on(kind), "dec_adg_itr", eps=eps, trace=True, verify=True)
        assert result.n_colors <= bound(G, "dec_adg_itr", {"eps": eps})
        assert len(result.trace) >= result.notes["levels"] == approximate_degeneracy.removal_rounds(G, eps)[1]
        left = G.n - np.cumsum([0, *(row["colored"] for row in result.trace)])
        assert left.tolist() == [*(row["active"] for row in result.trace), 0]


def test_levels_are_colored_the_last_removed_first() -> None:
    """With one thread: first-fit by falling level, then id."""
    for name in SMALL:
        G = graph(name)
        level, levels = approximate_degeneracy.removal_rounds(G)
        result = lagcolor.color(G, "dec_adg_itr", threads=1)
        p = np.empty(G.n, np.int32)
        p[np.lexsort((np.arange(G.n), -level))] = np.arange(G.n)[::-1]
        assert np.array_equal(result.colors, lagcolor.color(G, "greedy", order=p).colors)
        assert result.rounds == max(levels, 1)


# ---- speculative_vb, speculative_vbbit ------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", VERTEX_BASED)
def test_one_thread_is_first_fit(algorithm: str) -> None:
    """Nothing can clash: one round, and the colors of the sequential algorithm."""
    for name in CORPUS:
        for order in ("natural", "largest_first"):
            result = lagcolor.color(graph(name), algorithm, order=order, threads=1)
            assert result.rounds == 1
            assert np.array_equal(result.colors, lagcolor.color(graph(name), "greedy", order=order).colors)


# ---- speculative_eb -------------------------------------------------------------------------------------------------


def edge_based_oracle(G: lagcolor.Graph, p: list[int], seed: int) -> list[int]:
    """The algorithm in plain Python, from its description."""
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
@pytest.mark.parametrize("name", ["one vertex", "no edges", "clique 70", "crown", "rmat"])
def test_edge_based_is_what_it_says(kind: str, name: str) -> None:
    G = graph(name)
    for order in ("largest_log_first", "natural"):
        result = lagcolor.color(G.on(kind), "speculative_eb", order=order, seed=5)
        assert result.to_numpy().tolist() == edge_based_oracle(G, Priorities.of(G, order, seed=5).p.tolist(), 5)


OPTIONS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "cohen_castonguay": ({"seed": 2}, {"order": "largest_first", "fraction": 0.7, "verify": False}),
    "dec_adg_itr": ({}, {"eps": 1.0}),
    "speculative_vb": ({"order": "natural"}, {"order": "random"}),
    "speculative_vbbit": ({"order": "natural"}, {"order": "random"}),
    "speculative_eb": ({"seed": 2}, {"order": "natural"}),
}


@EMULATED
@on_kernel_graphs
@pytest.mark.parametrize("algorithm", OPTIONS)
def test_kernels(G: lagcolor.Graph, algorithm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On hubs and ties, with offsets of 64 bits, and with more rounds than one launch takes."""
    for how, g, rounds in zip(OPTIONS[algorithm], (wide(G), G), (1024, 2), strict=True):
        for module in (worklists, edge_based):
            monkeypatch.setattr(module, "ROUNDS", rounds)
        result = lagcolor.color(g.on("cuda"), algorithm, trace=True, **how)
        colored = sum(row["colored"] for row in result.trace)
        assert colored + result.notes.get("uncolored", 0) == G.n and result.n_colors <= bound(G, algorithm, how)
        lagcolor.verify(G, result.to_numpy(), allow_uncolored=True)
        if algorithm in VERTEX_BASED and G.m > 4000:
            assert result.trace[0]["conflicts"] > 0  # later rounds mend them
        if lagcolor.ALGORITHMS[algorithm].deterministic:
            expected = lagcolor.color(G, algorithm, trace=True, **how)
            assert np.array_equal(result.to_numpy(), expected.colors) and result.notes == expected.notes
            assert [row["active"] for row in result.trace] == [row["active"] for row in expected.trace]


def bound(G: lagcolor.Graph, algorithm: str, how: dict[str, Any]) -> float:
    """On the number of colors, as published."""
    if algorithm == "dec_adg_itr":
        return 2 * (1 + how.get("eps", 0.01)) * lagcolor.orders.degeneracy(G) + 1
    return G.max_degree + 1 if lagcolor.ALGORITHMS[algorithm].bound.startswith("Δ+1") else G.n


@EMULATED
def test_gaps_are_closed() -> None:
    G = graph("clique 70").on("cuda")
    G._cache["max_degree"] = 6000  # space for colors that block-wide notes do not reach
    for offset in (0, 3000):
        colors = np.arange(70, dtype=np.int32)
        colors[9:] += 5 + offset
        colors = to_device(colors, "cuda")
        worklists.close_gaps(G, colors)
        assert colors.tolist() == list(range(70))


# ---- on a GPU only: sizes at which blocks are in each other's way ----------------------------------------------------

OTHERS = ["jpl", "ipgc", "chen_topology", "chen_data"]
LARGER = ["grid2d:300", "stencil27:30", "rmat:15", "kron_g500:13", "clique:1500", "road:200", "social:20000,8"]


@pytest.mark.gpu
@pytest.mark.parametrize("algorithm", [*OPTIONS, "che_baseline", "che_hybrid", "che_work_stealing", *OTHERS])
@pytest.mark.parametrize("spec", LARGER)
def test_many_runs_on_gpu(spec: str, algorithm: str) -> None:
    """Schedules differ from run to run: colorings are proper and within the bound, or equal to a CPU's."""
    G = lagcolor.generate.from_spec(spec)
    expected = lagcolor.color(G, algorithm, verify=True) if lagcolor.ALGORITHMS[algorithm].deterministic else None
    for _ in range(3):
        result = lagcolor.color(G.on("cuda"), algorithm, verify=True)
        assert result.n_colors <= bound(G, algorithm, {})
        if expected is not None:
            assert np.array_equal(result.to_numpy(), expected.colors) and result.rounds == expected.rounds


@pytest.mark.gpu
@pytest.mark.parametrize("algorithm", [*OPTIONS, "ecl_gc", *OTHERS])
def test_many_hubs_on_gpu(algorithm: str) -> None:
    """Forty hubs of a million neighbors, joined to each other: over 65,535, and all in each other's way."""
    n, hubs = 1_000_000, 40
    u = np.repeat(np.arange(hubs), n)
    G = lagcolor.Graph.of((u, np.tile(np.arange(n), hubs)), n=n).on("cuda")
    assert lagcolor.color(G, algorithm, verify=True).n_colors >= hubs + 1
