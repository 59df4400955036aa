"""What the library says of its parameters, in the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Collection

# Advice that a command line has no means for, and words that it has others for.
PHRASES = (
    (r" \(or pass an array[^)]*\)", ""),
    (r" \(or arrays of priorities\)", ""),
    (r"; or pass a mapping from vertices to colors", ""),
    (r", or a function of (a round's )?RoundStatistics", ""),
    (r", see notes\['\w+'\]", ""),
    (r" \(`partial` of the error\)", ""),
    (r"; Folder\.check\(\) of [\w.]+ names an entry", ""),
    (r" \(a file with labels needs the graph's: labels=G\.labels\)", ""),
    (r"; lagcolor\.(\w+) makes", r"; 'lagcolor \1' makes"),
    (r" \(of lagcolor\.io\.read and lagcolor\.convert\)", ""),
    (r"columns=\(('[^']*'), ('[^']*')\)", r"--columns \1 \2"),
    (r"\blagcolor\.(\w+) alone", r"'lagcolor \1' alone"),
    (r" or to make their graph: `[^`]*`", ""),
    (r"say so with n=(\w+)", r"say so in the file's first line: '# Nodes: \1 Edges: ' and how many edges follow"),
    (r", None \(ties by vertex id\)", ", none (ties by vertex id)"),
    (r"'cells', 'morton' or None", "cells, morton or none"),
    (r"must have shape \((\w+), colors\), a row per vertex, not", r"must have \1 rows, one per vertex, not shape"),
    (
        r"must have shape \((\w+),\), one ((?:entry )?(?:per|for each) [\w ]+), not \(?([\w, ]*\w),?\)?",
        r"must be \1, one \2, not \3",
    ),
)
ASSIGNED = re.compile(
    r"""(?<!--option )(?<![\w.-])(?P<name>[a-z_]+)=(?P<value>'[^']*'|"[^"]*"|[\w.]+(?![\w.(]))"""
)  # as in `pass symmetrize=True`
SUBJECT = re.compile(r"([a-z_]+)(?=:? )")


def as_flags(text: str, options: Collection[str], *, of_file: bool = False) -> str:
    """Advice for Python in the words of the command line: ``pass symmetrize=True`` becomes ``pass --symmetrize``.

    Parameters
    ----------
    text : str
    options : collection of str
        Names of parameters that the command has a flag for; others stay as they are.
    of_file : bool
        The text is about a file and quotes it, so that words of it may be names of parameters by chance.
    """
    for pattern, replacement in PHRASES:
        text = re.sub(pattern, replacement, text)
    if not of_file:
        text = _bare_names(text, options)

    def assigned(found: re.Match[str]) -> str:
        name, value = found["name"], found["value"].strip("'\"")
        if value == "False" and f"no_{name}" in options:
            return _flag(f"no_{name}")
        if name not in options or value in ("False", "None"):
            return found[0]
        return _flag(name) + ("" if value == "True" else f" {value}")

    return ASSIGNED.sub(assigned, text)


def of_option(text: str) -> str:
    """What an option means, with values as --option takes them: true and false."""
    return re.sub(r"\b(True|False)\b", lambda found: found[0].lower(), as_flags(text, ()))


def _bare_names(text: str, options: Collection[str]) -> str:
    """Names without a value: at the beginning, after "leave", and those that are no words of English."""
    if (found := SUBJECT.match(text)) and found[1] in options:
        text = _flag(found[1]) + text[found.end() :].replace(", or None, not ", ", not ")
    text = re.sub(r"\bleave (\w+) out\b", lambda f: f"leave {_flag(f[1]) if f[1] in options else f[1]} out", text)
    several = "|".join(sorted(name for name in options if "_" in name))
    if not several:
        return text
    return re.sub(rf"(?<![\w.='\"-])({several})(?![\w='\"]|\.\w)", lambda found: _flag(found[1]), text)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
