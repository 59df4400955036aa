"""Check that a file of colors is a proper coloring of a graph: complete, colors 0 … k-1, no edge of one color.

--problem names another problem, such as columns of a rectangular matrix. Flags of rules, --balance and --equitable add
further conditions.

The checker shares no code with the algorithms. Exit code 1 means that the coloring is wrong.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict

from . import rules
from .exits import IMPROPER, OK, as_flags
from .inputs import add, check_inputs, check_memory, colors_of, load, sizes
from .outputs import input_name, print_json, progress
from .parser import Parser

COMMAND = ("verify", "check a coloring")


def arguments(parser: Parser) -> None:
    """Declare the options of this subcommand."""
    add(parser, "graph", "colors", "format", "header", "columns", "problem", "symmetrize", "device")
    one = parser.add_argument
    one("--allow-uncolored", action="store_true", help="accept vertices without a color (-1)")
    one("--memory", metavar="SIZE",
        help="check a graph folder (.csr) without reading it into memory; allocate at most this, such as 500MB",
    )  # fmt: skip
    one("--balance", type=float, metavar="RATIO",
        help="the largest color may have at most RATIO times as many vertices as the smallest, or one more",
    )  # fmt: skip
    one("--equitable", action="store_true", help="no two colors may differ by more than one vertex")
    rules.add_rules(parser)


def run(args: argparse.Namespace) -> int:
    """Check, print the result, and return the exit code."""
    from ..api.verify import verify
    from ..graph.classes import counted_colors
    from ..problems import PROBLEMS
    from ..scale.disk import mapped

    check_inputs(args)
    if args.memory is not None:
        check_memory(args, args.graph, ("symmetrize", "device", "format", "header", "columns", *rules.NAMES))
    with progress(f"reading {input_name(args.graph)}") as shown:
        G = load(args, args.graph, args.device) if args.memory is None else mapped(args.graph)
        shown.say(f"reading {input_name(args.colors)}")
        colors = colors_of(args, G, args.problem)
        counts = sizes(PROBLEMS[args.problem].sizes(G))
        shown.say(f"checking {counts}")
        keywords = rules.keywords(args, G)
        report = verify(
            G if args.memory is None else args.graph, colors, problem=args.problem, errors="return",
            allow_uncolored=args.allow_uncolored, balance=args.balance, equitable=args.equitable, memory=args.memory,
            **keywords,
        )  # fmt: skip
    problems = report.problems(allow_uncolored=args.allow_uncolored)
    if args.json:
        print_json({"graph": args.graph, "colors": args.colors, "ok": not problems, **asdict(report)})
    elif problems:
        for problem in problems:
            print(f"not valid: {as_flags(problem, args.parser.parameters, of_file=True)}")
    else:
        print(f"proper: {counted_colors(report.n_colors, int(colors.max(initial=-1)), 'colors')}, {counts}")
    return IMPROPER if problems else OK
