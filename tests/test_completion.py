"""Completion in bash, zsh and fish: the shells run the scripts that the command prints."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from waiting import PATIENCE

from lagcolor import cli
from lagcolor.cli import completion
from lagcolor.core.registry import ALGORITHMS, TABLES
from lagcolor.generate import FAMILIES
from lagcolor.orders import ORDERS
from lagcolor.problems import PROBLEMS

BASH = """
source "$1"
complete -p lagcolor > /dev/null || exit 3
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
function=$(complete -p lagcolor | sed 's/.*-F \\([^ ]*\\).*/\\1/')
$function lagcolor "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""
# The completion system's own functions answer only while a line is edited: these print what they are given.
ZSH = """
compadd() { [[ $1 = -S ]] && shift 2; shift; for word; do [[ $word = ${cur#*=}* ]] && print -r -- $word; done }
_files() { print -rl -- *(N) }
_describe() { print -rl -- ${(@)commands%%:*} }
compset() { : }
compdef() { [[ "$*" = "_lagcolor lagcolor" ]] || exit 3 }
source "$1"
shift
words=("$@")
CURRENT=$#
_lagcolor
"""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a script for each shell."""
    folder = tmp_path_factory.mktemp("scripts")
    every = completion.commands(cli.parser())
    for shell, script in completion.SHELLS.items():
        (folder / shell).write_text(script(every))
    return folder


@pytest.fixture(params=["bash", "zsh", "fish"])
def shell(request: pytest.FixtureRequest) -> str:
    """A shell that is installed."""
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    return request.param


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Two files to complete."""
    for name in ("mesh.mtx", "colors of mesh.txt"):
        (tmp_path / name).touch()
    yield tmp_path


def completed(shell: str, scripts: Path, folder: Path, line: str) -> list[str]:
    """What the shell proposes for the last word of a line."""
    words, script = line.split(" "), str(scripts / shell)
    if shell == "bash":
        words = [part for word in words for part in _bash_words(word)]
        command = ["bash", "--norc", "-c", BASH, "bash", script, *words]
    elif shell == "zsh":
        command = ["zsh", "-f", "-c", ZSH, "zsh", script, *words]
    else:
        command = ["fish", "--no-config", "-c", 'source $argv[1]; complete -C "$argv[2]"', script, line]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr) in ((0, ""), (1, "")), done.stderr
    found = [
        text.split("\t")[0].split("=" if "=" in line.split(" ")[-1] else "\n")[-1] for text in done.stdout.splitlines()
    ]
    return [word for word in found if word]


def _bash_words(word: str) -> list[str]:
    """readline parts words at "=" and ":" too."""
    flag, equals, value = word.partition("=")
    return [flag, "=", value] if equals and value else [flag, "="] if equals else [word]


def test_the_command_prints_the_scripts(capsys: pytest.CaptureFixture[str], scripts: Path) -> None:
    for name in completion.SHELLS:
        assert cli.main(["completion", name]) == 0
        assert capsys.readouterr().out == (scripts / name).read_text()


def test_the_scripts_have_all_names(scripts: Path) -> None:
    """Also where a shell is absent."""
    every = {name for table in TABLES.values() for name in table} | set(ORDERS) | set(PROBLEMS) | set(FAMILIES)
    flags = {
        flag[2:] for c in completion.commands(cli.parser()) for a in c.flags for flag in a.flags if flag[:2] == "--"
    }
    for shell in completion.SHELLS:
        words = (scripts / shell).read_text().replace(":", " ").replace("'", " ").replace("--", "").split()
        assert every | flags <= set(words)


def test_commands_and_flags(shell: str, scripts: Path, folder: Path) -> None:
    names = [module.COMMAND[0] for module in cli.COMMANDS]
    assert set(names) <= set(completed(shell, scripts, folder, "lagcolor "))
    if shell != "zsh":  # whose completion system chooses those that fit
        assert completed(shell, scripts, folder, "lagcolor ver") == ["verify"]
    flags = completed(shell, scripts, folder, "lagcolor color --")
    assert {"--algorithm", "--max-colors", "--no-verify", "--json"} <= set(flags)
    assert completed(shell, scripts, folder, "lagcolor color mesh.mtx --algo") == ["--algorithm"]
    assert "--allow-uncolored" not in flags
    assert completed(shell, scripts, folder, "lagcolor verify --allow") == ["--allow-uncolored"]


def test_values(shell: str, scripts: Path, folder: Path) -> None:
    for line in (
        "lagcolor color --algorithm jones",
        "lagcolor color mesh.mtx -a jones",
        "lagcolor color --algorithm=jones",
    ):
        assert sorted(completed(shell, scripts, folder, line)) == [n for n in ALGORITHMS if n.startswith("jones")], line
    assert completed(shell, scripts, folder, "lagcolor color -p star") == ["star", "star_bicoloring"]
    assert completed(shell, scripts, folder, "lagcolor reduce mesh.mtx c --method ej") == ["ejection"]
    assert completed(shell, scripts, folder, "lagcolor color --option thr") == ["threads="]
    assert completed(shell, scripts, folder, "lagcolor bench --algorithms greedy dsa") == ["dsatur"]
    assert completed(shell, scripts, folder, "lagcolor list ord") == ["orders"]
    assert completed(shell, scripts, folder, "lagcolor color --seed ") == []


def test_files_and_generators(shell: str, scripts: Path, folder: Path) -> None:
    assert "rgg:" in completed(shell, scripts, folder, "lagcolor color rg")
    found = completed(shell, scripts, folder, "lagcolor color ")
    assert {"mesh.mtx", "rgg:", "queen:"} <= {word.replace("\\", "") for word in found}
    assert "colors of mesh.txt" in {word.replace("\\", "") for word in found}
    found = completed(shell, scripts, folder, "lagcolor color --trace me")
    assert "mesh.mtx" in found
    assert "mesh.mtx" in completed(shell, scripts, folder, "lagcolor verify --fixed me")
    assert not {"mesh.mtx", "rgg:"} & set(completed(shell, scripts, folder, "lagcolor color --device "))
