"""The benchmark of edge colorings: its lines, its table, and a peer that fails."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution

import lagcolor
from benchmarks import edges
from benchmarks.harness.results import of_kind, read_lines


def test_lines_and_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r.jsonl"
    assert edges.main(["regular:3,200", "clique:11", "--runs", "1", "--out", str(out), "--commit", "abc"]) == 0
    lines = list(of_kind(read_lines(out), "measurement"))
    figures = {(line["graph"], line["code"]): line["figures"] for line in lines}
    assert figures["clique:11", "balanced"]["colors"] == figures["clique:11", "balanced"]["bound"] == 11
    assert figures["regular:3,200", "balanced"]["colors"] == 3 < figures["regular:3,200", "fast"]["colors"]
    assert "\n".join(edges.markdown(read_lines(out))) in capsys.readouterr().out


def test_a_peer_that_fails_has_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    G = lagcolor.generate.cycle(4)
    assert edges.by_peer(sys.executable, "nothing there", G, 30.0) is None
    assert "nothing there fails" in capsys.readouterr().err
