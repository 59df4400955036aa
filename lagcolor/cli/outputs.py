"""Output of commands: tables, JSON, progress, and checks of output files."""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import json
import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from ..base.errors import OptionError
from ..base.log import listening
from ..base.progress import StatusLine

STDIN = "-"
NUMBER = re.compile(r"-?[\d,.]+")
GAP = 2  # between columns
WIDTH = 80  # of tables if standard output is no terminal

Name = str | os.PathLike[str]


def print_json(row: Any) -> None:
    """Print one object in one line, NumPy scalars and arrays as plain numbers and lists."""
    print(json.dumps(row, default=lambda x: x.tolist() if hasattr(x, "tolist") else str(x)), flush=True)


def print_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], title: str | None = None, *, wide: bool = False,
    right: bool = False, stderr: bool = False,
) -> None:  # fmt: skip
    """Print a table on standard output (or errors); wrap cells between words if it is too wide.

    Columns of numbers are aligned right; `right`: all but the first column. `wide`: no wrapping.
    """
    out = sys.stderr if stderr else sys.stdout
    widths = _widths(list(zip(columns, *rows, strict=True)), 10_000 if wide else width_of(out))
    numeric = [(right and i > 0) or all(NUMBER.fullmatch(row[i]) for row in rows) for i in range(len(columns))]
    lines = [title] if title else []
    line = _line(out)
    for row in (columns, [line * width for width in widths], *rows):
        cells = [
            textwrap.wrap(text, max(width, 1), break_on_hyphens=False) or [""]
            for text, width in zip(row, widths, strict=True)
        ]
        for parts in itertools.zip_longest(*cells, fillvalue=""):
            aligned = [part.rjust(w) if n else part.ljust(w) for part, w, n in zip(parts, widths, numeric, strict=True)]
            lines.append((" " * GAP).join(aligned).rstrip())
    print("\n".join(lines), file=out)


def _line(out: TextIO) -> str:
    """Return the character of a line, which depends on the encoding of the stream."""
    try:
        "─".encode(out.encoding or "utf-8")
    except UnicodeEncodeError:
        return "-"
    return "─"


def width_of(out: TextIO) -> int:
    """Columns of the terminal; else $COLUMNS, or 80."""
    return shutil.get_terminal_size().columns if out.isatty() or "COLUMNS" in os.environ else WIDTH


class _Screen(io.StringIO):
    """Collects text for a terminal."""

    def isatty(self) -> bool:
        """True: tables get the width and the styles of the terminal."""
        return True


@contextlib.contextmanager
def paging(out: TextIO, *, wide: bool = False) -> Iterator[None]:
    """Show what a block prints in the user's pager if `out` is a terminal and the text is longer than its screen.

    `wide`: the pager cuts long lines and scrolls sideways.
    """
    if not out.isatty():
        yield
        return
    with contextlib.redirect_stdout(_Screen()) as screen:
        yield
    text = screen.getvalue()
    lines = shutil.get_terminal_size().lines
    if text.count("\n") < lines or not _paged(text, "FRSX" if wide else "FRX"):
        out.write(text)


def _paged(text: str, less: str) -> bool:
    """Run the pager ($PAGER, else less or more) on a text; return False if there is none. `less`: flags for less."""
    command = shlex.split(os.environ.get("PAGER", "less" if shutil.which("less") else "more"))
    if not command or shutil.which(command[0]) is None:
        return False
    sys.stdout.flush()
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, text=True, encoding="utf-8", env={"LESS": less, **os.environ}
    ) as pager:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the pager
        try:
            pager.communicate(text)  # a reader that leaves early is no error
        finally:
            signal.signal(signal.SIGINT, before)
    return True


def _widths(cells: Sequence[Sequence[str]], most: int) -> list[int]:
    """Return widths whose sum fits `most`: the widest column shrinks first, none below its longest word."""
    least = [max(len(word) for text in column for word in text.split() or [""]) for column in cells]
    widths = [max(map(len, column)) for column in cells]
    while sum(widths) + GAP * (len(cells) - 1) > most and widths != least:
        widths[max((i for i in range(len(cells)) if widths[i] > least[i]), key=lambda i: widths[i])] -= 1
    return widths


@contextlib.contextmanager
def progress(text: str) -> Iterator[StatusLine]:
    """Print on standard error, if it is a terminal, what a block does and how far it is."""
    with StatusLine(text) as shown, listening(shown) if shown.shown else contextlib.nullcontext():
        yield shown


def input_name(text: str) -> str:
    """Return the name of an input for a sentence."""
    return "standard input" if text == STDIN else text


def check_stdout(args: argparse.Namespace) -> None:
    """Raise an error if two outputs would both be printed."""
    if args.out == STDIN and args.json:
        raise OptionError(f"--out {STDIN} and --json both write to standard output: leave one of them out")


def check_target(path: Path, endings: Iterable[str]) -> None:
    """Raise an error if an output cannot be written; `-` is standard output."""
    if str(path) == STDIN:
        return
    endings = tuple(endings)
    if endings and not path.name.lower().removesuffix(".gz").endswith(endings):
        raise OptionError(f"--out {path}: must end in one of {', '.join(endings)}, optionally with .gz")
    if not path.parent.is_dir():
        raise OptionError(f"--out {path}: there is no folder {path.parent}")


def check_outputs(outputs: Iterable[Name], inputs: Iterable[Name | None], option: str = "--out") -> None:
    """Raise an error if a command would write a file that it reads, under any name, or one file twice."""
    read = {_identity(path, 0): os.fspath(file) for file in inputs if file is not None for path in _files(file)}
    written: dict[Any, str] = {}
    for output in [os.fspath(path) for path in outputs]:
        key = _identity(output, 1)
        if key in read:
            name, file = "-, standard output" if output == STDIN else output, input_name(read[key])
            raise OptionError(f"{option} {name}: this is the same file as the input {file}: choose another name")
        if key in written and output != STDIN:
            names = output if output == written[key] else f"{written[key]}, which is the same file as {output}"
            raise OptionError(f"{option}: two inputs would be written to {names}: choose names that differ")
        written[key] = output


def _files(file: Name) -> list[Name]:
    """Return the files of an input: itself, or the files of a graph folder."""
    from ..io.folder.layout import FILES, is_folder

    return [Path(file) / name for name in FILES] if is_folder(Path(file)) else [file]


def _identity(file: Name, stream: int) -> Any:
    """Return a key of a regular file that all its links share; the real path if there is no such file yet.

    `stream` is the descriptor of ``-``.
    """
    with contextlib.suppress(OSError, ValueError):  # not there, or no name of a file
        found = os.fstat(stream) if file == STDIN else os.stat(file)
        return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else object()
    return os.path.realpath(file)
