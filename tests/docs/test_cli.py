"""The command as a user runs it: a process, its output, its exit code."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from forks import COMMAND as FORKED
from forks import Forks
from waiting import PATIENCE

import lagcolor
from lagcolor import cli
from lagcolor.cli.color import show
from lagcolor.problems import PROBLEMS

Run = Callable[..., subprocess.CompletedProcess[str]]
COMMAND = (sys.executable, "-m", "lagcolor")


@pytest.fixture
def run(tmp_path: Path, forks: Forks) -> Run:
    """Run the command in a fresh folder."""

    def call(*args: str, code: int = 0, start: bool = False) -> subprocess.CompletedProcess[str]:
        """`start`: in a process that starts anew."""
        if start:
            done = subprocess.run([*COMMAND, *args], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
        else:
            done = forks.run(FORKED, *args, cwd=tmp_path)
        assert done.returncode == code, f"{args} → {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        return done

    return call


@pytest.fixture
def path5(tmp_path: Path) -> Path:
    """A path of five vertices as a SNAP file."""
    (tmp_path / "p5.txt").write_text("# a path\n0 1\n1 2\n2 3\n3 4\n")
    return tmp_path / "p5.txt"


def error_of(done: subprocess.CompletedProcess[str]) -> str:
    """The error of a finished command."""
    return error_line(done.stderr)


def error_line(err: str) -> str:
    """The text of the one line that standard error holds."""
    lines = err.splitlines()
    assert len(lines) == 1, err
    assert lines[0].startswith("lagcolor: error: ")
    return lines[0].removeprefix("lagcolor: error: ")


def lines_of(done: subprocess.CompletedProcess[str]) -> list[dict]:
    """The objects that --json printed."""
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_version_and_help(run: Run) -> None:
    assert run("--version", start=True).stdout == f"lagcolor {lagcolor.__version__}\n"
    top = run("--help").stdout
    assert "exit codes:" in top
    for command in ("color", "verify", "info", "list", "generate"):
        assert f"    {command} " in top
        page = run(command, "--help").stdout
        assert "exit codes:" in page
        assert "--json" in page


def test_color_prints_a_table(run: Run, path5: Path) -> None:
    done = run("color", "p5.txt", start=True)
    head, _, row, _, *made = (line.split() for line in done.stdout.splitlines())
    assert head == ["graph", "vertices", "edges", "colors", "rounds", "ms", "prepare", "ms"]
    assert row[:5] == ["p5", "5", "4", "2", "1"]
    summary = "auto, balanced, order largest_first_spread, seed 0, on cpu, verified, no coloring has fewer colors"
    assert " ".join(word for line in made for word in line).split(", compiled ")[0] == summary  # the first run compiles
    assert done.stderr == ""


def test_the_line_under_the_table_has_the_lower_bound(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`fast` knows sizes alone, `best` proves that a wheel with an odd rim needs 4 colors."""
    (tmp_path / "wheel.txt").write_text("".join(f"0 {v}\n{v} {v % 5 + 1}\n" for v in range(1, 6)))
    wheel = str(tmp_path / "wheel.txt")

    def below() -> str:
        return " ".join(capsys.readouterr().out.partition("\n\n")[2].split())

    assert cli.main(["color", wheel, "-q", "fast"]) == 0
    assert ", lower bound 2" in below()
    assert cli.main(["color", wheel, "path:4", "-q", "fast"]) == 0
    head, _, *rows = capsys.readouterr().out.splitlines()
    assert head.endswith("lower bound") and rows[0].endswith("  2") and rows[1].endswith("  2")
    assert cli.main(["color", wheel, "clique:5", "-q", "best", "--time-limit", "0.5"]) == 0
    assert "no coloring has fewer colors" in below()


def test_what_was_interrupted_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    one, other = (lagcolor.color(lagcolor.generate.path(4)) for _ in range(2))
    show([("p", one), ("q", other)], trace=False)
    assert "interrupted" not in capsys.readouterr().out
    one.notes["interrupted"] = True
    show([("p", one)], trace=False)
    assert ", verified, interrupted, " in " ".join(capsys.readouterr().out.split())
    show([("p", one), ("q", other)], trace=False)
    head, _, first, second, *_ = capsys.readouterr().out.splitlines()
    assert head.endswith("search") and first.endswith("interrupted") and not second.endswith("interrupted")


def test_a_file_that_memory_does_not_hold_is_named(
    monkeypatch: pytest.MonkeyPatch, path5: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*args: Any, **kwargs: Any) -> Any:
        raise MemoryError("Unable to allocate 7.45 GiB")

    monkeypatch.setattr("lagcolor.graph.files.arrays_of_file", full)
    assert cli.main(["color", str(path5)]) == 2
    assert f"out of memory: {path5}: Unable to allocate 7.45 GiB" in capsys.readouterr().err


def test_color_several(run: Run, tmp_path: Path, path5: Path) -> None:
    rows = lines_of(run("color", "p5.txt", "cycle:7", "clique:5", "--json"))
    assert [(r["input"], r["n_colors"]) for r in rows] == [("p5.txt", 2), ("cycle:7", 3), ("clique:5", 5)]
    table = run("color", "p5.txt", "cycle:7", "clique:5").stdout
    assert [line.split()[0] for line in table.splitlines()[2:5]] == ["p5", "cycle_7", "clique_5"]
    (tmp_path / "colors").mkdir()
    run("color", "p5.txt", "cycle:7", "--out", "colors")
    assert sorted(p.name for p in (tmp_path / "colors").iterdir()) == ["cycle_7.colors.npy", "p5.colors.npy"]
    run("color", "p5.txt", "cycle:7", "--out", "{stem}.col.txt")
    assert (tmp_path / "p5.col.txt").read_text() == "0\n1\n0\n1\n0\n"
    assert (tmp_path / "cycle_7.col.txt").exists()


def test_color_goes_on_after_a_failure(run: Run, path5: Path) -> None:
    done = run("color", "missing.mtx", "p5.txt", "--json", code=2)
    assert "missing.mtx" in error_of(done)
    assert [r["input"] for r in lines_of(done)] == ["p5.txt"]


def test_color_symmetrize(run: Run, tmp_path: Path) -> None:
    scipy.io.mmwrite(tmp_path / "arrow.mtx", sp.coo_array(([1.0, 1.0], ([0, 0], [1, 2])), shape=(3, 3)))
    for words in (("color", "arrow.mtx"), ("info", "arrow.mtx"), ("color", "arrow.mtx", "no.mtx")):
        error = error_of(run(*words, code=2)) if "no.mtx" not in words else run(*words, code=2).stderr
        assert "pass --symmetrize to take" in error
        assert "symmetrize=True" not in error
    (row,) = lines_of(run("color", "arrow.mtx", "--symmetrize", "--json"))
    assert (row["edges"], row["n_colors"]) == (2, 2)


def test_verify_finds_conflicts(run: Run, tmp_path: Path, path5: Path) -> None:
    np.save(tmp_path / "bad.npy", np.array([0, 1, 1, 0, 1], np.int32))
    done = run("verify", "p5.txt", "bad.npy", code=1)
    assert done.stdout == "not valid: 1 conflicting edge, the first (1, 2): both have color 1\n"
    (row,) = lines_of(run("verify", "p5.txt", "bad.npy", "--json", code=1))
    assert row["ok"] is False
    assert row["conflicts"] == [[1, 2, 1]]


def test_verify_uncolored(run: Run, tmp_path: Path, path5: Path) -> None:
    (tmp_path / "part.txt").write_text("0\n1\n-1\n0\n1\n")
    assert "1 uncolored" in run("verify", "p5.txt", "part.txt", code=1).stdout
    (row,) = lines_of(run("verify", "p5.txt", "part.txt", "--allow-uncolored", "--json"))
    assert row["ok"] is True


def test_a_table_of_colors_that_does_not_fit(run: Run, tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("v0,v1\nv1,v2\nv2,v3\n")
    (tmp_path / "c.csv").write_text("vertex,color\nv0,0\nv1,1\nv3,1\n")
    assert "1 uncolored vertex (-1), the first 2 ('v2')" in run("verify", "g.csv", "c.csv", code=1).stdout
    assert "1 uncolored vertex (-1), the first 2 ('v2')" in run("reduce", "g.csv", "c.csv", code=1).stderr
    (tmp_path / "c.csv").write_text("vertex,color\n0,0\n5000,1\n")
    assert error_of(run("verify", "path:4", "c.csv", code=1)) == (
        "c.csv: there is no vertex '5000': they go from 0 to 3"
    )


def test_info(run: Run, path5: Path) -> None:
    rows = lines_of(run("info", "p5.txt", "clique:5", "grid2d:4,5", "--json"))
    assert rows[0] == {
        "input": "p5.txt", "vertices": 5, "edges": 4, "min degree": 1, "mean degree": 1.6, "max degree": 2,
        "isolated": 0, "components": 1, "bipartite": True, "degeneracy": 1,
    }  # fmt: skip
    assert [(r["degeneracy"], r["bipartite"]) for r in rows[1:]] == [(4, False), (2, True)]
    table = run("info", "p5.txt", "clique:5").stdout
    head, _, *lines = table.splitlines()
    assert head.split() == ["graph", "p5", "clique_5"]
    assert [line.split()[-2] for line in lines] == ["5", "4", "1", "1.60", "2", "0", "1", "yes", "1"]


def test_list(run: Run) -> None:
    rows = lines_of(run("list", "--json"))
    assert {r["name"] for r in rows if r["kind"] == "algorithm"} == set(lagcolor.ALGORITHMS)
    assert {r["name"] for r in rows if r["kind"] == "order"} == set(lagcolor.ORDERS)
    assert [r["name"] for r in rows if r["kind"] == "problem"] == list(PROBLEMS)
    generators = lines_of(run("list", "generators", "--json"))
    assert {r["name"] for r in generators} == set(lagcolor.generate.FAMILIES)
    table = run("list").stdout
    assert "jones_plassmann" in table
    assert "largest_first" in table
    markdown = run("list", "orders", "--markdown").stdout.splitlines()
    assert len(markdown) == 2 + len(lagcolor.ORDERS)
    assert all(line.startswith("| ") and line.endswith(" |") for line in markdown)


def test_columns_of_a_list(run: Run) -> None:
    chosen = ("list", "algorithms", "--columns", "bound,name")
    assert run(*chosen, "--markdown").stdout.startswith("| bound | name |\n| --- | --- |\n")
    assert {tuple(r) for r in lines_of(run(*chosen, "--json"))} == {("kind", "bound", "name")}
    assert run(*chosen).stdout.split()[:3] == ["algorithms", "bound", "name"]


@pytest.mark.parametrize("name", ["g.mtx", "g.txt.gz", "g.npz"])
def test_generate(run: Run, tmp_path: Path, name: str) -> None:
    (row,) = lines_of(run("generate", "rmat", "8", "edge_factor=4", "--seed", "3", "--out", name, "--json"))
    expected = lagcolor.generate.rmat(8, edge_factor=4, seed=3)
    assert (row["vertices"], row["edges"]) == (expected.n, expected.n_edges)
    assert lagcolor.Graph.of(tmp_path / name).n_edges == expected.n_edges


WRONG = {
    "no command": ((), "required: COMMAND"),
    "unknown command": (("paint",), "unknown command 'paint'; there are: color, reduce"),
    "unknown flag": (("color", "p5.txt", "--fast"), "unrecognized arguments: --fast"),
    "no file": (("color",), "required: FILE"),
    "seed no number": (("color", "p5.txt", "--seed", "x"), "a seed is a whole number, none or default, not 'x'"),
    "seed as an option": (("color", "p5.txt", "--option", "seed=1"), "--option seed=1: seed is no option of an algor"),
    "option without a value": (("color", "p5.txt", "--option", "tail"), "--option tail: expected NAME=VALUE"),
    "option given twice": (
        ("color", "p5.txt", "--option", "tail=1", "--option", "tail=2"),
        "--option tail=2: 'tail' is given twice",
    ),
    "two seeds": (("generate", "rgg", "4", "seed=3", "--seed", "4", "--out", "x.mtx"), "have seed 3, and --seed 4 is"),
    "no format": (("convert", "p5.txt", "x.csr", "-f", "zzz"), "csr, parquet, npy"),
    "standard output without a format": (("generate", "rgg", "8", "--out", "-"), "add --format, such as mtx"),
    "unknown device": (("color", "p5.txt", "--device", "tpu"), "unknown device 'tpu'"),
    "unknown output ending": (("color", "p5.txt", "--out", "c.xls"), "must end in one of .npy"),
    "no output folder": (("color", "p5.txt", "--out", "no/c.npy"), "there is no folder no"),
    "one output for two": (("color", "p5.txt", "path:4", "--out", "c.npy"), "folder or contain {stem}"),
    "outputs that clash": (("color", "p5.txt", "p5.txt", "--out", "."), "two inputs would be written"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_usage_or_input(
    tmp_path: Path, path5: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    """In this process, which takes a hundredth of the time of one a case; `run` checks the same of other errors."""
    before = sorted(tmp_path.iterdir())
    monkeypatch.chdir(tmp_path)
    args, message = WRONG[case]
    try:
        code = cli.main(list(args))
    except SystemExit as e:  # how argparse leaves
        code = int(e.code or 0)
    out, err = capsys.readouterr()
    assert code == (3 if case == "unknown device" else 2)
    assert message in error_line(err)
    assert out == ""
    assert sorted(tmp_path.iterdir()) == before


def test_no_gpu(run: Run, path5: Path) -> None:
    if lagcolor.has_gpu():
        pytest.skip("there is a GPU")
    assert "a GPU was requested" in error_of(run("color", "p5.txt", "--device", "cuda", code=3))


@pytest.mark.gpu
def test_on_the_gpu(run: Run, path5: Path) -> None:
    (row,) = lines_of(run("color", "p5.txt", "--device", "cuda", "--out", "c.npy", "--json"))
    assert (row["device"], row["algorithm"], row["verified"]) == ("cuda:0", "auto, balanced", True)
    assert run("verify", "p5.txt", "c.npy", "--device", "cuda").stdout.startswith("proper")


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    args = [*COMMAND, "color", "missing.mtx", "--debug"]
    done = subprocess.run(args, cwd=tmp_path, capture_output=True, text=True)
    assert "Traceback" in done.stderr
    assert "GraphError" in done.stderr


def test_an_unforeseen_error_is_one_line_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise ZeroDivisionError("by nought")

    monkeypatch.setattr("lagcolor.api.color.color", broken)
    assert cli.main(["color", "path:4"]) == 4
    assert capsys.readouterr().err.startswith("lagcolor: error: unforeseen ZeroDivisionError: by nought")


def test_interrupted(tmp_path: Path) -> None:
    """Ctrl-C while a file is read, which a pipe makes to last: one line, exit code 130, nothing left behind."""
    os.mkfifo(tmp_path / "slow.txt")
    args = [*COMMAND, "color", "slow.txt", "--out", "colors.npy"]
    process = subprocess.Popen(args, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with open(tmp_path / "slow.txt", "w") as pipe:  # returns once the command has opened the other end
        pipe.write("0 1\n")
        pipe.flush()
        # Again after a while: a signal just before the blocking read is noticed only after it.
        for _ in range(60):
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                out, err = process.communicate(timeout=10)
                break
    assert process.returncode == 130, err
    assert (out, err) == ("", "lagcolor: error: interrupted\n")
    assert [p.name for p in tmp_path.iterdir()] == ["slow.txt"]


@pytest.fixture
def rectangle(tmp_path: Path) -> Path:
    a = np.zeros((4, 6))
    a[0, [0, 2, 4]] = a[1, [1, 2]] = a[2, 5] = a[3, 0] = 1
    scipy.io.mmwrite(tmp_path / "r.mtx", sp.coo_array(a))
    return tmp_path / "r.mtx"


@pytest.mark.parametrize(("problem", "least", "n"), [("columns", 3, 6), ("rows", 2, 4)])
def test_rectangular(run: Run, rectangle: Path, problem: str, least: int, n: int) -> None:
    """Colored, written, checked and described, also where a coloring is broken."""
    (row,) = lines_of(run("color", "r.mtx", "--problem", problem, "--out", "c.txt", "--json"))
    assert (row["problem"], row["rows"], row["columns"], row["entries"]) == (problem, 4, 6, 7)
    assert row["n_colors"] == row["lower_bound"] == least and row["verified"] is True
    assert run("verify", "r.mtx", "c.txt", "-p", problem).stdout.startswith(f"proper: {least} colors, 4 rows, 6 col")
    (rectangle.parent / "c.txt").write_text("0\n" * n)
    done = run("verify", "r.mtx", "c.txt", "-p", problem, code=1)
    assert f"{problem} 0 and " in done.stdout and "both have color 0" in done.stdout
    (row,) = lines_of(run("info", "r.mtx", "-p", problem, "--json"))
    assert (row["longest row"], row["longest column"], row["empty columns"]) == (3, 2, 1)
    assert row["colors, at least"] == least <= row["first-fit, at most"]


def test_problems_refused(run: Run, rectangle: Path) -> None:
    assert "--problem columns or --problem rows" in error_of(run("color", "r.mtx", code=2))
    assert "any pattern" in error_of(run("color", "r.mtx", "-p", "rows", "--symmetrize", code=2))
    (row,) = lines_of(run("color", "r.mtx", "-p", "rows", "--reduce", "ejection", "--json"))
    assert row["algorithm"] == "auto, balanced + ejection"


def test_balance_and_equitable(run: Run) -> None:
    for flags, most in ((["--balance"], 1.05), (["--balance", "1.5"], 1.5), (["--equitable"], 1.05)):
        (row,) = lines_of(run("color", "delaunay:9", *flags, "--json", "--out", "c.txt"))
        note = row["notes"]["balance"]
        assert note["reached"]
        assert note["after"] <= most < note["before"]
        run("verify", "delaunay:9", "c.txt")
    (row,) = lines_of(run("color", "delaunay:9", "--reduce", "ejection", "--balance", "1.2", "--json"))
    assert row["algorithm"] == "auto, balanced + ejection + balance"
    assert row["notes"]["balance"]["after"] <= 1.2
    refused = run("color", "delaunay:9", "--reduce", "ejection", "--equitable", code=2)
    assert error_of(refused).startswith("--equitable does not go with --reduce: pass --balance 1")


def test_verify_balance_and_equitable(run: Run, tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("0\n" * 5 + "1\n2\n")
    lagcolor.io.write(tmp_path / "g.mtx", lagcolor.Graph(np.zeros(8, np.int32), np.zeros(0, np.int32)))
    for flags, code in (["--balance", "5"], 0), (["--balance", "2"], 1), (["--equitable"], 1):
        summary = "not valid: " if code else "proper: 3 colors"
        assert run("verify", "g.mtx", "c.txt", *flags, code=code).stdout.startswith(summary), flags


def test_bench_times_each_algorithm_on_each_graph(run: Run, path5: Path) -> None:
    done = run("bench", "p5.txt", "cycle:9", "-a", "greedy", "jones_plassmann*", "--repeat", "2", "--out", "r.json")
    head, _, *rows = (line.split() for line in done.stdout.splitlines())
    assert head == ["graph", "algorithm", "order", "colors", "ms"]
    names = {name for name in lagcolor.ALGORITHMS if name.startswith("jones_plassmann")} | {"greedy"}
    names = {name for name in names if "cpu" in lagcolor.ALGORITHMS[name].engines}
    assert {(row[0], row[1]) for row in rows} == {(graph, name) for graph in ("p5", "cycle_9") for name in names}
    written = json.loads((path5.parent / "r.json").read_text())
    assert written["lagcolor"] == lagcolor.__version__ and len(written["rows"]) == len(rows)
    of_graph = {"p5": lagcolor.io.read(path5), "cycle_9": lagcolor.generate.from_spec("cycle:9")}
    for row in written["rows"]:
        result = lagcolor.color(of_graph[row["graph"]], row["algorithm"])
        assert (row["colors"], row["order"], row["error"]) == (result.n_colors, result.order, None)
        assert len(row["ms_all"]) == 2 and min(row["ms_all"]) <= row["ms"] <= max(row["ms_all"])


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Algorithms that color every vertex alike, that fail, and that refuse the graph."""

    def refuse(*_: Any) -> Any:
        raise lagcolor.OptionError("too many edges for it")

    greedy = lagcolor.ALGORITHMS["greedy"]
    for name, function in (
        ("faulty_colors", lambda G, p, log: np.zeros(G.n, np.int32)), ("faulty_error", lambda G, p, log: 1 // 0),
        ("faulty_refusal", refuse),
    ):  # fmt: skip
        monkeypatch.setitem(lagcolor.ALGORITHMS._rows, name, replace(greedy, name=name, run=function))


def test_bench_names_algorithms_that_fail_and_goes_on(
    faulty: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["bench", "path:5", "--repeat", "1", "--out", str(tmp_path / "r.json"), "-a"]
    assert cli.main([*words, "faulty_refusal", "greedy"]) == 0
    assert "left out on path_5: faulty_refusal: too many edges for it" in capsys.readouterr().out
    assert cli.main([*words, "faulty_*", "greedy"]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines()[2].split()[:4] == ["path_5", "greedy", "natural", "2"]
    assert "error: faulty_colors: " in err and "4 conflicting edges" in err and "ZeroDivisionError" in err
    rows = {row["algorithm"]: row["error"] for row in json.loads((tmp_path / "r.json").read_text())["rows"]}
    assert rows["greedy"] is None and rows["faulty_error"].startswith("ZeroDivisionError: ") and len(rows) == 4
    assert cli.main([*words, "faulty_refusal"]) == 1
    assert (
        "no algorithm succeeded; the first, faulty_refusal on path_5: too many edges for it" in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("--repeat", "0"), "--repeat must be from 1 on, not 0"),
        (("-a", "no_such*"), "unknown algorithm 'no_such*'"),
        (("-a", "elementwise_*"), "--algorithms: none of elementwise_* runs on cpu"),
        (("--out", "r.txt"), "--out r.txt: must end in one of .json"),
        (("--out", "-", "--json"), "both write to standard output"),
    ],
)
def test_wrong_options_of_bench(words: tuple[str, ...], error: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "path:5", *words]) == 2
    out, err = capsys.readouterr()
    assert error in err and not out
