"""Pauli strings from a file, and their groups into one."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

from ..base.errors import OptionError
from ..io.files import atomic, bare_name, load, malformed
from .strings import LETTERS

ENDINGS = (".json", ".csv", ".txt")


def read(path: str | os.PathLike[str]) -> list[str]:
    """The strings of a text file: the first word of each line, such as ``XIZ 0.5``; a # begins a comment."""
    path, found = Path(path), list[str]()
    try:
        text = load(path).tobytes().decode()
    except UnicodeDecodeError as e:
        raise malformed(path, f"this is no text of Pauli strings ({e})") from None
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if wrong := set(words[0]) - set(LETTERS):
            raise malformed(path, f"{sorted(wrong)[0]!r} is no letter of a Pauli string: I, X, Y and Z are", number)
        if found and len(words[0]) != len(found[0]):
            raise malformed(path, f"{len(words[0])} letters, and the first string has {len(found[0])}", number)
        found.append(words[0])
    return found


def write(path: str | os.PathLike[str], grouping: Any) -> None:
    """Groups as .json (lists of strings, with provenance), .csv (string, group) or .txt (a group number per line)."""
    path = Path(path)
    ending = Path(bare_name(path)).suffix
    if ending not in ENDINGS:
        raise OptionError(f"{path}: groups are written as {', '.join(ENDINGS)}, perhaps with .gz")
    colors = grouping.to_numpy().tolist()
    if ending == ".json":
        text = json.dumps({**grouping.provenance(), "groups": grouping.labeled()}) + "\n"
    elif ending == ".txt":
        text = "".join(f"{color}\n" for color in colors)
    else:
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(
            [("string", "group"), *zip(grouping.labels, colors, strict=True)]
        )
        text = out.getvalue()
    with atomic(path) as f:
        f.write(text.encode())
