"""`semirings` can be used alone, and is not taken for another project of that name."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lagcolor
import semirings

ROOT = Path(semirings.__file__).parents[1]


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)


def test_it_runs_without_lagcolor(tmp_path: Path) -> None:
    code = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
sys.modules["lagcolor"] = None
import semirings
A = [0, 1, 3, 4], [1, 0, 2, 1]
try:
    E = semirings.engine("cpu")
except ImportError as e:
    assert "pip install 'lagcolor[graphblas]'" in str(e)
else:
    assert E.to_numpy(E.vxm(E.from_numpy([5, 7, 6]), E.matrix(*A), semirings.max_times)).tolist() == [7, 6, 7]
"""
    done = run(code, tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_old_name_is_the_same_package() -> None:
    from lagcolor.semirings import max_times

    assert lagcolor.semirings is semirings and max_times is semirings.max_times


@pytest.mark.parametrize("text", ["from math import inf\n", "import a_package_that_it_needs\n"])
def test_another_project_of_that_name_is_an_error(tmp_path: Path, text: str) -> None:
    """A package of PyPI has this name, and pip replaces one's files by the other's. It needs packages of its own."""
    shutil.copytree(Path(semirings.__file__).parent, tmp_path / "semirings")
    (tmp_path / "semirings" / "__init__.py").write_text(text)
    assert f"{tmp_path / 'semirings' / '__init__.py'} is of another project" in refusal(tmp_path)


def test_a_missing_package_is_an_error(tmp_path: Path) -> None:
    """To uninstall the other project removes files of both."""
    (tmp_path / "semirings").mkdir()
    (tmp_path / "semirings" / "base.py").write_text("")
    (tmp_path / "lagcolor").symlink_to(Path(lagcolor.__file__).parent)
    assert "its files are missing" in refusal(tmp_path)


def refusal(folder: Path) -> str:
    """Return the error of `import lagcolor` if a folder precedes a checkout with only lagcolor in it."""
    hidden = "semirings" if (folder / "lagcolor").exists() else ""
    code = f"""
import sys
path = [p for p in sys.path if not (Path(p) / "semirings").exists()] if {hidden!r} else [*sys.path, {str(ROOT)!r}]
sys.path[:] = [{str(folder)!r}, *path]
import lagcolor
"""
    last = run("from pathlib import Path" + code, folder).stderr.splitlines()[-1]
    assert last.startswith("ImportError: lagcolor needs its own package semirings")
    assert "pip uninstall semirings" in last and "pip install --force-reinstall" in last
    return last
