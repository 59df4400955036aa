"""The benchmarks of Che et al.'s tables and figures, on tiny graphs: their rows and files; nobody's speed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from report_cases import measurement, meta, run

import lagcolor

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution

from benchmarks.harness.results import by_graph, of_kind, read_lines
from benchmarks.papers import che, che_figures

SPEC = "barabasi_albert:300,3"


def test_gains(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "che.jsonl"
    G = lagcolor.generate.from_spec(SPEC)
    assert che.main([SPEC, "--device", "cpu", "--runs", "2", "--out", str(file)]) == 0
    (row,) = by_graph(read_lines(file))
    assert che.paper_gain(row) is None
    for name, (algorithm, options) in che.CODES.items():
        assert row[name]["colors"] == lagcolor.color(G, algorithm, **options).n_colors
        assert 0 < min(row[name]["ms_all"]) <= row[name]["ms"] <= max(row[name]["ms_all"])
    assert row["stealing"]["colors"] == row["baseline"]["colors"]
    for name in ("queues", "stealing"):
        notes = row[name]["notes"]
        assert (notes["queues"], notes["chunk"]) == (5, 64)  # as many as there are elements
        assert (notes["all_rounds"]["steals_won"] == 0) >= (name == "queues")
    line = capsys.readouterr().out.splitlines()[2]
    assert f"{row['baseline']['ms']:.2f} ({row['baseline']['colors']})" in line
    assert f"| {che.gain(row, 'hybrid'):.0f} % |" in line


def test_outcomes_of_gains() -> None:
    times = {"baseline": 20.0, "hybrid": 16, "queues": 30.0, "stealing": 24.0}
    rows = [
        run(graph, "che", variant=name, ms=ms, colors=3, spec="path:9")
        for graph in (che.DIP, "path:9")
        for name, ms in times.items()
    ]
    _, _, *lines, _, source = che.outcomes([meta(), *rows])
    assert [line.split(" | ")[-3:] for line in lines] == [
        ["23 %", "20 % (20.000 to 16.000 ms)", "agrees |"],
        ["under 10 %", "20 % (30.000 to 24.000 ms)", "differs |"],  # stealing gains more than the paper says
        ["5 %", "", "missing |"],
    ]
    moved = measurement(che.DIP, che.TRANSFERS, ms=5.0)
    assert che.outcomes([meta(), *rows, moved])[4].endswith("| 5 % | 20 % (5.000 ms) | differs |")
    assert f"{che.DIP} (here `path:9`, Δ = 20)" in lines[0] and source == "Test CPU, 2026-11-21, commit abc123."


def test_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    file, picture = tmp_path / "figures.jsonl", tmp_path / "figures.png"
    arguments = [SPEC, "--device", "cpu", "--runs", "2", "--queues", "2", "3", "--chunk", "16", "--switch-points", "5"]
    assert che_figures.main([*arguments, "--out", str(file), "--plot", str(picture)]) == 0
    records = read_lines(file)
    assert records[0]["hardware"]["gpu"] is None
    G = lagcolor.generate.from_spec(SPEC)
    elements = [r["figures"] for r in of_kind(records, "measurement")]
    assert [(r["queues"], r["elements"]) for r in elements] == [(2, 19), (3, 19)]
    traced, *points = of_kind(records, "run")
    assert sum(r["colored"] for r in traced["trace"]) == G.n
    ends = lagcolor.color(G, "che_hybrid").notes["degree_rounds"]
    assert [r["options"]["switch"] for r in points] == list(range(min(5, ends) + 1))
    for r in points:
        assert r["colors"] == lagcolor.color(G, "che_hybrid", switch=r["options"]["switch"]).n_colors
    assert picture.stat().st_size > 0
    assert "Figure 8" in capsys.readouterr().out


@pytest.mark.parametrize(("switch", "ends", "expected"), [(4, 9, "agrees"), (14, 29, "differs"), (0, 3, "differs")])
def test_outcomes_of_figures(switch: int, ends: int, expected: str) -> None:
    traced = run("g", "che_hybrid", variant=che_figures.TRACED, notes={"degree_rounds": ends})
    times = {switch: 17.0, 20: 20.0}
    points = [run("g", "che_hybrid", variant=f"switch {s}", ms=ms, options={"switch": s}) for s, ms in times.items()]
    spreads = [measurement("g", "steal", queues=4, min=60, max=90, mean=75, stdev=stdev) for stdev in (3, 9)]
    _, _, *lines, _, _ = che_figures.outcomes([meta(), *spreads, traced, *points])
    assert lines[0].endswith("| 75 to 81, 3.1 % | 60 to 90, 4.0 % | agrees |")
    assert lines[1].endswith("| 75 to 81, 3.1 % | 60 to 90, 12.0 % | differs |")
    assert lines[2].endswith("| 15 % | 15 % (20.000 to 17.000 ms) | agrees |")
    assert lines[3] == f"| Figure 8: the best switch | after 4 rounds | after {switch} rounds | {expected} |"
    assert lines[4].endswith(f"| after 9 rounds | after {ends} rounds | {expected} |")
