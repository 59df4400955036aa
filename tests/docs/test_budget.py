"""The rules of a change: `tools/budget.py` finds figures over budget, `tools/golden.py history` silent commits."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path

import budget
import golden
import pytest

EIGHT = "a, b, c, /, d, e, *, f, g, h"
MODULE = f'''"""One line."""
def wide({EIGHT}): ...
def narrow(a, b, c, d, e, f, g): ...
class Walk:
    def method(self, a, b, c, d, e, f, g): ...
    async def wide_method(self, a, b, c, d, e, f, *g, **h): ...
'''


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project at its budget."""
    for name, text in {
        "lagcolor/__init__.py": '"""One.\n\nTwo.\nThree.\nFour.\n"""\n',
        "lagcolor/orders/__init__.py": '"""One line."""\n',
        "lagcolor/orders/deep/degree.py": MODULE,
        "lagcolor/orders/deep/degree.cu": "1\n2\n",
        "semirings/deep/cpu.py": "",
        "tests/contract/test_a.py": "a = 1\n",
        "benchmarks/results/a.jsonl": "{}\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(budget, "ROOT", tmp_path)
    monkeypatch.setattr(budget, "BUDGET", tmp_path / "budget.toml")
    monkeypatch.setattr(budget, "calls", lambda: {"calls": {"path": 5, "import": 2, "names": 3}})
    (tmp_path / "budget.toml").write_text("# Head.\n\n[make_test]\n2026-01-31 = 30\n")
    assert budget.main(["--write"]) == 0
    return tmp_path


def test_a_number_that_is_passed_fails(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path, text in (
        ("tests/contract/test_b.py", ""), ("semirings/deep/cpu.py", f"def f({EIGHT}): 0"), ("lagcolor/__init__.py", ""),
    ):  # fmt: skip
        (project / path).write_text(text)
    assert budget.main([]) == 1
    found = capsys.readouterr().out.splitlines()
    assert {
        "tests/contract: files: 2, budget 1", "semirings: functions of more than 7 parameters: 1, budget 0",
        "lagcolor: packages whose docstring has fewer than 5 lines: 1, budget 0",
    } <= set(found)  # fmt: skip


def test_a_figure_rises_only_where_another_falls(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (project / "budget.toml").read_text()
    (project / "semirings/deep/cpu.py").write_text("a = 1\n")
    assert budget.main(["--write"]) == 1
    assert (project / "budget.toml").read_text() == before
    (project / "lagcolor/orders/deep/degree.cu").unlink()
    assert budget.main(["--write"]) == 0
    out = capsys.readouterr().out
    assert "rises: semirings: lines: 0 to 1\n" in out and "falls: lagcolor/orders: files: 3 to 2\n" in out
    assert budget.main([]) == 0
    text = (project / "budget.toml").read_text()
    assert text.startswith("# Head.\n\n") and tomllib.loads(text)["make_test"] == {"2026-01-31": 30}
    assert tomllib.loads(text)["semirings"]["lines"] == 1


class Repository:
    """A repository with digests and a changelog."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "tests").mkdir()
        self.git("init", "--quiet")
        self.git("symbolic-ref", "HEAD", "refs/heads/main")

    def git(self, *arguments: str) -> str:
        settings = ("user.name=a", "user.email=a@b.c", "commit.gpgsign=false", "core.hooksPath=/")
        command = ["git", *(word for setting in settings for word in ("-c", setting)), *arguments]
        return subprocess.run(command, cwd=self.root, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, subject: str, digests: dict[str, str], *, entry: bool = False) -> str:
        (self.root / "tests" / "golden.json").write_text(json.dumps({"order natural": digests}, indent=0))
        if entry:
            with (self.root / "CHANGELOG.md").open("a") as file:
                file.write(f"- {subject}\n")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", subject)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """The start, and changes that are allowed."""
    made = Repository(tmp_path)
    monkeypatch.setattr(golden, "TESTS", tmp_path / "tests")
    monkeypatch.setattr(golden, "KEPT", tmp_path / "tests" / "golden.json")
    made.commit("Before the rule", {"a": "0"})
    monkeypatch.setattr(golden, "START", made.commit("Start", {"a": "1", "b": "1"}))
    made.commit("A new call", {"a": "1", "b": "1", "c": "1"})
    made.commit("Other results, with an entry", {"a": "2", "b": "1", "c": "1"}, entry=True)
    made.commit("A call less", {"a": "2", "b": "1"})
    return made


def test_digests_change_with_an_entry_in_the_changelog(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert golden.history() == 0
    repository.commit("Other results", {"a": "2", "b": "2", "d": "1"})
    assert golden.history() == 1
    commit, line = capsys.readouterr().out.splitlines()[-2:]
    assert commit.endswith(" Other results: CHANGELOG.md is unchanged")
    assert line == "differs: order natural: on b"
