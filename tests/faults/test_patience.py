"""No test fails because a machine is slow: what limits a wait is far longer than anything takes."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from waiting import PATIENCE

TESTS = Path(__file__).parents[1]
FILES = sorted(path.relative_to(TESTS).as_posix() for path in TESTS.rglob("*.py"))
STARTS = {"run", "call", "check_call", "check_output"}  # of subprocess: these end the child, and the test


def calls(file: str) -> Iterator[tuple[ast.Call, str]]:
    """The calls of a file, and what is called."""
    for node in ast.walk(ast.parse((TESTS / file).read_text())):
        if isinstance(node, ast.Call):
            yield node, ast.unparse(node.func)


@pytest.mark.parametrize("file", FILES)
def test_no_child_has_too_little_time(file: str) -> None:
    for call, name in calls(file):
        if name.startswith("subprocess.") and name.split(".")[1] in STARTS:
            for word in call.keywords:
                if word.arg == "timeout" and isinstance(word.value, ast.Constant):
                    assert word.value.value >= PATIENCE, f"line {call.lineno}: say timeout=PATIENCE"


@pytest.mark.parametrize("file", FILES)
def test_no_drawing_of_examples_is_called_too_slow(file: str) -> None:
    """What a test suppresses stands in place of the profile's; and none has a deadline."""
    for call, name in calls(file):
        if name.split(".")[-1] == "settings":
            words = {word.arg: ast.unparse(word.value) for word in call.keywords}
            assert "too_slow" in words.get("suppress_health_check", "too_slow"), f"line {call.lineno}"
            assert words.get("deadline", "None") == "None", f"line {call.lineno}"


def test_children_are_given_up_before_the_test() -> None:
    options = tomllib.loads((TESTS.parent / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    assert 1000 < PATIENCE < options["timeout"]
