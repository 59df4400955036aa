"""The commands that measure Feluca's tables and figures again, on small graphs and a CPU."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from report_cases import measurement, meta, run

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution

from benchmarks import nsight
from benchmarks.harness import results as measurements
from benchmarks.harness.results import by_graph, read_lines
from benchmarks.papers import feluca, feluca_figures, feluca_profile


def test_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "feluca.jsonl"
    argv = ["rmat:10", "road:20", "--device", "cpu", "--runs", "1", "--out", str(out)]
    assert feluca.main(argv) == 0
    rows = by_graph(read_lines(out))
    assert [r["graph"] for r in rows] == ["rmat:10", "road:20"]
    for r in rows:
        for code in (*feluca.STAGES, *feluca.SWITCH, *feluca.CHOICES):
            assert r[code]["ms"] > 0 < r[code]["colors"]
        assert r["sequential only"]["rounds"] == 1
    runs = measurements.read([out]).on("rmat:10")
    assert {r.code for r in runs} == {*feluca.STAGES, *feluca.SWITCH, *feluca.CHOICES, "first_fit"}
    shown = capsys.readouterr().out
    assert "Table 2" in shown
    assert "| rmat:10 | " in shown
    assert "as fast as recursion only" in shown


def test_outcomes_of_tables() -> None:
    def coloring(code: str, ms: float, colors: int, left: int = 0) -> dict:
        return run("road-24M", "feluca", variant=code, ms=ms, colors=colors, n=1000, notes={"left": left})

    records = [
        meta(),
        coloring("sequential only", 12, 3),
        coloring("recursion only", 2, 6),
        coloring("α 0 %", 2, 6, 30),
    ]
    _, _, *lines, _, _ = feluca.outcomes(records)
    assert [line.removeprefix("| ").removesuffix(" |").split(" | ")[1:] for line in lines] == [
        ["6.03", "6.00 (12 / 2)", "agrees"],
        ["18.33", "2.00 (6 / 3)", "same way"],
        ["5.58", "", "missing"],
        ["1.20", "", "missing"],
    ]
    assert feluca.left(records)[2] == "| road-24M | 30 (3.0%) |  |  |  |"
    both = [coloring(feluca.DEFAULT, 10, 5, left=3), coloring(feluca.AT_ONCE, 10.1, 7)]
    _, _, *lines, _, _ = feluca.strategies([meta(), *both])
    assert lines == [
        "| Section 4.2: time, road-24M | similar | 1.01 (10.1 / 10) | agrees |",
        "| Section 4.2: colors, road-24M | over 1 | 1.40 (7 / 5) | agrees |",
    ]


def test_figures(tmp_path: Path) -> None:
    out, picture = tmp_path / "feluca.jsonl", tmp_path / "feluca.png"
    argv = ["kron_g500:11", "--device", "cpu", "--runs", "1", "--fractions", "0", "0.9", "1", "--out", str(out)]
    plot = importlib.util.find_spec("matplotlib") is not None
    assert feluca_figures.main([*argv, *(["--plot", str(picture)] if plot else [])]) == 0
    (row,) = feluca_figures.by_graph(read_lines(out))
    n = read_lines(out)[1]["n"]
    assert sum(r["colored"] for r in row["rounds"]) == n
    assert [r["fraction"] for r in row["fractions"]] == [0, 0.9, 1]
    assert row["fractions"][0]["left"] == n
    assert row["fractions"][-1]["left"] == 0
    assert row["with"][-1] == row["without"][-1] == 0
    assert row["with"] != row["without"]
    line = next(x for x in feluca_figures.outcomes(read_lines(out)) if x.startswith("| Figure 6: most conflicts"))
    assert f"{max(row['with']):.0%} with, {max(row['without']):.0%} without" in line
    assert not plot or picture.stat().st_size > 10_000


def test_profile() -> None:
    """Averages weighted by time, and the outcome of their ratios; what ncu prints beside the table is skipped."""
    heads = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"'
    kernels = (("0", "fit", 10, 1, 3_000), ("1", "compare", 50, 3, 1_000))
    metrics = (feluca_profile.SLOTS, feluca_profile.ELIGIBLE, feluca_profile.TIME)
    rows = [f'"{i}","{k}","{m}","","{v:,}"' for i, k, *values in kernels for m, v in zip(metrics, values, strict=True)]
    got = feluca_profile.averages(nsight.launches(["==PROF== Connected", heads, *rows]))
    assert got == {feluca_profile.SLOTS: 20, feluca_profile.ELIGIBLE: 1.5, "kernels": 2}
    with pytest.raises(RuntimeError, match="no kernel; its output is:\n==ERROR== no permission"):
        nsight.launches(["==ERROR== no permission"])
    halved = {name: x / 3 for name, x in got.items()}
    records = [measurement("a", "feluca", {"spread": s}, **f) for s, f in (("pipeline", got), ("vertex", halved))]
    _, _, *lines, _, _ = feluca_profile.outcomes([meta(), *records])
    assert [line.split(" | ")[2:] for line in lines] == [
        ["3.00 (20 / 6.67)", "agrees |"],
        ["3.00 (1.5 / 0.5)", "agrees |"],
    ]
