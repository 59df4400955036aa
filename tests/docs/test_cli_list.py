"""`lagcolor list` fits a screen, and long lists open in the pager of a terminal; `lagcolor info` starts quickly."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

import lagcolor
from lagcolor import cli
from lagcolor.generate import FAMILIES
from lagcolor.orders import ORDERS
from lagcolor.problems import PROBLEMS

LINES, COLUMNS = 24, 80
Shown = Callable[..., tuple[str, str]]


class Terminal(StringIO):
    """A terminal for standard output."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shown:
    """Runs `lagcolor list` on a terminal; returns what it wrote to the terminal and to the pager."""

    def run(*words: str, pager: str | None = None) -> tuple[str, str]:
        paged = tmp_path / "paged"
        paged.unlink(missing_ok=True)
        script = tmp_path / "pager"
        script.write_text(f'#!/bin/sh\ncat > "{paged}"\n')
        script.chmod(0o755)
        monkeypatch.setenv("LINES", str(LINES))
        monkeypatch.setenv("COLUMNS", str(COLUMNS))
        monkeypatch.setenv("PAGER", str(script) if pager is None else pager)
        with monkeypatch.context() as m:
            m.setattr(sys, "stdout", out := Terminal())
            assert cli.main(["list", *words]) == 0
        return out.getvalue(), paged.read_text() if paged.exists() else ""

    return run


@pytest.mark.parametrize("problem", ["distance1", "star"])
def test_the_overview_fits_a_screen(problem: str, shown: Shown) -> None:
    out, paged = shown("--problem", problem)
    assert not paged and out.count("\n") < LINES - 1
    assert all(len(line) <= COLUMNS for line in out.split("\n"))
    words = set(out.replace(",", "").split())
    assert words >= {*PROBLEMS, *FAMILIES} and (problem != "distance1" or words >= {*lagcolor.ALGORITHMS, *ORDERS})


def test_long_lists_open_in_the_pager(shown: Shown) -> None:
    for words in (["algorithms"], ["algorithms", "--wide"], ["generators"], ["orders", "options"]):
        out, paged = shown(*words)
        assert not out and paged.count("\n") >= LINES, words
    assert "jones_plassmann" in shown("algorithms")[1]


def test_short_lists_machine_output_and_pipes_do_not(shown: Shown, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["algorithms", "--problem", "star"], ["algorithms", "--json"], ["algorithms", "--markdown"]):
        out, paged = shown(*words)
        assert out and not paged, words
    assert cli.main(["list", "algorithms"]) == 0
    assert "jones_plassmann" in capsys.readouterr().out


@pytest.mark.parametrize("pager", ["", "no-such-pager -x"])
def test_without_a_pager_lists_are_printed(pager: str, shown: Shown) -> None:
    out, paged = shown("algorithms", pager=pager)
    assert "jones_plassmann" in out and not paged


def test_a_pager_that_leaves_early(shown: Shown) -> None:
    assert shown("algorithms", "generators", "options", pager="true") == ("", "")


def test_info_imports_little(tmp_path: Path) -> None:
    lagcolor.io.write(tmp_path / "g.npz", "grid2d:250")
    imported = "import sys; from lagcolor import cli; cli.main(); print(*sys.modules, file=sys.stderr)"
    command = [sys.executable, "-c", imported, "info", str(tmp_path / "g.npz")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and "62,500" in done.stdout
    loaded = set(done.stderr.split())
    needless = {"generate", "search.qualities", "engines.exact.chordal"}
    assert not loaded.intersection({f"lagcolor.{name}" for name in needless} | {"networkx", "matplotlib", "graphblas"})
