"""The flags of rules, and the files that they read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import lagcolor
from lagcolor import cli
from lagcolor.io import read_capacity, read_coloring, read_forbidden, read_weights

FILES = {
    "p4.txt": "0 1\n1 2\n2 3\n",
    "fixed.csv": "vertex,color\n0,3\n",
    "fixed.json": '{"colors": {"0": 3, "2": -1}}',
    "fixed.txt": "3\n-1\n-1\n-1\n",
    "edges.json": '{"problem": "edges", "ends": [["1", "0"]], "colors": [5]}',
    "columns.json": '{"problem": "columns", "colors": [0, 1, 0, 1]}',
    "both.csv": "vertex,color\n1,0\n2,0\n",
    "unknown.csv": "vertex,color\n7,0\n",
    "forbidden.csv": "vertex,color\n1,0\n1,2\n3,0\n",
    "weights.csv": "vertex,weight\n3,4\n0,1\n1,2\n2,3.5\n",
    "weights.txt": "1\n2\n3\n4\n",
    "capacity.csv": "color,capacity\n1,4\n0,2\n2,inf\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = cli.main(list(args))
    out = capsys.readouterr()
    return code, out.out, out.err


@pytest.mark.parametrize("fixed", ["fixed.csv", "fixed.json", "fixed.txt"])
def test_color_and_verify(capsys: pytest.CaptureFixture[str], fixed: str) -> None:
    rules = ("--fixed", fixed, "--forbidden", "forbidden.csv", "--max-colors", "5")
    code, out, _ = run(capsys, "color", "p4.txt", *rules, "--out", "c.csv", "--json")
    row = json.loads(out)
    assert code == 0 and row["rules"] == {"fixed": 1, "forbidden": 3, "max_colors": 5} and row["verified"]
    colors = read_coloring("c.csv")
    assert colors[0] == 3 and colors[1] not in (0, 2) and colors[3] != 0
    assert run(capsys, "verify", "p4.txt", "c.csv", *rules)[0] == 0
    code, out, _ = run(capsys, "verify", "p4.txt", "c.csv", "--fixed", "both.csv", "--capacity", "1")
    assert code == 1 and "without their fixed color" in out and "over capacity" in out


def test_files_name_edges_by_their_ends(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "e.csv").write_text("u,v,color\n2,1,7\n")
    (folder / "w.csv").write_text("u,v,weight\n0,1,1\n1,2,2\n3,2,3\n")
    args = ("--forbidden", "e.csv", "--fixed", "edges.json", "--weights", "w.csv", "--capacity", "4", "-p", "edges")
    code, _, err = run(capsys, "color", "p4.txt", *args, "--out", "c.npy")
    assert code == 0, err
    assert np.load("c.npy").tolist()[0] == 5
    assert run(capsys, "verify", "p4.txt", "c.npy", *args)[0] == 0
    assert "which colors edges, not vertices" in run(capsys, "verify", "p4.txt", "edges.json")[2]


def test_capacities(capsys: pytest.CaptureFixture[str]) -> None:
    args = ("--weights", "weights.csv", "--capacity", "capacity.csv")
    code, out, _ = run(capsys, "color", "p4.txt", *args, "--out", "c.npy", "--json")
    assert code == 0 and json.loads(out)["rules"]["weight"] == 10.5
    weights = np.bincount(np.load("c.npy"), [1, 2, 3.5, 4], 3)
    assert weights[0] <= 2 and weights[1] <= 4
    assert run(capsys, "color", "p4.txt", "--capacity", "2.5", "--problem", "distance2")[0] == 0
    assert run(capsys, "color", "p4.txt", "--weights", "weights.txt")[0] == 0


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("--fixed", "both.csv"), 1, "--fixed: vertex 1 and vertex 2 are neighbors, and both have color 0"),
        (("--fixed", "edges.json"), 2, "edges.json: a coloring for --problem edges, which colors edges, not vertices"),
        (("--fixed", "columns.json"), 2, "a coloring for --problem columns, which colors columns, not vertices"),
        (("--fixed", "unknown.csv"), 2, "unknown.csv: there is no vertex '7'"),
        (
            ("--fixed", "fixed.csv", "--max-colors", "2"),
            1,
            "--fixed: vertex 0 has color 3, and --max-colors 2 allows 0",
        ),
        (("--max-colors", "1"), 1, "--max-colors 1: there is no coloring with 1 color: there is a clique of 2"),
        (("--capacity", "-3"), 2, "--capacity must be a number from 0 on"),
        (("--capacity", "five"), 2, "a number for all colors needs no file, as in --capacity 5"),
        (("--capacity", "fixed.csv"), 2, "expected the header 'color,capacity', found 'vertex,color'"),
        (("--weights", "fixed.json"), 2, "weight files are .npy, .txt or .csv"),
        (("--max-colors", "2", "--reduce", "ejection"), 2, "--reduce keeps no rules"),
        (("--option", "max_colors=2"), 2, "write --max-colors"),
    ],
)
def test_errors_name_the_flags(
    capsys: pytest.CaptureFixture[str], args: tuple[str, ...], code: int, message: str
) -> None:  # fmt: skip
    got, _, err = run(capsys, "color", "p4.txt", *args)
    assert got == code and message in err, err


def test_a_file_named_like_a_rule_keeps_its_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "capacity.csv").write_text("max_colors\n")
    code, _, err = run(capsys, "color", "p4.txt", "--capacity", "capacity.csv")
    assert code == 2 and "error: capacity.csv, line 1" in err and "'max_colors'" in err, err


def test_colors_in_use_are_printed_alike(capsys: pytest.CaptureFixture[str]) -> None:
    assert " 3 (the largest 3) " in run(capsys, "color", "p4.txt", "--fixed", "fixed.csv", "--out", "c.csv")[1]
    message = run(capsys, "verify", "p4.txt", "c.csv", "--fixed", "fixed.csv")[1]
    assert message == "proper: 3 colors (the largest 3), 4 vertices, 3 edges\n"


def test_forbidden_files(folder: Path) -> None:
    dense = np.array([[0, 0, 0], [1, 0, 1], [0, 0, 0], [1, 0, 0]], bool)
    scipy.io.mmwrite(folder / "f.mtx", sp.coo_array(dense.astype(int)))
    sp.save_npz(folder / "f.npz", sp.csr_array(dense))
    G = lagcolor.generate.path(4)
    expected = lagcolor.color(G, forbidden=dense).colors.tolist()
    for name in ("f.mtx", "f.npz", "forbidden.csv"):
        assert lagcolor.color(G, forbidden=read_forbidden(name, 4)).colors.tolist() == expected, name


def test_allowed_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A vertex that a .csv file does not name has no list; a matrix has one for each vertex."""
    (folder / "a.csv").write_text("vertex,color\n0,2\n3,1\n3,2\n")
    code, _, _ = run(capsys, "color", "p4.txt", "--allowed", "a.csv", "--max-colors", "3", "--out", "c.csv")
    colors = read_coloring("c.csv").tolist()
    assert code == 0 and colors[0] == 2 and colors[3] in (1, 2)
    code, _, err = run(capsys, "color", "p4.txt", "--allowed", "a.csv")
    assert code != 0 and "vertex 1 has no list" in err
    sp.save_npz(folder / "a.npz", sp.csr_array(np.array([[0, 1], [1, 1], [0, 1], [1, 1]], bool)))
    assert run(capsys, "color", "p4.txt", "--allowed", "a.npz", "--out", "d.csv")[0] == 0
    assert read_coloring("d.csv").tolist() == [1, 0, 1, 0]


def test_files_name_vertices_by_label(folder: Path) -> None:
    G = lagcolor.Graph.of(nx.Graph([("a", "b"), ("b", "c")]))
    (folder / "f.csv").write_text("vertex,color\nb,0\nb,1\n")
    (folder / "w.csv").write_text("vertex,weight\nc,3\nb,2\na,1\n")
    (folder / "c.csv").write_text("vertex,color\nc,4\n")
    rules: dict[str, Any] = {
        "forbidden": read_forbidden("f.csv", 3, labels=G.labels),
        "fixed": read_coloring("c.csv", labels=G.labels, n=3),
    }
    result = lagcolor.color(G, weights=read_weights("w.csv", 3, labels=G.labels), **rules)
    assert result.to_dict() == {"a": 0, "b": 2, "c": 4}
    assert result.class_weights.tolist() == [1, 0, 2, 0, 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("vertex,weight\n0,1\n", "vertex '1' has no weight"),
        ("vertex,weight\n0,1\n1,2\n2,3\n", "line 4: there is no vertex '2'"),
        ("vertex,weight\n0,heavy\n", "line 2: expected a number, not 'heavy'"),
        ("vertex,weight\n0,1_0\n", "line 2: expected a number, not '1_0'"),
    ],
)
def test_malformed_numbers(folder: Path, text: str, message: str) -> None:
    (folder / "w.csv").write_text(text)
    with pytest.raises(lagcolor.FormatError, match=message):
        read_weights("w.csv", 2)


def test_malformed_forbidden_and_capacity(folder: Path) -> None:
    for text, message in (("0,-1", "colors go from 0"), ("0,red", "whole number"), ("9,0", "no vertex '9'"),
                       ("0,2147483647", "color 2147483647: colors go from 0 to 2147483646")):  # fmt: skip
        (folder / "f.csv").write_text(f"vertex,color\n{text}\n")
        with pytest.raises(lagcolor.FormatError, match=message):
            read_forbidden("f.csv", 4)
    (folder / "k.csv").write_text("color,capacity\n0,1\n2,1\n")
    with pytest.raises(lagcolor.FormatError, match="no color '2'"):
        read_capacity("k.csv")
    np.save(folder / "k.npy", np.array([[1.0]]))
    with pytest.raises(lagcolor.FormatError, match="one dimension of numbers"):
        read_capacity("k.npy")
    np.save(folder / "k.npy", np.array([1.5, 2]))
    assert read_capacity("k.npy").tolist() == [1.5, 2]


LABELS = ["a", "b", "c", "d", "e"]


@pytest.fixture
def clique(folder: Path) -> None:
    (folder / "g.txt").write_text("a b\na c\na d\nb c\nb d\nc d\nd e\n")
    (folder / "cost.csv").write_text("vertex,weight\na,5\nb,2\nc,9\nd,8\ne,1\n")


def test_partial(capsys: pytest.CaptureFixture[str], clique: None) -> None:
    assert cli.main(["color", "g.txt", "--max-colors", "3", "--partial", "fewest", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row["notes"]["uncolored"] == 1 and row["notes"]["partial"]["proved"] and row["verified"]
    how = ("--max-colors", "3", "--partial", "lightest", "--weights", "cost.csv", "--out", "c.csv")
    assert cli.main(["color", "g.txt", *how]) == 0
    assert "(1 uncolored)" in capsys.readouterr().out
    assert [v for v, c in zip(LABELS, read_coloring("c.csv", labels=LABELS, n=5), strict=True) if c < 0] == ["b"]
    assert cli.main(["verify", "g.txt", "c.csv", "--max-colors", "3", "--allow-uncolored"]) == 0
    assert cli.main(["verify", "g.txt", "c.csv", "--max-colors", "3"]) == 1


def test_an_error_writes_the_partial_coloring_and_the_clique(capsys: pytest.CaptureFixture[str], clique: None) -> None:
    assert cli.main(["color", "g.txt", "--max-colors", "3", "--out", "c.csv"]) == 1
    err = capsys.readouterr().err
    assert "clique: a b c d\n" in err and "c.csv has the best partial coloring" in err and "1 of 5 vertices" in err
    assert "(--out FILE writes it)" in err and "`partial`" not in err
    assert sorted(read_coloring("c.csv", labels=LABELS, n=5)).count(-1) == 1
