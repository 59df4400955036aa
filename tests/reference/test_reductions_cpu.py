"""The benchmark of reductions: what it measures and prints, on a small graph."""

from __future__ import annotations

from pathlib import Path

import pytest

import lagcolor
from benchmarks import reductions_cpu
from benchmarks.harness.results import by_graph, read_lines


def test_colors_fall_from_left_to_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r.jsonl"
    assert reductions_cpu.main(["rmat:10", "--runs", "2", "--out", str(out), "--commit", "abc"]) == 0
    records = read_lines(out)
    (row,) = by_graph(records)
    colors = {name: row[name]["colors"] for name in reductions_cpu.COLUMNS}
    first = lagcolor.color(lagcolor.generate.from_spec("rmat:10"), "greedy", "largest_first").n_colors
    assert colors["largest_first"] == first
    assert max(colors.values()) == first and colors["ejection"] <= colors["ejection_least"]
    assert all(len(row[name]["ms_all"]) == 2 and row[name]["ms"] > 0 for name in colors)
    lines = reductions_cpu.markdown(records)
    assert lines[0].startswith("| graph | largest_first |") and lines[2].startswith(f"| rmat:10 | {first} / ")
    assert "Medians of 2 runs" in lines[-1] and "commit abc" in lines[-1]
    assert "\n".join(lines) in capsys.readouterr().out
