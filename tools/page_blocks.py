"""Run the code of a page in the current folder, as a reader with the installed package does: page_blocks.py PAGE.

Lines that begin with ``$`` run in a shell, and lines that begin with ``>>>`` by doctest, in one namespace. Other Python
code of a page in docs/ is a sketch with the reader's own names and is only compiled.
"""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import lagcolor

BLOCK = re.compile(r"^(<!-- needs a GPU -->\n)?```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL


def blocks(page: Path) -> list[tuple[str, str]]:
    """Return language and text of each block of code; skip blocks that need a GPU if there is none."""
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [(kind, text) for gpu, kind, text in found if not gpu or lagcolor.has_gpu()]


def run(page: Path, before: str = "") -> None:
    """Run all blocks; the shell runs the text `before` in front of each command.

    Raises
    ------
    AssertionError
        A block fails. The message is its output.
    """
    names: dict[str, object] = {}
    for kind, text in blocks(page):
        if kind == "console":
            in_a_shell(text, before)
        elif ">>>" in text:
            by_doctest(page, text, names)
        else:
            assert "docs" in page.parts, f"no '>>>' line in:\n{text}"
            compile(text, str(page), "exec")


def in_a_shell(text: str, before: str) -> None:
    """Run the commands of a block."""
    commands = [line.removeprefix("$ ") for line in text.splitlines() if line.startswith("$ ")]
    assert commands, f"no '$ ' line in:\n{text}"
    for command in commands:
        done = subprocess.run(["bash", "-c", before + command], capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stderr}"


def by_doctest(page: Path, text: str, names: dict[str, object]) -> None:
    """Run the examples of a block, and compare what they print."""
    test = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), 0)
    report: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append, clear_globs=False)
    assert not report, "".join(report)
    names.update(test.globs)


if __name__ == "__main__":
    run(Path(sys.argv[1]).resolve())
