"""What a release states in several files is the same in all of them."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import lagcolor

ROOT = Path(__file__).parents[2]


def project() -> dict[str, Any]:
    """The table [project] of pyproject.toml."""
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


def test_the_version_is_the_same_everywhere() -> None:
    version = project()["version"]
    assert lagcolor.__version__ == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert json.loads((ROOT / "codemeta.json").read_text())["version"] == version
    assert f'version: "{version}"' in (ROOT / "conda" / "recipe.yaml").read_text()
    assert f"version = {{{version}}}" in (ROOT / "README.md").read_text(), "the entry to cite"


def floors(requirements: list[str]) -> dict[str, str]:
    """The oldest minor version of each requirement that has one."""
    pairs = (re.match(r"([\w-]+)(?:\[[\w,-]+\])?>=(\d+\.\d+)", line) for line in requirements)
    return {m[1]: m[2] for m in pairs if m}


def test_the_floor_is_what_is_allowed() -> None:
    """tools/floors.txt constrains the tests of the oldest versions."""
    lines = (ROOT / "tools" / "floors.txt").read_text().splitlines()
    tested = {m[1]: m[2] for m in (re.match(r"([\w-]+)==(\d+\.\d+)\.\*$", line) for line in lines) if m}
    extras = project()["optional-dependencies"]
    allowed = floors([*project()["dependencies"], *extras["nx"], *extras["plot"]])
    assert tested == allowed


def test_the_recipe_has_the_same_dependencies() -> None:
    text = (ROOT / "conda" / "recipe.yaml").read_text()
    run = text[text.index("  run:\n") : text.index("  run_constraints:")]
    assert {m[1]: m[2] for m in re.finditer(r"- (\w+) >=(\d+\.\d+)", run)} == floors(project()["dependencies"])
    assert f'python_min: "{project()["requires-python"].removeprefix(">=")}"' in text


def test_the_readme_lists_every_extra() -> None:
    text = (ROOT / "README.md").read_text()
    assert [extra for extra in project()["optional-dependencies"] if f".[{extra}]" not in text] == []
