"""Renew the tables that README.md and docs/ take from `lagcolor list … --markdown`.

A table stands between the line ``<!-- lagcolor list … --markdown -->`` and the line ``<!-- end -->``.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = re.compile(r"<!-- lagcolor (list .*?--markdown) -->\n(.*?)<!-- end -->", re.DOTALL)


def renewed(text: str) -> str:
    """The text with its tables as the command prints them now."""
    from lagcolor.cli import main

    def table(match: re.Match[str]) -> str:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = main(shlex.split(match[1]))
        if code:
            raise RuntimeError(f"lagcolor {match[1]}: exit code {code}")
        return f"<!-- lagcolor {match[1]} -->\n{out.getvalue()}<!-- end -->"

    return TABLE.sub(table, text)


def pages() -> list[Path]:
    """README.md and every page in docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def main() -> int:
    """Rewrite the pages that changed."""
    for page in pages():
        text = page.read_text()
        if (new := renewed(text)) != text:
            page.write_text(new)
            print(f"renewed {page.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
