"""IPGC and its relatives: modes, the trace, and the CUDA kernels run on the CPU where there is no GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, graph, random_graph
from emulated import EMULATED

import lagcolor
from lagcolor.algorithms import chen, ipgc
from lagcolor.base.log import Log

MODES = ("topology", "data", "hybrid")
SOME = ("one vertex", "no edges", "star, hub last", "clique 80 and more", "grid", "rmat")
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


def check(G: lagcolor.Graph, colors: Any) -> int:
    assert colors.dtype == np.int32
    report = lagcolor.verify(G, colors)
    assert report.n_colors <= G.max_degree + 1
    return report.n_colors


def limits(G: lagcolor.Graph) -> list[int]:
    return [-1, G.n, int(0.6 * G.n)]


@EMULATED
@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", SOME)
def test_kernels(name: str, bits: int) -> None:
    G = graph(name)
    G = lagcolor.Graph(G.indptr.astype(f"i{bits // 8}"), G.indices)
    for limit in limits(G):
        check(G, ipgc._gpu(G.on("cuda"), limit, Log()))
    for data_driven in (False, True):
        log = Log(trace=True)
        check(G, chen._gpu(G.on("cuda"), log, data_driven))
        assert sum(row["colored"] for row in log.rows) == G.n


@EMULATED
@pytest.mark.parametrize("name", ["rmat", "clique 70"])
def test_kernels_in_many_launches(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Space for two rounds only, so that worklists are handed from launch to launch."""
    monkeypatch.setattr(ipgc, "ROUNDS", 2)
    G = graph(name)
    for limit in limits(G):
        log = Log(trace=True)
        check(G, ipgc._gpu(G.on("cuda"), limit, log))
        assert sum(row["colored"] for row in log.rows) == log.rows[0]["active"] == G.n


@pytest.mark.parametrize("kind", DEVICES)
@pytest.mark.parametrize("mode", MODES)
def test_modes_and_their_trace(kind: str, mode: str) -> None:
    G = random_graph(3000, 30_000, 5)
    for H in (0.0, 0.6, 1.0):
        result = lagcolor.color(G.on(kind), "ipgc", mode=mode, H=H, trace=True, verify=True)
        limit = {"topology": -1, "data": G.n, "hybrid": int(H * G.n)}[mode]
        assert [row["mode"] for row in result.trace] == [
            "topology" if row["active"] > limit else "data" for row in result.trace
        ]
        assert result.trace[0]["active"] == G.n == sum(row["colored"] for row in result.trace)
        assert all(row["conflicts"] == row["active"] - row["colored"] for row in result.trace)
        assert all(row["ms"] >= 0 for row in result.trace)


@pytest.mark.parametrize("algorithm", ["ipgc", "chen_topology", "chen_data"])
def test_one_thread_is_first_fit(algorithm: str) -> None:
    """Alone, a thread sees every color of its round: the answer equals sequential first-fit."""
    for name in CORPUS:
        G = graph(name)
        expected = lagcolor.color(G, "greedy").colors
        assert np.array_equal(lagcolor.color(G, algorithm, threads=1).colors, expected), name


@pytest.mark.parametrize("algorithm", ["ipgc", "chen_topology", "chen_data", "gebremedhin_manne"])
def test_threads_in_each_others_way(algorithm: str) -> None:
    """Dense graphs in short chunks, so that conflicts do happen; no matter how many, the coloring is proper."""
    G = random_graph(600, 60_000, 3)
    for _ in range(5):
        check(G, lagcolor.color(G, algorithm, threads=4, verify=False).colors)


def test_gebremedhin_manne_has_a_sequential_last_phase() -> None:
    """The last phase colors the vertices that the first phase left in conflict."""
    G = random_graph(600, 60_000, 3)
    result = lagcolor.color(G, "gebremedhin_manne", threads=4, chunk=1, trace=True, verify=True)
    first, last = result.trace
    assert first["active"] == G.n == first["colored"] + last["colored"]
    assert first["conflicts"] == last["active"] == last["colored"]
