"""The benchmark of meshes and contacts: its lines and its table."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution

from benchmarks import mesh_cases, meshes
from benchmarks.harness.results import of_kind, read_lines

CASES = ["hexahedra:4", "tetrahedra+:3", "delaunay:60", "spheres:300,200", "random:90,40"]


def test_lines_and_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r.jsonl"
    how = ["--device", "cpu", "--runs", "1", "--best", "0.1", "--out", str(out), "--commit", "abc"]
    assert meshes.main([*CASES, *how]) == 0
    lines = {(line["graph"], line["code"]): line for line in of_kind(read_lines(out), "measurement")}
    codes = [*meshes.QUALITIES, "best"]
    assert list(lines) == [(c, code) for c in CASES for code in (codes if ":" in c and "," not in c else meshes.OF)]
    for case in CASES[:3]:
        fast, balanced, best = (lines[case, code]["figures"] for code in codes)
        assert fast["colors"] >= balanced["colors"] >= best["colors"] >= best["least"]
    assert lines["hexahedra:4", "balanced"]["figures"]["colors"] == 8
    assert lines["random:90,40", "pairs"]["m"] == 90
    assert "\n".join(meshes.markdown(read_lines(out))) in capsys.readouterr().out


@pytest.mark.gpu
def test_times_of_a_gpu(tmp_path: Path) -> None:
    out = tmp_path / "r.jsonl"
    assert meshes.main(["random:90,40", "--runs", "2", "--out", str(out), "--commit", "abc"]) == 0
    figures = [line["figures"] for line in of_kind(read_lines(out), "measurement")]
    assert all(f["launch_ms"] > 0 and f["device_ms"] > 0 for f in figures)


def test_elements_fill_the_block() -> None:
    for cells, each in ((mesh_cases.hexahedra(3), 8), (mesh_cases.tetrahedra(3), 24)):
        assert cells.max() + 1 == 4**3 and np.bincount(cells.ravel()).max() == each
    pairs = mesh_cases.spheres(500, 300)
    assert 490 <= len(pairs) <= 500 and (pairs[:, 0] != pairs[:, 1]).all()
