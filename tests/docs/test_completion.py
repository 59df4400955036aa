"""Completion: the script of shtab, which bash runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

from lagcolor import cli
from lagcolor.generate import FAMILIES
from lagcolor.orders import ORDERS
from lagcolor.problems import PROBLEMS
from lagcolor.problems.registry import ALGORITHMS, TABLES

BASH = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_shtab_lagcolor
printf '%s\\n' "${COMPREPLY[@]}"
"""


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    pytest.importorskip("shtab")
    assert cli.main(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_scripts_have_all_names(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    names = {name for table in TABLES.values() for name in table} | set(ORDERS) | set(PROBLEMS) | set(FAMILIES)
    words = script(shell, capsys)
    for sign in "():'\"{}[],":
        words = words.replace(sign, " ")
    assert names | {"max-colors", "symmetrize"} <= set(words.replace("--", "").split())


def test_what_bash_completes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "script").write_text(script("bash", capsys))
    (tmp_path / "mesh.mtx").touch()

    def completed(line: str) -> list[str]:
        command = ["bash", "--norc", "-c", BASH, "bash", "./script", *line.split(" ")]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
        return sorted(filter(None, done.stdout.splitlines()))

    assert completed("lagcolor ver") == ["verify"]
    assert {module.COMMAND[0] for module in cli.COMMANDS} <= set(completed("lagcolor "))
    assert completed("lagcolor color mesh.mtx --algo") == ["--algorithm"]
    assert completed("lagcolor verify --allow-") == ["--allow-uncolored"]
    jones = sorted(name for name in ALGORITHMS if name.startswith("jones"))
    assert completed("lagcolor color --algorithm jones") == completed("lagcolor color mesh.mtx -a jones") == jones
    assert completed("lagcolor color -p star") == ["star", "star_bicoloring"]
    assert completed("lagcolor color --option pas") == ["passes="]
    assert completed("lagcolor bench --algorithms greedy dsa") == ["dsatur"]
    assert completed("lagcolor list ord") == ["orders"]
    assert completed("lagcolor color me") == completed("lagcolor verify --fixed me") == ["mesh.mtx"]


def test_without_shtab(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert cli.main(["completion", "bash"]) == 2
    assert "completion in a shell needs shtab: pip install 'lagcolor[cli]'" in capsys.readouterr().err
