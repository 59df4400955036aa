"""What the library says of its parameters, in the words of the command line: every text that can reach its users."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import lagcolor
from lagcolor import cli
from lagcolor.cli import exits

FLAGS = {name for command in cli.parser().commands.values() for name in command.parameters}
PYTHON = re.compile(r"\b(?!NAME=)[a-z_]{2,}=|\.astype|dtype")  # what no command line takes

MESSAGES = {
    "a wrong length": (
        ("color", "p.txt", "--fixed", "short.txt"), "--fixed must have 4 entries, one per vertex, not 2\n",
    ),
    "a limit of another quality": (
        ("color", "p.txt", "-q", "fast", "--time-limit", "3"), "--time-limit is for --quality best",
    ),
    "a partial coloring": (
        ("color", "p.txt", "--partial", "fewest"), "--partial is for a limited number of colors: pass --max-colors",
    ),
    "weights and equitable": (
        ("color", "p.txt", "--equitable", "--weights", "c.txt"),
        "--equitable counts vertices: leave --weights out, or pass --balance 1",
    ),
    "no proper coloring": (("reduce", "p.txt", "zeros.txt"), "'lagcolor color' makes a proper one"),
    "a format": (("color", "p.xyz"), "Or name it, as in --format mtx; there are: mtx, edges"),
    "memory of a file": (
        ("color", "p.txt", "--memory", "1GB"),
        "p.txt: --memory is for a graph in a folder, which 'lagcolor convert p.txt p.csr' makes",
    ),
    "memory of a generator": (
        ("color", "Grid-2D:4,5", "--memory", "1GB"), "'lagcolor generate grid2d 4 5 --out Grid-2D_4_5.csr'",
    ),
    "a graph that is there": (("convert", "p.txt", "g.csr"), "there is a graph already; pass --force to replace it"),
    "a Matrix Market file": (("color", "matrix.txt"), "pass --format mtx"),
    "an unknown option": (("color", "p.txt", "--option", "passes=2"), "option 'passes'; 'lagcolor list options' names"),
    "an unknown order": (("color", "p.txt", "--order", "nosuch"), "connected_sequential_dfs, independent_set\n"),
    "an order of a folder": (("color", "g.csr", "--memory", "1GB", "-r", "smallest_last"), ", largest_log_first\n"),
    "a flag as an option": (("color", "p.txt", "--option", "oder=natural"), "(did you mean '--order'?); 'lagcolor"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in {
        "p.txt": "0 1\n1 2\n2 3\n", "p.xyz": "0 1\n", "c.txt": "0\n1\n0\n1\n", "short.txt": "0\n1\n",
        "zeros.txt": "0\n" * 4,
        "matrix.txt": "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n",
    }.items():  # fmt: skip
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    lagcolor.io.write("g.csr", "path:4")


@pytest.mark.parametrize("case", MESSAGES)
def test_errors_as_they_are_printed(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    words, expected = MESSAGES[case]
    assert cli.main(list(words)) in (1, 2)
    err = capsys.readouterr().err
    assert expected in err, err
    assert PYTHON.search(err) is None, err


@pytest.mark.parametrize("words", [("color", "p.txt"), ("reduce", "p.txt", "c.txt")])
def test_the_option_that_the_help_names(words: tuple[str, ...]) -> None:
    text = " ".join(cli.parser().commands[words[0]].format_help().split())
    found = re.search(r"option of (--\w+), such as (\S+) of (\w+)", text)
    assert found and cli.main([*words, found[1], found[3], "--option", found[2]]) == 0


def test_warnings_are_one_line_in_the_same_words(capsys: pytest.CaptureFixture[str]) -> None:
    remedy = "algorithm='greedy' takes one pass, for other colors; Ctrl-C ends it"
    exits.warn(lagcolor.NumberingWarning(f"very\nmany rounds. {remedy}"), FLAGS)
    message = "very many rounds. --algorithm greedy takes one pass, for other colors; Ctrl-C ends it"
    assert capsys.readouterr().err == f"lagcolor: warning: {message}\n"
    exits.warn(UserWarning("of another library: order='x'"), FLAGS)
    assert capsys.readouterr().err == "lagcolor: warning: of another library: order='x'\n"


def test_the_advice_for_gaps_holds(capsys: pytest.CaptureFixture[str]) -> None:
    Path("gaps.txt").write_text("0\n2\n0\n2\n")
    assert cli.main(["verify", "p.txt", "gaps.txt"]) == 1
    assert "unused; for distance1 'lagcolor reduce' with --out saves some, or numbers them" in capsys.readouterr().out
    assert cli.main(["reduce", "p.txt", "gaps.txt", "--out", "dense.txt"]) == 0
    assert cli.main(["verify", "p.txt", "dense.txt"]) == 0


def test_the_advice_for_a_vertex_0_without_edges_holds(capsys: pytest.CaptureFixture[str]) -> None:
    Path("list.txt").write_text("1 2\n2 3\n3 1\n")
    assert cli.main(["convert", "list.txt", "new.csr"]) == 0
    assert "has no edges, pass --n 4, or begin a file of" in capsys.readouterr().err
    assert cli.main(["color", "list.txt"]) == 0
    (line,) = re.findall(r"no edges, begin a file of .* line '(# Nodes: 4 Edges: )m'", capsys.readouterr().err)
    Path("list.txt").write_text(f"{line}3\n1 2\n2 3\n3 1\n")
    assert cli.main(["color", "list.txt"]) == 0
    assert capsys.readouterr().err == ""
