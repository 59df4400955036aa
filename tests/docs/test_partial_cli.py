"""--partial, and what the command line writes where no coloring is possible."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lagcolor import cli
from lagcolor.io import read_coloring

CLIQUE = "a b\na c\na d\nb c\nb d\nc d\nd e\n"
LABELS = ["a", "b", "c", "d", "e"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "g.txt").write_text(CLIQUE)
    (tmp_path / "cost.csv").write_text("vertex,weight\na,5\nb,2\nc,9\nd,8\ne,1\n")
    monkeypatch.chdir(tmp_path)


def test_partial(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["color", "g.txt", "--max-colors", "3", "--partial", "fewest", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row["notes"]["uncolored"] == 1 and row["notes"]["partial"]["proved"] and row["verified"]
    how = ("--max-colors", "3", "--partial", "lightest", "--weights", "cost.csv", "--out", "c.csv")
    assert cli.main(["color", "g.txt", *how]) == 0
    assert "(1 uncolored)" in capsys.readouterr().out
    assert [v for v, c in zip(LABELS, read_coloring("c.csv", labels=LABELS, n=5), strict=True) if c < 0] == ["b"]
    assert cli.main(["verify", "g.txt", "c.csv", "--max-colors", "3", "--allow-uncolored"]) == 0
    assert cli.main(["verify", "g.txt", "c.csv", "--max-colors", "3"]) == 1


def test_without_a_limit(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["color", "g.txt", "--partial", "fewest"]) == 2
    assert "--partial is for a limited number of colors: pass --max-colors" in capsys.readouterr().err


def test_advice_names_flags(capsys: pytest.CaptureFixture[str]) -> None:
    for flags, said in (
        (("--partial", "lightest"), "pass --weights, or --partial fewest\n"),
        (("--partial", "fewest", "--balance"), "leave it or --partial out\n"),
    ):
        assert cli.main(["color", "g.txt", "--max-colors", "3", *flags]) == 2
        assert said in capsys.readouterr().err


def test_an_error_writes_the_partial_coloring_and_the_clique(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["color", "g.txt", "--max-colors", "3", "--out", "c.csv"]) == 1
    err = capsys.readouterr().err
    assert "clique: a b c d\n" in err and "c.csv has the best partial coloring" in err and "1 of 5 vertices" in err
    assert "(--out FILE writes it)" in err and "`partial`" not in err
    assert sorted(read_coloring("c.csv", labels=LABELS, n=5)).count(-1) == 1


def test_lines_about_an_error_name_what_they_are_of(capsys: pytest.CaptureFixture[str]) -> None:
    Path("h.txt").write_text(CLIQUE)
    assert cli.main(["color", "g.txt", "h.txt", "--max-colors", "3", "--out", "{stem}.csv"]) == 1
    err = capsys.readouterr().err
    for name in "gh":
        assert f"{name}.txt: clique: a b c d\n" in err and f"{name}.txt: {name}.csv has the best partial" in err
    assert cli.main(["color", "g.txt", "--max-colors", "3", "--out", "-"]) == 1
    assert "lagcolor: standard output has the best partial coloring" in capsys.readouterr().err
