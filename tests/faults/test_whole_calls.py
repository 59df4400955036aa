"""The benchmark of whole calls: its lines, and how it compares two commits."""

from __future__ import annotations

from pathlib import Path

import pytest

import lagcolor
from benchmarks import whole_calls
from benchmarks.harness.results import Row, read_lines


def test_measured_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "o.jsonl"
    args = ["rmat:6", "grid2d:9", "--device", "cpu", "--runs", "2", "--commit", "abc", "--out", str(out)]
    assert whole_calls.main(args) == 0
    _, *lines = read_lines(out)
    assert [(line["graph"], line["options"]["form"]) for line in lines] == [
        ("rmat:6", "graph"), ("rmat:6", "matrix"), ("grid2d:9", "graph"), ("grid2d:9", "matrix"),
    ]  # fmt: skip
    for line in lines:
        assert line["figures"]["colors"] == lagcolor.color(line["spec"]).n_colors
        assert len(line["figures"]["ms_all"]) == 2
    assert "| rmat:6 | matrix |" in capsys.readouterr().out
    assert whole_calls.main([*args, "--compare", str(out)]) == 0
    assert "| geometric mean | matrix |" in capsys.readouterr().out


def test_ratios() -> None:
    def line(graph: str, form: str, ms: float, colors: int = 3) -> Row:
        figures = {"ms": ms, "work_ms": ms / 2, "colors": colors}
        return {
            "kind": "measurement",
            "code": "whole_call",
            "graph": graph,
            "options": {"form": form},
            "figures": figures,
        }

    then = [line("a", "graph", 1.0), line("b", "graph", 1.0), line("gone", "graph", 1.0)]
    now = [line("a", "graph", 2.0), line("b", "graph", 8.0, 4), line("new", "graph", 1.0)]
    assert whole_calls.compare(then, now)[2:] == [
        "| a | graph | 1.000 | 2.000 | 2.000 | 2.000 | 3 |",
        "| b | graph | 1.000 | 8.000 | 8.000 | 8.000 | 3 -> 4 |",
        "| geometric mean | graph |  |  | 4.000 | 4.000 |  |",
    ]
    assert whole_calls.compare(then, []) == ["No graph is in both files."]
