"""The benchmark of proofs: which graphs it takes, its lines, and its table."""

from __future__ import annotations

from pathlib import Path

import pytest
import shared_data

from benchmarks import proofs
from benchmarks.harness.results import of_kind, read_lines


def test_a_line_for_each_graph(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "p.jsonl"
    assert proofs.main(["cycle:9", "queen:5", "--limit", "0.2", "--out", str(out), "--commit", "abc"]) == 0
    cycle, queen = (line["figures"] for line in of_kind(read_lines(out), "measurement"))
    assert cycle["colors"] == cycle["lower_bound"] == 3 and cycle["odd cycle"] == 9 and cycle["checked"] is True
    assert queen["colors"] == queen["lower_bound"] == queen["clique"] == 5
    printed = capsys.readouterr().out
    assert "| cycle:9 | 9 | 3 | 3 | odd cycle, 9 |" in printed
    assert "2 of 2 are proved optimal; 2 certificates were checked." in printed


def test_halves_share_no_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "DATA", shared_data.file("graphs.csv").parent)
    held_out, tuning = proofs.graphs("held-out"), proofs.graphs("tuning")
    assert not set(held_out) & set(tuning) and 0 <= len(tuning) - len(held_out) <= 1
    assert "4elt" in held_out and "3elt" in tuning
