"""Phrases that make documentation and messages hard to read, each with a plain one. `make lint` runs this.

    python tools/prose.py --all        docstrings, comments and messages of the code and the tests, README.md and docs/
    python tools/prose.py PATH ...     these files and folders

Text in backticks and in comments of Markdown is not checked. `ALLOWED` lists the files in which a phrase is right.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
ALL = ("lagcolor", "semirings", "examples", "benchmarks", "tests", "tools", "README.md", "docs")
SUFFIXES = (".py", ".cu", ".cuh", ".md")
# Written by `make docs` and by Python; this file and its test, which quote phrases.
SKIPPED = {"gallery", "generated", "__pycache__", "prose.py", "test_prose.py"}

# Pattern → what to write instead.
PATTERNS = {
    r"\b(?:whose turn|rehears\w*)\b": "name the thread, vertex or caller",
    r"\b(?:is|are) told\b": "receives, is notified",
    r"\b(?:lest|be it|be no longer|has to itself|for it is)\b": "because, so that … not",
    r"\b(?:the same holds|as is that|such are)\b": "repeat the noun",
    r"\bthe road\b|\bthe house\b": "the call path, the package",
    r"\b(?:is|are) asked\b|\basked for\b": "requested, used",
    r"\b(?:to be had|can be had|is had|had from)\b": "is available",
    r"\b(?:of so many|so many \w+s)\b(?! that)|\bsuch and such\b": "a number of, this number of",
    r"\b(?:nobody|whoever|whom)\b": "name the thread, vertex, process or caller",
    r"\b(?:that|those) of\b(?! (?:the )?(?:two|three))": "repeat the noun",
    r"\b(?:of|for|by|with) (?:which|whose)\b": "two sentences, or 'whose'",
    r"\bbeside\b": "next to, compared with, in addition to, a neighbor of",
    r"\b(?:is|are) to (?:be|have|say|get|do|go)\b": "must, will, should",
    r"\b(?:is|are|was|were) made\b": "is computed, built, written",
    r"\bsoon(?:er|est)\b": "faster, earlier",
    r"\b(?:rooms?|houses?|doors?)\b(?![-\w=])": "memory, capacity, package, entry point",
    r"\bwalk(?:s|ed|ing)?\b": "pass over, traverse, follow",
    r"\b(?:held|kept)\b": "stored, unchanged, preserved, obeyed",
    r"\b(?:told|said|heard|meant)\b": "name what is passed, printed, received or intended",
    r"\bsettl(?:e|es|ed|ing)\b": "decide, fix, finish",
}
FIRST = r"the same\b"  # words of a docstring that can only be read after another one
# Words that no module, class, function, argument or variable has in its name.
NAMES = {"walk", "room", "held", "kept", "told", "said", "meant", "settled", "heard", "given", "those", "beside"}
# File → phrases that are right there: names of arrays, authors, columns and options, a title, rooms of a timetable.
ALLOWED = {
    "benchmarks/proofs.py": {"held"},
    "docs/algorithms/bibliography.md": {"of which", "held"},
    "docs/how_to/timetable.md": {"room", "rooms"},
    "examples/exam_timetable.py": {"room", "rooms"},
    "lagcolor/engines/improve/lists/relaxation.py": {"held"},
    "lagcolor/solvers/ilu0.py": {"of which"},
    "tests/faults/test_io_header.py": {"whom"},
    "tests/reference/test_convert.py": {"whom"},
    "tests/semirings_cases.py": {"given"},
}


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines of a file's documentation: its text, or the comments and strings of its code."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from of_python(text)
    elif path.suffix == ".md":
        fenced = False
        for number, line in enumerate(text.splitlines(), 1):
            fenced ^= line.lstrip().startswith("```")
            if not fenced:
                yield number, line
    else:
        for number, line in enumerate(text.splitlines(), 1):
            if "//" in line:
                yield number, line[line.index("//") :]


def of_python(text: str) -> Iterator[tuple[int, str]]:
    """Comments, and the lines of string constants that have a blank: docstrings and messages."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
            for offset, line in enumerate(node.value.splitlines()):
                if not re.match(r"\s*[\w, ]+ : ", line):  # a name with its type
                    yield node.lineno + offset, line


def names(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered names that a file defines, its own first; all identifiers of a CUDA file."""
    yield 1, path.stem
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        for number, line in enumerate(text.splitlines(), 1):
            for found in re.finditer(r"[A-Za-z_]\w*", line.partition("//")[0]):
                yield number, found.group()
        return
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                yield node.lineno, name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name


def first_words(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered first lines of the docstrings of a Python file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            doc = ast.get_docstring(node)
            if doc:
                yield node.body[0].lineno, doc.partition("\n")[0]


def faults(path: Path) -> Iterator[str]:
    """What to change in a file, one line each."""
    name = path.resolve().relative_to(ROOT).as_posix() if path.resolve().is_relative_to(ROOT) else str(path)
    for number, line in prose(path):
        # Neither code, nor comments, nor the name in a row of a table of names.
        text = re.sub(r"`[^`]*`|<!--.*?-->|^\s*\w+  +(?=\S)", "``", line)
        for pattern, instead in PATTERNS.items():
            for found in re.finditer(pattern, text, re.IGNORECASE):
                if found.group().lower() not in ALLOWED.get(name, ()):
                    yield f"{name}:{number}: {found.group()!r}: rather {instead}: {line.strip()[:80]}"
    if path.suffix == ".md":
        return
    for number, word in sorted(set(names(path))):
        for part in NAMES.intersection(word.lower().split("_")) - ALLOWED.get(name, set()):
            yield f"{name}:{number}: {word!r}: rather a noun or verb of the field than {part!r}"
    if path.suffix == ".py":
        for number, line in first_words(path):
            if re.match(FIRST, line, re.IGNORECASE):
                yield f"{name}:{number}: 'The same': rather words that can be read alone: {line[:80]}"


def files(root: Path) -> list[Path]:
    """A file, or those below a folder that have prose."""
    found = [root] if root.is_file() else sorted(root.rglob("*"))
    return [p for p in found if p.suffix in SUFFIXES and not SKIPPED.intersection(p.parts)]


def main(arguments: list[str]) -> int:
    """Print what to change; 1 if there is anything."""
    roots = [ROOT / name for name in ALL] if arguments in ([], ["--all"]) else [Path(name) for name in arguments]
    found = [line for root in roots for path in files(root) for line in faults(path)]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
