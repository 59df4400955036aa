"""`benchmarks.compare` as a user runs it: rows, resumption, crashes, time-outs, Ctrl-C, absent peers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE, until

import lagcolor
from benchmarks import compare
from benchmarks.harness import results as measurements

HERE = Path(__file__).parents[1]
FRAME = {
    "kind", "graph", "spec", "n", "m", "max_degree", "floor_ms", "code", "style", "device", "order", "seed", "threads",
    "options", "status", "error", "colors", "rounds", "ms", "ms_all", "order_ms", "convert_ms", "memory_bytes",
    "verified", "same_colors",
}  # fmt: skip
META = {
    "kind", "schema", "date", "commit", "command", "hardware", "versions", "device", "settings",
}  # fmt: skip


@pytest.fixture
def environment(tmp_path):
    """With the faulty algorithms of bench_faults registered in every process."""
    (tmp_path / "site").mkdir()
    (tmp_path / "begun").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text("import bench_faults\n")
    paths = [str(tmp_path / "site"), str(HERE), str(HERE.parent)]
    path = os.pathsep.join([*paths, *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, "BENCH_FAULTS": str(tmp_path / "begun")}


@pytest.fixture
def bench(tmp_path, environment):
    """Run the command in a fresh folder; the rows of its file. No run is late, unless `--timeout` says when."""

    def call(*args: str, code: int = 0) -> list[dict]:
        limit = () if "--timeout" in args else ("--timeout", "900")
        command = [sys.executable, "-m", "benchmarks.compare", *args, *limit]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == code, f"{args} → {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        call.out, call.err = done.stdout, done.stderr
        file = tmp_path / "bench" / "results.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    return call


def whole_rows(file):
    """The rows of a file that may still be written to: those whose line has ended."""
    return [json.loads(line) for line in file.read_text().split("\n")[:-1]] if file.exists() else []


def runs(rows):
    return [row for row in rows if row["kind"] == "run"]


def test_rows_have_the_schema_and_are_not_measured_twice(bench, tmp_path):
    (tmp_path / "t.csv").write_text("graph,code,colors,ms\npath:50,elsewhere,2,0.25\n")
    words = ("path:50", "cycle:9", "-a", "greedy", "luby_is", "-p", "scipy", "--repeat", "2", "--trace")
    rows = bench(*words, "--reference", "t.csv", "--commit", "abc")
    meta, ref = rows[:2]
    assert set(meta) >= META and meta["commit"] == "abc" and meta["settings"]["seeds"] == [None]
    assert meta["hardware"]["cores"] >= 1 and meta["hardware"]["gpu"] is None and "scipy" in meta["versions"]
    assert ref == {
        "kind": "reference",
        "graph": "path:50",
        "code": "elsewhere",
        "colors": 2,
        "ms": 0.25,
        "from": "t.csv",
    }
    for graph, degrees in (("path:50", [[1, 2], [2, 48]]), ("cycle:9", [[2, 9]])):
        (facts,) = (r for r in rows if r["kind"] == "graph" and r["graph"] == graph)
        n = sum(count for _, count in degrees)
        m = sum(degree * count for degree, count in degrees)
        assert facts == {
            "kind": "graph", "graph": graph, "spec": graph, "n": n, "m": m, "max_degree": 2, "degrees": degrees,
        }  # fmt: skip
    measured = runs(rows)
    assert {(r["graph"], r["code"]) for r in measured} == {
        (g, c) for g in ("path:50", "cycle:9") for c in ("greedy", "luby_is", "scipy group_columns")
    }
    for r in measured:
        assert set(r) - {"trace"} == FRAME
        assert (r["status"], r["error"], r["verified"], r["same_colors"]) == ("ok", None, True, True)
        assert len(r["ms_all"]) == 2 and min(r["ms_all"]) <= r["ms"] <= max(r["ms_all"]) and r["ms"] >= r["order_ms"]
        G = lagcolor.generate.from_spec(r["spec"])
        assert (r["n"], r["m"], r["max_degree"]) == (G.n, G.m, G.max_degree)
        if r["style"] != "peer":
            c = lagcolor.color(G, r["code"], r["order"], seed=r["seed"])
            assert (r["colors"], r["rounds"], r["style"]) == (
                c.n_colors,
                c.rounds,
                lagcolor.ALGORITHMS[r["code"]].style,
            )
    trace = next(r["trace"] for r in measured if r["code"] == "luby_is" and r["graph"] == "path:50")
    assert sum(round_["colored"] for round_ in trace) == 50
    assert "elsewhere" in bench.out and "path:50: 50 vertices" in bench.out

    again = bench(*words, "--reference", "t.csv")
    assert [r["kind"] for r in again[len(rows) :]] == ["meta"]
    assert "0 rows" in bench.out
    more = bench("path:50", "cycle:9", "-a", "greedy", "dsatur", "-p", "none")
    assert [r.get("code") for r in more[len(again) :]] == [None, "dsatur", "dsatur"]
    assert "elsewhere (t.csv)" in bench.out and bench.out.count("luby_is") == 2  # whole tables
    fresh = bench("path:50", "-a", "dsatur", "-p", "none", "--fresh", "--json")
    assert [r["kind"] for r in fresh] == ["meta", "graph", "run"]
    assert [json.loads(line) for line in bench.out.splitlines()] == fresh

    read = measurements.read(tmp_path / "bench")  # what `benchmarks.compare report` takes
    assert [r.code for r in read.usable] == ["dsatur"]
    assert read.graphs["path:50"].degrees == [(1, 2), (2, 48)]


def test_a_crash_a_hang_and_a_wrong_coloring_are_rows(bench, tmp_path):
    (tmp_path / "begun" / "go on").touch()
    words = ("path:101", "cycle:12", "-a", "faulty_*", "luby_is", "-p", "none", "--repeat", "2", "--timeout", "3")
    rows = runs(bench(*words, code=1))  # an improper coloring
    on_path = {r["code"]: r for r in rows if r["graph"] == "path:101"}
    status = {code: r["status"] for code, r in on_path.items()}
    assert status == {
        "faulty_crash": "failed",
        "faulty_hang": "timeout",
        "faulty_slow": "timeout",
        "faulty_colors": "failed",
        "faulty_error": "failed",
        "faulty_later": "ok",
        "faulty_compile": "ok",
        "luby_is": "ok",
    }
    assert "status -9" in on_path["faulty_crash"]["error"]
    assert "no answer in" in on_path["faulty_hang"]["error"]
    assert on_path["faulty_slow"]["error"] == "no answer in 3 s"
    assert on_path["faulty_colors"]["error"].startswith("improper coloring: 100 conflicting edges, the first (0, 1)")
    assert on_path["faulty_error"]["error"] == "ValueError: out of luck"
    for r in on_path.values():
        if r["status"] != "ok":
            assert r["ms"] is None and r["ms_all"] == [] and not r["verified"] and r["n"] == 101
    on_cycle = {r["code"]: r["status"] for r in rows if r["graph"] == "cycle:12"}
    assert set(on_cycle) == set(on_path)
    assert [code for code, s in on_cycle.items() if s != "ok"] == ["faulty_colors"]

    assert not hosts_of("1"), "a host has outlived its run"


def hosts_of(parent: str) -> list[str]:
    """Hosts that are a process's children; those of process 1 have lost their parent."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            above = (process / "stat").read_text().rpartition(")")[2].split()[1]
        except OSError:  # it has just ended
            continue
        if b"benchmarks.harness.host" in words and above == parent:
            found.append(process.name)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_a_hanging_run_ends_with_a_bench_that_is_killed_and_the_same_command_goes_on(bench, tmp_path, environment):
    words = ["path:7", "path:101", "-a", "faulty_hang", "luby_is", "-p", "none", "--repeat", "1", "--timeout", "3"]
    command = [sys.executable, "-m", "benchmarks.compare", *words[:-1], "300"]
    file = tmp_path / "bench" / "results.jsonl"
    child = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL)
    until((tmp_path / "begun" / "hang").exists, child)
    hosts = hosts_of(str(child.pid))
    assert hosts
    child.kill()
    child.wait()
    until(lambda: not any(Path("/proc", host).exists() for host in hosts))
    with open(file, "a") as f:
        f.write('{"kind": "run", "graph": "path:1')  # as if killed while it wrote
    last = {(r["graph"], r["code"]): r["status"] for r in runs(bench(*words))}
    assert last.pop(("path:101", "faulty_hang")) == "timeout" and set(last.values()) == {"ok"} and len(last) == 3


def test_a_graph_that_cannot_be_loaded_is_a_failure_of_its_codes(bench, tmp_path):
    (tmp_path / "bad.mtx").write_text("no matrix\n")
    rows = runs(bench(str(tmp_path / "bad.mtx"), "path:5", "-a", "greedy", "-p", "scipy", "--repeat", "1"))
    bad = [r for r in rows if r["graph"] == "bad"]
    assert {r["status"] for r in bad} == {"failed"} and all("bad.mtx" in r["error"] for r in bad)
    assert {r["status"] for r in rows if r["graph"] == "path:5"} == {"ok"}
    assert all(r["n"] is None and r["floor_ms"] is None for r in bad)
    assert {r["spec"] for r in bad} == {"bad.mtx"}  # and below, where the path is given so, it is the same graph

    words = ("bad.mtx", "-a", "greedy", "-p", "scipy", "--repeat", "1")
    bench(*words, code=1)  # tried again, and nothing else was
    assert "error: no run succeeded; the first, greedy on bad: the graph could not be loaded" in bench.err
    lagcolor.io.write(tmp_path / "bad.mtx", lagcolor.generate.from_spec("path:5"))
    mended = runs(bench(*words))
    assert {r["status"] for r in mended if r["graph"] == "bad" and r["n"] == 5} == {"ok"}


def test_ctrl_c_ends_cleanly_and_the_same_command_goes_on(bench, tmp_path, environment):
    # The budget is no limit here: a slow machine must not cut the rounds.
    words = ["path:7", "path:101", "-a", "faulty_later", "luby_is", "-p", "none", "--repeat", "6", "--budget", "9999"]
    command = [sys.executable, "-m", "benchmarks.compare", *words, "--timeout", "900"]
    file = tmp_path / "bench" / "results.jsonl"
    child = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    until(lambda: sum(r["graph"] == "path:7" for r in runs(whole_rows(file))) == 2, child)
    until((tmp_path / "begun" / "later").exists, child)  # in the second graph, where it waits for leave to go on
    child.send_signal(signal.SIGINT)
    out, err = child.communicate()
    assert child.returncode == 130, out + err
    assert "stopped: " in err and "goes on from there" in err and "Traceback" not in err
    before = runs([json.loads(line) for line in file.read_text().splitlines()])
    assert [r["graph"] for r in before if not r.get("partial")].count("path:7") == 2
    assert all(r["status"] == "ok" and r["ms_all"] for r in before)
    (tmp_path / "begun" / "go on").touch()
    after = runs(bench(*words))
    last = {(r["graph"], r["code"]): r for r in after}
    assert len(last) == 4 and not any(r.get("partial") for r in last.values())
    assert len(last["path:101", "faulty_later"]["ms_all"]) == 6
    assert sum(r["graph"] == "path:7" for r in after) == sum(r["graph"] == "path:7" for r in before)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("no_such_graph",), "no graph 'no_such_graph'"),
        (("path:5", "-a", "no_such"), "no algorithm 'no_such'"),
        (("--suite", "smal"), "invalid choice: 'smal' (did you mean 'small'?)"),
        (("path:5", "-p", "no_such"), "no peer 'no_such'"),
        (("path:5", "-p", "all", "no_such"), "no peer 'no_such'"),
        (("path:five",), "path: n must be a whole number, not 'five'"),
        (("rgg",), "rgg needs scale"),
        (("path:5", "--repeat", "0"), "--repeat must be over 0"),
        (("path:5", "--timeout", "nan"), "--timeout must be over 0"),
        (("path:5", "--timeout", "inf"), "--timeout must be over 0"),
        (("path:5", "--seeds", "3", "-1"), "from 0 to 2**64 - 1, not -1"),
        (("path:5", "--reference", "no_such.csv"), "no_such.csv"),
    ],
)
def test_wrong_usage_is_told_before_any_work(words, error, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert compare.main([*words]) == 2
    assert error in capsys.readouterr().err and not (tmp_path / "bench").exists()
