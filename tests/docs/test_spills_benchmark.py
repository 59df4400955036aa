"""The benchmark of spills: its baselines on small graphs, its lines and its table."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution

import lagcolor
from benchmarks import spills
from benchmarks.harness.results import of_kind, read_lines


def test_optimism_saves_the_square() -> None:
    """Briggs' example: a square needs two registers, and no vertex of it has fewer than two neighbors."""
    G, cost = lagcolor.generate.cycle(4), np.array([1, 2, 3, 4])
    assert (spills.allocate(G.indptr, G.indices, cost, 2, True) >= 0).all()
    assert spills.allocate(G.indptr, G.indices, cost, 2, False)[0] == -1
    K = lagcolor.generate.clique(4)
    assert np.flatnonzero(spills.allocate(K.indptr, K.indices, cost, 2, True) < 0).tolist() == [0, 1]


def test_lines_and_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r.jsonl"
    how = ["--registers", "3", "--runs", "1", "--seconds", "0.2", "--out", str(out), "--commit", "abc"]
    assert spills.main(["queen:5", *how]) == 0
    lines = {line["code"]: line["figures"] for line in of_kind(read_lines(out), "measurement")}
    assert tuple(lines) == spills.CODES[:-1]
    assert lines["best"]["cost"] <= lines["fast"]["cost"] <= lines["briggs"]["cost"] <= lines["chaitin"]["cost"]
    assert all(f["bound"] is None or f["bound"] <= f["cost"] for f in lines.values())
    assert "\n".join(spills.markdown(read_lines(out))) in capsys.readouterr().out
