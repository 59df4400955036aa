"""What the subcommands share: reading an input, naming it, tables, JSON and progress."""

from __future__ import annotations

import argparse
import contextlib
import inspect
import json
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ..errors import GraphError, OptionError
from .exits import report

Result = TypeVar("Result")
PATIENCE = 1.0  # seconds before progress is shown
INPUT_HELP = "a graph file, or a generator such as rgg:16 (see 'lagcolor list generators')"


def load(text: str, symmetrize: bool = False, device: str | None = None, problem: str = "distance1") -> Any:
    """What a problem is about, on `device`: the graph or pattern of a file or of a generator's specification."""
    from .. import device as dev
    from ..problems import named

    symmetric = named(problem).symmetric
    if symmetrize and not symmetric:
        raise OptionError(f"--symmetrize is for problems of graphs, and {problem} takes any pattern")

    if device is not None:
        dev.parse_device(device)  # a missing GPU is reported before a long read
    path = Path(text)
    if path.exists() and not symmetric:
        from ..pattern import Pattern

        return Pattern.of(path, device=device)
    if path.exists():
        from ..io import read

        return read(path, symmetrize=symmetrize, device=device)
    from ..generate import FAMILIES, from_spec

    if text.partition(":")[0] not in FAMILIES:
        raise GraphError(f"no file {text!r}, and no generator of that name either: see 'lagcolor list generators'")
    return from_spec(text, device=device or "cpu")


def sizes(P: Any, problem: str = "distance1") -> dict[str, int]:
    """How much there is of it, under the names that a problem has for it."""
    from ..problems import named

    if named(problem).symmetric:
        return {"vertices": P.n, "edges": P.n_edges}
    return {"rows": P.rows, "columns": P.columns, "entries": P.m}


def said(counts: dict[str, int]) -> str:
    """Sizes in a sentence."""
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())


def add_problem(parser: argparse.ArgumentParser) -> None:
    """The option --problem."""
    parser.add_argument(
        "--problem", "-p", default="distance1", metavar="NAME",
        help="what a coloring must be: distance1 (default), distance2, columns, rows … (docs/problems.md)",
    )  # fmt: skip


def stem(text: str) -> str:
    """What to call an input: its file name without folder and endings; a specification made fit for a file name."""
    if not Path(text).exists():
        return re.sub(r"[^\w.=-]+", "_", text).strip("_")
    name = Path(text).name.removesuffix(".gz").removesuffix(".b")
    return Path(name).stem


def for_each(args: argparse.Namespace, work: Callable[[str, str], Result]) -> tuple[list[tuple[str, Result]], int]:
    """``work(file, prefix)`` for each file of the command.

    A failure is reported and the rest still done, unless it is the only one.

    Returns
    -------
    done : list of (file, result)
    code : int
        Exit code of the first failure, or 0.
    """
    done, code, files = [], 0, args.files
    for i, file in enumerate(files):
        try:
            done.append((file, work(file, f"[{i + 1}/{len(files)}] " if len(files) > 1 else "")))
        except Exception as e:
            if args.debug or len(files) == 1:
                raise
            failure = report(e, file, vars(args))
            code = code or failure
    return done, code


def check_target(path: Path, endings: Iterable[str]) -> None:
    """An output that cannot be written is reported before any work."""
    endings = tuple(endings)
    if not path.name.lower().removesuffix(".gz").endswith(endings):
        raise OptionError(f"--out {path}: must end in one of {', '.join(endings)}, perhaps with .gz")
    if not path.parent.is_dir():
        raise OptionError(f"--out {path}: there is no folder {path.parent}")


def assignments(args: argparse.Namespace, function: Callable[..., Any]) -> dict[str, Any]:
    """{"name": value} of the "name=value" of --option, to be passed on to a function of the library.

    Values are numbers, true/false or None where they read so, else text.

    Raises
    ------
    OptionError
        A text that is no such pair, a name given twice, or one of the function's own parameters, which have flags.
    """
    parameters = inspect.signature(function).parameters
    own = [p.name for p in parameters.values() if p.kind is not p.VAR_KEYWORD]
    out: dict[str, Any] = {}
    for pair in args.option:
        name, equals, value = pair.partition("=")
        if not equals or not name.isidentifier():
            raise OptionError(f"expected NAME=VALUE, not {pair!r}")
        if name in own:
            remedy = f": write --{name.replace('_', '-')} (see --help)" if hasattr(args, name) else ""
            raise OptionError(f"--option {pair}: {name} is no option of an algorithm or a method{remedy}")
        if name in out:
            raise OptionError(f"{name!r} is given twice")
        out[name] = _value(value)
    return out


def _value(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text == "None":  # "none" is a word to some options
        return None
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def print_json(row: Any) -> None:
    """One object on one line of standard output, NumPy scalars and arrays as plain numbers and lists."""
    print(json.dumps(row, default=lambda x: x.tolist() if hasattr(x, "tolist") else str(x)), flush=True)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], title: str | None = None) -> None:
    """A table on standard output; columns of numbers to the right; never cut off when it is not a terminal.

    On a terminal that is too narrow for one word a column, each row becomes a block of lines.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE, show_edge=False, pad_edge=False, title=title, title_justify="left")
    for i, name in enumerate(columns):
        numeric = all(re.fullmatch(r"-?[\d,.]+", row[i]) for row in rows)
        table.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    console = Console(width=None if sys.stdout.isatty() else 1000, highlight=False, markup=False)
    words = [
        max(len(w) for text in column for w in text.split() or [""]) for column in zip(columns, *rows, strict=True)
    ]
    if sum(words) + 3 * (len(words) - 1) <= console.width:
        console.print(table)
        return
    if title is not None:
        console.print(title, style="italic")
    for row in rows:
        block = Table.grid("", "", padding=(0, 2, 0, 0))
        for name, cell in zip(columns, row, strict=True):
            block.add_row(name, cell)
        console.print(block, "")


class Progress:
    """Says on standard error what is going on; silent for the first second, and where standard error is no terminal."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._status: Any = None
        self._timer = threading.Timer(PATIENCE, self._show)
        self._timer.daemon = True
        self._lock = threading.Lock()
        self._over = False

    def say(self, text: str) -> None:
        """Say something else from here on."""
        with self._lock:
            self._text = text
            if self._status is not None:
                self._status.update(text)

    def _show(self) -> None:
        from rich.console import Console
        from rich.status import Status

        with self._lock:
            if not self._over:
                self._status = Status(self._text, console=Console(stderr=True, markup=False, highlight=False))
                self._status.start()

    def _start(self) -> None:
        if sys.stderr.isatty():
            self._timer.start()

    def _stop(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._status is not None:
                self._status.stop()


@contextlib.contextmanager
def progress(text: str) -> Iterator[Progress]:
    """A `Progress` for the time of a block."""
    shown = Progress(text)
    shown._start()
    try:
        yield shown
    finally:
        shown._stop()
