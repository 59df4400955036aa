"""The benchmark of hard graphs: what its lines have, when colors were reached, and the tables that it makes of them."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import lagcolor
from benchmarks import hard
from benchmarks.hard_instances import instance
from benchmarks.harness.results import Row, read_lines


def test_measured_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "h.jsonl"
    spec = "erdos_renyi:60,0.5"
    assert hard.main([spec, "--easy", "0.05", "--limit", "0.1", "--out", str(out), "--commit", "abc"]) == 0
    about, *lines = read_lines(out)
    assert about["settings"]["easy"] == 0.05 and about["settings"]["limit"] == 0.1
    assert 1 <= len(lines) <= 2 and lines[0]["options"]["time_limit"] == 0.05
    for line in lines:
        figures = line["figures"]
        assert figures["curve_colors"] == sorted(set(figures["curve_colors"]), reverse=True)
        assert figures["curve_seconds"] == sorted(figures["curve_seconds"])
        assert figures["curve_colors"][-1] == figures["colors"] >= figures["lower_bound"]
    assert spec in capsys.readouterr().out


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="needs two cores")
def test_jobs_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each graph has its lines, whichever is done first; more jobs than there are cores are refused."""
    out, specs = tmp_path / "h.jsonl", {"erdos_renyi:50,0.5", "flat:60,6,seed=1", "optical:90,9,seed=1"}
    monkeypatch.setattr(hard, "CORES", 1)
    arguments = [*specs, "--easy", "0.05", "--limit", "0.1", "--out", str(out), "--commit", "abc", "--jobs"]
    assert hard.main([*arguments, "2"]) == 0
    assert {line["graph"] for line in list(read_lines(out))[1:]} == specs
    with pytest.raises(SystemExit, match="take"):
        hard.main([*arguments, "100000"])


def test_geometric_graphs_and_complements() -> None:
    """Together they have each pair of vertices once."""
    both = [instance(f"{kind}:40,3,seed=2") for kind in ("r", "rc")]
    assert sum(G.m for G in both) == 40 * 39 and min(G.m for G in both) > 0


def test_optical_networks_keep_their_wavelengths() -> None:
    """No more paths on a link than wavelengths, of which a clique is the sign; the same for a seed."""
    G = instance("optical:120,10,seed=1")
    result = lagcolor.color(G, quality="best", time_limit=0.5)
    assert G.n == 120 and 5 <= result.lower_bound <= result.n_colors <= 14
    assert np.array_equal(G.indices, instance("optical:120,10,seed=1").indices)


def test_when_colors_were_reached() -> None:
    tried = [
        {"name": "first_fit", "colors": 9, "ms": 1.0},
        {"name": "clique", "colors": None, "ms": 10.0},
        {"name": "head", "colors": 6, "ms": 200.0, "reached": [[8, 5.0], [6, 50.0]]},
        {"name": "head", "colors": 6, "ms": 100.0, "reached": []},
        {"name": "ejection", "colors": 7, "ms": 4.0},
        {"name": "ejection", "colors": 5, "ms": 4.0},
    ]
    result: Any = SimpleNamespace(notes={"tried": tried})
    assert hard.reached(result) == [(9, 0.001), (8, 0.016), (6, 0.061), (5, 0.319)]


def line(graph: str, limit: float, curve: list[tuple[int, float]], lower: int, **more: int) -> Row:
    figures = {"colors": curve[-1][0], "lower_bound": lower, "seconds": limit, **more}
    figures |= {"curve_colors": [k for k, _ in curve], "curve_seconds": [at for _, at in curve]}
    about = {"graph": graph, "n": 1234, "m": 8000, "device": "cpu"}
    return {"kind": "measurement", **about, "code": "best", "options": {"time_limit": limit}, "figures": figures}


def test_tables() -> None:
    about = {
        "settings": {"easy": 2.0, "limit": 60.0},
        "hardware": {"gpu": None, "cpu": "C"},
        "date": "2026-11-23T1",
        "commit": "abc",
    }
    rows = [
        about,
        line("done", 2.0, [(9, 0.1), (7, 0.5)], 7, best_known=7),
        line("DSJC500.5", 2.0, [(60, 0.1), (50, 1.0)], 9, best_known=47),
        line("DSJC500.5", 60.0, [(60, 0.1), (49, 3.0), (48, 33.25)], 13, best_known=47),
        line("far", 2.0, [(9, 0.1)], 3, best_known=5),
        line("far", 60.0, [(8, 0.25)], 3, best_known=5),
        line("erdos_renyi:1000,0.5,seed=1", 2.0, [(90, 1.5)], 3),
    ]  # fmt: skip
    lines = hard.markdown(rows)
    assert "| DSJC500.5 | 49 | 22 | 3 |" in lines and "| DSJC500.5 | 48 | 113 | 33 |" in lines
    assert "| erdos_renyi:1000,0.5,seed=1 | 86 | 146 | – |" in lines
    assert "| DSJC500.5 | 1,234 | 4,000 | 47 | 13 | 50 | 48 | 33 |" in lines
    assert "| far | 1,234 | 4,000 | 5 | 3 | 9 | 8 | 0.25 |" in lines
    assert not any(text.startswith("| done") for text in lines)
    assert lines[-1].startswith("Of 3 graphs 1 have the best known colors or fewer within 2 s, and 2 at most one more")
