"""Options that subcommands share, and their values: graphs, colors, options of an algorithm."""

from __future__ import annotations

import argparse
import contextlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..base import options as names
from ..base.errors import ColoringError, GraphError, OptionError
from ..base.messages import counted
from .exits import reader_has_gone, report
from .outputs import STDIN, input_name

INPUT_HELP = "a graph file, - for standard input, or a generator such as rgg:16 (see 'lagcolor list generators')"


def add(parser: argparse.ArgumentParser, *options: str, **changes: Any) -> None:
    """Declare options of `OPTIONS`, with changed keywords."""
    for name in options:
        flags, keywords = OPTIONS[name]
        parser.add_argument(*flags, **{**keywords, **changes})


def _problem(text: str) -> str:
    """A problem by its name, as a type of an argument."""
    from ..problems import named

    try:
        return named(text).name
    except OptionError as e:
        raise argparse.ArgumentTypeError(str(e)) from e


def seed_value(text: str) -> int | str | None:
    """The value of --seed: a number, None for "none", or "default"."""
    if text in ("none", "default"):
        return None if text == "none" else text
    try:
        return int(text)
    except ValueError as e:
        raise argparse.ArgumentTypeError(f"a seed is a whole number, none or default, not {text!r}") from e


OPTIONS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "files": (("files",), {"nargs": "+", "metavar": "FILE", "help": INPUT_HELP}),
    "graph": (("graph",), {"metavar": "GRAPH", "help": INPUT_HELP}),
    "colors": (("colors",), {"metavar": "COLORS", "help": "colors as 'lagcolor color --out' writes them; or -"}),
    "format": (("--format", "-f"), {
        "metavar": "FORMAT", "help": "format of the file, if its name does not determine it: mtx, edges, col, metis …",
    }),
    "header": (("--header",), {
        "action": argparse.BooleanOptionalAction,
        "help": "the first line of an edge list names the columns, or is an edge (default: detected)",
    }),
    "columns": (("--columns",), {
        "nargs": 2, "metavar": "NAME", "help": "names of the columns of both ends",
    }),
    "problem": (("--problem", "-p"), {
        "default": "distance1", "metavar": "NAME", "type": _problem,
        "help": 'what a coloring must be: distance1 (default), distance3, columns … ("Problems" in the documentation)',
    }),
    "symmetrize": (("--symmetrize",), {
        "action": "store_true", "help": "use A ∪ Aᵀ if the input is not symmetric",
    }),
    "seed": (("--seed", "-s"), {
        "type": seed_value, "default": "default", "metavar": "N",
        "help": "break ties of the order by a hash of this number, or by vertex id: none (default: see 'lagcolor list "
        "algorithms --wide')",
    }),
    "device": (("--device", "-d"), {"help": "cpu (default), cuda, cuda:1 …"}),
    "threads": (("--threads",), {
        "type": int, "metavar": "N", "help": "most CPU threads to use (default: one per core, fewer for small graphs)",
    }),
    "trace": (("--trace",), {"action": "store_true", "help": "print what happened in each round"}),
    "verify": (("--verify",), {
        "action": argparse.BooleanOptionalAction, "help": "check the result (default: for up to 10 M edges or pairs)",
    }),
    "option": (("--option",), {
        "action": "append", "default": [], "metavar": "NAME=VALUE",
        "help": "option of --algorithm, such as nodes=1000 of exact ('lagcolor list options'); may be repeated",
    }),
}  # fmt: skip


def load(args: argparse.Namespace, text: str, device: str | None = None) -> Any:
    """Load the graph or pattern that a file or a generator's specification names, on `device`."""
    from ..base import device as dev
    from ..problems import named

    problem = getattr(args, "problem", "distance1")
    row = named(problem)
    symmetric = row.symmetric
    if args.symmetrize and not symmetric:
        raise OptionError(f"--symmetrize is for problems of graphs, and {problem} takes any pattern")
    if text == STDIN and args.format is None:
        raise OptionError(f"standard input ({STDIN}) has no name that determines its format: add --format, such as mtx")
    if device is not None:
        dev.parse_device(device)  # a missing GPU is reported before a long read
    path = Path(text)
    if text == STDIN or path.exists():
        of_file: Any = {name: getattr(args, name) for name in ("format", "header", "columns")} | {"device": device}
        try:
            return _read(path, row, args.symmetrize, of_file)
        except MemoryError as e:
            raise MemoryError(f"{input_name(text)}: {e}") from e
    from ..generate.families import FAMILIES, from_spec  # a file needs no generators: import them late

    family = text.partition(":")[0]
    if names.known(family, FAMILIES) is None:
        hint = names.hint(family, FAMILIES)
        raise GraphError(f"no file {text!r}, and no generator of that name{hint}: see 'lagcolor list generators'")
    return from_spec(text, device=device or "cpu")


def _read(path: Path, problem: Any, symmetrize: bool, more: dict[str, Any]) -> Any:
    """Read the graph or pattern of a file; if edges are colored, parallel edges are an error."""
    from ..graph.files import arrays_of_file
    from ..graph.graph import Graph
    from ..graph.pattern import Pattern
    from ..io.formats import first_line

    if not problem.symmetric:
        return Pattern.of(path, **more)
    first = first_line(more["header"], more["columns"])
    simple = problem.colored == ("edges",)
    return Graph(*arrays_of_file(path, symmetrize, more["format"], more["device"], first_line=first, simple=simple))


def colors_of(args: argparse.Namespace, G: Any, problem: str = "distance1") -> Any:
    """Read the colors of the command's file; −1 for vertices that it lacks."""
    from ..api.files.colorings import read_parts
    from ..io.fields import OtherGraphError
    from ..problems import named

    row = named(problem)
    try:
        return read_parts(Path(args.colors), row.size(G), row.labels(G), row.colored)
    except OtherGraphError as e:
        raise ColoringError(str(e)) from e


def sizes(counts: dict[str, int]) -> str:
    """Return sizes in words."""
    return ", ".join(counted(count, name) for name, count in counts.items())


def stem(text: str) -> str:
    """Return a short name: the file name without folder and endings, or a specification as a valid file name."""
    if text == STDIN:
        return "stdin"
    if not Path(text).exists():
        return re.sub(r"[^\w.=-]+", "_", text).strip("_")
    return Path(Path(text).name.removesuffix(".gz").removesuffix(".b")).stem


def for_each[Result](
    args: argparse.Namespace, work: Callable[[str, str], Result]
) -> tuple[list[tuple[str, Result]], int]:
    """Call ``work(file, prefix)`` for each file; return the results, and the exit code of the first failure or 0.

    With several files, a failure is reported and the other files are still processed.
    """
    done, code, files = [], 0, args.files
    if files.count(STDIN) > 1:
        raise OptionError(f"{STDIN} is there twice, but standard input can be read only once")
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
    """Raise an error if graph and colors both come from standard input."""
    if args.graph == args.colors == STDIN:
        raise OptionError("the graph and the colors are both -, but standard input can be read only once")


def check_memory(args: argparse.Namespace, text: str, others: tuple[str, ...]) -> None:
    """Raise an error for options and inputs that --memory excludes, with the command that makes a graph folder."""
    from ..generate.families import FAMILIES

    for name in others:
        if getattr(args, name) not in (None, args.parser.get_default(name)):
            flag = name.replace("_", "-")
            raise OptionError(f"--{flag} is for graphs in memory: leave one of it and --memory out")
    path, (family, _, arguments) = Path(text), text.partition(":")
    folder, made = f"{stem(text)}.csr", names.known(family, FAMILIES)
    how = f"convert {text} {folder}"
    if path.is_dir() or not (path.exists() or made):
        return
    if made and not path.exists():
        how = f"generate {' '.join([made, *filter(None, arguments.split(','))])} --out {folder}"
    raise OptionError(f"{text}: --memory is for a graph in a folder, which 'lagcolor {how}' makes")


def assignments(args: argparse.Namespace, function: Callable[..., Any]) -> dict[str, Any]:
    """Return {"name": value} for each "name=value" of --option, as keywords for a function of the library."""
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
        out[name] = value_of(value)
    return out


def value_of(text: str) -> Any:
    """Return the number, true, false or None that a text is, or else the text."""
    words = {"true": True, "false": False}
    if text.lower() in words or text == "None":  # "none" is a word to some options
        return words.get(text.lower())
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text
