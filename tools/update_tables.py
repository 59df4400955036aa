"""Renew the tables that README.md and docs/ take from `lagcolor list … --markdown` and from committed result files.

A table stands between a line that says what it is and the line ``<!-- end -->``:

    <!-- lagcolor list … --markdown -->     what the command prints
    <!-- results FILE… codes A B=C -->      per graph "ms (colors)" of these codes; B is the head of the column of C;
                                            quote a name with a space in it
    <!-- codes FILE… -->                    the same the other way round, of all codes, five graphs a table; "own"
                                            before the files: of algorithms of lagcolor alone
    <!-- graphs FILE… -->                   the graphs of the files, with their sizes
    <!-- against RIVAL CODE FILE… -->       one code beside another, and its × floor
    <!-- rivals FILE… -->                   the baselines beside the systems that have them
    <!-- qualities FILE… -->                the qualities of `lagcolor.color` beside the front of all codes in the files
    <!-- script MODULE FUNCTION FILE -->    lines that a function of a script in benchmarks/ makes of the file; a .csv
                                            table that its records were laid beside may follow, to be cited
    <!-- files MODULE FUNCTION FILE… -->    as script, of several files of one commit
    <!-- about TABLE.csv FILE… -->          what is known of a table of other people's figures
    <!-- pictures NAME -->                  the pictures of NAME in update_pictures.py, a graph each
    <!-- sources FILE… -->                  under a picture: where its figures are from
    <!-- stability FILE -->                public names with their stability, of tests/contract/public.json
    <!-- runs MODULE FUNCTION FILE… -->     the same of the runs in all of the files
    <!-- libraries FILE… -->                other libraries' times over lagcolor's, by benchmarks/libraries.py

FILE is a result file (or a .csv table of other people's figures) relative to the root of the repository, or a pattern,
of which the last file by name counts. "alone" before the files of results or codes leaves the ordering out of times.
"fastest" as the RIVAL of against is whichever peer is the fastest on a graph.

There is no table where the files are of more than one commit or of a tree with uncommitted changes, and where the text
before it names a library that has no figure in it. The page says why, and the exit code is 1.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from code_names import named, without
from result_tables import LISTED, MAKERS, ROOT, with_figures
from table_sources import SourceError

KINDS = "|".join(["lagcolor list", *MAKERS])
REFUSED = "No table: "
LINK = re.compile(r"\]\(docs/([\w/]+)\.md")
TABLE = re.compile(rf"<!-- ({KINDS}) ((?:(?!-->).)*?) ?-->\n(.*?)<!-- end -->", re.DOTALL)


def renewed(text: str) -> str:
    """The text with its tables as they are now."""

    def table(match: re.Match[str]) -> str:
        kind, words = match[1], shlex.split(match[2])
        try:
            made = listing(words) if kind == "lagcolor list" else MAKERS[kind](words)
            check_text(introduction(text[: match.start()]), kind, words, made)
        except SourceError as e:
            made = f"{REFUSED}{e}.\n"
        return f"<!-- {kind} {match[2]} -->\n{made}<!-- end -->"

    return TABLE.sub(table, text)


def introduction(before: str) -> str:
    """What a page says before a table: from the last heading or table on."""
    return re.split(r"^#.*$|<!-- end -->", before, flags=re.MULTILINE)[-1]


def check_text(text: str, kind: str, words: Sequence[str], made: str) -> None:
    """Refuse a table whose text names a library that has no figure in it.

    Raises
    ------
    SourceError
    """
    if kind in ("lagcolor list", "about", "pictures"):
        return
    if kind in (
        "script",
        "files",
        "runs",
        "rivals",
    ):  # what stands before the last paragraph may be about the table above
        text = text.rstrip().rpartition("\n\n")[2]
    if absent := without(named(text), with_figures(kind, words), made if kind in LISTED else ""):
        raise SourceError(f"the text before it names {', '.join(absent)}, without a figure in it")


def listing(words: Sequence[str]) -> str:
    """What ``lagcolor list`` prints."""
    from lagcolor.cli import main

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = main(["list", *words])
    if code:
        raise RuntimeError(f"lagcolor list {shlex.join(words)}: exit code {code}")
    return out.getvalue()


def pages() -> list[Path]:
    """README.md, the paper and every page in docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "paper").glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def current(page: Path) -> str:
    """The text of a page with its tables as they are now; links of the paper lead to the site."""
    text = renewed(page.read_text())
    if page.parent.name != "paper":
        return text
    site = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Documentation"]
    return LINK.sub(rf"]({site}\1.html", text)


def main() -> int:
    """Rewrite the pages that changed; 1 where a table was refused."""
    refused = 0
    for page in pages():
        if (new := current(page)) != page.read_text():
            page.write_text(new)
            print(f"renewed {page.relative_to(ROOT)}")
        for match in TABLE.finditer(new):
            if match[3].startswith(REFUSED):
                refused += 1
                print(f"{page.relative_to(ROOT)}, {match[1]} {match[2]}: {match[3].strip()}", file=sys.stderr)
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
