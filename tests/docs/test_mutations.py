"""The list of faults that tools/mutations.py tries: each still applies; and the tool tells what became of one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import mutations
import pytest

ENTRIES = mutations.load()
CODE = "def least(values):\n    return min(values)\n"
TEST = "from code_under_test import least\n\n\ndef test_least():\n    assert least([2, 1, 3]) == 1\n"


def test_every_fault_still_applies() -> None:
    """What it replaces stands exactly once in its file."""
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


def test_a_fault_that_does_not_apply_once_is_refused() -> None:
    m = mutations.Mutation("a/b", "f.py", "x", "y", "tests/t.py", "what breaks")
    assert m.applied("1 x 2") == "1 y 2"
    for text in ("", "x x"):
        with pytest.raises(ValueError, match=r"a/b: the old text occurs . times in f.py, not once"):
            m.applied(text)


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
    ("new", "outcome"),
    [
        ("max(values)", mutations.CAUGHT),
        ("sorted(values)[0]", mutations.SURVIVED),
        ("min(values))", mutations.BROKEN),
        ("[x for x in iter(int, 1)]", mutations.HANG),
    ],
)
def test_outcomes(project: Path, new: str, outcome: str) -> None:
    limit = 5.0 if outcome == mutations.HANG else 300.0
    tree = mutations.Tree(project.parent / "copy", root=project, limit=limit, trust=True)
    m = mutations.Mutation("a/b", "code_under_test.py", "min(values)", new, "tests/test_it.py", "what breaks")
    assert tree.judge(m)[0] == outcome
    assert (tree.root / m.file).read_text() == (project / m.file).read_text() == CODE


def test_what_a_fault_makes_stale() -> None:
    """Compiled functions of the file itself, and of whatever imports it, however far."""
    imported = {"a.py": {"b.py"}, "b.py": {"c.py"}, "c.py": set(), "d.py": {"a.py"}, "e.py": {"d.py", "e.py"}}
    assert mutations.dependents("b.py", imported) == {"a.py", "b.py", "d.py", "e.py"}
    real = mutations.imports(mutations.ROOT)
    assert "lagcolor/engines/greedy/tasks.py" in mutations.dependents("lagcolor/engines/greedy/sequential.py", real)
    assert "lagcolor/engines/greedy/sequential.py" in mutations.dependents("lagcolor/base/device/intrinsics.py", real)


def test_the_score_tells_what_was_not_caught(tmp_path: Path) -> None:
    some = ENTRIES[:4]
    outcomes = [mutations.CAUGHT, mutations.HANG, mutations.SURVIVED, mutations.BROKEN]
    book = mutations.Book(tmp_path / "outcomes")
    for m, outcome in zip(some, outcomes, strict=True):
        book.add(m, outcome, "words")
    again = mutations.Book(tmp_path / "outcomes")
    assert [again.outcome(m) for m in some] == outcomes
    assert again.outcome(ENTRIES[4]) is None
    first, *rest = mutations.score(list(zip(some, outcomes, strict=True)))
    assert first == "2 of 4 caught (1 of them by a limit of time), 1 survived (0 of them explained), 1 broken"
    assert any(some[2].name in line for line in rest)
    assert not any(some[0].name in line for line in rest)
