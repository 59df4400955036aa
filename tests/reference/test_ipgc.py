"""IPGC and its relatives: modes, the trace, and the CUDA kernels run on the CPU where there is no GPU."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, graph, random_graph
from emulated import EMULATED

import lagcolor
from lagcolor.algorithms import chen, ipgc
from lagcolor.base.log import Log

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution

from benchmarks.harness.results import by_graph, read_lines
from benchmarks.papers import ipgc as table_iii
from benchmarks.papers import ipgc_micro

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
@pytest.mark.parametrize("name", SOME)
def test_kernels(name: str) -> None:
    G = graph(name)
    for limit in limits(G):
        check(G, ipgc._gpu(G.on("cuda"), limit, Log()))
    for data_driven in (False, True):
        log = Log(trace=True)
        check(G, chen._gpu(G.on("cuda"), log, data_driven))
        assert sum(row["colored"] for row in log.rows) == G.n


@EMULATED
@pytest.mark.parametrize("name", ["rmat", "clique 70"])
def test_kernels_in_many_launches(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Room for two rounds only, so that worklists are handed from launch to launch."""
    monkeypatch.setattr(ipgc, "ROUNDS", 2)
    G = graph(name)
    for limit in limits(G):
        log = Log(trace=True)
        check(G, ipgc._gpu(G.on("cuda"), limit, log))
        assert sum(row["colored"] for row in log.rows) == log.rows[0]["active"] == G.n


@EMULATED
def test_kernels_with_offsets_of_64_bits() -> None:
    G = graph("rmat")
    wide = lagcolor.Graph(G.indptr.astype(np.int64), G.indices).on("cuda")
    check(wide, ipgc._gpu(wide, int(0.6 * G.n), Log()))
    check(wide, chen._gpu(wide, Log(), True))


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
    """Alone, a thread sees every color of its round: the answer is that of sequential first-fit."""
    for name in CORPUS:
        G = graph(name)
        expected = lagcolor.color(G, "greedy").colors
        assert np.array_equal(lagcolor.color(G, algorithm, threads=1).colors, expected), name


@pytest.mark.parametrize("algorithm", ["ipgc", "chen_topology", "chen_data", "gebremedhin_manne"])
def test_threads_in_each_others_way(algorithm: str) -> None:
    """Dense graphs in short chunks, so that conflicts do happen; no matter how many, the coloring is proper."""
    G = random_graph(600, 60_000, 3)
    for _ in range(20):
        check(G, lagcolor.color(G, algorithm, threads=4, verify=False).colors)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "both"}, "mode must be one of topology, data, hybrid, not 'both'"),
        ({"H": 1.5}, "H must be a number from 0 to 1, not 1.5"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(lagcolor.OptionError, match=message):
        lagcolor.color(graph("grid"), "ipgc", **options)


@pytest.mark.gpu
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("spec", ["stencil27:30", "kron_g500:13", "clique:1500"])
def test_repeats_on_gpu(spec: str, mode: str) -> None:
    """Schedules differ from run to run; every one must be proper."""
    G = lagcolor.generate.from_spec(spec).on("cuda")
    for _ in range(10):
        result = lagcolor.color(G, "ipgc", mode=mode, verify=True)
        assert result.n_colors <= G.max_degree + 1


def test_gebremedhin_manne_has_a_sequential_last_phase() -> None:
    """What the first phase left in conflict is what the last one colors."""
    G = random_graph(600, 60_000, 3)
    result = lagcolor.color(G, "gebremedhin_manne", threads=4, chunk=1, trace=True, verify=True)
    first, last = result.trace
    assert first["active"] == G.n == first["colored"] + last["colored"]
    assert first["conflicts"] == last["active"] == last["colored"]


def test_the_papers_tables_on_the_cpu(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    micro, out = tmp_path / "micro.jsonl", tmp_path / "ipgc.jsonl"
    words = ["--device", "cpu", "--n", "20500", "--points", "7", "--runs", "2", "--out", str(micro), "--commit", "abc"]
    assert ipgc_micro.main(words) == 0
    for push in ipgc_micro.PUSHES:
        rows = ipgc_micro.by_push(read_lines(micro))[push]
        assert [r["iteration"] for r in rows] == [0, 3, 6, 10, 13, 16, 20] and rows[-1]["active"] == 500
    words = ["rmat:9", "--device", "cpu", "--runs", "3", "--rounds", "--H", "0.6", "0.1", "--commit", "abc"]
    assert table_iii.main([*words, "--out", str(out)]) in (0, 3)
    (result,) = by_graph(read_lines(out))
    assert all(result[name]["ms"] > 0 for name in (*table_iii.MODES, *table_iii.CHEN, "hybrid H=0.1"))
    assert table_iii.main(["--table", str(out)]) == 0
    assert f"({result['hybrid']['colors']}, {result['hybrid']['rounds']})" in capsys.readouterr().out
