"""The scripts that measure tables of the docs again: a step for every table, and command lines that are understood."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution

from benchmarks import compare
from benchmarks.harness.codes import ours
from benchmarks.papers import __main__ as papers

ROOT = Path(__file__).parents[2]

STUB = """#!/usr/bin/env bash
printf '%s\\t' "$@" >>"$CALLS"; echo >>"$CALLS"
case " $* " in *" ${BROKEN:-no such word} "*) exit 3 ;; esac
while [ $# -gt 0 ]; do
    case "$1" in
        *.jsonl) : >"$1" ;;
        --out) case "$2" in *.jsonl) ;; *) mkdir -p "$2" && : >"$2/results.jsonl" ;; esac ;;
    esac
    shift
done
"""
GPU, CPU = ("gpu_tables.sh", "abc123"), ("cpu_tables.sh",)
pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


FOLDERS = {"REAL": "real", "ECL_REAL": "ecl"}


def run(tmp_path: Path, script: tuple[str, ...], *steps: str, broken: str = "", folders: dict[str, str] = FOLDERS):
    """Exit code and output of a script whose Python writes down how it is called; the calls; the files."""
    stub, calls, out = tmp_path / "python", tmp_path / "calls", tmp_path / "out"
    stub.write_text(STUB)
    stub.chmod(0o755)
    env = {"PATH": "/usr/bin:/bin", "PYTHON": str(stub), "CALLS": str(calls), "BROKEN": broken, **folders}
    name, *first = script
    command = ["bash", str(ROOT / "benchmarks" / name), *first, str(out), *steps]
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=PATIENCE)
    words = [line.rstrip("\t").split("\t") for line in calls.read_text().splitlines()]
    return done, words, sorted(path.name for path in out.glob("*.jsonl"))


@pytest.mark.parametrize("script", [GPU, CPU], ids=lambda s: s[0])
def test_every_command_line_is_understood(tmp_path, script):
    done, calls, _ = run(tmp_path, script)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(calls) == done.stdout.count(": done, ") >= 5
    for dash, module, *argv in calls:
        assert dash == "-m"
        if module == "benchmarks.compare":
            args = compare.parser_of(compare, module).parse_args(argv)
            assert ours(args.device, args.algorithms)
        elif hasattr(found := importlib.import_module(module), "arguments"):
            found.arguments(argv)
        if script == GPU:
            assert argv[argv.index("--commit") + 1] == "abc123"


def test_every_table_of_the_docs_has_a_step(tmp_path):
    made = [*run(tmp_path, GPU)[2], *run(tmp_path, GPU, "h100")[2], *run(tmp_path, CPU)[2]]
    assert any(name.startswith("results-h200-") for name in made)  # of the step `papers`, whose files have the names
    made += [f"{e.name}-h200-2026-11-29.jsonl" for e in papers.EXPERIMENTS]
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    lines = [line for page in pages for line in page.read_text().splitlines() if line.startswith("<!-- ")]
    patterns = {word for line in lines for word in re.findall(r"benchmarks/results/(\S+\.jsonl)", line)}
    assert len(patterns) > 15
    missing = {p for p in patterns if not any(Path(name).match(p) for name in made)}
    assert not missing


def test_all_algorithms_of_a_gpu_are_measured(tmp_path):
    _, calls, _ = run(tmp_path, GPU, "main", "rest")
    measured = set()
    for call in calls:
        args = compare.parser_of(compare, compare.PROGRAM).parse_args(call[2:])
        measured |= {code.name for code in ours("cuda", args.algorithms)}
    assert measured | {"memetic"} == {code.name for code in ours("cuda")}  # for small graphs: the step `hard`


def test_a_folder_that_is_not_named_ends_its_step_alone(tmp_path):
    done, calls, _ = run(tmp_path, GPU, "real", "ecl_real", "papers", folders={})
    assert done.returncode == 1 and len(calls) == 1
    said = [line.partition(",")[0] for line in done.stdout.splitlines()]
    assert said[:3] == ["real: FAILED", "ecl_real: FAILED", "papers: done"]


def test_a_step_that_fails_is_told_and_is_not_the_end(tmp_path):
    done, calls, _ = run(tmp_path, GPU, "papers", "constants", "no_such", broken="benchmarks.papers")
    assert done.returncode == 1 and len(calls) == 2
    said = [line.partition(",")[0] for line in done.stdout.splitlines()]
    assert said[:3] == ["papers: FAILED", "constants: done", "no_such: FAILED"]


def test_pages_have_the_measured_seconds_of_first_calls() -> None:
    """Of the table in docs/start/install.md."""
    from result_tables import found

    from benchmarks.first_calls import span
    from benchmarks.harness.results import read_lines

    (path,) = found(["benchmarks/results/first-calls-page-[0-9]*.jsonl"])
    least, most = span(read_lines(path))
    for page in ("README.md", "docs/how_to/errors.md"):
        assert f"takes {least} to {most} seconds of CPU time" in " ".join((ROOT / page).read_text().split()), page
