"""What the subcommands share: reading an input, naming it, tables, JSON and progress."""

from __future__ import annotations

import argparse
import contextlib
import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ..core import options as names
from ..core.errors import ColoringError, GraphError, OptionError
from ..progress import listening
from ..progress.line import Line
from .exits import reader_has_gone, report

Result = TypeVar("Result")
STDIN = "-"
INPUT_HELP = "a graph file, - for standard input, or a generator such as rgg:16 (see 'lagcolor list generators')"
NUMBER = re.compile(r"-?[\d,.]+")
GAP = 2  # between columns
WIDTH = 80  # of tables where standard output is no terminal


def load(
    text: str,
    symmetrize: bool = False,
    device: str | None = None,
    problem: str = "distance1",
    format: str | None = None,
    header: bool | None = None,
    columns: list[str] | None = None,
) -> Any:
    """What a problem is about, on `device`: the graph or pattern of a file or of a generator's specification."""
    from .. import device as dev
    from ..problems import named

    symmetric = named(problem).symmetric
    if symmetrize and not symmetric:
        raise OptionError(f"--symmetrize is for problems of graphs, and {problem} takes any pattern")
    if text == STDIN and format is None:
        raise OptionError(f"standard input ({STDIN}) has no name that tells its format: add --format, such as mtx")
    if device is not None:
        dev.parse_device(device)  # a missing GPU is reported before a long read
    path = Path(text)
    is_file = text == STDIN or path.exists()
    if is_file and not symmetric:
        from ..core.pattern import Pattern

        return Pattern.of(path, device=device, format=format, header=header, columns=columns)
    if is_file:
        from ..io import read

        return read(path, symmetrize=symmetrize, device=device, format=format, header=header, columns=columns)
    from ..generate.families import FAMILIES, from_spec

    family = text.partition(":")[0]
    if names.known(family, FAMILIES) is None:
        hint = names.hint(family, FAMILIES)
        raise GraphError(f"no file {text!r}, and no generator of that name{hint}: see 'lagcolor list generators'")
    return from_spec(text, device=device or "cpu")


def colors_of(args: argparse.Namespace, G: Any, problem: str = "distance1") -> Any:
    """The colors of the command's file, −1 for vertices that a table of them lacks.

    Raises
    ------
    ColoringError
        It colors a vertex that is not there.
    """
    from ..io.colorings import OtherGraphError, read_coloring
    from ..problems import named

    row = named(problem)
    try:
        return read_coloring(args.colors, row.labels(G), row.size(G))
    except OtherGraphError as e:
        raise ColoringError(str(e)) from e


def said(counts: dict[str, int]) -> str:
    """Sizes in a sentence."""
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())


def add_problem(parser: argparse.ArgumentParser) -> None:
    """The option --problem."""
    parser.add_argument(
        "--problem", "-p", default="distance1", metavar="NAME", type=_problem,
        help="what a coloring must be: distance1 (default), distance2, columns, rows … (docs/problems.md)",
    )  # fmt: skip


def _problem(text: str) -> str:
    """A problem by its name, as a type of an argument."""
    from ..problems import named

    try:
        return named(text).name
    except OptionError as e:
        raise argparse.ArgumentTypeError(str(e)) from e


def add_format(parser: argparse.ArgumentParser) -> None:
    """The option --format."""
    parser.add_argument(
        "--format", "-f", metavar="FORMAT", help="of the file, where its name does not tell: mtx, edges, col, metis …"
    )


def add_first_line(parser: argparse.ArgumentParser) -> None:
    """The options --header and --columns."""
    parser.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        help="the first line of an edge list names the columns, or is an edge (default: as it seems)",
    )
    parser.add_argument("--columns", nargs=2, metavar="NAME", help="columns that hold both ends, by their names")


def first_line(args: argparse.Namespace) -> dict[str, Any]:
    """These options, as a function of the library takes them."""
    return {"header": args.header, "columns": args.columns}


def input_name(text: str) -> str:
    """An input in a sentence."""
    return "standard input" if text == STDIN else text


def stem(text: str) -> str:
    """What to call an input: its file name without folder and endings; a specification made fit for a file name."""
    if text == STDIN:
        return "stdin"
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
            if args.debug or len(files) == 1 or (isinstance(e, BrokenPipeError) and reader_has_gone()):
                raise
            failure = report(e, input_name(file), args.parser.parameters)
            code = code or failure
    return done, code


def check_inputs(args: argparse.Namespace) -> None:
    """A graph and colors that are both to come from standard input are reported before any work."""
    if args.graph == args.colors == STDIN:
        raise OptionError("the graph and the colors are both -, and standard input can be read once")


def check_folder(text: str) -> None:
    """A graph that --memory is of no use for is reported, with the command that makes a folder of it."""
    from ..generate.families import FAMILIES

    path, (family, _, arguments) = Path(text), text.partition(":")
    if path.is_dir():
        return
    folder = f"{stem(text)}.csr"
    made = names.known(family, FAMILIES)
    if path.exists():
        how = f"'lagcolor convert {text} {folder}'"
    elif made is not None:
        how = f"'lagcolor generate {' '.join([made, *filter(None, arguments.split(','))])} --out {folder}'"
    else:
        return
    raise OptionError(f"{text}: --memory is for a graph in a folder, which {how} makes")


def check_stdout(args: argparse.Namespace) -> None:
    """Two things that are to be printed are reported before any work."""
    if args.out == STDIN and args.json:
        raise OptionError(f"--out {STDIN} and --json both write to standard output: leave one of them out")


def check_target(path: Path, endings: Iterable[str]) -> None:
    """An output that cannot be written is reported before any work; `-` is standard output."""
    if str(path) == STDIN:
        return
    endings = tuple(endings)
    if endings and not path.name.lower().removesuffix(".gz").endswith(endings):
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
        if not equals or not name.replace("-", "_").isidentifier():
            raise OptionError(f"--option {pair}: expected NAME=VALUE")
        if (parameter := names.known(name, own)) is not None:
            remedy = f": write --{parameter.replace('_', '-')} (see --help)" if hasattr(args, parameter) else ""
            raise OptionError(f"--option {pair}: {name} is no option of an algorithm or a method{remedy}")
        if name in out:
            raise OptionError(f"--option {pair}: {name!r} is given twice")
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


def console(stderr: bool = False, markup: bool = False) -> Any:
    """Standard output (or errors) for tables, as wide as the terminal, or else 80 columns (or $COLUMNS)."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # rich would exit with 1

    width = None if (sys.stderr if stderr else sys.stdout).isatty() else columns()
    return Output(width=width, highlight=False, markup=markup, stderr=stderr)


def columns() -> int:
    """How wide a table may be where standard output is no terminal."""
    given = os.environ.get("COLUMNS", "")
    return int(given) if given.isdigit() and int(given) else WIDTH


def print_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], title: str | None = None, *, wide: bool = False,
    right: bool = False, stderr: bool = False,
) -> None:  # fmt: skip
    """A table on standard output (or errors); columns of numbers to the right, words folded where it is too wide.

    Where there is no room for one word a column, each row becomes a block of lines. `wide`: as wide as it is; `right`:
    all columns but the first to the right.
    """
    from rich import box
    from rich.table import Table

    out = console(stderr)
    if wide:
        out.width = 10_000
    widths = _widths(list(zip(columns, *rows, strict=True)), out.width)
    if widths is None:
        _print_blocks(out, columns, rows, title)
        return
    table = Table(
        box=box.SIMPLE, show_edge=False, pad_edge=False, collapse_padding=True, title=title, title_justify="left"
    )
    for i, name in enumerate(columns):
        numeric = (right and i > 0) or all(NUMBER.fullmatch(row[i]) for row in rows)
        table.add_column(name, justify="right" if numeric else "left", width=widths[i])
    for row in rows:
        table.add_row(*row)
    out.print(table)


def _widths(cells: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """How wide each column is to be: the widest give way, none below its longest word; None where that is too wide."""
    least = [max(len(word) for text in column for word in text.split() or [""]) for column in cells]
    widths = [max(map(len, column)) for column in cells]
    room -= GAP * (len(cells) - 1)
    if sum(least) > room:
        return None
    while sum(widths) > room:
        widest = max((i for i in range(len(cells)) if widths[i] > least[i]), key=lambda i: widths[i])
        widths[widest] -= 1
    return widths


def _print_blocks(out: Any, columns: Sequence[str], rows: Sequence[Sequence[str]], title: str | None) -> None:
    """A block of lines per row."""
    from rich.table import Table

    if title is not None:
        out.print(title, style="italic")
    for row in rows:
        block = Table.grid("", "", padding=(0, GAP, 0, 0))
        for name, cell in zip(columns, row, strict=True):
            block.add_row(name, cell)
        out.print(block, "")


@contextlib.contextmanager
def progress(text: str) -> Iterator[Line]:
    """Say on standard error what is going on while a block runs, and how far it is; only where that is a terminal."""
    with Line(text) as shown, listening(shown) if shown.shown else contextlib.nullcontext():
        yield shown


SEED_HELP = (
    "break ties of the order by a hash of this number, or by vertex id: none (default: as the algorithm's row says)"
)


def seed_of(text: str) -> int | str | None:
    """The value of --seed: a number, None for "none", or "default"."""
    if text in ("none", "default"):
        return None if text == "none" else text
    try:
        return int(text)
    except ValueError as e:
        raise argparse.ArgumentTypeError(f"a seed is a whole number, none or default, not {text!r}") from e
