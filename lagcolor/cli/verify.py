"""Check that a file of colors is a proper coloring of a graph: complete, colors 0 … k-1, no edge of one color.

--problem says what else it must be, such as columns of a rectangular matrix; flags of rules say which it is to keep,
--balance and --equitable how even its colors are to be.

The checker shares no code with the algorithms. Exit code 1 says that the coloring is at fault.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from ..core.errors import OptionError
from . import rules
from .exits import IMPROPER, OK
from .support import (
    INPUT_HELP,
    add_first_line,
    add_format,
    add_problem,
    check_folder,
    check_inputs,
    colors_of,
    first_line,
    input_name,
    load,
    print_json,
    progress,
    said,
)
from .wording import as_flags

COMMAND = ("verify", "check a coloring")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this subcommand."""
    parser.add_argument("graph", metavar="GRAPH", help=INPUT_HELP)
    parser.add_argument("colors", metavar="COLORS", help="colors as 'lagcolor color --out' writes them; or -")
    add_format(parser)
    add_first_line(parser)
    add_problem(parser)
    parser.add_argument("--allow-uncolored", action="store_true", help="accept vertices without a color (-1)")
    parser.add_argument("--symmetrize", action="store_true", help="take A ∪ Aᵀ where the graph is not symmetric")
    parser.add_argument("--device", "-d", help="cpu (default), cuda, cuda:1 …")
    parser.add_argument("--memory", metavar="SIZE", help="read a folder (.csr) in blocks of rows of that size: 500MB")
    parser.add_argument(
        "--balance", type=float, metavar="RATIO", help="the largest color may have at most RATIO times the smallest"
    )
    parser.add_argument("--equitable", action="store_true", help="no two colors may differ by more than one vertex")
    rules.add_rules(parser)


def _graph(args: argparse.Namespace) -> Any:
    """The graph; with --memory its arrays are mapped, not read."""
    if args.memory is None:
        return load(args.graph, args.symmetrize, args.device, args.problem, args.format, **first_line(args))
    from ..scale.disk import mapped

    for name in ("symmetrize", "device", "format", "header", "columns"):
        if getattr(args, name) not in (None, args.parser.get_default(name)):
            raise OptionError(f"--{name} is for graphs in memory: leave one of it and --memory out")
    check_folder(args.graph)
    return mapped(args.graph)


def run(args: argparse.Namespace) -> int:
    """Check, print what was found, and return the exit code."""
    from ..api.verify import verify
    from ..core.classes import said_colors
    from ..problems import PROBLEMS

    check_inputs(args)
    if args.memory is not None and (refused := rules.given(args)):
        raise OptionError(f"--{refused[0].replace('_', '-')} is for graphs in memory: leave one of it and --memory out")
    with progress(f"reading {input_name(args.graph)}") as shown:
        G = _graph(args)
        shown.say(f"reading {input_name(args.colors)}")
        colors = colors_of(args, G, args.problem)
        counts = said(PROBLEMS[args.problem].sizes(G))
        shown.say(f"checking {counts}")
        kept = rules.keywords(args, G)
        report = verify(
            G if args.memory is None else args.graph, colors, problem=args.problem, errors="return",
            allow_uncolored=args.allow_uncolored, balance=args.balance, equitable=args.equitable, memory=args.memory,
            **kept,
        )  # fmt: skip
    problems = report.problems(args.allow_uncolored)
    if args.json:
        print_json({"graph": args.graph, "colors": args.colors, "ok": not problems, **asdict(report)})
    elif problems:
        for problem in problems:
            print(f"not proper: {as_flags(problem, args.parser.parameters, of_file=True)}")
    else:
        print(f"proper: {said_colors(report.n_colors, int(colors.max(initial=-1)), ' colors')}, {counts}")
    return IMPROPER if problems else OK
