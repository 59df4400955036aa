"""Renew the tables that README.md and docs/ take from `lagcolor list … --markdown` and from committed result files.

A table stands between a line that says what it is and the line ``<!-- end -->``:

    <!-- lagcolor list … --markdown -->     what the command prints
    <!-- results FILE… -->                  per graph the fastest and the thriftiest code, ours and of peers
    <!-- results FILE… codes A B C -->      per graph "ms (colors)" of these codes; quote a name with a space in it
    <!-- codes FILE… -->                    the same the other way round, of all codes
    <!-- against RIVAL CODE FILE… -->       one code beside another, and its × floor
    <!-- rivals FILE… -->                   the baselines beside the systems that have them
    <!-- qualities FILE… -->                the qualities of `lagcolor.color` beside the front of all codes in the files
    <!-- script MODULE FUNCTION FILE -->    lines that a function of a script in benchmarks/ makes of the file; a .csv
                                            table that its records were laid beside may follow, to be cited
    <!-- sources FILE… -->                  under a picture: where its figures are from
    <!-- stability FILE -->                public names with their stability, of tests/contract/public.json
    <!-- runs MODULE FUNCTION FILE… -->     the same of the runs in all of the files

FILE is a result file (or a .csv table of other people's figures) relative to the root of the repository, or a pattern,
of which the last file by name counts. "alone" before the files of results or codes leaves the ordering out of times.
"fastest" as the RIVAL of against is whichever peer is the fastest on a graph.

Where the files are of more than one commit, or of a tree with uncommitted changes, there is no table: the page says
why, and the exit code is 1.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from result_tables import MAKERS, ROOT
from table_sources import SourceError

KINDS = "|".join(["lagcolor list", *MAKERS])
REFUSED = "No table: "
TABLE = re.compile(rf"<!-- ({KINDS}) ((?:(?!-->).)*?) ?-->\n(.*?)<!-- end -->", re.DOTALL)


def renewed(text: str) -> str:
    """The text with its tables as they are now."""

    def table(match: re.Match[str]) -> str:
        kind, words = match[1], shlex.split(match[2])
        try:
            made = listing(words) if kind == "lagcolor list" else MAKERS[kind](words)
        except SourceError as e:
            made = f"{REFUSED}{e}.\n"
        return f"<!-- {kind} {match[2]} -->\n{made}<!-- end -->"

    return TABLE.sub(table, text)


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
    """README.md and every page in docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def main() -> int:
    """Rewrite the pages that changed; 1 where a table was refused."""
    refused = 0
    for page in pages():
        text = page.read_text()
        if (new := renewed(text)) != text:
            page.write_text(new)
            print(f"renewed {page.relative_to(ROOT)}")
        for match in TABLE.finditer(new):
            if match[3].startswith(REFUSED):
                refused += 1
                print(f"{page.relative_to(ROOT)}, {match[1]} {match[2]}: {match[3].strip()}", file=sys.stderr)
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
