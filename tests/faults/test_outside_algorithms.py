"""Algorithms outside of this package, by an entry point of a package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROW = """
import numpy as np
from lagcolor.problems.registry import ALGORITHMS, coloring

@coloring({name!r}, style="sequential", paper="none", engines=("cpu",), bound="n", deterministic=True)
def one_color_each(G, p, log):
    \"\"\"A color for each vertex.\"\"\"
    log.round(active=G.n, colored=G.n, conflicts=0)
    return np.arange(G.n, dtype=np.int32)
"""


class Site:
    """A folder with installed packages, and one to work in."""

    def __init__(self, folder: Path) -> None:
        self.packages, self.here = folder / "site", folder / "here"
        self.packages.mkdir()
        self.here.mkdir()

    def install(self, name: str, text: str, module: str | None = None) -> None:
        """A package with an entry point that names it, or another module."""
        (self.packages / f"{name}.py").write_text(text)
        info = self.packages / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[lagcolor.algorithms]\n{name} = {module or name}\n")

    def run(self, *args: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        """A command of Python."""
        env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(self.packages), str(ROOT)])}
        done = subprocess.run(
            [sys.executable, *args], cwd=self.here, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_an_installed_package_registers_its_algorithms(site: Site) -> None:
    site.install("mine", ROW.format(name="mine_one"))
    listed = site.run("-m", "lagcolor", "list", "algorithms", "--json").stdout
    assert {"mine_one", "first_fit"} < {json.loads(line)["name"] for line in listed.splitlines()}
    out = json.loads(site.run("-m", "lagcolor", "color", "path:5", "-a", "mine-one", "--json").stdout)
    assert (out["algorithm"], out["n_colors"], out["verified"]) == ("mine_one", 5, True)


BROKEN = """
import warnings, lagcolor
from lagcolor.problems.registry import TABLES
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert lagcolor.color("path:5").n_colors == 2 and not caught
    for table in TABLES.values():
        len(table)
assert lagcolor.color("path:5", "mine_one").n_colors == 5
for warning in caught:
    assert warning.category is lagcolor.EntryPointWarning
    print(warning.message)
"""


def test_entry_points_that_fail_are_named_and_the_others_work(site: Site) -> None:
    site.install("absent", "", module="no_such_module")
    site.install("broken", "raise RuntimeError('out of luck')")
    site.install("mine", ROW.format(name="mine_one"))
    site.install("taken", ROW.format(name="first_fit"))
    printed = sorted(site.run("-c", BROKEN).stdout.splitlines())
    assert len(printed) == 3
    assert "absent = no_such_module of absent" in printed[0] and "ModuleNotFoundError: No module named" in printed[0]
    assert "broken = broken of broken" in printed[1] and "RuntimeError: out of luck" in printed[1]
    assert "taken = taken of taken" in printed[2] and "two algorithms are named 'first_fit'" in printed[2]
    assert all(line.endswith("Update or uninstall the package") for line in printed)
