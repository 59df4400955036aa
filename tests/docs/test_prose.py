"""Comments and pages name files that exist, and `tools/prose.py` finds phrases."""

from __future__ import annotations

import re
from pathlib import Path

import prose as tool
import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("lagcolor", "examples", "benchmarks", "tools", "docs")
FILES = [
    ROOT / "README.md",
    *(
        p
        for folder in FOLDERS
        for p in sorted((ROOT / folder).rglob("*.*"))
        if p.suffix in (".py", ".cu", ".cuh", ".sh", ".md", ".rst")
        and not {"gallery", "generated"}.intersection(p.parts[:-1])  # `make docs` writes these
    ),
]
PARTS = ("papers", "engines", "device", "orders", "problems", "inputs", "frontier", "algebra")  # of lagcolor
FOLDERS_AND_TESTS = "|".join((*FOLDERS, "tests", *PARTS))
SUFFIXES = "py|cuh|cu|md|toml|sh|csv|svg"
NAMED = re.compile(rf"(?<![\w/.*<{{-])((?:{FOLDERS_AND_TESTS})/[\w/.-]+\.(?:{SUFFIXES}))\b")


def missing(text: str) -> list[str]:
    """Files that a text names, relative to the project or the package, that do not exist."""
    return sorted({n for n in NAMED.findall(text) if not ((ROOT / n).exists() or (ROOT / "lagcolor" / n).exists())})


def test_files_that_are_named_exist() -> None:
    assert missing("docs/none.md, engines/none.py, engines/rounds/worklists.py") == ["docs/none.md", "engines/none.py"]
    found = {str(p.relative_to(ROOT)): missing(p.read_text(encoding="utf-8")) for p in FILES}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_prose_tool(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`make lint` finds phrases in docstrings, comments and messages, names, and docstrings that need another one."""
    code, page, kernel = (tmp_path / name for name in ("code.py", "page.md", "kernel.cu"))
    code.write_text(
        '"""The road."""\nbeside = 1  # the bits of which\nprint("of those of 2", "beside")\nx = "room"\n'
        'def walk(given):\n    """The same as x."""\n    return walk(given)  # heard by x\n'
    )
    page.write_text("Colors beside it, and `beside`.\n\n```python\nbeside = 2\n```\n")
    kernel.write_text("int n = 3;  // lest it ends\n")
    assert tool.main([str(tmp_path)]) == 1
    out = capsys.readouterr().out.replace(f"{tmp_path}/", "")
    assert [line.partition(": rather")[0] for line in out.splitlines()] == [
        "code.py:2: 'of which'", "code.py:7: 'heard'", "code.py:1: 'The road'", "code.py:3: 'those of'",
        "code.py:2: 'beside'", "code.py:5: 'given'", "code.py:5: 'walk'", "code.py:6: 'The same'",
        "kernel.cu:1: 'lest'", "page.md:1: 'beside'",
    ]  # fmt: skip
