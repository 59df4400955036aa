"""The benchmark of rules: what it measures and prints, on a small graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import rules
from benchmarks.harness.results import of_kind, read_lines


def test_a_line_for_each_rule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r.jsonl"
    assert rules.main(["grid2d:20", "--device", "cpu", "--runs", "2", "--out", str(out), "--commit", "abc"]) == 0
    lines = {line["options"]["rule"]: line["figures"] for line in of_kind(read_lines(out), "measurement")}
    assert tuple(lines) == rules.RULES
    assert all(len(f["ms_all"]) == 2 and f["ms"] > 0 for f in lines.values())
    assert lines["fixed"]["colors"] == lines["max_colors"]["colors"] == lines["none"]["colors"]
    assert lines["forbidden"]["colors"] >= 5 > lines["none"]["colors"]
    table = rules.markdown(read_lines(out))
    assert table[0].startswith("| graph | colors | first_fit, ms | fixed, × |")
    assert "\n".join(table) in capsys.readouterr().out
