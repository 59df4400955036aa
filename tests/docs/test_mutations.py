"""The list of faults that `tools/mutations.py` tries: each still applies; the tool says whether a test finds one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import mutations
import pytest

ENTRIES = mutations.load()
CODE = "def least(values):\n    return min(values)\n"
TEST = "from code_under_test import least\n\n\ndef test_least():\n    assert least([2, 1, 3]) == 1\n"


def test_every_fault_still_applies() -> None:
    """The text that a fault replaces occurs exactly once in its file."""
    for m in ENTRIES:
        text = (mutations.ROOT / m.file).read_text(encoding="utf-8")
        assert m.applied(text) != text, m.name


def test_every_fault_has_tests_and_a_name_of_its_own() -> None:
    assert len({m.name for m in ENTRIES}) == len(ENTRIES) >= 100
    for m in ENTRIES:
        files = [word.partition("::")[0] for word in m.tests.split() if word.startswith("tests/")]
        assert files, m.name
        assert all((mutations.ROOT / file).is_file() for file in files), m.name
        assert m.breaks, m.name


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A tree with one function and one test."""
    root = tmp_path / "project"
    (root / "tests").mkdir(parents=True)
    (root / "code_under_test.py").write_text(CODE)
    (root / "tests" / "test_it.py").write_text(TEST)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


@pytest.mark.parametrize(
    ("new", "outcome"), [("max(values)", mutations.CAUGHT), ("sorted(values)[0]", mutations.SURVIVED)]
)
def test_outcomes(project: Path, new: str, outcome: str) -> None:
    tree = mutations.Tree(project.parent / "copy", root=project, limit=300.0, trust=True)
    m = mutations.Mutation("a/b", "code_under_test.py", "min(values)", new, "tests/test_it.py", "what breaks")
    assert tree.judge(m)[0] == outcome
    assert (tree.root / m.file).read_text() == (project / m.file).read_text() == CODE
