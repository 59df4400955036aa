"""Text that is fit to print: messages without control characters and long values, counts with a noun, HTML tables.

Every `LagcolorError` and `LagcolorWarning` passes its message through `legible`, and so does the command line. Messages
can therefore quote values and file names unchanged.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

HEAD, TAIL = 100, 60  # characters of a long value that are shown
WORD, QUOTED = 250, 300  # characters from which on a word, and a text in quotes, is long
MESSAGE, MESSAGE_HEAD, MESSAGE_TAIL = 4000, 2500, 1200  # characters of a long message, and those that are shown
PLURALS = (("ices", "ex"), ("ies", "y"), ("sses", "ss"), ("s", ""))  # endings of plurals, and of their singulars
LONG = re.compile(rf"\S{{{WORD},}}|(?<!\w)'[^'\n]{{{QUOTED},}}'|(?<!\w)\"[^\"\n]{{{QUOTED},}}\"")


def legible(text: str) -> str:
    r"""Escape control characters, as in ``\x1b``, and shorten long values in their middle.

    Newlines stay. A second call changes nothing.

    >>> legible("no file '\x1b[31mred'")
    "no file '\\x1b[31mred'"
    >>> len(legible("x" * 100_000))
    161
    """
    if not text.isprintable():
        text = "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)
    if len(text) >= WORD:
        text = LONG.sub(lambda found: _shortened(found[0], HEAD, TAIL), text)
    return text if len(text) <= MESSAGE else _shortened(text, MESSAGE_HEAD, MESSAGE_TAIL)


def counted(count: int, things: str) -> str:
    """Return a count with its noun; `things` is the plural.

    >>> counted(1, "edges"), counted(1, "vertices"), counted(2000, "entries")
    ('1 edge', '1 vertex', '2,000 entries')
    """
    if count == 1:
        plural, singular = next(ending for ending in PLURALS if things.endswith(ending[0]))
        things = things.removesuffix(plural) + singular
    return f"{count:,} {things}"


def table(caption: str, facts: Iterable[tuple[str, str]]) -> str:
    """Return the HTML that a notebook shows for an object, with a row for each fact.

    >>> table("Coloring", [("colors", "2"), ("order", "<mine>")])
    '<table><caption>Coloring</caption><tr><th>colors</th><td>2</td></tr><tr><th>order</th><td>&lt;mine&gt;</td></tr></table>'
    """
    rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>" for name, value in facts)
    return f"<table><caption>{html.escape(caption)}</caption>{rows}</table>"


def _shortened(text: str, head: int, tail: int) -> str:
    return f"{text[:head]}…{text[-tail:]}"
