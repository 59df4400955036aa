"""The benchmark of several GPUs: its lines and its table."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from emulated import EMULATED

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution
from benchmarks import experiment, gpus


@EMULATED
@pytest.mark.emulated(devices=2)
def test_lines_and_table() -> None:
    lines = [*gpus.compared("grid2d:40", (1, 2), 1, None), *gpus.large((6, 7, 8), 1)]
    assert [line["code"] for line in lines] == ["one GPU", "1 in place", "2 in place", "2 in place"]
    two, mesh = lines[2]["figures"], lines[3]["figures"]
    assert two["equal"] and two["boundary"] > 0 and sum(two["part_vertices"]) == 1600
    assert mesh["first_fit"] and lines[3]["n"] == 6 * 7 * 8
    about = {"kind": "meta", "hardware": {"gpu": "a GPU"}, "date": "2026-01-02", "commit": "abc"}
    table = gpus.markdown([about, *lines])
    assert table[0].startswith("| graph | entries | GPUs | ms |") and table[-1] == "a GPU, 2026-01-02, commit abc."
    assert [row.split(" | ")[2] for row in table[2:6]] == ["1, whole", "1", "2", "2"]


def test_table_of_links() -> None:
    about = {"kind": "meta", "hardware": {"gpu": "a GPU"}, "date": "2026-01-02", "commit": "abc"}
    none = {"graph": "none", "spec": "none", "n": 0, "m": 0, "max_degree": 0, "device": "cuda"}
    lines = [
        experiment.measurement(none, "copy, one way", {"bytes": 8}, ms=2.0, gb_per_s=390.4),
        experiment.measurement(none, "copy of 4 kB", {"bytes": 4096}, ms=0.02),
        experiment.measurement(none, "round trip of a word", {"turns": 9}, us=2.345),
        experiment.measurement(none, "bytes stored anywhere", {"room": 1 << 28}, ms=1.0, stores_per_s=4.5e9),
        experiment.measurement({**none, "m": 8}, "one GPU", {}, ms=1.0),
    ]
    assert [row.split(" | ")[2] for row in gpus.of_links([about, *lines])[2:6]] == [
        "390 GB/s |", "20 µs, launch and wait included |", "2.35 µs |", "4.5 · 10⁹ per second |",
    ]  # fmt: skip
