"""Each public call stays within the bytes that docs/measurements/performance.md states, on other graphs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import lagcolor
from benchmarks.harness.results import read_lines

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # benchmarks/ is not part of the distribution
from benchmarks import memory  # noqa: E402

BY_CLOCK = "color, best"  # takes more the more attempts there is time for
GRAPHS = {"cpu": ("grid2d:150", "uniform:9000,10", "rmat:13"), "cuda": ("grid2d:700", "uniform:400000,10", "rmat:17")}


@pytest.mark.parametrize(("device", "results"), [("cpu", "cpu"), pytest.param("cuda", "h200", marks=pytest.mark.gpu)])
def test_no_call_takes_more_than_is_stated(device: str, results: str) -> None:
    files = sorted((ROOT / "benchmarks" / "results").glob(f"memory-{results}-[0-9]*.jsonl"))
    bounds = memory.bounds(read_lines(files[-1]) if files else [])
    if device == "cuda" and not bounds:
        pytest.skip("no figures of a GPU yet")
    over = []
    for spec in GRAPHS[device]:
        G = lagcolor.generate.from_spec(spec, device=device)
        calls = memory.calls(G)
        assert set(calls) == set(bounds)
        del calls[BY_CLOCK]
        for name, call in calls.items():
            peak, _ = memory.taken(call, device)
            per_vertex, per_entry = bounds[name]
            if peak > per_vertex * G.n + per_entry * G.m + memory.SLACK:
                over.append(f"{name} on {spec}: {peak:,} bytes for n = {G.n:,}, m = {G.m:,}")
    assert not over, "\n".join(over)
