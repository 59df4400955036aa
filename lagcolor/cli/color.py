"""Color one graph or several.

Inputs are colored one after the other. If one fails, the error is reported and the others are still colored; the exit
code belongs to the first failure.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.errors import ColoringError, OptionError
from . import rules
from .exits import note
from .inputs import add, assignments, check_memory, for_each, load, sizes, stem
from .outputs import (
    STDIN,
    check_outputs,
    check_stdout,
    check_target,
    input_name,
    print_json,
    print_table,
    progress,
    width_of,
)
from .parser import Parser

if TYPE_CHECKING:
    from ..api.result import Coloring
    from ..graph.pattern import Pattern

NOTED = 1.0  # seconds of compilation from which the line under the table names them
COMMAND = ("color", "color graphs")


def arguments(parser: Parser) -> None:
    """Declare the options of this subcommand."""
    add(parser, "files", "format", "header", "columns", "problem")
    one = parser.add_argument
    one("--algorithm", "-a", default="auto", help="see 'lagcolor list algorithms' (default: %(default)s)")
    one("--quality", "-q", help="for auto: fast, balanced (default), best")
    one("--time-limit", type=float, metavar="SECONDS", help="for --quality best, which it selects (default: 1)")
    one("--order", "-r", action="append",
        help="see 'lagcolor list orders' (default: the algorithm's); several, with commas or repeated: the best",
    )  # fmt: skip
    add(parser, "seed")
    one("--reduce", metavar="METHOD", help="then lower the number of colors: heuristics, iterated_greedy or ejection")
    one("--balance", nargs="?", const=True, default=False, type=float, metavar="RATIO",
        help="then move vertices until the largest color has at most RATIO (1.05) times as many as the smallest; "
        "put it after FILE",
    )  # fmt: skip
    one("--equitable", action="store_true", help="then move vertices until colors differ by at most one, if possible")
    one("--device", "-d", help="cpu (default), cuda, cuda:1 …; several: cuda:*")
    one("--memory", metavar="SIZE",
        help="color a graph folder (.csr) without reading it into memory; allocate at most this much, such as 4GB",
    )  # fmt: skip
    one("--out", "-o",
        help="write the colors here, as .npy, .txt, .csv or .json (optionally with .gz); for several inputs, a name "
        "that contains {stem}, or a folder for files {stem}.colors.npy; -: standard output, one color per line",
    )  # fmt: skip
    add(parser, "threads", "symmetrize", "trace", "verify", "option")
    rules.add_rules(parser)
    one("--partial", choices=("fewest", "lightest"),
        help="with --max-colors: leave the fewest vertices, or the least total --weights, without a color (-1)",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Color every input; print, write, and return the exit code."""
    from ..api.color import color
    from ..base.device import at_most_threads

    _check(args)
    options = assignments(args, color)
    targets = dict(zip(args.files, _targets(args.files, args.out), strict=True))
    check_outputs(filter(None, targets.values()), [*args.files, *rules.files(args)])

    def one(file: str, prefix: str) -> Coloring:
        result = _color(args, file, targets[file], options, prefix)
        if args.json:
            out = {"out": str(targets[file])} if targets[file] else {}
            print_json({"input": file, **result.provenance(), **out})
        return result

    with at_most_threads(args.threads):  # reads the files as well
        done, code = for_each(args, one)
    if done and not args.json:
        show([(stem(file), result) for file, result in done], args.trace, stderr=args.out == STDIN)
    return code


def _check(args: argparse.Namespace) -> None:
    """Raise an error for options that cannot be combined."""
    from ..problems import PROBLEMS, RULED

    if args.reduce is not None and not PROBLEMS[args.problem].keeps_rules:
        raise OptionError(f"--reduce is for {', '.join(RULED)}: for {args.problem} leave it out")
    if args.reduce is not None and rules.used(args):
        raise OptionError("--reduce keeps no rules: leave it out; --quality balanced looks for fewer colors")
    if args.reduce is not None and args.equitable:
        raise OptionError("--equitable does not go with --reduce: pass --balance 1 instead")
    if not args.balance >= 1 and args.balance is not False:
        raise OptionError(f"--balance must be a ratio from 1 on, not {args.balance}")
    check_stdout(args)


def _color(args: argparse.Namespace, file: str, target: Path | None, options: dict[str, Any], prefix: str) -> Coloring:
    """Color one input and write the result."""
    from ..api.color import color
    from ..base.device.several import is_several

    with progress(f"{prefix}reading {input_name(file)}") as shown:
        G, counts = _input(args, file)
        shown.say(f"{prefix}coloring {file}{counts}")
        placed: dict[str, Any] = {}
        if args.memory is not None:
            placed = {"memory": args.memory, "device": args.device, "symmetrize": args.symmetrize}
        elif is_several(args.device):
            placed = {"device": args.device}
        else:
            _load_code(G, args, options)
        try:
            result = color(
                G, args.algorithm, _orders(args.order), seed=args.seed, problem=args.problem, quality=args.quality,
                time_limit=args.time_limit, threads=args.threads, verify=args.verify, trace=args.trace,
                balance=args.reduce is None and args.balance, equitable=args.equitable, **placed,
                partial=args.partial, **rules.keywords(args, G), **options,
            )  # fmt: skip
        except ColoringError as e:
            _write_partial(e, G, args.problem, target, f"{input_name(file)}: " if len(args.files) > 1 else "")
            raise
        if args.reduce is not None:
            shown.say(f"{prefix}reducing {result.n_colors:,} colors of {file}")
            first, result = result, _reduce(args, G, result)
            result.notes.update({"interrupted": True} if first.notes.get("interrupted") else {})
        if target is not None:
            shown.say(f"{prefix}writing {target}")
            result.save(target)
    return result


def _write_partial(e: ColoringError, G: Any, problem: str, target: Path | None, of: str) -> None:
    """Write the best partial coloring of an error and, to standard error, the clique that proves it."""
    from ..api.result import Coloring

    if e.clique is not None:
        note(f"{of}clique: {' '.join(map(str, e.clique))}")
    if e.partial is not None and target is not None:
        notes = {"uncolored": int((e.partial < 0).sum())}
        Coloring(e.partial, G, "leave_out", "natural", problem=problem, notes=notes).save(target)
        where = "standard output" if str(target) == STDIN else target
        note(f"{of}{where} has the best partial coloring, -1 for vertices without a color")


def _input(args: argparse.Namespace, file: str) -> tuple[Any, str]:
    """Return the graph, or its folder if this process does not read all of it; and its size in words."""
    from ..base.device.several import is_several, numbers
    from ..io.folder import Folder, is_folder
    from ..problems import PROBLEMS

    if args.memory is not None:
        check_memory(args, file, ("format", "header", "columns", "reduce", *rules.NAMES))
        return Path(file), ""
    several = is_several(args.device)
    if several:
        numbers(args.device)  # a missing GPU is reported before a long read
    if several and args.reduce is None and not rules.used(args) and is_folder(Path(file)):
        G: Any = Folder.open(file)  # each GPU reads its own rows
    else:
        G = load(args, file, None if several else args.device)
    return G, f": {sizes(PROBLEMS[args.problem].sizes(G))}"


def _reduce(args: argparse.Namespace, G: Any, result: Coloring) -> Coloring:
    """Reduce the number of colors, then balance the classes if --balance is set."""
    from ..api.balance import balance
    from ..api.reduce import reduce
    from ..engines.balance.even import RATIO

    compiled, how = result.compile_seconds, {"threads": args.threads, "verify": args.verify, "trace": args.trace}
    result = reduce(G, result, method=args.reduce, **how)
    if args.balance:
        compiled += result.compile_seconds
        result = balance(G, result, ratio=RATIO if args.balance is True else args.balance, **how)
    result.compile_seconds += compiled
    return result


def _load_code(G: Pattern, args: argparse.Namespace, options: dict[str, Any]) -> None:
    """Load code on a GPU, so that the printed time excludes it; code for a CPU is timed separately."""
    if not G.on_gpu:
        return
    from ..api.request import Request
    from ..api.session import Session
    from ..api.warm_up import warm_up
    from ..base.device import using

    orders = _orders(args.order)
    order = orders[0] if isinstance(orders, tuple) else orders
    names = ("problem", "algorithm", "seed", "quality", "time_limit")
    request = Request(order=order, options=options, **{name: getattr(args, name) for name in names})
    with using(G.indices):
        warm_up(Session(request).input(G), request.row, request.order, args.trace, request.options)
        if request.row.rules and rules.used(args):
            rules.load_code(rules.used(args), args.problem, G.device)


def _orders(texts: list[str] | None) -> Any:
    """Return a name, or a tuple of the names in all options; commas separate names in an option."""
    names = tuple(name for text in texts or () for name in text.split(","))
    return names if len(names) > 1 else names[0] if names else None


def _targets(files: Sequence[str], out: str | None) -> list[Path | None]:
    """Return the output of each input; raise errors of equal names and unknown endings before any work."""
    from ..api.files.colorings import EXTENSIONS

    if out is None:
        return [None] * len(files)
    pattern = out
    if Path(out).is_dir() or out.endswith("/"):
        pattern = str(Path(out) / "{stem}.colors.npy")
    if len(files) > 1 and "{stem}" not in pattern:
        raise OptionError(f"--out {out}: for several inputs it must be a folder or contain {{stem}}")
    paths = [Path(pattern.replace("{stem}", stem(file))) for file in files]
    for path in paths:
        if paths.count(path) > 1:  # also if one input is there twice
            raise OptionError(f"--out {out}: two inputs would be written to {path}")
        check_target(path, EXTENSIONS)
    return list(paths)


def show(done: Sequence[tuple[str, Any]], trace: bool, stderr: bool = False) -> None:
    """A table of colorings, what all have in common in a line under it, and a table per coloring of its rounds."""
    from ..graph.classes import counted_colors

    made = [_made(result) for _, result in done]
    apart = [name for name in made[0] if len({facts[name] for facts in made}) > 1]
    columns = ["graph", *done[0][1]._sizes, "colors", "rounds", "ms", "prepare ms", *apart]
    rows = []
    for (name, r), facts in zip(done, made, strict=True):
        left = f" ({r.notes['uncolored']:,} uncolored)" if r.notes.get("uncolored") else ""
        rows.append((
            name, *(f"{count:,}" for count in r._sizes.values()), f"{counted_colors(r.n_used, r.n_colors - 1)}{left}",
            f"{r.rounds:,}", f"{r.seconds * 1e3:.2f}", f"{r._prepare_seconds * 1e3:.2f}",
            *(_in_a_column(name, facts[name], r) for name in apart),
        ))  # fmt: skip
    print_table(columns, rows, stderr=stderr)
    common = [text for name, text in made[0].items() if text and name not in apart]
    compiled = sum(r.compile_seconds for _, r in done)
    common += [f"compiled {compiled:.0f} s"] if compiled > NOTED else []
    if common:
        out = sys.stderr if stderr else sys.stdout
        print(f"\n{textwrap.fill(', '.join(common), width_of(out))}", file=out)
    for name, r in done:
        if trace and r.trace:
            keys = list(dict.fromkeys(key for row in r.trace for key in row))
            cells = [[_cell(row.get(key)) for key in keys] for row in r.trace]
            print_table(keys, cells, title=f"\n{name}: rounds", stderr=stderr)


def _made(result: Coloring) -> dict[str, str]:
    """Return facts about the computation, in words."""
    seed = "" if result.seed is None else f", seed {result.seed}"
    verified = "verified" if result.verified else "not verified"
    return {
        "algorithm": result.algorithm, "order": f"order {result.order}{seed}", "device": f"on {result.device}",
        "verified": verified, "search": "interrupted" * bool(result.notes.get("interrupted")),
        "lower bound": _bound(result),
    }  # fmt: skip


def _in_a_column(name: str, text: str, result: Coloring) -> str:
    """Return a fact for a column: without the words of the heading."""
    if name == "lower bound":
        return f"{result.notes.get('partial', {}).get('lower_bound', result.lower_bound):,}"
    return text.split(" ", 1)[-1] if name in ("order", "device") else text


def _bound(result: Coloring) -> str:
    """Return the lower bound in words: of colors or of uncolored vertices, or that it is reached."""
    if (note := result.notes.get("partial")) is not None:
        what = "cost of uncolored" if "cost" in note else "uncolored"
        if note["proved"]:
            return f"no coloring has {'a lower' if 'cost' in note else 'fewer'} {what}"
        return f"lower bound {note['lower_bound']:,} {what}"
    if result.optimal:
        return "no coloring has fewer colors"
    return f"lower bound {result.lower_bound:,}"


def _cell(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else "–" if value is None else str(value)
