"""The command in a terminal of 80 columns, in a pipe whose reader leaves, and with standard input for a file."""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from forks import Forks

import lagcolor
from lagcolor import cli

LAGCOLOR = [sys.executable, "-m", "lagcolor"]
WIDTH = 80
# In a folder with g.mtx, c.txt (its colors) and r.mtx (rectangular).
TABLES = {
    "color": "color g.mtx social:3000 grid2d:20 --algorithm jones_plassmann --order largest_first",
    "color and trace": "color social:2000 --algorithm ipgc --trace --threads 1",
    "color different ones": "color g.mtx star:9 cycle:9 clique:5 --quality best --time-limit 0.01",
    "reduce": "reduce g.mtx c.txt --method iterated_greedy --trace",
    "info": "info g.mtx social:3000 grid2d:20 queen:8 star:9 path:1000 rgg:10 clique:5",
    "info columns": "info r.mtx --problem columns",
    "list": "list algorithms options orders problems generators",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create the files that `TABLES` reads."""
    folder = tmp_path_factory.mktemp("graphs")
    lagcolor.io.write(folder / "g.mtx", lagcolor.generate.rgg(8))
    lagcolor.color(folder / "g.mtx", "greedy", "random", seed=1).save(folder / "c.txt")
    (folder / "r.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n3 5 4\n1 1\n1 2\n2 3\n3 5\n")
    return folder


@pytest.fixture(scope="module")
def shell(forks: Forks) -> str:
    """The command for a shell: a fork, which starts faster."""
    return shlex.join(forks.lagcolor)


def too_wide(text: str) -> list[str]:
    """Lines that do not fit; colors of the terminal have no width."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r", "")
    return [line for line in plain.split("\n") if len(line.rstrip()) > WIDTH]


@pytest.mark.parametrize("case", TABLES)
def test_in_a_pipe_lines_fit_80_columns(shell: str, folder: Path, case: str) -> None:
    done = subprocess.run(f"{shell} {TABLES[case]}", shell=True, cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert not too_wide(done.stdout) and "…" not in done.stdout.replace("0 …", "")
    for word in re.findall(r"[\w-]+", TABLES[case].partition("--")[0])[1:]:
        assert word in done.stdout or not (folder / f"{word}.mtx").exists(), "a name is whole"


def test_help_fits_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    top = cli.parser()
    for command in (top, *top.commands.values()):
        text = command.format_help()
        assert not too_wide(text) and "exit codes:\n  0    success; with " in text


QUIET = [
    "list generators", "list --json", "color g.mtx path:9 star:9 --json", "info g.mtx",
    "generate path 9 --out - --format edges", "color g.mtx --out - 2> /dev/null", "--help",
]  # fmt: skip


@pytest.mark.parametrize("line", QUIET)
def test_a_reader_that_leaves(shell: str, folder: Path, line: str) -> None:
    """Exit code 0 and no word, without a reader, and with one that reads a line."""
    reader = "head -n 1 > /dev/null" if "--json" in line else "true"
    script = f"set -o pipefail; (sleep 0.1; {shell} {line}) | {reader}"
    done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_that_leaves_a_process_of_its_own(folder: Path) -> None:
    """The flush at the end of the interpreter too, which a fork has not."""
    for words in ("list generators", "--help", "color g.mtx path:9 --json"):
        script = f"set -o pipefail; {shlex.join(LAGCOLOR)} {words} | true"
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, env=environment)
        assert (done.returncode, done.stderr) == (0, ""), words


def test_closed_standard_error(folder: Path) -> None:
    """In a process of its own; the answers are those with an open one."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}

    def run(line: str) -> tuple[int, str]:
        script = f"{shlex.join(LAGCOLOR)} {line}"
        done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, env=environment)
        return done.returncode, done.stdout

    assert run("info g.mtx 2>&-") == run("info g.mtx")
    code, out = run("color g.mtx --json 2>&-")
    assert code == 0 and json.loads(out)["n_colors"] > 0
    assert run("color missing.mtx 2>&-") == (2, "")


def test_a_full_disk_is_an_error(shell: str, folder: Path) -> None:
    for line in ("list generators", "list generators --json", "list orders --markdown"):
        done = subprocess.run(["bash", "-c", f"{shell} {line} > /dev/full"], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 2 and re.fullmatch("lagcolor: error: .*No space left on device\n", done.stderr), line


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input(shell: str, folder: Path, packed: bool) -> None:
    def run(line: str, data: bytes, code: int = 0) -> tuple[str, str]:
        passed = gzip.compress(data) if packed else data
        done = subprocess.run(f"{shell} {line}", shell=True, cwd=folder, input=passed, capture_output=True)
        assert done.returncode == code, done
        return done.stdout.decode(), done.stderr.decode()

    G = lagcolor.Graph.of(folder / "g.mtx")
    matrix, edges = (folder / "g.mtx").read_bytes(), b"# Nodes: 4 Edges: 3\n0 1\n1 2\n2 3\n"
    assert "stdin" in run("color - --format mtx", matrix)[0]
    out = run("color - --format MTX --out -", matrix)
    assert np.array_equal([int(c) for c in out[0].split()], lagcolor.color(G)) and "balanced" in out[1]
    assert '"vertices": 4' in run("color - -f snap --json", edges)[0]
    assert run("color - path:5 --format edges", edges)[0].count("\n") >= 4
    assert '"columns": 5' in run("info - -f mtx -p columns --json", (folder / "r.mtx").read_bytes())[0]
    assert run("verify - c.txt -f mtx", matrix)[0].startswith("proper: ")
    assert run("verify g.mtx -", (folder / "c.txt").read_bytes())[0].startswith("proper: ")
    assert run("reduce g.mtx - --out fewer.txt", (folder / "c.txt").read_bytes())[0].count("stdin") == 0
    assert run("color -", matrix, 2)[1].startswith(
        "lagcolor: error: standard input (-) has no name that determines its form"
    )
    assert "standard input, line 2: " in run("color - -f edges", b"0 1\nx y z\n\n", 2)[1] or packed
    assert "there twice" in run("color - - -f mtx", matrix, 2)[1]
    assert "both -" in run("verify - - -f mtx", matrix, 2)[1]
    assert "both write to standard output" in run("color g.mtx --out - --json", b"", 2)[1]


def test_pipes_between_commands(shell: str, folder: Path) -> None:
    script = (
        f"set -o pipefail; {shell} generate rgg 8 --seed 5 --out - --format mtx > h.mtx && {shell} color h.mtx --out - "
        f"2> /dev/null | {shell} reduce h.mtx - --out - 2> /dev/null | {shell} verify h.mtx -"
    )
    done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("proper: "), done.stderr
    assert lagcolor.Graph.of(folder / "h.mtx").n_edges == lagcolor.generate.rgg(8, seed=5).n_edges


SPELLED = [
    "color P.mtx --Time_Limit 0.01 --QUALITY Best --json",
    "Color P.mtx --Algorithm First-Fit --problem Distance-1 --json",
    "List Orders --JSON",
    "info Grid-2D:3 --problem Distance-2 --json",
    "generate grid-3d 3 --out q.MTX --json",
]


@pytest.mark.parametrize("line", SPELLED)
def test_spellings(
    line: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    lagcolor.io.write("P.mtx", lagcolor.generate.path(4))
    assert cli.main(line.split()) == 0, capsys.readouterr().err


GUESSED = {
    "color p --algoritm x": "unrecognized arguments: --algoritm x (did you mean --algorithm?)",
    "color p --timeout 3": "unrecognized arguments: --timeout 3 (did you mean --time-limit?)",
    "verify p c --distance 2": "unrecognized arguments: --distance 2 (did you mean --problem?)",
    "reduce p c --n-jobs 2": "unrecognized arguments: --n-jobs 2 (did you mean --threads?)",
    "colour p": "unknown command 'colour' (did you mean 'color'?); there are: color, ",
    "grid2d:5 --json": "to color it: lagcolor color grid2d:5",
    "--json color p": "--json goes after the command: lagcolor color … --json",
    "color p -a greedy q": "unrecognized arguments: q; files go together, before all flags or after them",
    "list order": "invalid choice: 'order' (did you mean 'orders'?); choose from algorithms, ",
    "color rgb:5": "no generator of that name (did you mean 'rgg'?)",
}


@pytest.mark.parametrize("line", GUESSED)
def test_guesses(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        code = cli.main(line.split())
    except SystemExit as e:
        code = int(e.code or 0)
    assert code == 2 and GUESSED[line] in capsys.readouterr().err


def test_streams_of_other_encodings(folder: Path) -> None:
    """Pipes on Windows have the code page of the system. It may lack letters of names and the line of tables."""
    program = [*LAGCOLOR, "color", "g.mtx", "--out", "gefärbt ≤.txt"]
    for encoding, line in (("ascii", "--------"), ("cp1252", "--------"), ("utf-8", "────────")):
        streams = {**os.environ, "PYTHONIOENCODING": encoding}
        done = subprocess.run(program, cwd=folder, capture_output=True, env=streams)
        assert done.returncode == 0, done.stderr
        assert line in done.stdout.decode(encoding)
        assert (folder / "gefärbt ≤.txt").exists()
