"""The benchmark of the defaults: its lines on tiny inputs, and what its tables count."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

import lagcolor
from benchmarks import default_inputs, default_tables, defaults
from benchmarks.harness.provenance import hardware, meta
from benchmarks.harness.results import Row, of_kind, read_lines


def measured(tmp_path: Path, *words: str) -> list[Row]:
    out = tmp_path / "o.jsonl"
    assert defaults.main(["cpu", str(out), *words, "--runs", "1", "--commit", "abc"]) == 0
    return read_lines(out)


def test_lines_of_a_mesh_and_a_matrix(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(defaults, "RIVALS", ())
    records = measured(tmp_path, "tetrahedra:60,3,shuffled", "five_point:8")
    every = default_tables.found(records, "meshes", "structured")
    mesh, matrix = every["tetrahedra:60,3,shuffled"], every["five_point:8"]
    assert set(mesh) == {"default", "fast", *default_tables.ORDERS}
    G = default_inputs.graph("tetrahedra:60,3,shuffled", "cpu")
    assert mesh["fast"]["colors"] == lagcolor.color(G, quality="fast").n_colors
    assert mesh["default"]["n"] == 180 and mesh["natural"]["ms"] > 0
    assert matrix["scipy"]["products"] >= 5 and {"default", "auto", "both, natural", "rows, random"} <= set(matrix)
    assert all(row["figures"]["verified"] for row in of_kind(records, "measurement"))
    printed = capsys.readouterr().out
    assert defaults.main(["markdown", str(tmp_path / "o.jsonl")]) == 0
    assert capsys.readouterr().out == printed
    assert "| five_point:8 | auto |" in printed


def test_elements_have_eight_nodes_and_classes_a_size(tmp_path: Path) -> None:
    A = default_inputs.matrix("elements:3,shuffled")
    assert A.shape == (27, 64) and set(A.sum(axis=1)) == {8}
    codes = default_tables.found(measured(tmp_path, "elements:3,shuffled"), "elements")["elements:3,shuffled"]
    assert codes["stored graph, best"]["colors"] == 8 <= codes["default"]["colors"]
    assert codes["default"]["largest"] <= 8 and codes["default"]["smallest"] >= 1


@pytest.mark.parametrize("group", ["distance2", "hessian", "h200"])
def test_lines_of_a_gpu_on_the_cpu(group: str) -> None:
    args = argparse.Namespace(runs=1)
    codes = {row["code"]: row["figures"] for row in defaults.on_gpu("g", "grid2d:6", group, args, "cpu")}
    assert codes["default"]["same_as_cpu"] is True
    assert ("fast" if group == "h200" else "cpu") in codes


def test_names_of_the_command_line_are_in_their_set() -> None:
    words = ["small", "rmat20", "random_matrix:1000,5,0", "five_point:8", "tetrahedra:60,3"]
    found = {name: group for group, name, _ in default_inputs.chosen(words, "cpu")}
    assert [found[name] for name in ("rmat:12", *words[1:])] == ["small", "cpu", "random", "structured", "meshes"]
    assert {group for group, *_ in default_inputs.chosen([], "cuda")} == {"distance2", "hessian", "h200"}


@pytest.mark.parametrize("spec", ["hexahedra:3,2", "tetrahedra:50,1"])
def test_shuffling_a_mesh_keeps_its_degrees(spec: str) -> None:
    G, H = (default_inputs.graph(spec + order, "cpu") for order in ("", ",shuffled"))
    assert sorted(G.degrees) == sorted(H.degrees)
    assert (G.indices != H.indices).any()


def line(graph: str, code: str, group: str, **figures: float) -> Row:
    about = {"graph": graph, "n": 10, "m": 20}
    return {"kind": "measurement", **about, "code": code, "options": {"set": group}, "figures": figures}


def test_what_is_counted_on_real_graphs() -> None:
    """On b the default has a color more than natural order, and takes four times as long as fast."""
    records = [meta("cpu", hardware("cpu"), [], "abc")]
    for graph, colors, ms in (("a", 4, 1.0), ("b", 5, 4.0)):
        records += [line(graph, code, "real", colors=4, ms=1.0) for code in ("fast", *default_tables.ORDERS)]
        records += [line(graph, "default", "real", colors=colors, ms=ms)]
        records += [line(graph, "igraph dsatur", "real", colors=4, ms=16.0)]
    records += [{"kind": "reference", "graph": "a", "code": "ColPack", "colors": 3, "ms": None, "from": "x.csv"}]
    text = "\n".join(default_tables.markdown(records))
    assert "DSATUR | 50.0 % of 2; up to 50 colors at most 1 more. More: b (5, 4) |" in text
    assert "ColPack | 0.0 % of 1; up to 50 colors at most 1 more. More: a (4, 3) |" in text
    assert "0.125 × igraph dsatur's time" in text
    assert "| share with at most 2 × the time of `fast`, all | 50.0 % |" in text
    assert "| time / `fast`, all | median 2.50, 90th percentile 3.70, of sums 2.50 |" in text
    assert "more on 1 of 2" in text
    assert "| 2 real graphs | 1.118, 2 |" in text


def test_partitions_and_relations_are_beside_their_like() -> None:
    figures = {"default": 9, "auto": 8, "columns, natural": 9, "rows, natural": 7, "scipy": 8, "asdex": 9}
    records = [meta("cpu", hardware("cpu"), [], "abc")]
    records += [line("m", code, "random", products=k, ms=1.0) for code, k in figures.items()]
    groups = {"anti": 5, "anti, random": 4, "general": 3, "general, random": 2}
    records += [line("p", code, "pauli", colors=k, ms=1.0) for code, k in groups.items()]
    text = "\n".join(default_tables.markdown(records))
    assert "| default | 1 of 1: m (9, 8) | 0 of 1 | 0 of 1 |" in text
    assert "| auto | 0 of 1 | 0 of 1 | 1 of 1: m (8, 7) |" in text
    assert "| p | anti | 5 | 1 |  | 4 (anti, random, 1 ms) |" in text
