"""`benchmarks.compare`: its codes and graphs, interleaved runs, codes that fail, and its result file."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from waiting import PATIENCE

import lagcolor
from benchmarks import compare
from benchmarks.harness import codes, host, measure, provenance, qualities, recorder
from benchmarks.harness import results as measurements
from benchmarks.harness.codes import Code, Sample
from benchmarks.harness.reference import read_reference
from benchmarks.harness.worker import GRACE, LateError, Worker
from lagcolor.base import compile_clock as compiling

ROOT = Path(__file__).parents[2]

# Codes and graphs


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_codes_are_the_registry_in_its_own_orders(device: str) -> None:
    every = {c.method: c for c in codes.ours(device) if c.method not in qualities.NAMES}
    assert set(every) == {name for name, row in lagcolor.ALGORITHMS.items() if device in row.engines}
    for name, row in lagcolor.ALGORITHMS.items():
        if name in every and (device == "cuda" or name != codes.YARDSTICK):
            assert (every[name].order, every[name].seed) == (row.order, row.seed)


# Interleaved runs


class Scripted:
    """A process with given milliseconds for each order; it records the orders of the requests."""

    def __init__(self, ms: dict[str, Sequence[float]], fault: Callable[[list[str]], str | None] | None = None) -> None:
        self._ms, self._fault = {k: list(v) for k, v in ms.items()}, fault or (lambda log: None)
        self.codes = [Code("peer", "greedy", order) for order in ms]
        self.log: list[str] = []

    def run(self, code: Code, times: int = 1) -> list[Sample]:
        return [self._run(code) for _ in range(times)]

    def _run(self, code: Code) -> Sample:
        self.log.append(code.order)
        queue = self._ms[code.order]
        ms = queue.pop(0) if len(queue) > 1 else queue[0]
        if ms < 0:
            raise {-1: RuntimeError("scripted failure"), -2: LateError("no answer in 9 s"), -3: KeyboardInterrupt()}[ms]
        return Sample(ms / 4, ms * 3 / 4, 2, {"rounds": 7})

    def check(self) -> tuple[str | None, int]:
        self.log.append("check")
        return self._fault(self.log), 1


def measured(process: Scripted, **plan: Any) -> dict[str, dict[str, Any]]:
    """The rows by order, those before Ctrl-C included."""
    out: list[measure.Result] = []
    try:
        measure.measure(dict.fromkeys(process.codes, process), measure.Plan(**{"budget": 1e9, **plan}), out.append)
    except KeyboardInterrupt:
        assert process.log[-1] == "y"
    assert len({r.code for r in out}) == len(out) == len(process.codes)
    return {r.code.order: r.measured() for r in out}


def test_rows_are_medians_of_interleaved_rounds() -> None:
    peer = Scripted({"x": [999, 50, 40, 90], "y": [999, 100]})
    rows = measured(peer, repeat=3)
    row = rows["x"]
    assert row["ms_all"] == [50, 40, 90]
    assert (row["ms"], row["order_ms"], row["rounds"], row["colors"]) == (50, 12.5, 7, 2)
    assert row["verified"] and row["same_colors"] and row["status"] == "ok" and "partial" not in row
    assert rows["y"]["ms"] == 100
    rounds = [e for e in peer.log[4:] if e != "check"]
    assert peer.log[:4] == ["x", "check", "y", "check"]
    assert [sorted(rounds[i : i + 2]) for i in (0, 2, 4)] == [["x", "y"]] * 3
    assert rounds[0:2] != rounds[2:4]  # each round starts elsewhere


def test_a_first_coloring_that_is_improper_is_found_though_later_ones_are_not() -> None:
    peer = Scripted({"x": [50], "y": [50]}, lambda log: "bad" if log[-2] == "x" and log.count("x") == 1 else None)
    rows = measured(peer, repeat=3, budget=9)
    assert (rows["x"]["status"], rows["x"]["error"]) == ("failed", "improper coloring: bad")
    assert rows["x"]["ms"] is rows["x"]["colors"] is None and not rows["x"]["verified"]
    assert rows["y"]["status"] == "ok" and peer.log.count("x") == 1


def test_a_coloring_that_turns_improper_later_is_found() -> None:
    peer = Scripted({"x": [50]}, lambda log: "bad" if log.count("x") > 2 else None)
    assert measured(peer, repeat=3)["x"]["error"] == "improper coloring: bad"


def test_codes_that_fail_or_are_late_do_not_end_the_others_and_ctrl_c_keeps_what_is_there() -> None:
    rows = measured(Scripted({"x": [50, -1], "y": [50], "z": [-2]}), repeat=2)
    assert (rows["x"]["status"], rows["x"]["error"]) == ("failed", "scripted failure")
    assert (rows["z"]["status"], rows["z"]["error"]) == ("timeout", "no answer in 9 s")
    assert rows["y"]["status"] == "ok" and len(rows["y"]["ms_all"]) == 2
    rows = measured(Scripted({"x": [50], "y": [50, 50, -3], "z": [-1]}), repeat=5)
    assert rows["x"]["partial"] and rows["y"]["partial"] and rows["z"]["status"] == "failed"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers of processes here")
def test_the_alarm_of_a_run_leaves_out_what_compiling_takes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now, timers = [100.0], []
    monkeypatch.setattr(compiling, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    monkeypatch.setattr(compiling, "_thread", compiling.Spent())
    monkeypatch.setattr(signal, "setitimer", lambda which, seconds: timers.append(seconds))

    def ring() -> Any:
        signal.getsignal(signal.SIGALRM)(signal.SIGALRM, None)  # type: ignore[operator, misc]
        return json.loads(capsys.readouterr().out)

    with host.alarm(30.0):
        now[0] += 10
        with compiling.clocked():
            now[0] += 50
            assert ring() == {"wait": 20 + GRACE} and timers == [30, 20]  # while it compiles
        now[0] += 20
        with pytest.raises(host.RunTooLongError):
            ring()
    assert timers == [30, 20, 0]


# The command

FAULTY = """
import os, signal, time
import numpy as np
from lagcolor.problems.registry import coloring

ROW = dict(style="sequential", paper="none", engines=("cpu",), bound="none", oracle=None, deterministic=True)

@coloring("faulty_crash", **ROW)
def crash(G, p, log):
    if G.n == 50:  # not on the graphs of the warm-up
        os.kill(os.getpid(), signal.SIGKILL)
    return np.arange(G.n, dtype=np.int32)

@coloring("faulty_hang", **ROW)
def hang(G, p, log):
    if G.n == 50:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})  # as compiled code, which is deaf to the alarm
        time.sleep(600)
    return np.arange(G.n, dtype=np.int32)

@coloring("faulty_colors", **ROW)
def improper(G, p, log):
    return np.zeros(G.n, np.int32)
"""
FRAME = {
    "kind", "graph", "spec", "n", "m", "max_degree", "floor_ms", "code", "style", "device", "order", "seed", "threads",
    "options", "status", "error", "colors", "rounds", "ms", "ms_all", "order_ms", "convert_ms", "memory_bytes",
    "verified", "same_colors",
}  # fmt: skip


def test_rows_of_right_and_wrong_codes(tmp_path: Path) -> None:
    """A crash, a hang, a wrong coloring and a graph that is no file are rows, and the others are measured."""
    (tmp_path / "faulty.py").write_text(FAULTY)
    (tmp_path / "bad.mtx").write_text("no matrix\n")
    (tmp_path / "t.csv").write_text("graph,code,colors,ms\npath:50,elsewhere,2,0.25\n")
    words = "path:50 bad.mtx --import faulty -a faulty_* luby_is -p none --repeat 2 --trace --timeout 2"
    command = [sys.executable, "-m", "benchmarks.compare", *words.split(), "--reference", "t.csv"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stdout + done.stderr  # an improper coloring
    rows = measurements.read_lines(tmp_path / "bench/results.jsonl")
    found = {r["code"]: r for r in rows if r["kind"] == "run" and r["graph"] == "path:50"}
    assert {code: r["status"] for code, r in found.items()} == {
        "faulty_crash": "failed", "faulty_hang": "timeout", "faulty_colors": "failed", "luby_is": "ok",
    }  # fmt: skip
    assert "status -9" in found["faulty_crash"]["error"] and "no answer in" in found["faulty_hang"]["error"]
    assert found["faulty_colors"]["error"].startswith("improper coloring: 49 conflicting edges, the first (0, 1)")
    G = lagcolor.generate.path(50)
    for code, r in found.items():
        assert set(r) - {"trace"} == FRAME and (r["n"], r["m"], r["max_degree"]) == (G.n, G.m, G.max_degree)
        if r["status"] != "ok":
            assert r["ms"] is None and r["ms_all"] == [] and not r["verified"]
        else:
            direct = lagcolor.color(G, code, r["order"], seed=r["seed"])
            assert (r["colors"], r["rounds"], r["verified"]) == (direct.n_colors, direct.rounds, True)
            assert len(r["ms_all"]) == 2 and min(r["ms_all"]) <= r["ms"] <= max(r["ms_all"])
    assert sum(row["colored"] for row in found["luby_is"]["trace"]) == 50
    bad = [r for r in rows if r["kind"] == "run" and r["graph"] == "bad"]
    assert {r["status"] for r in bad} == {"failed"} and all("bad.mtx" in r["error"] for r in bad)
    assert "elsewhere (t.csv)" in done.stdout and "path:50: 50 vertices" in done.stdout


def test_wrong_usage_is_reported_before_any_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, error in (
        (("no_such_graph",), "no graph 'no_such_graph'"),
        (("path:5", "-a", "no_such"), "no algorithm 'no_such'"),
        (("path:5", "-p", "no_such"), "no peer 'no_such'"),
        (("path:5", "--reference", "no_such.csv"), "no_such.csv"),
    ):
        assert compare.main([*words, "--out", str(tmp_path / "bench")]) == 2
        assert error in capsys.readouterr().err and not (tmp_path / "bench").exists()


# The result file


def run_row(**fields: Any) -> dict[str, Any]:
    about = {"kind": "run", "graph": "g", "spec": "s", "code": "c", "device": "cpu", "options": {}, "status": "ok"}
    return {**about, **fields}


def test_a_file_goes_on_where_it_was_cut(tmp_path: Path) -> None:
    file = recorder.Recorder(tmp_path)
    file.add(run_row())
    with open(file.path, "a") as f:
        f.write('{"kind": "run", "gra')
    again = recorder.Recorder(tmp_path)
    assert again.rows == [run_row()]
    again.add(run_row(code="d"))
    assert [json.loads(line)["code"] for line in again.path.read_text().splitlines()] == ["c", "d"]
    assert recorder.Recorder(tmp_path, fresh=True).rows == []


def test_no_folder_of_a_machine_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for word, expected in (
        ("rgg:16", "rgg:16"), ("data/g.mtx", "data/g.mtx"), (str(tmp_path / "data" / "g.mtx"), "data/g.mtx"),
        ("/elsewhere/of/mine/g.mtx", "g.mtx"), ("--out=/elsewhere/x", "--out=x"), ("--fresh", "--fresh"), ("-", "-"),
    ):  # fmt: skip
        assert provenance.portable(word) == expected
    command = provenance.meta("cpu", {}, ["g.json", "/elsewhere/g.mtx"], "abc")["command"]
    assert command == ["g.json", "g.mtx"]


def test_what_needs_no_further_run(tmp_path: Path) -> None:
    """By --retry what failed is run again; what was interrupted, not there or not loaded always is."""
    file = recorder.Recorder(tmp_path)
    for code, row in {
        "a": {}, "b": {"status": "failed"}, "c": {"status": "timeout"}, "d": {"status": "absent"},
        "e": {"partial": True}, "unloaded": {"status": "failed", "n": None},
    }.items():  # fmt: skip
        file.add(run_row(code=code, **{"n": 5, **row}))
    assert {key[2] for key in file.complete()} == {"a", "b", "c"}
    assert {key[2] for key in file.complete(retry=True)} == {"a"}


def test_a_code_that_compiles_is_waited_for() -> None:
    serves = (
        "import time\nprint('{}', flush=True)\ninput()\nprint('{\"wait\": 1000}', flush=True)\ntime.sleep(2)\n"
        "print('{\"got\": 1}', flush=True)"
    )
    child = Worker(lambda: [sys.executable, "-c", serves], PATIENCE, lambda code: code.order)
    child.greeting()
    child._timeout = 0.5 - GRACE
    try:
        assert child.ask("compile") == {"got": 1}
    finally:
        child.close()


def test_invalid_rows_of_a_table_of_others_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("graph,system,ms_with_order,colors,threads,valid\ng,fast,1.5,7,2,yes\ng,bad,1,7,1,no\n")
    (fast,) = read_reference(path)
    assert fast == {"kind": "reference", "graph": "g", "code": "fast ×2", "colors": 7, "ms": 1.5, "from": "t.csv"}
    for text, message in (
        ("graph,code,ms,colors\ng,x,soon,3\n", "line 2: 'soon' is no number"),
        ("a,b\n1,2\n", "columns"),
    ):
        path.write_text(text)
        with pytest.raises(lagcolor.FormatError, match=message):
            read_reference(path)
