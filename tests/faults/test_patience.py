"""No test fails because a machine is slow: what limits a wait is far longer than anything takes."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

from waiting import PATIENCE

TESTS = Path(__file__).parents[1]
STARTS = {"run", "call", "check_call", "check_output"}  # of subprocess: these end the child, and the test


def test_no_test_has_too_little_time() -> None:
    """For a child, or to draw examples: what a test suppresses stands in place of the profile's."""
    for path in TESTS.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call):
                continue
            name, words = ast.unparse(call.func), {word.arg: word.value for word in call.keywords}
            where, limit = f"{path.name}, line {call.lineno}", words.get("timeout")
            if name.startswith("subprocess.") and name.split(".")[1] in STARTS and isinstance(limit, ast.Constant):
                assert limit.value >= PATIENCE, f"{where}: say timeout=PATIENCE"
            if name.split(".")[-1] == "settings" and "suppress_health_check" in words:
                assert "too_slow" in ast.unparse(words["suppress_health_check"]), where
            if name.split(".")[-1] == "settings" and "deadline" in words:
                assert ast.unparse(words["deadline"]) == "None", where


def test_children_are_given_up_before_the_test() -> None:
    options = tomllib.loads((TESTS.parent / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    assert 1000 < PATIENCE < options["timeout"]
