"""Comments and pages: the field's words, and names of files that are there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import prose as tool
import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("lagcolor", "examples", "benchmarks", "tools", "docs")
FILES = [
    ROOT / "README.md",
    *(
        p
        for room in ROOMS
        for p in sorted((ROOT / room).rglob("*.*"))
        if p.suffix in (".py", ".cu", ".cuh", ".sh", ".md", ".rst")
        and not {"gallery", "generated"}.intersection(p.parts[:-1])  # made by `make docs`
    ),
]
UNITS = (
    "vertex|row|round|thread|block|warp|color|edge|entry|launch|level|process|iteration|bit|option|order|tile|core|"
    "generator"
)
THINGS = (
    "warps?|threads?|blocks?|rows?|bits?|bytes?|words?|atomics?|lines?|numbers?|counters?|places?|copy|copies|kernels?|"
    "bitmaps?|one|colors?|cursors?|flags?|additions?|entries|pointers?|passes"
)
VERBS = "keeps|reads|colors|takes|gives|names|places|copies|rows|counters"
COUNT = r"\b(?:a|an|one|two|\d+)\s+(?:[a-z]+\s+)?"
PHRASES = {
    rf"(?:{COUNT}|^|[(:,]\s*)(?!(?:{VERBS})\b)(?:{THINGS})\s+an?\s+(?:{UNITS})\b": "per",
    r"\b\d+ an (?:entry|edge)\b|\b\d+ a vertex\b": "per",
    r"\bnobody's seconds\b": "excluded from the reported time",
    r"\bblocks meet\b": "grid barrier",
    r"\bwitness(es)?\b|\bdanger(ous)?\b|\bblind\b": "blocking neighbor, conflict, unordered",
    r"\bwhom nobody\b": "unused",
}
PARTS = ("papers", "engines", "device", "orders", "problems", "inputs", "frontier", "algebra")  # of lagcolor
ROOMS_AND_TESTS = "|".join((*ROOMS, "tests", *PARTS))
SUFFIXES = "py|cuh|cu|md|toml|sh|csv|svg"
NAMED = re.compile(rf"(?<![\w/.*<{{-])((?:{ROOMS_AND_TESTS})/[\w/.-]+\.(?:{SUFFIXES}))\b")


def faults(text: str) -> list[str]:
    """Lines with a phrase that the field has another word for, with that word."""
    found = []
    for pattern, instead in PHRASES.items():
        for m in re.finditer(pattern, text, re.IGNORECASE | re.MULTILINE):
            line = text.count("\n", 0, m.end()) + 1
            found.append(f"{line}: {m.group().strip()!r}, in the field: {instead}")
    return found


@pytest.mark.parametrize(
    "text",
    [
        "// a warp a vertex",
        "one thread a row",
        "shape (5,), one a vertex",
        "costs nobody's seconds",
        "the blocks meet here",
        "32 bits a color",
        "a witness of v",
    ],
)
def test_phrases_are_found(text: str) -> None:
    assert faults(text)


@pytest.mark.parametrize(
    "text", ["one warp per vertex", "a thread that reads a row", "where a warp colors a vertex", "takes a block"]
)
def test_others_are_not(text: str) -> None:
    assert not faults(text)


def found_in_all(search: Callable[[str], list[str]]) -> dict[str, list[str]]:
    """What a search finds in files of the project, without those where it finds nothing."""
    found = {str(p.relative_to(ROOT)): search(p.read_text(encoding="utf-8")) for p in FILES}
    return {path: lines for path, lines in found.items() if lines}


def test_words_are_the_fields() -> None:
    assert found_in_all(faults) == {}


def missing(text: str) -> list[str]:
    """Files that a text names, from the project's folder or the package's, and that are not there."""
    return sorted({n for n in NAMED.findall(text) if not ((ROOT / n).exists() or (ROOT / "lagcolor" / n).exists())})


def test_files_that_are_named_exist() -> None:
    assert missing("see docs/none.md, engines/none.py and engines/rounds/worklists.py") == [
        "docs/none.md",
        "engines/none.py",
    ]
    assert found_in_all(missing) == {}


def test_prose_tool(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`make lint` finds phrases in docstrings, comments and messages, and none of them in names and in code."""
    code = tmp_path / "code.py"
    code.write_text('"""The road."""\nbeside = 1  # the bits of which\nprint("of those of 2", "beside")\nx = "room"\n')
    page = tmp_path / "page.md"
    page.write_text("Colors beside it, and `beside`.\n\n```python\nbeside = 2\n```\n")
    kernel = tmp_path / "kernel.cu"
    kernel.write_text("int beside = 3;  // lest it ends\n")
    assert tool.main([str(tmp_path)]) == 1
    lines = [
        line.removeprefix(f"{tmp_path}/").partition(": rather")[0] for line in capsys.readouterr().out.splitlines()
    ]
    assert lines == [
        "code.py:2: 'of which'", "code.py:1: 'The road'", "code.py:3: 'those of'", "kernel.cu:1: 'lest'",
        "page.md:1: 'beside'",
    ]  # fmt: skip


def test_prose_of_the_project(capsys: pytest.CaptureFixture[str]) -> None:
    assert tool.main(["--all"]) == 0, capsys.readouterr().out
