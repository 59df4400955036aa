"""Which files are meant, what their formats are, and their sources."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ....core.errors import FormatError, GraphError, OptionError
from ....core.options import unknown
from ....io.files import STDIN, FirstLine, bare_name, said
from ....io.folder import is_folder
from ....io.formats import CONVERTED as TABLES
from ....io.formats import FORMATS, check_told, format_of
from .sources import Room, Source


def files(inputs: Any) -> list[Path]:
    """The files of what a caller gives: a path or several; of a folder its files, by name."""
    given = [inputs] if isinstance(inputs, str | os.PathLike) else list(inputs)
    found: list[Path] = []
    for one in given:
        path = Path(one)
        if path != STDIN and not path.exists():
            raise FileNotFoundError(2, "no such file", str(path))
        found += _of_folder(path) if path.is_dir() and not is_folder(path) else [path]
    if not found:
        raise OptionError("there are no files of edges to convert")
    if STDIN in found and len(found) > 1:
        raise OptionError("standard input (-) is converted alone, not beside files")
    return found


def _of_folder(path: Path) -> list[Path]:
    """Files of a folder and folders in it, by name, without hidden ones and those that begin with `_`."""
    inside = sorted(file for file in path.rglob("*") if file.is_file())
    found = [file for file in inside if not any(part[0] in "._" for part in file.relative_to(path).parts)]
    if not found:
        raise OptionError(f"{path}: there is no file in this folder")
    return found


def kind(path: Path, format: str | None) -> str:
    """The name of a file's format."""
    if format is not None and format.lower() in TABLES:
        return format.lower()
    if format is not None and format.lower() not in FORMATS and not any(
        f".{format.lower().removeprefix('.')}" in row.extensions for row in FORMATS.values()
    ):  # fmt: skip
        raise FormatError(unknown("format", format, [*FORMATS, *TABLES]))
    if format is None and path == STDIN:
        return "edges"
    for name, endings in TABLES.items():
        if format is None and path.name.lower().endswith(endings):
            return name
        if format is None and bare_name(path).endswith(endings):
            raise FormatError(f"{path}: a file in the format {name} is not packed once more: unpack it first")
    return format_of(path, format).name


def opened(path: Path, format: str | None, told: FirstLine | None, room: Room, n: int | None) -> Source:
    """The source of a file, of which what is at its beginning is read."""
    name = kind(path, format)
    check_told(path, name, told, ("edges", "parquet"))
    if path == STDIN and name in (*TABLES, "npz", "egr", "csr", "col.b"):
        raise OptionError(f"standard input is converted as text, and the format {name} is of files")
    try:
        if name == "parquet":
            from .parquet import Parquet

            return Parquet(path, told and told.columns, room, n)
        if name in ("npy", "npz", "egr", "csr"):
            from . import arrays

            return arrays.SOURCES[name](path, room, n)
        from .text import source

        return source(path, name, room, n, told)
    except FormatError:
        raise
    except GraphError as e:
        raise type(e)(f"{said(path)}: {e}") from e
