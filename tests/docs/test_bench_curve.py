"""Colors by time: what `benchmarks.compare --curve` measures and prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from report_cases import failed, meta, run

from benchmarks import compare
from benchmarks.harness import curve, qualities
from benchmarks.harness.tables import curve_table

AUTO = {"style": "auto", "order": "", "seed": None, "threads": None}
ROWS = [
    meta(),
    run("g", "auto:fast", ms=1.0, colors=9, **AUTO),
    run("g", "auto:best=25x", ms=12.0, colors=5, **AUTO),  # ended early: it had 25 ms
    run("g", "auto:best=2x", ms=2.1, colors=8, **AUTO),
    run("g", "auto:best=0.5", ms=30.0, colors=4, **AUTO),
    failed("g", "auto:best=100x", "timeout", "no answer in 2 s", **AUTO),
    run("g", "greedy", ms=0.5, colors=9, order="natural", seed=None, threads=None),
    run("g", "dsatur", ms=2.0, colors=7, order="largest_first", seed=None, threads=2),
    run("g", "slow", ms=20.0, colors=5, order="", seed=None, threads=None),
    run("g", "slower", ms=400.0, colors=3, order="", seed=None, threads=None),
    run("h", "auto:fast", ms=1.0, colors=9, **AUTO),
    {"kind": "reference", "graph": "g", "code": "A B", "colors": 2, "ms": 0.5, "from": "x.csv"},
]


def test_points_have_what_others_had_by_then() -> None:
    found = [(p.quality, p.times, p.colors, p.rival, p.rival_colors, p.on_front) for p in curve.points("g", ROWS)]
    assert found == [
        ("auto:fast", 1.0, 9, "greedy, natural", 9, True),
        ("auto:best=2x", 2.1, 8, "dsatur, largest_first, 2 threads", 7, False),
        ("auto:best=25x", 12.0, 5, "slow", 5, True),
        ("auto:best=0.5", 30.0, 4, "slower", 3, False),  # which took less than the half second
    ]
    assert curve.points("nothing", ROWS) == []


def test_a_table_takes_two_points() -> None:
    assert curve_table("h", ROWS) is None
    table = curve_table("g", ROWS)
    assert table is not None and table.row_count == 4
    assert [row.style for row in table.rows] == [None, "red", None, "red"]


def test_the_names_are_qualities() -> None:
    for name in curve.NAMES:
        qualities.parse(name)
    assert [curve.allowed(name, 3.0) for name in curve.NAMES] == [0, 0, 6, 15, 30, 75, 300, 3000]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["path:9", "--curve", "-a", "greedy", "-p", "none", "--repeat", "1", "--budget", "0.01"]
    assert compare.main([*given, "--out", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert "path:9: colors by time" in out
    for name in curve.NAMES:
        assert out.count(f"{name} ") >= 2, name
