"""Text of errors and warnings, fit to be printed: without control characters, long values shortened.

Every `LagcolorError` and `LagcolorWarning` passes its message through `legible`, and so does the command line. Messages
may quote values and names of files as they are.
"""

from __future__ import annotations

import re

HEAD, TAIL = 100, 60  # characters of a long value that stay
WORD, QUOTED = 250, 300  # characters from which on a word, and what stands between quotes, is long
MESSAGE, MESSAGE_HEAD, MESSAGE_TAIL = 4000, 2500, 1200  # the same of a whole message
LONG = re.compile(rf"\S{{{WORD},}}|(?<!\w)'[^'\n]{{{QUOTED},}}'|(?<!\w)\"[^\"\n]{{{QUOTED},}}\"")


def legible(text: str) -> str:
    r"""The text with control characters as in ``\x1b``, and with long values shortened in their middle.

    Newlines stay. Text that has been through this stays as it is.

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


def _shortened(text: str, head: int, tail: int) -> str:
    return f"{text[:head]}…{text[-tail:]}"
