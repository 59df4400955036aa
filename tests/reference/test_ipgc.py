"""IPGC and its relatives: modes, the trace, and the CUDA kernels run on the CPU where there is no GPU."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import emulated
import numpy as np
import pytest
from corpus import CORPUS, graph, random_graph
from emulated import EMULATED

import lagcolor
from lagcolor.algorithms import chen, ipgc
from lagcolor.base.log import Log
from lagcolor.engines.rounds import first_fit as rounds

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution

from benchmarks.harness.results import by_graph, read_lines
from benchmarks.papers import ipgc as table_iii
from benchmarks.papers import ipgc_micro

MODES = ("topology", "data", "hybrid")
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


def check(G: lagcolor.Graph, colors: Any) -> int:
    assert colors.dtype == np.int32
    report = lagcolor.verify(G, colors)
    assert report.n_colors <= G.max_degree + 1
    return report.n_colors


def limits(G: lagcolor.Graph) -> list[int]:
    return [-1, G.n, int(0.6 * G.n)]


@EMULATED
@pytest.mark.parametrize("name", CORPUS)
def test_kernels_on_the_corpus(name: str) -> None:
    G = graph(name)
    if G.n == 0:
        return
    for limit in limits(G):
        check(G, ipgc._gpu(G.on("cuda"), limit, Log()))


@EMULATED
@pytest.mark.parametrize("name", ["grid", "rmat", "clique 70", "random dense"])
def test_kernels_in_many_launches(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Room for two rounds only, so that worklists are handed from launch to launch."""
    monkeypatch.setattr(ipgc, "ROUNDS", 2)
    G = graph(name)
    for limit in limits(G):
        log = Log(trace=True)
        check(G, ipgc._gpu(G.on("cuda"), limit, log))
        assert sum(row["colored"] for row in log.rows) == log.rows[0]["active"] == G.n


@EMULATED
@pytest.mark.parametrize("data_driven", [False, True])
@pytest.mark.parametrize("name", CORPUS)
def test_chen_on_the_corpus(name: str, data_driven: bool) -> None:
    G = graph(name)
    log = Log(trace=True)
    if G.n:
        check(G, chen._gpu(G.on("cuda"), log, data_driven))
        assert sum(row["colored"] for row in log.rows) == G.n


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


def test_topology_sweeps_all_vertices_on_a_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """A topology-driven round takes active vertices by id, a data-driven one in the order of the list."""
    walks: list[np.ndarray] = []

    def colors_that_conflict(graph: Any, ranks: Any, colors: np.ndarray, walk: Any, *_: Any) -> np.ndarray:
        walks.append(np.arange(len(colors)) if walk is None else walk.copy())
        colors[walks[-1]] = 0
        return walks[-1]

    def shuffled(graph: Any, ranks: Any, colors: np.ndarray, walk: np.ndarray, _: int) -> np.ndarray:
        return np.random.default_rng(0).permutation(np.sort(walk)[1:])

    monkeypatch.setattr(rounds, "color_round", colors_that_conflict)
    monkeypatch.setattr(rounds, "find_conflicts", shuffled)
    G = graph("path")
    for mode, limit in {"topology": -1, "data": G.n}.items():
        walks.clear()
        rounds.rounds_of_two_steps(G, limit, Log(), 1)
        assert len(walks) == G.n
        assert all((np.diff(walk.astype(int)) > 0).all() for walk in walks) == (mode == "topology")


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
        ({"H": float("nan")}, "H must be a number from 0 to 1"),
        ({"H": True}, "H must be a number from 0 to 1"),
        ({"H": "half"}, "H must be a number from 0 to 1"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(lagcolor.OptionError, match=message):
        lagcolor.color(graph("grid"), "ipgc", **options)


@pytest.mark.gpu
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("spec", ["grid2d:300", "stencil27:30", "rmat:15", "kron_g500:13", "clique:1500", "road:200"])
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


@EMULATED
@pytest.mark.parametrize("source", ["push_wl", "push_nowl"])
def test_micro_benchmark_kernels(source: str) -> None:
    """Both walks leave the same worklist and flags."""
    n, begin, cut = 5000, 1000, 2000
    kernel = emulated.kernel(ipgc_micro.SOURCE, source, ATOMICS=0)
    active, out, length = np.arange(n) >= begin, np.zeros(n, np.int32), np.zeros(1, np.int32)
    worklist = np.arange(begin, n, dtype=np.int32)
    first = (worklist, np.array([n - begin], np.int32), cut) if source == "push_wl" else (n, cut)
    kernel((3,), (256,), (*first, active, out, length))
    assert length[0] == n - cut
    assert np.array_equal(np.sort(out[: n - cut]), np.arange(cut, n))
    assert np.array_equal(active, np.arange(n) >= cut)


def test_micro_benchmark_on_the_cpu(tmp_path: Path) -> None:
    out, figure = tmp_path / "micro.jsonl", tmp_path / "figure.png"
    words = [
        "--device",
        "cpu",
        "--n",
        "20500",
        "--points",
        "7",
        "--runs",
        "2",
        "--out",
        str(out),
        "--plot",
        str(figure),
    ]
    assert ipgc_micro.main([*words, "--commit", "abc"]) == 0
    for push in ipgc_micro.PUSHES:
        rows = ipgc_micro.by_push(read_lines(out))[push]
        assert [r["iteration"] for r in rows] == [0, 3, 6, 10, 13, 16, 20]
        assert rows[-1]["active"] == 500
    lines = ipgc_micro.markdown(read_lines(out))
    assert [line.split()[1] for line in lines[2:9]] == [f"{20500 - 1000 * k:,}" for k in (0, 3, 6, 10, 13, 16, 20)]
    assert f"| {rows[-1]['push_wl_ms']:.3f} | {rows[-1]['push_nowl_ms']:.3f} |" in lines[8]
    assert figure.stat().st_size > 1000


def test_table_iii_on_the_cpu(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, reference = tmp_path / "ipgc.jsonl", tmp_path / "peers.csv"
    reference.write_text("graph,code,colors,ms,valid\nrmat:9,ECL-GC v1.2,7,0.25,yes\nrmat:9,ECL-GC v1.2,7,0.1,no\n")
    words = ["rmat:9", "--device", "cpu", "--runs", "3", "--rounds", "--H", "0.6", "0.1", "--commit", "abc"]
    status = table_iii.main([*words, "--reference", str(reference), "--out", str(out)])
    records = read_lines(out)
    (result,), left = by_graph(records), records[-1]["figures"]["left_by_round_1"]
    assert status == (3 if table_iii.over_better(result) > table_iii.WITHIN else 0)
    assert all(result[name]["ms"] > 0 for name in (*table_iii.MODES, *table_iii.CHEN, "hybrid H=0.1"))
    assert "0.250 (7)" in capsys.readouterr().out
    assert table_iii.main(["--table", str(out)]) == 0
    shown = capsys.readouterr().out
    assert f"{result['hybrid']['ms']:.3g} ({result['hybrid']['colors']}, {result['hybrid']['rounds']})" in shown
    assert f"{result['data']['ms'] / result['hybrid']['ms']:.2f} × (geometric mean); the paper: 2.13 ×" in shown
    assert "commit abc" in shown and f"| {left:.1%} |" in shown
