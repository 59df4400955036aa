"""Renew the tables of README.md and docs/ that come from `lagcolor list … --markdown` and committed result files.

A table is between a line that declares its kind and the line ``<!-- end -->``:

    <!-- lagcolor list … --markdown -->     the output of the command
    <!-- results FILE… codes A B=C -->      per graph "ms (colors)" of these codes; B is the head of the column of C;
                                            quote a name with a space in it
    <!-- codes FILE… -->                    the transposed table of all codes, with five graphs per table; "own" before
                                            the files: only algorithms of lagcolor
    <!-- graphs FILE… -->                   the graphs of the files, with their sizes
    <!-- against RIVAL CODE FILE… -->       one code compared with another, and its × floor
    <!-- rivals FILE… -->                   the baselines compared with the systems that implement them
    <!-- qualities FILE… -->                the qualities of `lagcolor.color`, and the front of all codes in the files
    <!-- script MODULE FUNCTION FILE -->    lines that a function of a script in benchmarks/ writes for the file; a .csv
                                            table that its records are compared with may follow, to be cited
    <!-- files MODULE FUNCTION FILE… -->    as script, for several files of one commit
    <!-- about TABLE.csv FILE… -->          the description of a table of other people's figures
    <!-- pictures NAME -->                  the pictures of NAME in update_pictures.py, one per graph
    <!-- sources FILE… -->                  the sources of a picture's figures
    <!-- stability FILE -->                 public names with their stability, from tests/contract/public.json
    <!-- runs MODULE FUNCTION FILE… -->     as script, for the runs in all files
    <!-- libraries FILE… -->                other libraries' times over lagcolor's, by benchmarks/libraries.py

FILE is a result file (or a .csv table of other people's figures) relative to the root of the repository, or a pattern;
the last file by name is used. "alone" before the files of results or codes excludes ordering from times. "fastest" as
the RIVAL of against is the fastest peer on each graph.

A table is refused if its files are from several commits or from a tree with uncommitted changes, if a file is of
another commit than benchmarks/results/COMMIT names, if it has no rows, or if the text before it names a library without
a figure in it.
The page then has the reason, and the exit code is 1. It is 1 as well if any file in benchmarks/results is of another
commit, or if COMMIT lists a file that is not there.
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
from table_sources import SourceError, check_folder

KINDS = "|".join(["lagcolor list", *MAKERS])
RESULTS = ROOT / "benchmarks" / "results"
REFUSED = "No table: "
LINK = re.compile(r"\]\(docs/([\w/]+)\.md")
EMPTY = re.compile(r"^\|[-: |]+\|$(?!\n\|)", re.MULTILINE)
TABLE = re.compile(rf"<!-- ({KINDS}) ((?:(?!-->).)*?) ?-->\n(.*?)<!-- end -->", re.DOTALL)


def renewed(text: str) -> str:
    """Return the text with renewed tables."""

    def table(match: re.Match[str]) -> str:
        kind, words = match[1], shlex.split(match[2])
        try:
            made = listing(words) if kind == "lagcolor list" else MAKERS[kind](words)
            if EMPTY.search(made):
                raise SourceError("it has no rows")
            check_text(introduction(text[: match.start()]), kind, words, made)
        except SourceError as e:
            made = f"{REFUSED}{e}.\n"
        return f"<!-- {kind} {match[2]} -->\n{made}<!-- end -->"

    return TABLE.sub(table, text)


def introduction(before: str) -> str:
    """Return the text before a table, from the last heading or table on."""
    return re.split(r"^#.*$|<!-- end -->", before, flags=re.MULTILINE)[-1]


def check_text(text: str, kind: str, words: Sequence[str], made: str) -> None:
    """Raise an error if the text before a table names a library without a figure in it.

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
    ):  # earlier paragraphs may be about the table above
        text = text.rstrip().rpartition("\n\n")[2]
    if absent := without(named(text), with_figures(kind, words), made if kind in LISTED else ""):
        raise SourceError(f"the text before it names {', '.join(absent)}, without a figure in it")


def listing(words: Sequence[str]) -> str:
    """Return the output of ``lagcolor list``."""
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
    """Return the text of a page with renewed tables; links of the paper lead to the site and to the repository."""
    text = renewed(page.read_text())
    if page.parent.name != "paper":
        return text
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]
    text = text.replace("](benchmarks/", f"]({urls['Source']}/blob/main/benchmarks/")
    return LINK.sub(rf"]({urls['Documentation']}\1.html", text)


def main() -> int:
    """Rewrite the pages that changed; return 1 if a table or a result file was refused."""
    wrong = list(check_folder(RESULTS))
    print(*wrong, sep="\n", end="\n" if wrong else "", file=sys.stderr)
    refused = len(wrong)
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
