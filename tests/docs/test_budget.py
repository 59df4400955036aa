"""`tools/budget.py` finds figures over budget."""

from __future__ import annotations

import tomllib
from pathlib import Path

import budget
import pytest

EIGHT = "a, b, c, /, d, e, *, f, g, h"
MODULE = f'''"""One line."""
def wide({EIGHT}): ...
def narrow(a, b, c, d, e, f, g): ...
class Wide:
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
