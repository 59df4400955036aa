"""The benchmark of RLF: its lines and its tables."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution

from benchmarks import rlf
from benchmarks.harness.results import read_lines


def test_lines_and_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r.jsonl"
    how = ["--runs", "1", "--edges", "300", "--out", str(out), "--commit", "abc"]
    assert rlf.main(["queen:5", "rgg:8", *how]) == 0
    records = read_lines(out)
    found = rlf.figures(records)
    assert set(found["", "queen:5"]) == {"rlf", "dsatur", rlf.GCOL} and set(found["", "rgg:8"]) == {"rlf", "dsatur"}
    assert all(5 <= k <= 13 and ms > 0 for each in found.values() for k, ms in each.values())
    assert "\n".join(rlf.markdown(records)) in capsys.readouterr().out


def test_sums_over_a_set() -> None:
    graphs = [
        {"rlf": (4, 2.0), "dsatur": (5, 1.0), rlf.GCOL: (4, 20.0)},
        {"rlf": (5, 8.0), "dsatur": (5, 1.0)},
        {"rlf": (7, 4.0), "dsatur": (6, 1.0), rlf.GCOL: (7, 4000.0)},
    ]
    assert rlf.summary(graphs) == ["3", "1", "1", "1", "4.00", "100"]


def test_real_graphs_are_by_folder() -> None:
    row = {"kind": "run", "variant": "rlf", "code": "rlf", "colors": 3, "ms": 1.0}
    records = [{**row, "spec": spec, "graph": spec} for spec in ("data:B/myciel4.col.gz", "grid2d:9", "/tmp/g.col")]
    assert list(rlf.figures(records)) == [
        ("coloring instances", records[0]["spec"]),
        ("", "grid2d:9"),
        ("", "/tmp/g.col"),
    ]
