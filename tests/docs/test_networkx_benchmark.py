"""The benchmark of calls of NetworkX: its lines and its table."""

from __future__ import annotations

import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution

from benchmarks import networkx_calls
from benchmarks.harness.results import of_kind, read_lines

BACKEND = any(point.name == "lagcolor" for point in entry_points(group="networkx.backends"))


@pytest.mark.skipif(not BACKEND, reason="lagcolor is not installed as a backend of NetworkX")
def test_lines_and_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r.jsonl"
    words = ["--nodes", "400", "--runs", "1", "--out", str(out), "--commit", "abc"]
    assert networkx_calls.main(words) == 0
    records = read_lines(out)
    lines = list(of_kind(records, "measurement"))
    assert {line["code"] for line in lines} == set(networkx_calls.calls())
    assert all(f["ms"] > 0 <= f["conversion_ms"] for f in (line["figures"] for line in lines))
    assert "\n".join(networkx_calls.markdown(records)) in capsys.readouterr().out
