"""The parts of `benchmarks.compare`: checksums, progress, codes, graphs, the result file; nobody's speed."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_cases import meta
from test_bench_measure import Scripted, rows

import lagcolor
from benchmarks.harness import (
    codes,
    floor,
    graphs,
    host,
    library,
    provenance,
    qualities,
    recorder,
    reference,
    session,
    tables,
)
from benchmarks.harness.codes import Code

# Checksums


@given(st.lists(st.integers(-1, 2**31 - 1), min_size=1, max_size=9), st.data())
def test_a_checksum_tells_every_change_of_a_color(colors, data):
    colors = np.array(colors, np.int32)
    i = data.draw(st.integers(0, len(colors) - 1))
    other = colors.copy()
    other[i] = data.draw(st.integers(-1, 2**31 - 1).filter(lambda c: c != colors[i]))
    assert host.checksum(colors) == host.checksum(colors.copy()) != host.checksum(other)
    swapped = colors.copy()
    swapped[[0, i]] = swapped[[i, 0]]
    assert (host.checksum(swapped) == host.checksum(colors)) == (colors[0] == colors[i])


# Progress


def test_time_left_at_the_pace_so_far():
    now = [0.0]
    p = session.Visits(10, shown=False, clock=lambda: now[0])
    assert p.parts() == ("", "starting", "")
    now[0] = 6.0
    p.where = "rgg:12 (1 of 3)"
    p.say("greedy", 2)
    assert p.parts() == (" 20%", "rgg:12 (1 of 3) · greedy", "0:24 left")
    p.say("x", 8)
    assert p.parts() == ("100%", "rgg:12 (1 of 3) · x", "0:00 left")


# Codes


def test_codes_are_the_registry_in_its_own_orders():
    every = [c for c in codes.ours("cpu") if c.method not in qualities.NAMES]
    assert {c.method for c in every} == {name for name, row in lagcolor.ALGORITHMS.items() if "cpu" in row.engines}
    for c in every:
        if c.method != codes.YARDSTICK:
            row = lagcolor.ALGORITHMS[c.method]
            assert (c.order, c.seed) == (row.order, row.seed)
    on_gpu = [c for c in codes.ours("cuda") if c.method not in qualities.NAMES]
    assert {c.method for c in on_gpu} == {name for name, row in lagcolor.ALGORITHMS.items() if "cuda" in row.engines}
    rows = [lagcolor.ALGORITHMS[c.method] for c in on_gpu]
    assert all((c.order, c.seed) == (row.order, row.seed) for c, row in zip(on_gpu, rows, strict=True))


def test_qualities_are_codes_without_an_order():
    assert {c.method for c in codes.ours("cuda")} >= set(qualities.NAMES)
    made = codes.ours("cpu", ["auto:b*", "auto:best=0.5"], ["natural"], (None, 7))
    assert {c.method for c in made} == {"auto:balanced", "auto:best=0.5", *qualities.NAMES[2:]}
    assert {(c.order, c.seed, c.style) for c in made} == {("", None, "auto"), ("", 7, "auto")}
    assert {str(c) for c in made} >= {"auto:balanced", "auto:balanced, seed 7"}
    assert qualities.parse("auto:best=2.5x") == ("best", 2.5, True)
    assert qualities.parse("auto:best=2") == ("best", 2, False)
    assert qualities.parse("auto:fast") == ("fast", None, False)


def test_a_quality_is_the_call_that_it_names(monkeypatch):
    G = lagcolor.generate.rmat(9)
    asked = []

    def color(x, **given):
        asked.append(given)
        assert x is not G  # nothing is kept from the run before
        return real(x, **{**given, "time_limit": given["time_limit"] and 0.001})

    real = lagcolor.color
    monkeypatch.setattr(lagcolor, "color", color)
    session = library.Library(G)
    for name, quality in (("auto:fast", "fast"), ("auto:balanced", "balanced"), ("auto:best=0.25", "best")):
        row = session.run(Code("lagcolor", name, ""))
        assert asked[-1]["quality"] == quality and asked[-1]["time_limit"] == (0.25 if quality == "best" else None)
        assert row["colors"] == int(session.colors.max()) + 1
    assert session.trace(Code("lagcolor", "auto:balanced", "")) == []  # attempts are no rounds
    code = Code("lagcolor", "auto:best=1000x", "", 3)
    session.run(code)
    limit, calls = asked[-1]["time_limit"], len(asked)
    assert limit > 0 and [a["quality"] for a in asked[-7:]] == ["fast"] * 6 + ["best"] and asked[-1]["seed"] == 3
    session.run(code)
    assert len(asked) == calls + 1 and asked[-1]["time_limit"] == limit  # reckoned once a graph


# Graphs


def test_graphs_by_file_folder_spec_and_name(tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    for name in ("a/g.mtx.gz", "a/h.col", "a/notes.txt", "b/g.egr"):
        (tmp_path / name).touch()
    found = graphs.resolve([str(tmp_path / "a"), str(tmp_path / "b"), "rgg:10", "2d-2e20"])
    assert [s.name for s in found] == ["g", "h", "b/g", "rgg:10", "2d-2e20"]
    assert found[-1].spec == "grid2d:1024"
    assert graphs.resolve(["rgg:10", "rgg:10"]) == [("rgg:10", "rgg:10")]
    monkeypatch.chdir(tmp_path / "b")
    assert [s.name for s in graphs.resolve(["../a", "g.egr"])] == ["g", "h", "b/g"]


def test_suites(tmp_path, monkeypatch):
    assert [s.name for s in graphs.resolve()] == list(graphs.SUITES["small"])
    assert dict(graphs.resolve(suite="h200")) == lagcolor.generate.SUITE_H200
    families = {s.spec.partition(":")[0] for s in graphs.resolve()}
    assert {spec.partition(":")[0] for spec in lagcolor.generate.SUITE_H200.values()} <= families
    monkeypatch.delenv("LAGCOLOR_DATA", raising=False)
    assert {"copter2", "debian-bookworm-deps"} <= {s.name for s in graphs.resolve(suite="real")}
    with pytest.raises(lagcolor.OptionError, match="no real graphs in"):
        graphs.resolve(suite="real", data=tmp_path)
    with pytest.raises(lagcolor.OptionError, match="unknown suite"):
        graphs.resolve(suite="huge")
    with pytest.raises(lagcolor.OptionError, match="no graph 'no_such'"):
        graphs.resolve(["no_such"])
    with pytest.raises(lagcolor.OptionError, match="no graph file in the folder"):
        graphs.resolve([str(tmp_path)])


# Floor


def test_floor_is_one_pass_over_graph_and_colors():
    assert floor.floor_ms(10**6, 4 * 10**6, 4.3e12) == pytest.approx((8e6 + 4 + 16e6) / 4.3e12 * 1e3)


# The result file


def run_row(**fields):
    return {
        "kind": "run",
        "graph": "g",
        "spec": "s",
        "code": "c",
        "device": "cpu",
        "options": {},
        "status": "ok",
        **fields,
    }


def test_a_file_goes_on_where_it_was_cut(tmp_path):
    file = recorder.Recorder(tmp_path)
    file.add(run_row())
    with open(file.path, "a") as f:
        f.write('{"kind": "run", "gra')
    again = recorder.Recorder(tmp_path)
    assert again.rows == [run_row()]
    again.add(run_row(code="d"))
    assert [json.loads(line)["code"] for line in again.path.read_text().splitlines()] == ["c", "d"]
    assert recorder.Recorder(tmp_path, fresh=True).rows == []


def test_no_folder_of_a_machine_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for word, kept in (
        ("rgg:16", "rgg:16"), ("data/g.mtx", "data/g.mtx"), (str(tmp_path / "data" / "g.mtx"), "data/g.mtx"),
        ("/elsewhere/of/mine/g.mtx", "g.mtx"), ("--out=/elsewhere/x", "--out=x"), ("--fresh", "--fresh"), ("-", "-"),
    ):  # fmt: skip
        assert provenance.portable(word) == kept
    command = provenance.meta("cpu", {}, ["g.json", "/elsewhere/g.mtx"], "abc")["command"]
    assert command == ["g.json", "g.mtx"]


def test_what_needs_no_further_run(tmp_path):
    file = recorder.Recorder(tmp_path)
    statuses = {"a": "ok", "b": "failed", "c": "timeout", "d": "absent"}
    for code, status in statuses.items():
        file.add(run_row(code=code, status=status, n=5))
    file.add(run_row(code="e", partial=True))
    file.add(run_row(code="f", status="failed", n=5))
    file.add(run_row(code="f"))
    file.add(run_row(code="unloaded", status="failed", n=None))
    names = {key[2] for key in file.complete()}
    assert names == {"a", "b", "c", "f"}
    assert {key[2] for key in file.complete(retry=True)} == {"a", "f"}


def test_of_several_rows_of_one_thing_the_last_counts(tmp_path):
    file = recorder.Recorder(tmp_path)
    paper = {"kind": "reference", "graph": "g", "code": "paper", "from": "t.csv", "ms": 1, "colors": 2}
    rows = [
        meta(),
        run_row(ms=1),
        paper,
        run_row(code="d"),
        {**paper, "ms": 2},
        run_row(ms=3),
        {**paper, "from": "u"},
    ]
    for row in rows:
        file.add(row)
    assert file.current() == [run_row(ms=3), {**paper, "ms": 2}, run_row(code="d"), {**paper, "from": "u"}]


@pytest.mark.parametrize("line", ["nonsense", "[1]", '{"graph": "g"}'])
def test_a_file_of_another_kind_is_refused_by_line(tmp_path, line):
    (tmp_path / recorder.FILE).write_text(json.dumps(run_row()) + "\n" + line + "\n")
    with pytest.raises(lagcolor.FormatError, match=r"results\.jsonl, line 2"):
        recorder.Recorder(tmp_path)


# References and tables


def test_reference_rows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "graph,system,ms_with_order,colors,threads,valid\ng,fast,1.5,7,2,yes\ng,bad,1,7,1,no\ng,quiet,,,1,\n"
    )
    fast, quiet = reference.read_reference(path)
    assert fast == {"kind": "reference", "graph": "g", "code": "fast ×2", "colors": 7, "ms": 1.5, "from": "t.csv"}
    assert (quiet["code"], quiet["colors"], quiet["ms"]) == ("quiet", None, None)
    path.write_text("graph,system,ms,colors,incorrectly_colored\ng,right,2,3,\ng,wrong,1,2,17\n")
    assert [row["code"] for row in reference.read_reference(path)] == ["right"]
    assert [row["code"] for row in reference.read_reference(path, valid=False)] == ["wrong"]
    path.write_text("graph,n,directed_edges,code,ms,colors\ng,5,8,x,2,3\ng,,,y,2,3\n")
    sized, plain = reference.read_reference(path)
    assert (sized["n_there"], sized["m_there"]) == (5, 8) and "n_there" not in plain
    path.write_text("graph,code,ms,colors\ng,x,soon,3\n")
    with pytest.raises(lagcolor.FormatError, match=r"t\.csv, line 2: 'soon' is no number"):
        reference.read_reference(path)
    path.write_text("graph,code,ms,colors\ng,x,1,1e19\n")
    with pytest.raises(lagcolor.FormatError, match=r"t\.csv, line 2: '1e19' is out of range"):
        reference.read_reference(path)
    path.write_text("graph,code,ms,colors\ng,,1,3\n")
    with pytest.raises(lagcolor.FormatError, match=r"t\.csv, line 2: the row has no graph or no code"):
        reference.read_reference(path)
    path.write_bytes(b"graph,code,ms,colors\ng,\xff,1,3\n")
    with pytest.raises(lagcolor.FormatError, match=r"t\.csv, after line \d: no text of a \.csv file"):
        reference.read_reference(path)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(lagcolor.FormatError, match="must have the columns graph, code, colors and ms"):
        reference.read_reference(path)


def test_the_commit_is_that_of_this_checkout(tmp_path, monkeypatch):
    def git(*words):
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        return subprocess.run(["git", "-C", tmp_path, *who, *words], check=True, capture_output=True, text=True).stdout

    copy = tmp_path / "benchmarks" / "harness" / "provenance.py"
    copy.parent.mkdir(parents=True)
    copy.write_text("")
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    monkeypatch.setattr(provenance, "__file__", str(copy))
    version = f"version {lagcolor.__version__}"
    assert provenance.git_commit() == version
    git("init")
    git("commit", "--allow-empty", "-m", "another project's")
    assert provenance.git_commit() == version  # which does not know this file
    git("add", "benchmarks")
    git("commit", "-m", "now it does")
    assert provenance.git_commit() == git("rev-parse", "--short=12", "HEAD").strip()
    copy.write_text("changed")
    assert provenance.git_commit().endswith("+")


def test_a_table_has_every_kind_of_row():
    from rich.console import Console

    peer = Scripted({"x": [50], "y": [-1]})
    done = rows(peer, repeat=2)
    frame = {
        "kind": "run", "graph": "g [1]", "n": 9, "m": 12, "max_degree": 2, "floor_ms": 0.5, "style": "peer",
        "device": "cpu", "order": "natural", "seed": None, "threads": 2,
    }  # fmt: skip
    lines = [{**frame, "code": f"peer {k}", **r.measured()} for k, r in done.items()]
    ok = next(line for line in lines if line["status"] == "ok")
    lines.append({**ok, "code": "peer far", "floor_ms": 50 / 3128229.8})
    lines.append({**frame, "code": "ghost greedy", "status": "absent", "error": "not installed"})
    lines.append({"kind": "reference", "graph": "g [1]", "code": "paper", "colors": 3, "ms": None, "from": "t.csv"})
    lines.append({**lines[-1], "code": "larger", "n_there": 1234567, "m_there": 12})
    lines.append({**ok, "code": "peer near", "device": "cuda", "memory_bytes": 5 << 20})
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        Console(width=150).print(tables.graph_table("g [1]", lines))
    text = out.getvalue()
    for shown in (
        "g [1]: 9 vertices",
        "peer x, natural, 2 threads",
        "50.0",
        "100.0",
        "3,128,230",
        "scripted failure",
        "ghost: absent",
        "paper (t.csv)",
        "larger (t.csv; of 1,234,567 vertices, 12 stored entries)",
        "peer near, natural, 2 threads, on cuda",
        "5.2",
    ):
        assert shown in text
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        Console(width=80).print(tables.graph_table("g [1]", lines, 80))
    lines_of_it = out.getvalue().split("\n")
    assert max(map(len, lines_of_it)) <= 80 and any(
        "natural, 2 threads" in line and "50.0" in line for line in lines_of_it
    )
    assert "peak MB" not in out.getvalue() and "× floor" in out.getvalue()


@pytest.mark.gpu
def test_bandwidth_of_a_gpu_is_that_of_one():
    assert 1e11 < floor.bandwidth("cuda", 2**28) < 1e14
