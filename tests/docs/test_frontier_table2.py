"""The benchmark of Table II, on a tiny mesh: its rows and its file; nobody's speed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import lagcolor

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution

from benchmarks import frontier_table2
from benchmarks.harness.results import read_lines


def test_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "table2.jsonl"
    assert frontier_table2.main(["grid2d:20,15", "--device", "cpu", "--runs", "2", "--out", str(file)]) == 0
    _, *rows = read_lines(file)
    assert [r["variant"] for r in rows] == [step.name for step in frontier_table2.STEPS]
    assert all(0 < min(r["ms_all"]) <= r["ms"] <= max(r["ms_all"]) for r in rows)
    G = lagcolor.generate.from_spec("grid2d:20,15")
    for row in rows:
        assert row["colors"] == lagcolor.color(G, row["code"], **row["options"]).n_colors
    shown = capsys.readouterr().out
    assert all(step.name in shown and f"{step.paper_ms:g}" in shown for step in frontier_table2.STEPS)
