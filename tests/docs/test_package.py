"""The package as it is installed: what an import costs, and what is in it."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

import lagcolor

ROOT = Path(__file__).parents[2]
HEAVY = ("cupy", "graphblas", "igraph", "matplotlib", "networkx", "numba", "numpy", "pandas", "rich", "scipy")


def modules_after(program: str) -> set[str]:
    """Top-level modules that a fresh interpreter has loaded after a program."""
    text = f"{program}\nimport sys; print('modules:', *sorted({{m.partition('.')[0] for m in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("modules:")[2].split())


def test_the_parser_loads_nothing_heavy() -> None:
    assert modules_after("from lagcolor.cli import parser; parser()").isdisjoint(HEAVY)


def test_metadata() -> None:
    meta = importlib.metadata.metadata("lagcolor")
    assert meta["Version"] == lagcolor.__version__
    assert meta["Requires-Python"] == ">=3.12"
    assert meta["License-Expression"] == "Apache-2.0"
    assert {"cuda12", "cuda13", "plot", "nx", "test", "dev"} <= set(meta.get_all("Provides-Extra") or [])
    core = {re.split(r"[^\w-]", r)[0] for r in importlib.metadata.requires("lagcolor") or [] if "extra ==" not in r}
    assert core == {"numpy", "scipy", "numba"}
    (script,) = importlib.metadata.entry_points(group="console_scripts", name="lagcolor")
    assert script.value == "lagcolor.cli:main"


def sources() -> list[Path]:
    """Files of the packages."""
    suffixes = (".py", ".cu", ".cuh", ".cpp", ".hpp", ".typed")
    found = [p for x in ("lagcolor", "semirings") for p in (ROOT / x).rglob("*")]
    return [p for p in found if p.suffix in suffixes or p.parent.name == "page"]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the files that a wheel is built from."""
    target = tmp_path / "source"
    for path in [*sources(), *(ROOT / name for name in ("pyproject.toml", "README.md", "LICENSE"))]:
        to = target / path.relative_to(ROOT)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(path.read_bytes())
    return target


def wheel(source: Path, folder: Path) -> Path:
    """The wheel of a source tree, in a new folder."""
    build = "from hatchling.build import build_wheel; import sys; print(build_wheel(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", build, str(folder)], cwd=source, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (made,) = folder.glob("*.whl")
    return made


def test_a_wheel_holds_all_that_a_checkout_has(copy: Path, tmp_path: Path) -> None:
    """The package with its CUDA sources and type marker, and nothing else."""
    with zipfile.ZipFile(wheel(copy, tmp_path / "dist")) as archive:
        entries = {name for name in archive.namelist() if ".dist-info/" not in name}
        licenses = [name for name in archive.namelist() if ".dist-info/licenses/" in name]
        (metadata,) = (archive.read(name).decode() for name in archive.namelist() if name.endswith("/METADATA"))
    assert licenses == [f"lagcolor-{lagcolor.__version__}.dist-info/licenses/LICENSE"]
    assert re.search(r"\]\((?!https:|#)", metadata) is None, "an index resolves no relative links"
    assert entries == {str(p.relative_to(ROOT)) for p in sources()}


COLORS = """
import sys
sys.path += sys.argv[1:]  # what lagcolor needs, behind the wheel
import lagcolor
assert lagcolor.__file__.startswith(sys.prefix), lagcolor.__file__
print(lagcolor.__version__, *lagcolor.color(lagcolor.generate.cycle(9), "greedy").colors)
"""
CTZ64 = "builder.cttz(x, "  # the lowest color; below, the second lowest
NEXT = "builder.cttz(builder.and_(x, builder.sub(x, x.type(1))), "


class Installation:
    """An environment with no package but wheels of this one, and a folder for caches."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder)
        self.python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
        settings = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "PYTHON"))}
        names = ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA")
        self.environment = settings | {name: str(folder / "caches") for name in names}
        self.packages = folder

    def colors(self, made: Path) -> list[str]:
        """The version, and the colors of a small graph, after this wheel is installed over what is there."""
        options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-index", "--force-reinstall"]
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "install", *options, str(made)]
        subprocess.run(pip, env=self.environment, check=True)
        others = [path for path in sys.path if path and Path(path) != ROOT]
        command = [str(self.python), "-c", COLORS, *others]
        done = subprocess.run(
            command, env=self.environment, cwd=self.packages, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.split()


@pytest.mark.slow
def test_an_upgrade_runs_its_own_code(copy: Path, tmp_path: Path) -> None:
    """Not the compiled code of what was there; the change is in a function that the compiled one calls."""
    old = wheel(copy, tmp_path / "old")
    path = copy / "lagcolor/base/device/intrinsics.py"
    text = path.read_text(encoding="utf-8")
    assert CTZ64 in text
    path.write_text(text.replace(CTZ64, NEXT))
    new = wheel(copy, tmp_path / "new")

    upgraded, fresh = Installation(tmp_path / "upgraded"), Installation(tmp_path / "fresh")
    before = upgraded.colors(old)
    after = upgraded.colors(new)
    assert after[0] == lagcolor.__version__
    assert after == fresh.colors(new)
    assert after[1:] != before[1:]
    assert not list(upgraded.packages.glob("[Ll]ib*/**/*.nb[ic]")), "next to the sources"
    assert len(list(upgraded.packages.glob("caches/**/lagcolor/*"))) == 2
