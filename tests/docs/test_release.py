"""What a release states in several files is the same in all of them."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import lagcolor

ROOT = Path(__file__).parents[2]


def table(name: str) -> dict[str, Any]:
    """A table of pyproject.toml."""
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[name]
    return found


def project() -> dict[str, Any]:
    """The table [project]."""
    return table("project")


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


def test_the_recipe_has_the_same_dependencies_and_backend() -> None:
    text = (ROOT / "conda" / "recipe.yaml").read_text()
    run = text[text.index("  run:\n") : text.index("  run_constraints:")]
    assert {m[1]: m[2] for m in re.finditer(r"- (\w+) >=(\d+\.\d+)", run)} == floors(project()["dependencies"])
    assert f'python_min: "{project()["requires-python"].removeprefix(">=")}"' in text
    host = text[text.index("  host:\n") : text.index("  run:\n")]
    backend = {line.split(">=")[0].strip(): line.split(">=")[1] for line in table("build-system")["requires"]}
    assert {m[1]: m[2] for m in re.finditer(r"- ([\w-]+) >=([\d.]+)", host)} == backend


def workflows() -> dict[str, str]:
    """The workflows of the code host."""
    return {path.name: path.read_text() for path in (ROOT / ".github" / "workflows").glob("*.yml")}


def test_actions_are_pinned_by_one_hash_each() -> None:
    pins: dict[str, set[str]] = {}
    for text in workflows().values():
        for action, pin in re.findall(r"uses: ([\w/-]+)@(.*)", text):
            pins.setdefault(action, set()).add(pin)
    assert len(pins) > 3
    for action, found in pins.items():
        assert len(found) == 1, action
        assert re.fullmatch(r"[0-9a-f]{40} # v\d+\.\d+\.\d+", found.pop()), action


def test_a_release_runs_the_tests_before_it_publishes() -> None:
    """The job that uploads waits for the jobs that run all tests and that build and test the packages."""
    tests, build, publish = re.split(r"^  (?:build|publish):\n", workflows()["release.yml"], flags=re.MULTILINE)
    assert "- run: make test " in tests and "- run: make dist " in build
    assert "    needs: [tests, build]\n" in publish


def test_every_python_of_the_classifiers_is_tested() -> None:
    named = {m[1] for line in project()["classifiers"] if (m := re.search(r":: (3\.\d+)$", line))}
    tested = set(re.findall(r'"(3\.\d+)"', "".join(re.findall(r"python: (.*)", workflows()["tests.yml"]))))
    assert named == tested
    assert min(named, key=lambda version: int(version[2:])) == project()["requires-python"].removeprefix(">=")


def test_the_readme_lists_every_extra() -> None:
    text = (ROOT / "README.md").read_text()
    assert [extra for extra in project()["optional-dependencies"] if f".[{extra}]" not in text] == []


def test_addresses_and_pins_are_the_same_everywhere() -> None:
    """Other files have the addresses of pyproject.toml, and the hooks of pre-commit have its version of ruff."""
    urls, about = project()["urls"], json.loads((ROOT / "codemeta.json").read_text())
    cff, recipe = ((ROOT / name).read_text() for name in ("CITATION.cff", "conda/recipe.yaml"))
    assert f"\nrepository-code: {urls['Source']}\nurl: {urls['Documentation']}\n" in cff
    assert f"]({urls['Source']}/actions/workflows/tests.yml)" in (ROOT / "README.md").read_text(), "the badge"
    assert about["softwareHelp"] == urls["Documentation"]
    assert (about["codeRepository"], about["issueTracker"]) == (urls["Source"], urls["Issues"])
    assert f"\n  documentation: {urls['Documentation']}\n  repository: {urls['Source']}\n" in recipe
    pins = dict(line.split("==") for line in project()["optional-dependencies"]["dev"] if "==" in line)
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    assert re.findall(r"ruff-pre-commit\n    rev: v(.*)", hooks) == [pins["ruff"]]


def test_workflows_run_what_ci_runs() -> None:
    local = set(re.findall(r"^make ([\w-]+)", (ROOT / ".ci" / "run").read_text(), re.MULTILINE))
    assert {"test"} <= local <= set(re.findall(r"run: make ([\w-]+)", "".join(workflows().values())))
