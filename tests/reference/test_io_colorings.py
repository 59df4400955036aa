"""Coloring files: written by `Coloring.save`, read back for `verify`, and each malformed one against its message."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpus import graph

import lagcolor
from lagcolor import io
from lagcolor.api.result import Coloring

EXTENSIONS = [".npy", ".txt", ".csv", ".json"]


def colored(labels: Any = None) -> Coloring:
    G = (
        graph("grid")
        if labels is None
        else lagcolor.Graph(*(np.zeros(k, np.int32) for k in (len(labels) + 1, 0)), labels)
    )
    colors = np.arange(G.n, dtype=np.int32) % 7 - 1
    return Coloring(colors, G, "by hand", "natural", seed=3, notes={"k": np.int64(5), "a": np.arange(2)})


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_round_trip(extension: str, tmp_path: Path) -> None:
    result = colored()
    for packed in ("", ".gz"):
        path = tmp_path / f"c{extension}{packed}"
        result.save(path)
        assert np.array_equal(io.read_coloring(path), result.colors)
        with pytest.raises(lagcolor.ColoringError, match=r"read a file with lagcolor\.io\.read_coloring\(path\)$"):
            lagcolor.verify(result.graph, path)
        assert (path.read_bytes()[:2] == b"\x1f\x8b") == bool(packed)


@pytest.mark.parametrize("read", [str, Path, io.read, lagcolor.Graph.of, lagcolor.Pattern.of])
def test_a_coloring_does_not_replace_the_file_of_its_graph(read: Any, tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text("0 1\n1 2\n")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "g.txt")
    result = lagcolor.color(read(tmp_path / "g.txt"), problem="columns")
    for name in ("g.txt", "hard.csv"):
        with pytest.raises(lagcolor.OptionError, match="this is the file of the graph: choose another name"):
            result.save(tmp_path / name)
    result.save(tmp_path / "c.txt")
    assert (tmp_path / "g.txt").read_text() == "0 1\n1 2\n"


@pytest.mark.parametrize("wrong", [2**32 + 1, 2**31, -(2**31) - 1])
def test_colors_past_int32_are_not_written(wrong: int, tmp_path: Path) -> None:
    for extension in EXTENSIONS:
        path = tmp_path / f"c{extension}"
        path.write_bytes(b"before")
        colors = np.array([0, 1, wrong])
        for passed in (colors, colors.tolist()):
            with pytest.raises(lagcolor.ColoringError, match=rf"vertex 2 has color {wrong}, which is no int32"):
                io.write_coloring(path, passed)
        assert path.read_bytes() == b"before"
        colors[2] = 2**31 - 1
        io.write_coloring(path, colors)
        assert io.read_coloring(path).tolist() == colors.tolist()


def test_what_is_no_coloring_is_not_written(tmp_path: Path) -> None:
    for wrong in (np.zeros((2, 2), int), np.zeros(3)):
        with pytest.raises(lagcolor.ColoringError, match="colors are integers, one per vertex, not "):
            io.write_coloring(tmp_path / "c.txt", wrong)
    assert not list(tmp_path.iterdir())


LABELS = [
    ["a", "b", "c"],
    [30, 10, 20],
    [(0, 1), (0, 2), (1, 1)],
    ['a "quoted", one', "two\nlines", ""],
    [1, "1", 1.5],
    ["é", "ß", "漢"],
]


@pytest.mark.parametrize("labels", LABELS)
def test_labels(labels: list[Any], tmp_path: Path) -> None:
    result = colored(labels)
    for extension in EXTENSIONS:
        result.save(tmp_path / f"c{extension}")
        assert io.read_coloring(tmp_path / f"c{extension}", labels=labels).tolist() == [-1, 0, 1]


@pytest.mark.parametrize("extension", [".csv", ".json"])
def test_labels_say_which_vertex(extension: str, tmp_path: Path) -> None:
    path = tmp_path / f"c{extension}"
    colored(["a", "b", "c"]).save(path)
    assert io.read_coloring(path, labels=["c", "a", "b"]).tolist() == [1, -1, 0]
    faults = (None, "'0' has no color"), (["a", "b", "d"], "'d' has no color"), (["a", "b"], "3 vertices, .* 2 labels")
    for labels, fault in faults:
        with pytest.raises(lagcolor.FormatError, match=rf"{fault} \(.*: labels=G\.labels, or labels=G\.column_labels"):
            io.read_coloring(path, labels=labels)
    G = lagcolor.Pattern.of([("Ann", "Art"), ("Ann", "Biology"), ("Bob", "Art")])
    for problem, advised in (("rows", G.labels), ("columns", G.column_labels)):
        lagcolor.color(G, problem=problem).save(path)
        assert sorted(io.read_coloring(path, labels=advised).tolist()) == [0, 1]


def test_contents(tmp_path: Path) -> None:
    result = colored()
    for extension in EXTENSIONS:
        result.save(tmp_path / f"c{extension}")
    colors = result.colors.tolist()
    assert np.load(tmp_path / "c.npy").dtype == np.int32
    assert (tmp_path / "c.txt").read_text() == "".join(f"{c}\n" for c in colors)
    assert (tmp_path / "c.csv").read_text() == "vertex,color\n" + "".join(f"{v},{c}\n" for v, c in enumerate(colors))
    document = json.loads((tmp_path / "c.json").read_text())
    assert document.pop("colors") == colors
    assert document.pop("notes") == {"k": 5, "a": [0, 1]}
    provenance = result.provenance()
    del provenance["notes"]
    assert document == provenance and document["seed"] == 3


MALFORMED = [
    ("c.txt", "0\n\n1\n", "line 2: a color must be"),
    ("c.txt", "99999999999999999999\n", "line 1: color 99999999999999999999 is out of range"),
    ("c.txt", b"0\n\xff\n", "byte 2 is no UTF-8"),
    ("c.csv", "0,1\n", "line 1: expected the header"),
    ("c.csv", "vertex,color\n0\n", "line 2: expected 'vertex,color', found '0'"),
    ("c.csv", "vertex,color\n0,1\n0,2\n", "line 3: vertex '0' has a color already"),
    ("c.csv", 'vertex,color\n"0,1\n', r"line 2: no line of a \.csv file"),
    ("c.csv", "vertex,color\n0,1\n2,2\n", "vertex '1' has no color"),
    ("c.json", "{", "line 1: no JSON"),
    ("c.json", '{"colors": 3}', "expected an object with 'colors'"),
    ("c.json", '{"colors": [0, 1.5]}', "a color must be a whole number, not 1.5"),
    ("c.json", '{"ends": [["0", "1"]], "colors": [0]}', "colors edges, not vertices: pass labels="),
    ("c.csv", b"\x1f\x8b\b", "gzip packed this file, .*: add .gz to the name"),
    ("c.npy", b"\x93NUMPY\1\0", "no readable .npy"),
    ("c.npy.gz", b"0\n", "damaged or truncated gzip"),
]


@pytest.mark.parametrize(("name", "data", "message"), MALFORMED)
def test_malformed(name: str, data: str | bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    with pytest.raises(lagcolor.FormatError) as caught:
        io.read_coloring(path)
    assert str(caught.value).startswith(str(path))
    assert re.search(message, str(caught.value)), str(caught.value)


def test_wrong_array(tmp_path: Path) -> None:
    for array in (np.zeros((2, 2), int), np.zeros(3), np.array(["a"]), np.array(3)):
        np.save(tmp_path / "c.npy", array)
        with pytest.raises(lagcolor.FormatError, match="expected one dimension of integers"):
            io.read_coloring(tmp_path / "c.npy")
