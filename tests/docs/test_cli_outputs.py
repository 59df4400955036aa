"""Outputs that are inputs, too, and outputs of one name: an error, and every file as it was."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from forks import Forks
from waiting import PATIENCE

import lagcolor
from lagcolor import cli
from lagcolor.base.errors import OptionError

EDGES = "0 1\n1 2\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a graph, its colors and Pauli strings."""
    monkeypatch.chdir(tmp_path)
    for name in ("k.txt", "k.csv", "k.json"):
        (tmp_path / name).write_text(EDGES)
    (tmp_path / "colors.txt").write_text("0\n1\n0\n")
    (tmp_path / "strings.txt").write_text("XI\nZI\n")
    np.save(tmp_path / "k.npy", np.array([0, -1, 0]))
    return tmp_path


def through_a_link(path: Path) -> str:
    (path.parent / f"soft{path.suffix}").symlink_to(path.name)
    return f"soft{path.suffix}"


def hard_link(path: Path) -> str:
    os.link(path, path.parent / f"hard{path.suffix}")
    return f"hard{path.suffix}"


def folder_that_is_a_link(path: Path) -> str:
    (path.parent / "here").symlink_to(".")
    return f"here/{path.name}"


# Command lines, and the input that --out names.
COMMANDS = (
    ("color k.txt", "k.txt"),
    ("color k.csv --format edges", "k.csv"),
    ("color k.txt --fixed k.npy", "k.npy"),
    ("reduce k.txt colors.txt", "colors.txt"),
    ("pauli strings.txt", "strings.txt"),
    ("bench k.json --format edges", "k.json"),
)


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file()}


@pytest.mark.parametrize(
    ("command", "file", "name"),
    [
        *((*row, "./{0.name}".format) for row in COMMANDS),
        *((*COMMANDS[0], name) for name in (through_a_link, hard_link, folder_that_is_a_link)),
    ],
)
def test_no_command_writes_what_it_reads(
    command: str, file: str, name: Callable[[Path], str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = name(folder / file)
    before = contents(folder)
    assert cli.main([*command.split(), "--out", out]) == 2
    printed = capsys.readouterr().err
    assert f"--out {Path(out)}: this is the same file as the input {file}" in printed.replace("--out ./", "--out ")
    assert contents(folder) == before


def test_of_several_inputs_none_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "l.txt").write_text(EDGES)
    before = contents(folder)
    assert cli.main(["color", "rgg:4", "k.txt", "l.txt", "--out", "{stem}.txt"]) == 2
    assert "--out k.txt: this is the same file as the input k.txt" in capsys.readouterr().err
    assert contents(folder) == before
    # One that is another's input counts, too.
    (folder / "k.mtx").symlink_to("l.txt")
    assert cli.main(["color", "k.mtx", "k.txt", "--format", "edges", "--out", "{stem}.txt"]) == 2
    assert contents(folder) == before | {"k.mtx": EDGES.encode()}


def test_two_outputs_of_one_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.txt").write_text(EDGES)
    (folder / "b.txt").write_text(EDGES)
    (folder / "a.npy").symlink_to("b.npy")
    assert cli.main(["color", "a.txt", "b.txt", "--out", "{stem}.npy"]) == 2
    assert "a.npy, which is the same file as b.npy" in capsys.readouterr().err
    assert not (folder / "b.npy").exists()
    (folder / "b.npy").touch()
    assert cli.main(["color", "a.txt", "b.txt", "--out", "{stem}.npy"]) == 2
    assert (folder / "b.npy").read_bytes() == b""
    (folder / "a.npy").unlink()
    assert cli.main(["color", "a.txt", "b.txt", "--out", "{stem}.npy"]) == 0
    assert np.load("a.npy").tolist() == np.load("b.npy").tolist()


def test_the_arrays_of_a_folder_are_its_graph(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lagcolor.convert("k.txt", "k.csr", memory="100MB")
    before = contents(folder / "k.csr")
    for name in ("indices.npy", "indptr.npy", "graph.json"):
        assert cli.main(["color", "k.csr", "--out", f"k.csr/{name}"]) == 2
        assert f"--out k.csr/{name}: this is the same file as the input k.csr" in capsys.readouterr().err
    assert contents(folder / "k.csr") == before
    for _ in range(2):  # the colors of before are replaced
        assert cli.main(["color", "k.csr", "--out", "k.csr/"]) == 0
    assert np.load("k.csr/k.colors.npy").tolist() == [0, 1, 0]
    assert cli.main(["generate", "path", "3", "--out", "k.csr"]) == 2
    assert "k.colors.npy in it is no file of the graph" in capsys.readouterr().err


def test_standard_input_and_output_may_be_the_same_file(folder: Path, forks: Forks) -> None:
    with open("k.txt") as file:
        words = ["color", "-", "--format", "edges", "--out", "k.txt"]
        done = subprocess.run([*forks.lagcolor, *words], stdin=file, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 2
    assert "--out k.txt: this is the same file as the input standard input" in done.stderr
    with open("k.txt", "a") as file:
        words = ["color", "k.txt", "--out", "-"]
        done = subprocess.run([*forks.lagcolor, *words], stdout=file, stderr=-1, text=True, timeout=PATIENCE)
    assert done.returncode == 2
    assert "--out -, standard output: this is the same file as the input k.txt" in done.stderr
    assert (folder / "k.txt").read_text() == EDGES


def test_a_conversion_does_not_replace_its_inputs(folder: Path) -> None:
    lagcolor.convert("k.txt", "web.csr", memory="100MB")
    (folder / "link").symlink_to("web.csr")
    (folder / "web.csr" / "more.txt").write_text("2 3\n")
    for inputs in ("web.csr", "link", "web.csr/more.txt", ["k.txt", "link/more.txt"]):
        with pytest.raises(OptionError, match="is one of the inputs, or has one in it: take another name"):
            lagcolor.convert(inputs, "web.csr", memory="100MB", force=True)
    assert lagcolor.io.read("web.csr").n_edges == 2
    assert (folder / "web.csr" / "more.txt").read_text() == "2 3\n"
