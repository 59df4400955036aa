"""Run the examples, README.md and the pages of docs/start and docs/how_to with only the packages that each names.

    python tools/extras.py              all of them
    python tools/extras.py none nx      only files that need nothing else, or only the extra nx
    python tools/extras.py --list       list the needs of each

An example names ``pip install 'lagcolor[plot]'`` in its docstring, a page before its first section. Each set of extras
and packages gets a new environment with a wheel of this checkout, without packages for a GPU. All environments have
the same folder, so that numba finds the code that an earlier one compiled.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "extras"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs/start").glob("*.md")), *sorted((ROOT / "docs/how_to").glob("*.md"))]
INSTALL = re.compile(r"pip install((?: (?:'[^']+'|[\w.\[\],-]+))+)")
EXTRAS = re.compile(r"(?:lagcolor|\.)(?:\[([\w,]+)\])?")
ALONE = {"networkx": "[nx]"}  # packages that make up an extra
CODE = re.compile(r"^\$ |^>>> ", re.MULTILINE)  # code that runs; other code of a page is a sketch


def needs(text: str) -> tuple[str, ...]:
    """Return the extras, such as "[nx]", and packages that a text installs, without those for a GPU."""
    found: set[str] = set()
    for words in INSTALL.findall(text):
        for word in words.split():
            if match := EXTRAS.fullmatch(word.strip("'")):
                found |= {f"[{extra}]" for extra in (match[1] or "").split(",") if extra and "cuda" not in extra}
            elif word[0] != "-":
                found.add(ALONE.get(word.strip("'"), word.strip("'")))
    return tuple(sorted(found))


def introduction(path: Path) -> str:
    """Return the docstring of an example, or a page up to its first section."""
    text = path.read_text(encoding="utf-8")
    return text.split('"""')[1] if path.suffix == ".py" else text.partition("\n## ")[0]


def by_needs() -> dict[tuple[str, ...], list[Path]]:
    """Return examples and pages with code that runs, by their needs."""
    pages = [page for page in PAGES if CODE.search(page.read_text(encoding="utf-8"))]
    groups: dict[tuple[str, ...], list[Path]] = {}
    for path in [*pages, *sorted((ROOT / "examples").glob("*.py"))]:
        groups.setdefault(needs(introduction(path)), []).append(path)
    return dict(sorted(groups.items()))


def name(needed: Sequence[str]) -> str:
    """Return the name of a set of needs on the command line."""
    return ",".join(word.strip("[]") for word in needed) or "none"


def environment(wheel: Path, needed: Sequence[str]) -> Path:
    """Create an environment with the wheel, extras and packages; return its folder."""
    folder = FOLDER / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    extras = ",".join(word.strip("[]") for word in needed if word[0] == "[")
    packages = [f"lagcolor[{extras}] @ {wheel.as_uri()}", *(word for word in needed if word[0] != "[")]
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check"]
    subprocess.run([*pip, *packages], check=True, cwd=FOLDER)
    return folder


def run(bin_folder: Path, path: Path) -> str:
    """Run an example or a page in a new folder; return its output if it fails."""
    program = [path] if path.suffix == ".py" else [ROOT / "tools" / "page_blocks.py", path]
    env = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    env |= {"PATH": f"{bin_folder}{os.pathsep}{env['PATH']}", "NUMBA_CACHE_DIR": str(FOLDER / "numba")}
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [bin_folder / "python", *program], cwd=folder, env=env, capture_output=True, text=True, check=False
        )
    state = f"exit code {done.returncode}" if done.returncode else "ok"
    print(f"  {time.monotonic() - begun:5.1f} s  {path.relative_to(ROOT)}: {state}", flush=True)
    return f"{path.relative_to(ROOT)}\n{done.stdout}{done.stderr}" if done.returncode else ""


def main(chosen: Sequence[str]) -> int:
    """Run the chosen files; return 1 if one fails."""
    groups = by_needs()
    if chosen == ["--list"]:
        for needed, paths in groups.items():
            print(f"{name(needed)}: {' '.join(str(path.relative_to(ROOT)) for path in paths)}")
        return 0
    if unknown := set(chosen) - set(map(name, groups)):
        print(f"no page needs {', '.join(unknown)}: choose from {' '.join(map(name, groups))}")
        return 2
    shutil.rmtree(FOLDER, ignore_errors=True)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*build, "--wheel-dir", FOLDER, ROOT], check=True)
    (wheel,) = FOLDER.glob("*.whl")
    failed: list[str] = []
    for needed, paths in groups.items():
        if chosen and name(needed) not in chosen:
            continue
        begun = time.monotonic()
        folder = environment(wheel, needed)
        print(f"{name(needed)}: an environment in {time.monotonic() - begun:.0f} s", flush=True)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            failed += filter(None, pool.map(partial(run, folder / "bin"), paths))
    print(*failed, sep="\n")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
