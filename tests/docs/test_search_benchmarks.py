"""The benchmarks of exact searches and of timetables: lines and tables on small inputs, without solvers beside them."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution

from benchmarks import exact, timetables
from benchmarks.harness.results import of_kind, read_lines


def test_squares(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r.jsonl"
    names = ["sudoku:9,40,1", "sudoku:9,40,2", "latin:5,40,1"]
    assert exact.main([*names, "--limit", "20", "--runs", "1", "--out", str(out), "--commit", "abc"]) == 0
    lines = of_kind(read_lines(out), "measurement")
    assert [line["graph"] for line in lines] == names and all(line["figures"]["colorings"] >= 1 for line in lines)
    table = exact.markdown(read_lines(out))
    assert [line.split(" | ")[:2] for line in table[2:4]] == [["| sudoku:9,40", "1 / 2"], ["| latin:5,40", "1"]]
    assert "\n".join(table) in capsys.readouterr().out


def test_squares_are_latin() -> None:
    p = exact.problem("latin:6,0,3")
    square = p.fixed.reshape(6, 6)
    assert all(sorted(line) == list(range(6)) for line in [*square, *square.T])


def test_timetables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    (tmp_path / "toronto").mkdir()
    with gzip.open(tmp_path / "toronto" / "tiny.stu.gz", "wt") as f:
        f.write("1 2 3 \n2 4 \n4 5 \n1 5 \n3 \n")
    monkeypatch.setattr(timetables, "DATA", tmp_path)
    out = tmp_path / "r.jsonl"
    assert timetables.main(["--limit", "0.5", "--out", str(out), "--commit", "abc"]) == 0
    lines = of_kind(read_lines(out), "measurement")
    assert [line["code"] for line in lines] == ["none", "seats", "all"]
    assert lines[0]["figures"]["slots"] == lines[0]["figures"]["bound"] == 3
    assert all(line["figures"]["slots"] >= 3 for line in lines[1:])
    assert "\n".join(timetables.markdown(read_lines(out))) in capsys.readouterr().out
