"""Outputs that are read, too, or written twice: an error before any work."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from ..core.errors import OptionError
from .support import STDIN, input_name

Identity = tuple[int, int]


def check_outputs(
    outputs: Iterable[str | os.PathLike[str]],
    inputs: Iterable[str | os.PathLike[str] | None],
    option: str = "--out",
) -> None:
    """Raise where a command would write a file that it reads, by whatever name, or one file twice.

    Parameters
    ----------
    outputs : iterable of path-like
        ``-`` is standard output.
    inputs : iterable of path-like or None
        All that the command reads: files, folders of graphs, ``-``. Generators and None are passed over.
    option : str
        Which one the outputs come from.

    Raises
    ------
    OptionError
        Both are named.
    """
    read = {identity: os.fspath(file) for file in inputs if file is not None for identity in _files(file)}
    written: dict[Identity | str, str] = {}
    for output in [os.fspath(path) for path in outputs]:
        identity = _identity(output, 1)
        if identity in read:
            name = "-, standard output" if output == STDIN else output
            file = input_name(read[identity])
            raise OptionError(f"{option} {name}: this is the same file as the input {file}: choose another name")
        # A file that is not there yet has a name alone.
        key = identity or os.path.normcase(os.path.realpath(output))
        if key in written and output != STDIN:
            names = output if output == written[key] else f"{written[key]}, which is the same file as {output}"
            raise OptionError(f"{option}: two inputs would be written to {names}: choose names that differ")
        written[key] = output


def _files(file: str | os.PathLike[str]) -> Iterable[Identity]:
    """The files behind an input: itself, or those of the folder of a graph."""
    from ..io.folder.layout import HEADER, TYPES, is_folder

    path = Path(file)
    inside = [path / HEADER, *(path / f"{name}.npy" for name in TYPES)] if is_folder(path) else [file]
    return filter(None, (_identity(os.fspath(one), 0) for one in inside))


def _identity(file: str, stream: int) -> Identity | None:
    """What tells a file from others, links to it included; None where there is no regular file.

    `stream` is the descriptor that ``-`` stands for.
    """
    try:
        found = os.fstat(stream) if file == STDIN else os.stat(file)
    except (OSError, ValueError):  # not there, or no name of a file
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None
