"""Tables: numbers are aligned at the right, long code may wrap, and an empty cell of a header is no header."""

from __future__ import annotations

import re
from typing import Any

# 12, 1,234, −0.5, 3.1e5, 12 ms, 1.9×, 87 %, 2^20, ≥ 3, 5–7, 3 of 10, 2 (5) †; no number: a dash, "absent" or nothing
UNIT = r"\s*(%|×|x|ms|s|µs|min|h|GB|MB|KB|GiB|MiB|k|M)?"
RANGE = r"(e[+-]?\d+|[–-]\d[\d.,]*|\s*(of|/)\s*\d+)?"
NUMBER = re.compile(r"[≤≥<>~≈+−-]?\s*\d[\d,. ]*" + RANGE + UNIT + r"(\s*\(.*\))?(\s*[†*])?")
NO_NUMBER = ("", "–", "—", "-", "absent", "no", "n/a")
LONG_CODE = 24  # characters
WRAPS = re.compile(r"<code class=\"[^\"]*\bwraps\b.*?</code>", re.DOTALL)
BREAKS = re.compile(r"(?<=[\w(][._:,])(?=[\w(])(?![^<]*>)")
EMPTY_HEAD = re.compile(r"<th class=\"head[^\"]*\"[^>]*>\s*(<p></p>)?\s*</th>")
NO_HEADS = re.compile(r"<thead>\s*<tr[^>]*>(\s*<td></td>)+\s*</tr>\s*</thead>")


def align_numbers(app: Any, doctree: Any) -> None:
    """Sphinx's event: columns whose cells are all numbers."""
    from docutils import nodes

    for group in doctree.findall(nodes.tgroup):
        rows = [list(row.findall(nodes.entry)) for row in group.findall(nodes.row)]
        body = [list(row.findall(nodes.entry)) for b in group.findall(nodes.tbody) for row in b.findall(nodes.row)]
        if len({len(row) for row in rows}) != 1:
            continue  # cells over several columns
        for column in range(1, len(rows[0])):
            texts = [row[column].astext().strip() for row in body]
            if any(NUMBER.fullmatch(t) for t in texts) and all(t in NO_NUMBER or NUMBER.fullmatch(t) for t in texts):
                for row in rows:
                    row[column]["classes"] = [c for c in row[column]["classes"] if c != "text-left"] + ["number"]


def wrap_code(app: Any, doctree: Any) -> None:
    """Sphinx's event: code in cells that may be broken, at spaces and, of long names, at dots."""
    from docutils import nodes

    for entry in doctree.findall(nodes.entry):
        for code in entry.findall(nodes.literal):
            if len(code.astext()) > LONG_CODE:
                code["classes"].append("wraps")


def with_breaks(body: str) -> str:
    """The HTML of a page with places where long code in tables may be broken."""
    return WRAPS.sub(lambda code: BREAKS.sub("<wbr/>", code[0]), body)


def without_empty_heads(body: str) -> str:
    """The HTML of a page whose tables may have a corner, or a whole header, without a text."""
    return NO_HEADS.sub("", EMPTY_HEAD.sub("<td></td>", body))
